"""Which questions are asked, when, and against which rules."""

from __future__ import annotations

from memorycode.dialogue import Dialogue
from memorycode.running.plan import plan_episodes


def test_last_asks_the_data_sets_questions_after_the_last_session(small_dialogue: Dialogue) -> None:
    (episode,) = plan_episodes(small_dialogue, "history", "last")
    assert list(episode.questions) == [3]
    asked = episode.questions[3]
    assert [q.query for q in asked] == list(small_dialogue.history_queries)
    assert [q.number for q in asked] == [0, 1]
    assert [q.elicited for q in asked] == [(False, True), (True, False)]


def test_every_asks_after_each_session_what_holds_then(small_dialogue: Dialogue) -> None:
    (episode,) = plan_episodes(small_dialogue, "history", "every")
    assert {at: len(asked) for at, asked in episode.questions.items()} == {0: 1, 1: 1, 2: 2, 3: 2}
    assert [rule.check for rule in episode.questions[1][0].rules] == ["^k_.*"]
    last = plan_episodes(small_dialogue, "history", "last")[0].questions[3]
    assert episode.questions[3] == last


def test_nothing_is_asked_before_a_rule_was_told(small_dialogue: Dialogue) -> None:
    first = small_dialogue.sessions[1].model_copy(update={"index": 0})
    dialogue = small_dialogue.model_copy(update={"sessions": (first, *small_dialogue.sessions[1:])})
    (episode,) = plan_episodes(dialogue, "history", "every")
    assert list(episode.questions) == [2, 3]


def test_session_plays_each_session_alone(small_dialogue: Dialogue) -> None:
    episodes = plan_episodes(small_dialogue, "session", "last")
    assert [[s.index for s in e.sessions] for e in episodes] == [[0], [2]]
    asked = episodes[1].questions[2]
    assert len(asked) == 2
    assert all(len(question.rules) == 2 for question in asked)


def test_instruction_plays_each_rule_alone(small_dialogue: Dialogue) -> None:
    episodes = plan_episodes(small_dialogue, "instruction", "last")
    assert [e.sessions[0].text for e in episodes] == [
        "Ada: rule 6.0",
        "Ada: rule 6.1",
        "Ada: rule 23.0",
    ]
    questions = [question for e in episodes for question in e.all_questions]
    assert [(q.session, q.number, len(q.rules)) for q in questions] == [
        (0, 0, 1),
        (2, 0, 1),
        (2, 1, 1),
    ]
