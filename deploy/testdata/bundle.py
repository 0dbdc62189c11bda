"""Gives the resources of a bundle to Databricks' own classes, one line of JSON each way.

In: {"kind": "jobs", "resource": {...}}. Out: {"error": null} or {"error": "..."}.
"""

import json
import sys

from databricks.bundles.apps import App
from databricks.bundles.jobs import Job
from databricks.bundles.schemas import Schema
from databricks.bundles.secret_scopes import SecretScope
from databricks.bundles.volumes import Volume

KINDS = {"jobs": Job, "apps": App, "schemas": Schema, "volumes": Volume, "secret_scopes": SecretScope}

for line in sys.stdin:
    given = json.loads(line)
    try:
        made = KINDS[given["kind"]].from_dict(given["resource"]).as_dict()
        error = None if made == given["resource"] else f"read as {made}"
    except Exception as e:
        error = f"{type(e).__name__}: {e}"
    print(json.dumps({"error": error}))
