"""Commands that judge answers and texts: score, judge, verify, detect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from memorycode.cli.shared import FAILED, Json, print_json
from memorycode.errors import UsageError


def score(
    dataset: Annotated[Path, typer.Option(help="Folder of dialogue_N.json, or a clone's root.")],
    outputs: Annotated[Path, typer.Option(help="Folder of output_N.json of one model.")],
    scorer: Annotated[
        Literal["official", "strict", "both"],
        typer.Option(help="The paper's, or what the rules say (docs/scorers.md)."),
    ] = "official",
    as_json: Json = False,
) -> None:
    """Score recorded outputs by the paper's scorer, or the strict one."""
    from memorycode.results.recorded_scores import score_folders
    from memorycode.scoring.scorers import SCORER_NAMES, make_scorer

    names = SCORER_NAMES if scorer == "both" else (scorer,)
    found = score_folders(dataset, outputs, map(make_scorer, names))
    if as_json:
        dumped = {name: scores.model_dump(mode="json") for name, scores in found.items()}
        print_json(dumped if scorer == "both" else dumped[scorer])
    else:
        from memorycode.reporting.scores import print_scores

        for scores in found.values():
            print_scores(scores, outputs.name)


def judge(
    cases: Annotated[
        Path, typer.Argument(help="JSON list, or JSONL, of {id, output, object, rule}.")
    ],
    as_json: Json = False,
) -> None:
    """Judge single answers by both scorers.

    Each case may say "query_elicits": true where its question is the rule's own: there the strict
    scorer takes an absent object for a violation.
    """
    from memorycode.reporting.judgements import print_judgements
    from memorycode.scoring.cases import judge_cases, read_cases

    read = read_cases(cases)
    judged = list(judge_cases(read))
    if as_json:
        print_json([judgement.model_dump() for judgement in judged])
    else:
        print_judgements(read, judged)


def verify(
    dataset: Annotated[
        Path, typer.Option(help="Folder of dialogue_N.json, or a clone's root.")
    ] = Path("MemoryCode"),
    outputs: Annotated[
        Path, typer.Option(help="Folder with the published models' folders, or one of them.")
    ] = Path("MemoryCode/outputs"),
    as_json: Json = False,
) -> None:
    """Compare recorded outputs with the paper's Table 4.

    All eight models of the table are known, by the folders' names that docs/scorers.md lists. A
    folder of no published model is left out, and named.
    """
    from memorycode.reporting.verification import print_verification
    from memorycode.results.published import verify as compare

    verification = compare(dataset, outputs)
    if as_json:
        print_json(verification.model_dump())
    else:
        print_verification(verification)
    if not verification.agrees:
        raise typer.Exit(FAILED)


def detect(
    path: Annotated[
        str, typer.Argument(metavar="PATH|-", help="A text, a data set, or - (stdin).")
    ],
    mentor: Annotated[
        Optional[str], typer.Option(help="Who states the rules, as the turns are labelled.")
    ] = None,
) -> None:
    """Find the coding rules stated in a text or a data set.

    Always JSON: a text gives one list of rules, a data set one line per session. Where a text
    changes a rule, what holds at its end is given.
    """
    from memorycode.scoring.detections import detect_dataset, detect_text, is_dataset

    if path != "-" and is_dataset(Path(path)):
        if mentor is not None:
            raise UsageError("--mentor goes with a text; a data set names its mentors")
        for row in detect_dataset(Path(path)):
            print_json(row)
    else:
        print_json(detect_text(path, mentor))
