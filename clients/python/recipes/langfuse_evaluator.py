"""badger as an evaluator of Langfuse: langfuse.run_experiment(..., evaluators=[hybrid_ex]). Outputs are results."""

import badger_eval as be
from langfuse import Evaluation


def hybrid_ex(*, input, output, expected_output=None, metadata=None, **kwargs):
    s = be.one("hybrid_ex_json", gold=expected_output, pred=output)
    if s["value"] is None:
        return Evaluation(name="hybrid_ex_status", value=s["status"], comment=s["reason"])
    return Evaluation(name="hybrid_ex", value=s["value"], comment=s["reason"])
