"""badger in a flow of Prefect: the run of the flow fails if the answers miss a gate, and its state names the gate."""

import badger_eval as be
from prefect import flow, task
from prefect.states import Completed, Failed


@task
def score(cases: str, gate: str) -> dict:
    return be.run(cases, metrics=["hybrid_ex"], db="duckdb:scores.duckdb", arguments=["--fail-under", gate]).summary


@flow
def evaluate(cases: str = "cases.jsonl", gate: str = "hybrid_ex=0.9"):
    missed = [g["text"] for g in score(cases, gate)["gates"] if not g["passed"]]
    return Failed(message="; ".join(missed)) if missed else Completed(message="all gates passed")
