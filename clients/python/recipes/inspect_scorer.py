"""badger as a scorer of Inspect: Task(dataset, solver, scorer=hybrid_ex()). The target and the completion are results."""

import badger_eval as be
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState


@scorer(metrics=[mean(), stderr()])
def hybrid_ex():
    async def score(state: TaskState, target: Target) -> Score:
        s = be.one("hybrid_ex_json", gold=target.text, pred=state.output.completion)
        return Score(value=s["value"] or 0, explanation=s["reason"], metadata={"status": s["status"]})

    return score
