"""Creates N traces in the MLflow server at URL, and prints their IDs as JSON: traces.py URL N"""

import json
import sys

import mlflow

mlflow.set_tracking_uri(sys.argv[1])
mlflow.set_experiment("agents")
ids = []
for i in range(int(sys.argv[2])):
    with mlflow.start_span(name="answer") as span:
        span.set_inputs({"question": i})
    ids.append(span.trace_id)
mlflow.flush_trace_async_logging()
print(json.dumps(ids))
