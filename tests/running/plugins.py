"""Plug-ins that the runner's tests name as ``module:attribute``; not collected by pytest."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Literal

from memorycode.dialogue import SessionView
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.protocols import Completion, Passage, Prompt, Recall, StrategyContext, Usage


class SlowMentee(IdealMentee):
    """The ideal mentee, a few milliseconds late: a run that can be killed half-way."""

    def generate(self, prompt: Prompt) -> Completion:
        time.sleep(float(os.environ.get("MENTEE_DELAY", "0")))
        return super().generate(prompt)


class Moody:
    """Fails on questions about documents, as an endpoint might."""

    name = "moody"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        if "documented" in prompt.parts[-1]:
            raise ModelError("503 from the endpoint", kind="server_error")
        return Completion(text="```python\ndef w_f():\n    '''d'''\n```")


class Odd(Moody):
    """Hands back, by the question's number, what no model should."""

    name = "odd"
    completions = (
        Completion(text="x", latency=float("nan")),
        Completion(text=" \n"),
        Completion(text="def f(", finish_reason="length"),
        Completion(text="def f(): ...", finish_reason="\ud83d"),
        Completion(text="<think>def f(): ...</think>\n"),
        Completion(text="def f(): ...", finish_reason="guardrail_intervened"),
        Completion(text="def f(): ...", finish_reason="ERROR"),
        Completion(text="def f(): '\ud83d'", finish_reason="COMPLETE"),
    )

    def generate(self, prompt: Prompt) -> Completion:
        assert prompt.ref is not None
        match prompt.ref.dialogue:
            case 1:
                return None  # type: ignore[return-value]
            case 2:
                raise SystemExit(0)
            case 3:
                raise ModelError("as if it were one", kind="answered")
            case 4:
                raise ModelError("half a pair: \ud83d", kind="bad_response")
            case number:
                return self.completions[number - 5]


class Pensive(Moody):
    """Thinks, and says nothing."""

    name = "pensive"

    def generate(self, prompt: Prompt) -> Completion:
        return Completion(text="<think>\ndef w_f():\n    return 1\n</think>")


class Recovering(Moody):
    """Fails until the variable ENDPOINT_IS_UP is set."""

    name = "recovering"

    def generate(self, prompt: Prompt) -> Completion:
        if not os.environ.get("ENDPOINT_IS_UP"):
            raise ModelError("connection refused", kind="connection")
        return Completion(text="```python\ndef w_f():\n    '''d'''\n```")


class Raising(Moody):
    """Raises what no model should."""

    name = "raising"

    def generate(self, prompt: Prompt) -> Completion:
        raise ZeroDivisionError("division by zero")


class Locked(Moody):
    """An endpoint that refuses the key."""

    name = "locked"
    calls = 0

    def generate(self, prompt: Prompt) -> Completion:
        Locked.calls += 1
        raise ModelUnavailable("the endpoint refuses the key", kind="wrong_key")


class Diary:
    """Recalls whole sessions; notes what it was shown."""

    oracle = False
    ask_after: Literal["last", "every"] = "last"

    def __init__(self, context: StrategyContext, *, most: int = 3) -> None:
        self.most = most
        self.seen: list[SessionView] = []

    def observe(self, session: SessionView) -> None:
        self.seen.append(session)

    def recall(self, query: str) -> Recall:
        kinds = sorted({type(session).__name__ for session in self.seen})
        passages = tuple(Passage(text=s.text, session=s.index) for s in self.seen[-self.most :])
        return Recall(passages=passages, notes={"views": list(kinds)})


class Breaking(Diary):
    """Raises at the third session."""

    def observe(self, session: SessionView) -> None:
        if session.index == 2:
            raise KeyError("session 2 does not suit me")
        super().observe(session)


class Forgetful(Diary):
    """Raises when asked."""

    def recall(self, query: str) -> Recall:
        raise RuntimeError("what was the question?")


class Chatty(Diary):
    """Returns a text where a `Recall` is wanted."""

    def recall(self, query: str) -> Recall:
        return "all of it"  # type: ignore[return-value]


