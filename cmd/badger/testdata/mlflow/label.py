"""Labels a trace in MLflow, as a person does on its pages: label.py URL TRACE ANNOTATOR VALUE. A label of the annotator is changed."""

import sys

import mlflow
from mlflow.entities import AssessmentSource, Feedback

url, trace, annotator, value = sys.argv[1:]
mlflow.set_tracking_uri(url)
for a in mlflow.get_trace(trace).info.assessments:
    if a.name == "badger_label" and a.source.source_id == annotator:
        mlflow.update_assessment(trace, a.assessment_id, Feedback(name=a.name, value=value, source=a.source))
        break
else:
    mlflow.log_feedback(trace_id=trace, name="badger_label", value=value, source=AssessmentSource(source_type="HUMAN", source_id=annotator), rationale="seen")
