"""Calls a running server the way Databend and RisingWave do, with the clients that users have. Exits non-zero at the first difference.

client.py HOST:PORT PART...: the parts are databend, which needs the package databend-udf, risingwave and layouts.
"""

import decimal
import json
import sys

import pyarrow as pa
import pyarrow.flight as fl

host, port = sys.argv[1].rsplit(":", 1)


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got!r}, want {want!r}")


def databend():
    from databend_udf.client import UDFClient

    c = UDFClient(host, int(port))
    check("builtins", c.list_functions(), ["builtin_echo", "builtin_healthy"])
    check("healthy", c.health_check(), True)
    check("echo", c.echo("é😀"), "é😀")
    check("one row", c.call_function("same_text", "a", "a"), [1.0])
    check("a batch by name", c.call_function_batch("same_text", a=["a", None, "b"], b=["a", "b", "c"]), [1.0, None, 0.0])
    check("with headers", c.call_function("badger_version", headers={"x-databend-tenant": "t1"}), ["1.2.3"])
    headers = {"x-databend-tenant": "t1", "x-databend-query-id": "q"}
    gold = '{"columns":["x"],"rows":[[1],[2]]}'
    got = c.call_function_batch("cell_match_json", headers=headers, gold_result=[gold, gold], agent_result=[gold, None])
    check("VARIANT results", [json.loads(v)["status"] for v in got], ["ok", "not_applicable"])


def exchange(client, name, batches, options=None):
    writer, reader = client.do_exchange(fl.FlightDescriptor.for_path(name))
    with writer:
        writer.begin(batches[0].schema, options=options)
        for b in batches:
            writer.write_batch(b)
        writer.done_writing()
        return reader.read_all()


def risingwave():
    client = fl.FlightClient(f"grpc://{host}:{port}")
    check("protocol version", [r.body.to_pybytes() for r in client.do_action(fl.Action("protocol_version", b""))], [b"\x02"])
    info = client.get_flight_info(fl.FlightDescriptor.for_path("cell_match_json"))
    check("inputs", info.total_records, 2)
    check("types", [f.type for f in info.schema], [pa.utf8()] * 3)
    check("jsonb", info.schema.field(2).metadata, {b"ARROW:extension:name": b"arrowudf.json"})
    gold = '{"columns":["x"],"rows":[[1],[2]]}'
    batch = pa.RecordBatch.from_arrays([pa.array([gold, gold]), pa.array([gold, None])], names=["", ""])
    table = exchange(client, "cell_match", [batch])
    check("values", table.column(0).to_pylist(), [1.0, None])
    check("one column", table.num_columns, 1)
    many = [pa.RecordBatch.from_arrays([pa.array([f"{b}/{i}" for i in range(1024)])], names=["x"]) for b in range(20)]
    check("order", exchange(client, "badger_echo", many).column(0).to_pylist(), [f"{b}/{i}" for b in range(20) for i in range(1024)])
    check("functions are listed", "cell_match/4" in [f.descriptor.path[0].decode() for f in client.list_flights()], True)


def layouts():
    client = fl.FlightClient(f"grpc://{host}:{port}")
    views = [] if not hasattr(pa, "string_view") else [  # of pyarrow 16 and later
        ("string_view", pa.array(["a", "long enough not to be inline", None], pa.string_view()), ["a", "long enough not to be inline", None]),
        ("a slice of views", pa.array(["x", "long enough not to be inline", None, "y"], pa.string_view()).slice(1, 2), ["long enough not to be inline", None]),
    ]
    for why, array, want in views + [
        ("utf8", pa.array(["a", None]), ["a", None]),
        ("large_utf8", pa.array(["a", None], pa.large_utf8()), ["a", None]),
        ("a slice", pa.array(["x", "a", None, "y"]).slice(1, 2), ["a", None]),
        ("dictionary", pa.array(["a", "b", "a", None]).dictionary_encode(), ["a", "b", "a", None]),
        ("large_binary", pa.array([b"{}", None], pa.large_binary()), ["{}", None]),
        ("int64", pa.array([2**63 - 1, None], pa.int64()), ["9223372036854775807", None]),
        ("uint64", pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
        ("decimal128", pa.array([decimal.Decimal("-1.50"), None], pa.decimal128(38, 2)), ["-1.50", None]),
        ("decimal256", pa.array([decimal.Decimal(10) ** 70], pa.decimal256(76, 1)), ["1" + "0" * 70 + ".0"]),
        ("bool", pa.array([True, None]), ["true", None]),
        ("null", pa.nulls(2), [None, None]),
        ("no rows", pa.array([], pa.utf8()), []),
    ]:
        batch = pa.RecordBatch.from_arrays([array], names=["x"])
        check(why, exchange(client, "badger_echo", [batch]).column(0).to_pylist(), want)
    for codec in ("lz4", "zstd"):
        options = pa.ipc.IpcWriteOptions(compression=codec)
        batch = pa.RecordBatch.from_arrays([pa.array(["a" * 1000] * 100)], names=["x"])
        try:
            exchange(client, "badger_echo", [batch], options)
            sys.exit(f"buffers compressed by {codec} were taken")
        except pa.ArrowInvalid as e:
            check(codec, "compressed" in str(e), True)
    try:
        client.get_flight_info(fl.FlightDescriptor.for_path("nope"))
        sys.exit("an unknown function was found")
    except fl.FlightServerError:
        sys.exit("an unknown function is a server error")
    except Exception as e:  # KeyError, by pyarrow's mapping of NOT_FOUND
        check("unknown function", "unknown function" in str(e), True)


for part in sys.argv[2:]:
    {"databend": databend, "risingwave": risingwave, "layouts": layouts}[part]()
print("ok")
