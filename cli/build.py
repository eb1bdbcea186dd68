"""`semifactual build`: from a source of problems to a dataset folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semifactual.errors import ConfigError

from .asking import AskOption
from .console import INTERRUPTED, JsonFlag, print_error, print_json, print_news, print_table, printable, progress
from .push import pushed, pushed_words
from .spending import print_failures, spending

if TYPE_CHECKING:
    from semifactual.pipeline.build import BuildReport
    from semifactual.pipeline.config import BuildConfig

PREVIEW_ROWS = 5
_KINDS_HELP = (
    "The kinds to make, with commas. [default: paraphrase,typo_noise,scenario_wrap,irrelevant_context, unless "
    "--families names others]"
)
_SEAL_HELP = (
    "Make this family for evaluation only, never to train on; repeatable. With --kinds or --families, exactly those "
    "are made, and those of the family are sealed; without, the default kinds and the whole family are."
)


def build(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE", help="builtin:NAME, a .jsonl/.json/.csv/.parquet file, a dataset folder, or a Hub id."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The dataset folder to make, or to go on with.")] = None,
    config: Annotated[Path | None, typer.Option(help="A YAML file of options; options given here go over it.")] = None,
    kinds: Annotated[str | None, typer.Option(help=_KINDS_HELP)] = None,
    families: Annotated[
        str | None, typer.Option(help="Make all kinds of these families: wording,context. With --kinds, both.")
    ] = None,
    seal: Annotated[
        list[str] | None,
        typer.Option(metavar="FAMILY", help=_SEAL_HELP),
    ] = None,
    per_kind: Annotated[int | None, typer.Option(help="How many rewrites of each kind a problem gets.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of every random choice.")] = None,
    limit: Annotated[int | None, typer.Option(help="Take only the first so many problems.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many processes work at once; the bytes stay the same.")
    ] = None,
    require_all: Annotated[
        bool | None, typer.Option("--require-all", help="Drop problems that lack a rewrite of some kind.")
    ] = None,
    skip_bad_rows: Annotated[
        bool | None, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be used.")
    ] = None,
    counterfactuals: Annotated[
        int | None, typer.Option(help="Answer-changing versions a problem, where its answer can be computed anew.")
    ] = None,
    answer_check: Annotated[
        str | None, typer.Option(help="The least known of an answer: unknown, agreed or rederived.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="The split of a Hub id or dataset folder.")] = None,
    config_name: Annotated[str | None, typer.Option(help="The configuration of a Hub id.")] = None,
    problem_field: Annotated[str | None, typer.Option(help="The field that holds the problem.")] = None,
    answer_field: Annotated[str | None, typer.Option(help="The field that holds the answer.")] = None,
    id_field: Annotated[
        str | None, typer.Option(help="The field that holds a row's id; none to number the rows.")
    ] = None,
    license: Annotated[str | None, typer.Option(help="The source's licence, for the data card.")] = None,
    engine: Annotated[str | None, typer.Option(help="What makes rewrites: rule, llm, or auto for both.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that rewrites: openai:NAME@URL.")] = None,
    judge: AskOption.Judge = None,
    solver: AskOption.Solver = None,
    votes: AskOption.Votes = None,
    repairs: Annotated[int | None, typer.Option(help="How often a failed rewrite goes back to the model.")] = None,
    temperature: AskOption.Temperature = None,
    reply_tokens: AskOption.ReplyTokens = None,
    extra_body: AskOption.ExtraBody = None,
    api_key_env: AskOption.ApiKeyEnv = None,
    concurrency: AskOption.Concurrency = None,
    timeout: AskOption.Timeout = None,
    attempts: AskOption.Attempts = None,
    rpm: AskOption.Rpm = None,
    tpm: AskOption.Tpm = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop, and be able to go on, before it costs more.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Stop, and be able to go on, before it uses more.")] = None,
    batch: Annotated[
        bool | None, typer.Option("--batch", help="Send requests as batches: slower, at half the price.")
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="The file that keeps every reply.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table of your own, in YAML.")] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print the expected tokens and cost; ask nothing, write nothing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help=f"Print the first {PREVIEW_ROWS} rows and write nothing.")
    ] = False,
    push: Annotated[
        str | None, typer.Option(metavar="OWNER/NAME", help="Put the finished dataset on the Hub, as `push` does.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="With --push: make the repository a private one.")] = False,
    json: JsonFlag = False,
) -> None:
    """Make checked rewrites of every problem: a Hugging Face dataset. The same command resumes a broken-off run."""
    given = dict(locals())  # before any other name is bound: the parameters, named as the config's options are
    given["seal"] = seal or None
    from semifactual.pipeline.config import BuildConfig, load_config

    resolved = load_config(config, {name: given[name] for name in BuildConfig.model_fields})
    _check_push(push, private, written=not (estimate or dry_run))
    if estimate:
        _print_estimate(resolved, json)
    elif dry_run:
        _print_preview(resolved, json)
    elif out is None:
        raise ConfigError("build needs a folder to write to", hint="add --out DIR, or --dry-run to only look")
    else:
        report = _run(resolved, out)
        if not json:
            _print_report(report)
        done = None if push is None else pushed(out, push, private=private)
        if json:
            print_json(_summary(report) | ({} if done is None else {"push": asdict(done)}))
        elif done is not None:
            print(pushed_words(done))


def _run(config: BuildConfig, out: Path) -> BuildReport:
    from semifactual.pipeline.build import build as run_build

    try:
        with progress("rewriting") as on_progress:
            return run_build(config, out, on_progress=on_progress, on_news=print_news)
    except KeyboardInterrupt:
        print_error("interrupted; finished rows are kept", "run the same command again to go on")
        raise typer.Exit(INTERRUPTED) from None


def _check_push(repository: str | None, private: bool, *, written: bool) -> None:
    """Refuse before any work what could not be pushed after it."""
    from semifactual.publish.hub import token_to_write
    from semifactual.publish.repository import Repository

    if repository is None and private:
        raise ConfigError("--private means nothing without --push", hint="add --push OWNER/NAME, or leave it out")
    if repository is not None:
        if not written:
            raise ConfigError("--push means nothing where no dataset is written", hint="leave it out")
        Repository.named(repository)
        token_to_write()


def _summary(report: BuildReport) -> dict[str, Any]:
    summary = {
        "out": str(report.out),
        "found_finished": report.found_finished,
        "resumed_at": report.resumed_at,
        "source": report.manifest["source"],
        "counts": report.manifest["counts"],
    }
    if "llm" in report.manifest:
        summary |= {"llm": report.manifest["llm"], "this_run": report.traffic}
    return summary


def _print_report(report: BuildReport) -> None:
    counts = report.manifest["counts"]
    for notice in report.notices:
        print(printable(notice))
    if report.found_finished:
        print(printable(f"{report.out} holds this dataset already; nothing to do"))
    elif report.resumed_at:
        print(f"resumed behind {report.resumed_at:,} finished problems")
    headings = ["kind", "rewrites", "coverage", "rejected", "most often failed"]
    print_table(headings, [_kind_row(kind, of_kind, counts["rows"]) for kind, of_kind in counts["kinds"].items()])
    if not any(of_kind["valid"] for of_kind in counts["kinds"].values()):
        print(f"no rewrite entered the dataset{_bar_words(report)}")
    _print_counterfactuals(report)
    if "llm" in report.manifest:
        _print_models(report)
    dropped = counts["dropped_by_require_all"]
    if dropped and not counts["rows"]:
        print(printable(f"--require-all left no problem{_most_missing(counts['kinds'])}"))
    print(printable(f"{_rows(counts['rows'])} in {report.out}" + (f"; {dropped:,} dropped" if dropped else "")))


def _print_counterfactuals(report: BuildReport) -> None:
    counts = report.manifest["counts"]
    made, without = counts["counterfactuals"], counts["without_counterfactuals"]
    if not report.manifest["config"]["counterfactuals"]:
        return
    if not made:
        print("no counterfactual: no problem has a program, worked steps or a prompt that sympy solves to change")
    else:
        noun = f"counterfactual{'s' * (made != 1)}"
        print(f"{made:,} {noun}, as a control" + (f"; {_rows(without)} without one" if without else ""))


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def _most_missing(kinds: dict[str, Any]) -> str:
    """The kind of which most rewrites could not be made."""
    kind, counts = max(kinds.items(), key=lambda item: int(item[1]["missing"]))
    missing = counts["missing"]
    return f"; missing most often was {kind}, of which {missing:,} rewrite{'s' * (missing != 1)} could not be made"


def _bar_words(report: BuildReport) -> str:
    """The bar for answers, where rewrites failed at it."""
    if not any(counts["failed_checks"].get("answer_check") for counts in report.manifest["counts"]["kinds"].values()):
        return ""
    return f"; the bar for answers was --answer-check {report.manifest['config']['answer_check']}"


def _print_models(report: BuildReport) -> None:
    """What the models did for this dataset, and what of it this run paid."""
    used = report.manifest["llm"]
    ended = ", ".join(f"{count:,} {name}" for name, count in used["problems"].items())
    print(f"problems: {ended}; {used['requests']:,} replies, {used['repairs']:,} repairs")
    print(f"the dataset: {spending(used, used['currency'])}")
    if report.traffic is not None:
        sent = report.traffic["requests"]
        counts = [("sent", "sent"), ("from_cache", "from the cache"), ("retried", "sent again"), ("refused", "429")]
        shown = ", ".join(f"{sent[name]:,} {words}" for name, words in counts if sent.get(name))
        print(f"this run: {spending(report.traffic, used['currency'])}" + (f"; requests: {shown}" if shown else ""))
        print_failures(report.traffic)


def _print_estimate(config: BuildConfig, as_json: bool) -> None:
    from semifactual.pipeline.estimating import estimate

    expected = estimate(config)
    if as_json:
        print_json(expected)
        return
    if not expected["roles"]:
        looked = f"{expected['problems']:,} problems, {expected['looked_at']:,} looked at"
        print(f"{looked}: rules make all that is wanted, so that no request is expected")
        return
    headings = ["role", "model", "requests", "prompt tokens", "reply tokens", "cost", "cost at most"]
    rows: list[list[object]] = []
    for role, one in expected["roles"].items():
        costs = ["unknown" if cost is None else cost for cost in (one["cost"], one["at_most"]["cost"])]
        rows.append([role, one["model"], one["requests"], one["prompt_tokens"], one["completion_tokens"], *costs])
    print_table(headings, rows)
    cost = "unknown: no price table has the model" if expected["cost"] is None else f"{expected['cost']:.2f}"
    print(printable(f"{expected['problems']:,} problems; expected cost in {expected['currency']}: {cost}"))
    print("that is for a first build: replies in the cache and finished rows cost nothing, and are not subtracted")


def _kind_row(kind: str, counts: dict[str, Any], rows: int) -> list[object]:
    coverage = f"{counts['problems_covered'] / rows:.1%}" if rows else "-"
    often = max(counts["failed_checks"].items(), key=lambda item: item[1], default=("", 0))[0]
    return [f"{kind} (sealed)" if counts.get("sealed") else kind, counts["valid"], coverage, counts["rejected"], often]


def _print_preview(config: BuildConfig, as_json: bool) -> None:
    from semifactual.pipeline.build import preview
    from semifactual.pipeline.rewriting import kinds_without

    rows = preview(config, PREVIEW_ROWS)
    if as_json:
        print_json({"rows": [row["record"] for row in rows]})
        return
    for row in rows:
        record = row["record"]
        print(printable(f"{record['id']} (answer {record['answer']})\n  problem: {record['problem']}"))
        for entry in record["semifactuals"]:
            print(printable(f"  {entry['kind']}: {entry['text']}"))
        for entry in record["evaluation_variants"]:
            print(printable(f"  {entry['kind']} (sealed): {entry['text']}"))
        for entry in record["counterfactuals"]:
            print(printable(f"  {entry['kind']} (answer {entry['answer']}): {entry['text']}"))
        for kind in kinds_without(row):
            print(printable(f"  {kind}: none"))
        print()
