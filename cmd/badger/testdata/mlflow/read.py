"""Prints what MLflow's client reads at URL, as JSON: read.py URL TRACE..."""

import json
import sys

import mlflow

mlflow.set_tracking_uri(sys.argv[1])
client = mlflow.MlflowClient()
(experiment,) = [e for e in client.search_experiments() if e.name == "badger"]
runs = client.search_runs([experiment.experiment_id])
table = client.load_table(experiment.experiment_id, "scores.json")
print(json.dumps({
    "runs": [{"status": r.info.status, "metrics": r.data.metrics, "params": r.data.params, "points": len(client.get_metric_history(r.info.run_id, "hybrid_ex"))} for r in runs],
    "table": [len(table), sorted(table.columns)],
    "assessments": {t: sorted([a.name, a.source.source_type, a.source.source_id, a.feedback.value, a.rationale] for a in mlflow.get_trace(t).info.assessments) for t in sys.argv[2:]},
}, default=str))
