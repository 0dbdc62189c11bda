"""Runs SQL in Databend, in this process. A statement in JSON a line in; the cells of its first column, or its error, out.

BADGER_DATABEND_SETTINGS is the text below [query] of its configuration.
"""
import importlib.metadata
import json
import os
import sys

settings = os.environ.get("BADGER_DATABEND_SETTINGS", "")
old = tuple(map(int, importlib.metadata.version("databend").split(".")[:3])) < (1, 2, 500)
with open("databend.toml", "w") as f:
    f.write("[query]\n")
    if old:  # read when the module is loaded
        f.write(settings.replace("udf_server_allow_insecure = true\n", ""))
        os.environ["CONFIG_FILE"] = "databend.toml"
    else:
        f.write('tenant_id = "default"\nwarehouse_id = "badger"\ncluster_id = "badger"\n' + settings)
        f.write('[meta]\nembedded_dir = "./.databend/meta"\n[storage]\ntype = "fs"\nallow_insecure = true\n[storage.fs]\ndata_path = "./.databend/data"\n')

import databend

if hasattr(databend, "init_service"):
    databend.init_service(config="databend.toml")
context = databend.SessionContext()
for line in sys.stdin:
    try:
        frame = context.sql(json.loads(line))
        for limit in (frame.set_max_col_width, frame.set_max_width, frame.set_max_display_rows):
            limit(10**9)
        _, _, body = str(frame.collect()).partition("├")
        cells = [row.strip("│").strip() for row in body.splitlines() if row.startswith("│")]
        answer = {"cells": cells}
    except BaseException as e:  # a panic of the engine is none of Python's exceptions
        answer = {"error": str(e)[:2000]}
    print(json.dumps(answer), flush=True)
