"""Runs over many cases, their reports and their comparison, for scripts and notebooks."""

from __future__ import annotations

import atexit
import html as _html
import itertools
import json
import os
import shutil
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence, Union

import pyarrow as pa

from . import binary as program
from . import columns as _columns
from .errors import BadgerError

Cases = Union[str, "os.PathLike[str]", Iterable[Mapping[str, Any]]]

_lock = threading.Lock()
_folder: Path | None = None
_count = itertools.count(1)


def _own_folder() -> Path:
    """Returns the folder of this process for its runs. It is removed at the end."""
    global _folder
    with _lock:
        if _folder is None:
            _folder = Path(tempfile.mkdtemp(prefix="badger-"))
            atexit.register(shutil.rmtree, _folder, ignore_errors=True)
        return _folder


def _frame(page: str, height: int = 620) -> str:
    """Returns the report for a notebook: a separate frame, which can neither reach the notebook nor load anything."""
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" title="badger report" '
        f'srcdoc="{_html.escape(page, quote=True)}"></iframe>'
    )


@dataclass(frozen=True)
class Page:
    """A report as a page. A notebook shows it, and save writes it to a file. It needs no server and loads nothing."""

    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return _frame(self.html)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file, for a browser."""
        Path(path).write_text(self.html, encoding="utf-8")


@dataclass(frozen=True)
class Run:
    """A finished run. A notebook shows its report."""

    id: str
    db: str
    summary: dict[str, Any] = field(repr=False)  # what badger run --json prints
    scores_file: str = field(repr=False)
    binary: str | None = field(default=None, repr=False)

    def scores(self) -> pa.Table:
        """Returns the scores, one a row: case_id, metric, status, value, passed, reason and the others of score files."""
        with open(self.scores_file, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return _columns.to_table(rows)

    def page(self) -> Page:
        """Returns the report."""
        return report(self.db, run=self.id, binary=self.binary)

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()


@dataclass(frozen=True)
class Comparison:
    """Two runs compared. A notebook shows the report of the later one against the earlier one."""

    data: dict[str, Any] = field(repr=False)  # what badger compare --json prints
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return _frame(self.html)


def _case_text(case: Mapping[str, Any]) -> str:
    """Returns a case as a line of a case file. Tables in gold.result and agent.result become results."""
    return _columns.text_of(dict(case)) or ""


def run(
    cases: Cases,
    *,
    metrics: Sequence[str] = (),
    config: str | os.PathLike[str] | None = None,
    db: str | None = None,
    arguments: Sequence[str] = (),
    binary: str | None = None,
) -> Run:
    """Scores cases as badger run does: a case file, or cases as dicts with the members of its lines.

    A gold.result or agent.result may be a table of pandas, polars, pyarrow or DuckDB. The scores go to the database db,
    such as duckdb:scores.duckdb, or else to one that lasts as long as this process. arguments are further ones of
    badger run, such as ["--execute", "duckdb:shop.duckdb"].
    """
    folder = _own_folder() / str(next(_count))
    folder.mkdir()
    if isinstance(cases, (str, os.PathLike)):
        path = os.fspath(cases)
    else:
        path = str(folder / "cases.jsonl")
        with open(path, "w", encoding="utf-8") as out:
            for case in cases:
                out.write(_case_text(case) + "\n")
    db = db or f"duckdb:{_own_folder() / 'runs.duckdb'}"
    scores, run_id = str(folder / "scores.jsonl"), f"py-{os.getpid()}-{os.path.basename(_own_folder())}-{folder.name}"
    command = ["run", "--cases", path, "--to", db, "--scores", scores, "--run-id", run_id, "--json", "--quiet"]
    if metrics:
        command += ["--metrics", ",".join(metrics)]
    if config is not None:
        command += ["--config", os.fspath(config)]
    done = program.run(binary, [*command, *arguments], codes=(0, 1))
    if not done.stdout:
        raise BadgerError("failed_precondition", done.stderr.strip())
    return Run(run_id, db, json.loads(done.stdout), scores, binary)


def report(db: str | Run, *, run: str | None = None, against: str | None = None, binary: str | None = None) -> Page:
    """Returns the report of a run in a database, the latest one unless its id is given, as badger report does.

    against is the id of another run, an AGENT@VERSION or a batch. A notebook shows the page.
    """
    if isinstance(db, Run):
        of = db
        db, run, binary = of.db, run or of.id, binary or of.binary
    path = _own_folder() / f"report-{next(_count)}.html"
    command = ["report", "--db", db, "--html", str(path), "--quiet"]
    if run:
        command += ["--run", run]
    if against:
        command += ["--against", against]
    program.run(binary, command)
    page = path.read_text(encoding="utf-8")
    path.unlink()
    return Page(page)


def compare(before: Run, after: Run, *, metrics: Sequence[str] = (), arguments: Sequence[str] = ()) -> Comparison:
    """Tests whether a run is worse than another, as badger compare does. arguments are further ones of badger compare."""
    command = ["compare", "--scores", before.scores_file, "--scores", after.scores_file, "--json"]
    if metrics:
        command += ["--metrics", ",".join(metrics)]
    done = program.run(after.binary, [*command, *arguments], codes=(0, 1))
    same = before.db == after.db
    page = report(after, against=before.id) if same else report(after)
    return Comparison(json.loads(done.stdout), page.html)
