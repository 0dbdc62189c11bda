"""Times a million rows over each transport: million.py [ROWS]. The program badger is the first one in PATH.

The JSON path is what a program does without this package: rows as JSON texts in requests to /v1/functions/NAME.
"""

import re
import shutil
import subprocess
import sys
import time

import pyarrow as pa

import badger_eval as be

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
GOLD, ANSWER = '{"columns":["n"],"rows":[[5]]}', '{"columns":["total"],"rows":[[5]]}'
QUERY, OTHER = "SELECT a, b FROM t WHERE a > 5", "SELECT a, b FROM t WHERE a > 7"
CALLS = {
    "badger_echo": [pa.array([GOLD] * ROWS)],
    "exact_match_text": [pa.array([QUERY] * ROWS), pa.array([OTHER] * ROWS)],
    "ex_bird": [pa.array([GOLD] * ROWS), pa.array([ANSWER] * ROWS)],
    "hybrid_ex": [pa.array([GOLD] * ROWS), pa.array([ANSWER] * ROWS)],
}

program = shutil.which("badger") or sys.exit("there is no program badger in PATH")
server = subprocess.Popen([program, "serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
grpc, http = re.findall(r"127\.0\.0\.1:\d+", server.stderr.readline())[:2]
import threading  # noqa: E402

threading.Thread(target=lambda: [None for _ in server.stderr], daemon=True).start()
clients = {"pipe": be.connect(binary=program), "flight": be.connect(f"grpc://{grpc}"), "json": be.connect(f"http://{http}")}
print(f"| {ROWS:,} rows of | pipe | Flight | JSON | JSON / pipe | JSON / Flight |\n| --- | --- | --- | --- | --- | --- |")
for name, columns in CALLS.items():
    took = {}
    for transport, client in clients.items():
        client.call(name, *[c.slice(0, 100) for c in columns])
        start = time.perf_counter()
        assert len(client.call(name, *columns)) == ROWS
        took[transport] = time.perf_counter() - start
    print(f"| `{name}` | {took['pipe']:.1f} | {took['flight']:.1f} | {took['json']:.1f} | {took['json'] / took['pipe']:.1f} | {took['json'] / took['flight']:.1f} |", flush=True)
server.terminate()
