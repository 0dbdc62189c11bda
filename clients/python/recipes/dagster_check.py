"""badger as an asset check of Dagster: if the answers miss a gate, the check fails and assets that need them are not made."""

import badger_eval as be
import dagster as dg


@dg.asset
def answers() -> str:
    return "cases.jsonl"  # the case file that your agent writes


@dg.asset_check(asset=answers, blocking=True)
def right(answers: str) -> dg.AssetCheckResult:
    run = be.run(answers, metrics=["hybrid_ex"], db="duckdb:scores.duckdb", arguments=["--fail-under", "hybrid_ex=0.9"])
    gates = run.summary["gates"]
    return dg.AssetCheckResult(passed=all(g["passed"] for g in gates), metadata={"run": run.id, "gates": [g["text"] for g in gates]})


defs = dg.Definitions(assets=[answers], asset_checks=[right])
