"""A summary without a model: the mentor's sentences that sound like instructions, newest kept.

The cues are the language of obligation in general; nothing here knows what the rules are about.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable

from pydantic import JsonValue

from memorycode.dialogue import SessionView
from memorycode.transcripts import joined, labelled, sentences, turns_of

_OBLIGATION = re.compile(
    r"""\b(?:
        (?<!['’]s\ )(?<!['’]m\ )(?<!['’]re\ )(?<!\bis\ )(?<!\bare\ )(?<!\bcan\ )always
      | never | must | shall | should | mandatory | obligatory | imperative | (?<!\bto\ )ensure
      | you(?:['’]ll)?\ (?:need|have)\ to | need\ you | requir(?:e|ed|es|ing)
      | make\ (?:sure|certain|it\ a\ (?:habit|rule|point)) | be\ sure | remember\ to
      | (?:do\ not|don['’]t)(?!\ (?:hesitate|worry)) | avoid | refrain | no\ longer | instead\ of
      | please | (?:want|like|expect|ask|prefer|need)\ (?:you|us|everyone)\ to
      | (?:i|we)(?:['’]d)?\ (?:prefer|insist|require|use|follow)
      | from\ (?:now|here|today|this\ point)\ on(?:wards?)? | (?:going|moving)\ forward
      | stick\ to | adhere | starting | emphasi[sz]e
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)

_IMPERATIVE = re.compile(
    r"""(?:^[^\w\n]{0,4}|[,:;]\s|\b(?:and|also|so|now|then|just|simply|is\ to)\s)
        (?:use|add|include|write|name|give|put|keep|begin|start|stop|end|apply|follow|switch
          |change|replace|prefix|append|mark|choose)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def sounds_like_instruction(sentence: str) -> bool:
    """Whether a sentence tells somebody what to do, and is no question."""
    cue = _IMPERATIVE.search(sentence) or _OBLIGATION.search(sentence)
    return cue is not None and not sentence.endswith("?")


class ExtractiveSummary:
    """The newest instruction-like sentences of the mentor's that `limit` tokens hold."""

    def __init__(self, limit: int, count_tokens: Callable[[str], int]) -> None:
        self._limit, self._count = limit, count_tokens
        self._lines: deque[tuple[str, int]] = deque()
        self._tokens = self._dropped = 0

    @property
    def text(self) -> str:
        """One paragraph per sentence, oldest first, each opened by the mentor's name."""
        return joined(line for line, _ in self._lines)

    @property
    def notes(self) -> dict[str, JsonValue]:
        """How many sentences had to go."""
        return {"dropped": self._dropped}

    def update(self, session: SessionView) -> None:
        """Take in the session's instructions and let the oldest go where the limit is passed."""
        mentor = session.speakers.mentor
        for turn in turns_of(session):
            if turn.by_mentor:
                for sentence in filter(sounds_like_instruction, sentences(turn.said)):
                    self._append(labelled(mentor, sentence))
        while self._lines and self._is_over():
            self._tokens -= self._lines.popleft()[1]
            self._dropped += 1

    def _append(self, line: str) -> None:
        tokens = self._count(line + "\n\n")
        if tokens > self._limit:  # it would push out all the others and then itself
            self._dropped += 1
            return
        self._lines.append((line, tokens))
        self._tokens += tokens

    def _is_over(self) -> bool:
        # The sum is cheap; the text as a whole can still count more, depending on the tokenizer.
        return self._tokens > self._limit or self._count(self.text) > self._limit
