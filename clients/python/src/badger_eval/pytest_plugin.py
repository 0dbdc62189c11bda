"""A test for each case: pytest --badger-cases cases.jsonl, and the fixture badger_case for an agent that is called.

    pytest --badger-cases cases.jsonl --badger-metric hybrid_ex

    @pytest.mark.badger("golden.jsonl")
    def test_agent(badger_case):
        badger_case.check(**agent(badger_case.question))  # sql=…, result=…, response=…
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

from . import binary as program
from .client import default
from .columns import text_of
from .errors import BadgerError


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("badger", "answers of text-to-SQL agents")
    group.addoption("--badger-cases", action="append", default=[], metavar="PATH", help="Case file, or folder of *.jsonl: a test for each answer (repeatable).")
    group.addoption("--badger-metric", default=None, metavar="M", help="Metric that an answer must pass (default the ini value badger_metric, else hybrid_ex).")
    parser.addini("badger_metric", "Metric that an answer must pass.", default="hybrid_ex")
    parser.addini("badger_arguments", "Further arguments of badger run, such as --execute sqlite:shop.sqlite.", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "badger(path): a test for each case of a case file, or of a folder of *.jsonl, with the fixture badger_case.")
    for given in config.getoption("--badger-cases"):
        path = (config.invocation_params.dir / given).resolve()
        if not path.exists():
            raise pytest.UsageError(f"--badger-cases: {given}: no such file or folder")
        config.args.append(str(path))


def _metric(config: pytest.Config) -> str:
    return str(config.getoption("--badger-metric") or config.getini("badger_metric"))


def _is_among(path: Path, config: pytest.Config) -> bool:
    for given in config.getoption("--badger-cases"):
        root = (config.invocation_params.dir / given).resolve()
        if path == root or path.suffix == ".jsonl" and root in path.parents:
            return True
    return False


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if _is_among(file_path, parent.config):
        return CaseFile.from_parent(parent, path=file_path)
    return None


class CaseFile(pytest.File):
    """A case file. Its answers are scored in one run, by badger run."""

    def collect(self) -> Iterator[pytest.Item]:
        metric = _metric(self.config)
        with tempfile.TemporaryDirectory() as folder:
            scores = os.path.join(folder, "scores.jsonl")
            command = ["run", "--cases", str(self.path), "--no-to", "--scores", scores, "--metrics", f"{metric},relation", "--json", "--quiet"]
            try:
                # Exit code 1: some answers could not be read; 3: none could be scored. Their scores say why.
                done = program.run(None, [*command, *self.config.getini("badger_arguments")], codes=(0, 1, 3))
                with open(scores, encoding="utf-8") as lines:
                    found = [json.loads(line) for line in lines]
            except BadgerError as error:
                raise self.CollectError(str(error)) from None
            except OSError:
                found = []
            if not found:
                raise self.CollectError(done.stderr.strip())
        answers: dict[tuple[Any, ...], dict[str, Any]] = {}
        for score in found:
            key = tuple(score.get(k) for k in ("case_id", "agent_name", "agent_version", "batch_id", "repeat"))
            answers.setdefault(key, {})[score["metric"]] = score
        alone = len({k[1:] for k in answers}) == 1
        for key, by_metric in answers.items():
            name = str(key[0])
            if not alone:
                name += f"[{' '.join(str(v) for v in key[1:] if v)}]"
            yield Answer.from_parent(self, name=name, metric=metric, scores=by_metric)


class Answer(pytest.Item):
    """One answer to one question."""

    def __init__(self, *, metric: str, scores: dict[str, Any], **of: Any) -> None:
        super().__init__(**of)
        self._metric, self._scores = metric, scores

    def runtest(self) -> None:
        message = judged(self._scores, self._metric)
        if message:
            case = self._scores[self._metric]["case_id"]
            raise WrongAnswer(f"{message}\n  badger explain --cases {self.path} --case {case}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, WrongAnswer):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        return self.path, None, self.name


class WrongAnswer(AssertionError):
    """An answer that does not pass."""


def judged(scores: dict[str, Any], metric: str) -> str | None:
    """Returns why an answer does not pass, or None. It skips the test of a case that the metric does not apply to."""
    score = scores[metric]
    if score["passed"]:
        return None
    if score["status"] == "not_applicable":
        pytest.skip(f"{metric}: {score['reason']}")
    value = score.get("label") or score["value"] if score["status"] == "ok" else score["status"]
    if score["status"] == "ok" and score["passed"] is None:
        raise WrongAnswer(f"{metric} has no threshold: {value}; name a metric that passes or fails, such as hybrid_ex or verdict")
    lines = [f"{score['case_id']}: {metric} {value}: {score['reason']}"]
    relation = scores.get("relation")
    if relation and relation["status"] == "ok":
        lines.append(f"  relation {relation['label']}: {relation['reason']}")
    return "\n".join(lines)


class Case:
    """A case of a case file, for a test that asks an agent. data has its members."""

    def __init__(self, data: dict[str, Any], metric: str) -> None:
        self.data, self._metric = data, metric

    @property
    def id(self) -> str:
        """The case's id."""
        return str(self.data["case_id"])

    @property
    def question(self) -> str:
        """The question."""
        return str(self.data.get("question", ""))

    def check(self, *, metric: str | None = None, **answer: Any) -> None:
        """Fails the test unless the answer passes: its sql, result (a table), error, response and the other members of agent."""
        metric = metric or self._metric
        case = {**self.data, "agent": answer}
        envelope = default().one("score_case", case_json=text_of(case), metrics=f"{metric},relation")
        if isinstance(envelope, dict):  # the case could not be read
            raise BadgerError(envelope.get("code", "unknown"), envelope.get("reason", "the case could not be scored"))
        message = judged({s["metric"]: s for s in envelope}, metric)
        if message:
            pytest.fail(message, pytrace=False)


def _cases(path: Path) -> Iterator[dict[str, Any]]:
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            raise pytest.UsageError(f"pytest.mark.badger: {error}") from None
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    case = json.loads(line)
                    case["case_id"]
                except (ValueError, KeyError, TypeError) as error:
                    raise pytest.UsageError(f"{file}:{number}: expected a JSON object with case_id: {error!r}") from None
                yield case


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "badger_case" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("badger")
    if marker is None or len(marker.args) != 1:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: badger_case needs @pytest.mark.badger(\"cases.jsonl\")")
    path = metafunc.definition.path.parent / marker.args[0]
    cases = list(_cases(path))
    if not cases:
        raise pytest.UsageError(f"{path}: no cases")
    metric = str(marker.kwargs.get("metric", _metric(metafunc.config)))
    metafunc.parametrize("badger_case", [Case(c, metric) for c in cases], ids=[str(c["case_id"]) for c in cases])
