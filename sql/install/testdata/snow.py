"""Runs SQL in fakesnow, an emulator of Snowflake, in this process. A statement in JSON a line in; its rows as texts, or its error, out."""
import json
import os
import sys
import warnings

out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the emulator prints is no answer
warnings.simplefilter("ignore")

import fakesnow
import snowflake.connector

with fakesnow.patch():
    cursor = snowflake.connector.connect(database="LAKE", schema="BADGER").cursor()
    for line in sys.stdin:
        try:
            rows = cursor.execute(json.loads(line)).fetchall()
            reply = {"rows": [[v if v is None else str(v) for v in row] for row in rows]}
        except Exception as e:
            reply = {"error": str(e)[:2000]}
        print(json.dumps(reply), file=out, flush=True)
