"""badger as a metric of DeepEval: assert_test(LLMTestCase(..., expected_output=result, actual_output=result), [HybridEx()])."""

import badger_eval as be
from deepeval.metrics import BaseMetric


class HybridEx(BaseMetric):
    def __init__(self, threshold: float = 1.0):
        self.threshold, self.async_mode = threshold, False

    def measure(self, test_case, *args, **kwargs) -> float:
        s = be.one("hybrid_ex_json", gold=test_case.expected_output, pred=test_case.actual_output)
        self.score, self.reason = s["value"] or 0, s["reason"]
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case, *args, **kwargs) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return self.success

    @property
    def __name__(self):
        return "hybrid_ex"
