"""badger as an evaluator of Phoenix, for evaluate_dataframe and for experiments: run_experiment(..., evaluators=[hybrid_ex])."""

import badger_eval as be
from phoenix.evals import Score, create_evaluator


@create_evaluator(name="hybrid_ex", kind="code")
def hybrid_ex(output, expected):
    s = be.one("hybrid_ex_json", gold=expected, pred=output)
    return Score(score=s["value"], label=s["status"], explanation=s["reason"])
