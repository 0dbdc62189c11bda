"""Reads a result batch by batch with Snowflake's connector for Python and prints rows, seconds and the process's peak megabytes."""

import resource
import sys
import time

import snowflake.connector

port, query = sys.argv[1:]
connection = snowflake.connector.connect(
    user="tester", password="swordfish", account="acme", host="127.0.0.1", port=int(port), protocol="http", database="DEMO", schema="PUBLIC",
    session_parameters={"CLIENT_OUT_OF_BAND_TELEMETRY_ENABLED": False, "CLIENT_TELEMETRY_ENABLED": False},
)
cursor = connection.cursor()
list(cursor.execute("SELECT 1 AS a").fetch_arrow_batches())  # its threads lock each other out while they import for the first time
best = float("inf")
for _ in range(3):
    start = time.perf_counter()
    rows = 0
    for table in cursor.execute(query).fetch_arrow_batches():
        rows += table.num_rows
    best = min(best, time.perf_counter() - start)
print(rows, best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
