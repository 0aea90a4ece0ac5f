"""`assay benchmark submit`: submit outputs to a store or a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from assay.benchmark.cards.card import read_card
from assay.benchmark.client import Receipt, api_address, read_token, send_submission, submission_content
from assay.benchmark.freezing import frozen_examples
from assay.benchmark.submission import Finding, is_day, read_submission
from assay.benchmark.submission_record import SubmissionRecord
from assay.benchmark.submission_store import StoredVersion
from assay.benchmark.validation import Validation, validate
from assay.cli.shared.display import counted, print_result, say, warn
from assay.cli.shared.findings import print_findings
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH, json_option
from assay.cli.shared.work_options import work_options
from assay.errors import AssayError, UsageError
from assay.execution.executors import Executor
from assay.records import to_json
from assay.records.digests import FileDigest
from assay.records.files import read_bytes
from assay.results.result import Result
from assay.store.run_manifest import is_run
from assay.store.saved_run import load_run

EXAMPLE = """\b
Examples:
  assay benchmark submit submission.json --benchmark tides-1.toml --card model.md -o store
  assay benchmark submit submission.json --benchmark tides-1.toml -o store --anonymous-until 2027-01-31 --copy mine
  assay benchmark submit submission.json --to https://bench.example.org/b/tides/1 --token-file token
"""


@new_command(epilog=EXAMPLE)
@click.argument("submission", type=PATH)
@click.option("--benchmark", type=PATH, help="Frozen manifest of the benchmark.")
@click.option("--card", type=PATH, help="Model card (default: model_card in the submission).")
@click.option("--store", "-o", type=NEW_FOLDER, help="Folder of the store; created if missing.")
@click.option("--to", "address", metavar="URL", help="Server: the address of a version's page.")
@click.option("--token-file", type=PATH, help="File with the token for --to (default: $ASSAY_TOKEN).")
@click.option("--no-wait", is_flag=True, help="With --to: do not wait for the scores.")
@click.option("--anonymous-until", metavar="DAY", help="Keep the submission anonymous until this date.")
@click.option("--copy", "copied", type=NEW_FOLDER, help="Results folder for the authors, without held-back metrics.")
@work_options
@json_option
def command(
    submission: Path, benchmark: Path | None, card: Path | None, store: Path | None, anonymous_until: str | None,
    copied: Path | None, executor: Executor, as_json: bool, address: str | None, token_file: Path | None, no_wait: bool,
) -> None:  # fmt: skip
    """Validate SUBMISSION, store it with its card, and score all its tasks; or send it to a server with --to.

    An invalid submission is not stored. After an interruption, the same command resumes.
    """
    if anonymous_until is not None and not is_day(anonymous_until):
        raise UsageError(f"--anonymous-until {anonymous_until}: use a date like 2027-01-31")
    if address is not None:
        if benchmark or store or copied:
            raise UsageError("--to excludes --benchmark, --store and --copy; leave them out")
        _send(
            address, submission, submission_content(submission, card, anonymous_until), token_file, not no_wait, as_json
        )
        return
    if benchmark is None or store is None:
        raise UsageError("pass --benchmark MANIFEST and --store DIR, or --to URL")
    if copied is not None and copied.exists():
        raise UsageError(f"--copy {copied}: already exists. Name a new folder.")
    options = read_submission(submission)
    if anonymous_until:
        options = replace(options, anonymous=True, anonymous_until=anonymous_until)
    manifest, examples = frozen_examples(benchmark)
    text = read_card(card).markdown() if card else options.card
    validated = validate(options, examples, text)
    if not validated.valid:
        _refuse(submission, [finding.plain() for finding in validated.findings], as_json)
    version = StoredVersion(store / manifest.version, manifest)
    version.prepare(examples, benchmark.parent)
    digest = FileDigest.of(submission).sha256
    record = version.put(options, read_bytes(submission), validated.items, text, digest)
    failed = version.score(record, executor)
    runs = {task: version.results / task / record.system for task in record.tasks}
    results = {task: load_run(run) for task, run in runs.items() if is_run(run)}
    if copied is not None:
        from assay.benchmark.bundle import write_bundle

        write_bundle(version, copied, only=record.system, audience="signed-in")
    _print_scored(version, record, validated, results, as_json)
    if failed:
        raise AssayError(f"{failed[0].dataset}: {failed[0].why}; it is stored, and the same command resumes")
    warn(f"{task}: {missing.metric}: {missing.why}" for task, result in results.items() for missing in result.failed)


def _send(address: str, submission: Path, content: bytes, token_file: Path | None, wait: bool, as_json: bool) -> None:
    def known(receipt: Receipt) -> None:
        if not as_json:
            say(f"{receipt.body['name']}: already submitted; its current state follows")

    api_address(address)  # before a token is required
    receipt = send_submission(address, content, read_token(token_file), wait=wait, known=known)
    body = receipt.body
    if not receipt.valid:
        _refuse(submission, body["findings"], as_json)
    if as_json:
        click.echo(to_json({"stored": True, "valid": True, **body}))
    else:
        _print_receipt(receipt)
    if body.get("state") == "failed":
        raise AssayError(f"{body['name']}: could not be scored ({body['error']}). An organiser can retry it.")


def _print_receipt(receipt: Receipt) -> None:
    body = receipt.body
    tasks = counted(len(body["tasks"]), "task")
    say(f"{body['name']} · {body['benchmark']} {body['version']} · {tasks}: {body['state']}")
    for task, result in body["scores"].items():
        values = [(name, result["scores"][name]["value"]) for name in result["shown"]]
        scores = "   ".join(f"{name} {value:.2f}" for name, value in values if value is not None)
        say(f" {task} · {counted(result['n'], 'output')}: {scores}")
    print_findings(Finding.of(finding) for finding in body["findings"])
    say(f"Next: {receipt.base}/submissions/{body['id']}")


def _refuse(submission: Path, findings: list[dict[str, object]], as_json: bool) -> None:
    if as_json:
        click.echo(to_json({"stored": False, "valid": False, "findings": findings}))
    else:
        say(f"{submission}: cannot be accepted; nothing was stored")
        print_findings(Finding.of(finding) for finding in findings)
    raise click.exceptions.Exit(1)


def _print_scored(
    version: StoredVersion, record: SubmissionRecord, validated: Validation, results: dict[str, Result], as_json: bool
) -> None:
    tasks = [task for task in version.manifest.tasks if task.name in record.tasks]
    hidden = sum(len(task.held_back_signatures) for task in tasks)
    if as_json:
        scores = {task: result.to_dict()["scores"] for task, result in results.items()}
        findings = [finding.plain() for finding in validated.findings]
        about = {"system": record.system, "benchmark": version.manifest.title, "results": str(version.results)}
        click.echo(
            to_json(
                {"stored": True, "valid": True, **about, "scores": scores, "held_back": hidden, "findings": findings}
            )
        )
        return
    until = f" · anonymous until {record.anonymous_until or 'it says otherwise'}" if record.anonymous else ""
    say(f"{record.system} · {version.manifest.title} · {counted(len(results), 'task')}: stored and scored{until}")
    for task, result in results.items():
        say(f" {task} · {counted(result.n, 'output')}")
        print_result(result, everything=False)
    if hidden:
        click.echo(f"{counted(hidden, 'metric')} held back: computed, and visible to organisers only.")
    print_findings(validated.findings)
    say(f"Next: assay view {version.results}   assay benchmark bundle {version.folder.parent} -o bundle.zip")
