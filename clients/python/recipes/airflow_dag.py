"""badger in a DAG of Airflow: a missed gate fails the task, without the retries of the task, which would give the same scores."""

import badger_eval as be
from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException


@dag(schedule="@daily")
def evaluate(cases: str = "cases.jsonl", gate: str = "hybrid_ex=0.9"):
    @task
    def score(cases: str, gate: str) -> str:
        run = be.run(cases, metrics=["hybrid_ex"], db="duckdb:scores.duckdb", arguments=["--fail-under", gate])
        missed = [g["text"] for g in run.summary["gates"] if not g["passed"]]
        if missed:
            raise AirflowFailException("; ".join(missed))
        return run.id  # for tasks that follow

    score(cases, gate)


nightly = evaluate()
