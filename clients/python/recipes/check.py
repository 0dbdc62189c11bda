"""Runs each recipe in its tool, without a network: check.py [NAME...]. Exits non-zero if a score is not as expected."""

import json
import os
import sys
import tempfile

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", MLFLOW_DISABLE_TELEMETRY="true", INSPECT_DISPLAY="none", NO_COLOR="1")
os.chdir(tempfile.mkdtemp())  # some leave files
GOLD = json.dumps({"columns": ["n"], "rows": [[5]]})
WRONG = json.dumps({"columns": ["n"], "rows": [[9]]})


def mlflow():
    import mlflow as m
    from mlflow_scorer import hybrid_ex

    m.set_tracking_uri(f"sqlite:///{tempfile.mkdtemp()}/mlflow.db")
    data = [{"inputs": {"question": "?"}, "outputs": {"result": o}, "expectations": {"result": GOLD}} for o in (GOLD, WRONG)]
    return m.genai.evaluate(data=data, scorers=[hybrid_ex]).metrics["hybrid_ex/mean"]


def inspect():
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import solver
    from inspect_scorer import hybrid_ex

    @solver
    def answers():
        async def solve(state, generate):
            state.output.completion = state.input_text
            return state

        return solve

    task = Task(dataset=[Sample(input=o, target=GOLD) for o in (GOLD, WRONG)], solver=answers(), scorer=hybrid_ex())
    (log,) = eval(task, model="mockllm/model", log_dir=tempfile.mkdtemp())
    return log.results.scores[0].metrics["mean"].value


def deepeval():
    from deepeval import evaluate
    from deepeval.test_case import LLMTestCase
    from deepeval_metric import HybridEx

    cases = [LLMTestCase(input="?", actual_output=o, expected_output=GOLD) for o in (GOLD, WRONG)]
    results = evaluate(test_cases=cases, metrics=[HybridEx()]).test_results
    return sum(r.metrics_data[0].score for r in results) / 2


def langfuse():
    from langfuse import Langfuse
    from langfuse_evaluator import hybrid_ex

    client = Langfuse(public_key="pk", secret_key="sk", base_url="http://127.0.0.1:1", tracing_enabled=False)
    data = [{"input": o, "expected_output": GOLD} for o in (GOLD, WRONG)]
    result = client.run_experiment(name="badger", data=data, task=lambda *, item, **_: item["input"], evaluators=[hybrid_ex])
    return sum(e.value for r in result.item_results for e in r.evaluations) / 2


def phoenix():
    import pandas as pd
    from phoenix.evals import evaluate_dataframe
    from phoenix_evaluator import hybrid_ex

    frame = pd.DataFrame({"output": [GOLD, WRONG], "expected": [GOLD, GOLD]})
    scores = evaluate_dataframe(frame, [hybrid_ex], hide_tqdm_bar=True)["hybrid_ex_score"]
    return sum((json.loads(s) if isinstance(s, str) else s)["score"] for s in scores) / 2


recipes = {f.__name__: f for f in (mlflow, inspect, deepeval, langfuse, phoenix)}
failed = False
for name in sys.argv[1:] or recipes:
    got = recipes[name]()
    print(f"{name}: {got}", flush=True)
    failed = failed or bool(got != 0.5)
sys.exit(int(failed))