class Quitting(Diary):
    """Ends the process, if one lets it."""

    def recall(self, query: str) -> Recall:
        raise SystemExit(0)


class Scribbling(Diary):
    """Puts something into its notes that JSON does not know."""

    def recall(self, query: str) -> Recall:
        return Recall.model_construct(passages=(), notes={"set": {1, 2}})


class Rewriting(Diary):
    """Rewrites the prompts it was handed."""

    def recall(self, query: str) -> Recall:
        self.prompts.texts["question"] = "Sing: {query}"
        return super().recall(query)

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.prompts = context.prompts


class Unspeakable(Diary):
    """Raises an exception that cannot be put into words."""

    def observe(self, session: SessionView) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError

        raise Mute


class Turncoat(Diary):
    """Calls itself an oracle from its second instance on."""

    built = 0

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        Turncoat.built += 1
        self.oracle = Turncoat.built > 1


class Failing(Diary):
    """Goes on without its summary where the model fails."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.model = context.model

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        try:
            if self.model is not None:
                self.model.generate(Prompt(parts=("a documented note", "documented")))
        except ModelError:
            pass


class Writer(Diary):
    """Asks the run's model while it observes."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.context = context

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        if self.context.model is not None:
            self.context.model.generate(Prompt(parts=("note this: ", session.text)))


class Undated(Diary):
    """Does not know when it is asked."""

    ask_after = "sometimes"  # type: ignore[assignment]


class Explosive(Diary):
    """Cannot be built."""

    def __init__(self, context: StrategyContext) -> None:
        raise ValueError("boom")


class Shapeless:
    """No strategy at all."""

    def __init__(self, context: StrategyContext) -> None:
        pass


class Writing(Moody):
    """Answers every prompt, and counts the tokens as an endpoint does."""

    name = "writing"
    options: ClassVar[dict[str, object]] = {}
    asked: ClassVar[list[Prompt]] = []

    def generate(self, prompt: Prompt) -> Completion:
        type(self).asked.append(prompt)
        sample = prompt.ref.repeat if prompt.ref else 0
        text = f"```python\ndef {'w' if sample == 0 else 'x'}_f(number):\n    '''d'''\n```"
        usage = Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=40, source="endpoint")
        return Completion(text=text, usage=usage, latency=0.25)


class Narrow(Writing):
    """Has a small context."""

    name = "narrow"
    context_limit = 120
    asked: ClassVar[list[Prompt]] = []


class Unreachable(Moody):
    """Nobody listens."""

    name = "unreachable"
    calls = 0

    def generate(self, prompt: Prompt) -> Completion:
        Unreachable.calls += 1
        raise ModelError("connection refused", kind="connection")


class Probed(Writing):
    """Tells before it is asked that it cannot be used."""

    name = "probed"
    asked: ClassVar[list[Prompt]] = []

    def probe(self) -> None:
        raise ModelUnavailable("no such model", kind="not_found")


class Searcher(Diary):
    """Asks the run's model while it recalls, and takes no notice of failures."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.context = context

    def recall(self, query: str) -> Recall:
        if self.context.model is not None:
            with suppress(ModelError):
                self.context.model.generate(Prompt(parts=("what to look for: ", query)))
        return super().recall(query)


class Counting(Moody):
    """Notes of each call whether it failed."""

    name = "counting"
    asked: ClassVar[list[str]] = []

    def generate(self, prompt: Prompt) -> Completion:
        try:
            completion = super().generate(prompt)
        except ModelError as error:
            Counting.asked.append(error.kind)
            raise
        Counting.asked.append("")
        return completion


class Dying(Diary):
    """Has its process killed in the middle of a dialogue if it finds a file, and takes that away:
    the next process goes on."""

    ask_after = "every"

    def __init__(self, context: StrategyContext, *, file: str) -> None:
        super().__init__(context)
        self.file = Path(file)

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        if session.index == 3:
            with suppress(FileNotFoundError):
                self.file.unlink()
                time.sleep(0.5)  # what was answered is on its way
                os.kill(os.getpid(), signal.SIGKILL)


class Complaining(Writer):
    """Says of every answer three times that it cannot read it."""

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        for _ in range(3):
            self.context.report_unreadable()
