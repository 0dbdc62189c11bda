"""Runs each recipe in its tool, without a network: check.py [NAME...]. Exits non-zero if a score is not as expected."""

import json
import logging
import os
import shutil
import sys
import tempfile

os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", MLFLOW_DISABLE_TELEMETRY="true", INSPECT_DISPLAY="none", NO_COLOR="1")
os.environ.update(DAGSTER_DISABLE_TELEMETRY="1", DO_NOT_TRACK="1", GX_ANALYTICS_ENABLED="false", PREFECT_SERVER_ANALYTICS_ENABLED="false", AIRFLOW__USAGE_DATA_COLLECTION__ENABLED="false")
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


def gated(run, missed="gate failed: hybrid_ex is 0.5000"):
    """Returns the mean of two cases after runs of a flow, which returns whether it succeeded, and its message.

    It fails if the answers miss the gate, with missed in the message, and for a variable that badger does not know.
    """
    logging.disable()  # errors are expected
    for wrong, variable, want in ((GOLD, "", ""), (WRONG, "", missed), (GOLD, "x", "BADGER_FLOW names no key")):
        with open("cases.jsonl", "w") as out:
            for n, answer in enumerate((GOLD, wrong)):
                out.write('{"case_id": "q%d", "question": "?", "gold": {"result": %s}, "agent": {"result": %s}}\n' % (n, GOLD, answer))
        os.environ["BADGER_FLOW"] = variable
        succeeded, message = run()
        if succeeded != (not want) or want not in message:
            raise SystemExit(f"succeeded: {succeeded}, {message!r}, expected {want!r}")
    return 0.5


def dagster():
    import dagster_check as recipe

    def run():
        result = recipe.defs.resolve_implicit_global_asset_job_def().execute_in_process(raise_on_error=False)
        errors = [e.event_specific_data.error.to_string() for e in result.all_events if e.is_step_failure]
        checks = result.get_asset_check_evaluations()
        passed = result.success and all(c.passed for c in checks)
        return passed, str(errors) + str([c.metadata for c in checks])

    return gated(run)


def prefect():
    os.environ.update(PREFECT_HOME=os.getcwd(), PREFECT_LOGGING_LEVEL="CRITICAL")
    import prefect_flow as recipe

    def run():
        state = recipe.evaluate(return_state=True)
        return state.is_completed(), state.message

    return gated(run)


def airflow():
    os.mkdir("dags")  # Airflow imports each file of the folder
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "airflow_dag.py"), "dags")
    os.environ.update(AIRFLOW_HOME=os.getcwd(), AIRFLOW__CORE__LOAD_EXAMPLES="false", AIRFLOW__LOGGING__LOGGING_LEVEL="ERROR")
    import io
    from contextlib import redirect_stderr, redirect_stdout

    from airflow.utils.db import initdb

    with redirect_stdout(io.StringIO()):
        initdb()
        import airflow_dag as recipe

    def run():
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            state = recipe.nightly.test().state
        return state == "success", said.getvalue()

    return gated(run)


def great_expectations():
    import badger_eval as be
    import great_expectations_check as recipe

    def run():
        try:
            result = recipe.evaluate()
        except be.BadgerError as e:
            return False, str(e)
        return result.success, str([(e.expectation_config.type, e.success, e.result.get("observed_value")) for e in result.results])

    return gated(run, "('expect_column_mean_to_be_between', False, np.float64(0.5))")


recipes = {f.__name__: f for f in (mlflow, inspect, deepeval, langfuse, phoenix, dagster, prefect, airflow, great_expectations)}
failed = False
for name in sys.argv[1:] or recipes:
    got = recipes[name]()
    print(f"{name}: {got}", flush=True)
    failed = failed or bool(got != 0.5)
sys.exit(int(failed))
