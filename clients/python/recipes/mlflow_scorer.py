"""badger as a scorer of MLflow: mlflow.genai.evaluate(data, scorers=[hybrid_ex])."""

import badger_eval as be
from mlflow.entities import Feedback
from mlflow.genai.scorers import scorer


@scorer
def hybrid_ex(outputs, expectations):
    s = be.one("hybrid_ex_json", gold=expectations["result"], pred=outputs["result"])
    failed = ValueError(s["reason"]) if s["status"] == "failed" else None
    return Feedback(value=s["value"], rationale=s["reason"], error=failed)
