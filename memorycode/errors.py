"""Every exception that the project raises on purpose.

::

    MemorycodeError
    ├── UsageError            wrong option, unknown name, settings that do not fit   (exit status 2)
    ├── DatasetError          a data set is not in the layout; names file, session and field
    ├── SeedError             a seed pool is not as it should be; names file and key
    ├── RenderError           a session would not come out so that it tells its rules
    ├── PromptError           a prompt pack lacks a text or a variable
    ├── PluginError           a plug-in cannot be found, built or used
    │   └── NotInstalled      it needs a package that is missing; names the extra
    ├── RunFolderError        a run's folder is not readable or belongs to another run (status 2)
    └── ModelError            one call to a model failed; `kind` says how
        ├── ModelUnavailable     no further call can succeed (wrong key, unknown model)
        │   └── Halted           the run stops before the call, at a limit
        ├── PassingFailure       the same call may succeed later
        ├── NoRecordedAnswer     a replayed folder has no answer for this question
        └── ConversationRefused  the model reads a single text and was handed a conversation

These never leave the project, which raises and catches them, and are no `MemorycodeError`::

    WorkerLost                the process that played a task is gone
    StrategyFailed            a strategy raised something; becomes a record
    └── StrategyHung          it took longer than it may
    ReplyRefused              a reply is not read to its end; becomes a `ModelError`. It stands
                              with the `Failure` that it carries (memorycode.models.failures)
    Unreadable                a text file is not to be read; becomes an error that names the file
    ForkRefused               a strategy forks while it is checked
    Fault                     what a conformance check found
    NotApplicable             why a conformance check says nothing
"""

from __future__ import annotations

from pathlib import Path


class MemorycodeError(Exception):
    """Base of all errors that are meant for the user's eyes."""


class UsageError(MemorycodeError):
    """The call itself is wrong: an unknown name, an option out of range, settings that clash."""


class DatasetError(MemorycodeError):
    """A data set cannot be read.

    `where` is a path such as ``sessions[3].session_regex[0]``; sessions count from 0.
    """

    def __init__(self, problem: str, *, file: Path | str, where: str = "") -> None:
        self.problem, self.file, self.where = problem, str(file), where
        super().__init__(f"{file}{': ' + where if where else ''}: {problem}")


class SeedError(MemorycodeError):
    """A seed pool cannot be used; names the file and the key."""

    def __init__(self, problem: str, *, file: Path | str, key: str = "") -> None:
        self.problem, self.file, self.key = problem, str(file), key
        super().__init__(f"{file}{': ' + key if key else ''}: {problem}")


class Unreadable(Exception):
    """A text file, or what stands in it, cannot be read: `problem`, at `where` in the file."""

    def __init__(self, problem: str, *, where: str = "") -> None:
        self.problem, self.where = problem, where
        super().__init__(f"{where}{': ' if where else ''}{problem}")


class RenderError(MemorycodeError):
    """A session was rendered as often as allowed and still does not tell what it should."""


class PromptError(MemorycodeError):
    """A prompt pack lacks a text, or a text names a variable that does not exist."""


class PluginError(MemorycodeError):
    """A plug-in cannot be found, built or used."""


class NotInstalled(PluginError):
    """A package is missing; the text names the extra that brings it."""


class RunFolderError(MemorycodeError):
    """A run's folder cannot be read, or it was made with other settings."""


class ModelError(MemorycodeError):
    """A call to a model failed.

    `kind` is a short word that tables count by: ``timeout``, ``connection``, ``rate_limit``,
    ``server_error``, ``empty``, ``refused``, ``truncated``, ``broken_off``, ``bad_response``,
    ``bad_request`` …
    """

    def __init__(self, problem: str, *, kind: str) -> None:
        self.kind = kind
        super().__init__(problem)


class ModelUnavailable(ModelError):
    """No further call to this model can succeed, so the run stops."""


class Halted(ModelUnavailable):
    """The run is to stop before this call. Nothing is wrong with the model."""

    def __init__(self, why: str) -> None:
        super().__init__(why, kind="stopped")


class PassingFailure(ModelError):
    """A failure after which the same call may succeed. `retry_after` is how many seconds the
    endpoint wants to be left alone, None where it does not say."""

    def __init__(self, problem: str, *, kind: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(problem, kind=kind)


class NoRecordedAnswer(ModelError):
    """A folder of recorded outputs holds no answer for the question asked."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, kind="not_recorded")


class ConversationRefused(ModelError):
    """A model that reads a prompt's text was handed a conversation of several messages."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, kind="conversation")


# ── within the project alone ──────────────────────────────────────────────────────────────────


class WorkerLost(Exception):
    """The process that played a task is gone."""


class StrategyFailed(Exception):
    """A strategy raised something, or handed back what cannot be used; says what, and over what."""


class StrategyHung(StrategyFailed):
    """A call of a strategy took longer than it may; says what it was about."""


class Fault(Exception):
    """The strategy does not do what the check wants; the text says what was seen."""


class NotApplicable(Exception):
    """The check says nothing about this strategy; the text says why."""


class ForkRefused(Exception):
    """A strategy forks the process in which it is checked; the text says what to do instead."""
