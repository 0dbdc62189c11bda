import base64
import datetime
import decimal
import json

import pyarrow as pa
import pytest

import badger_eval as be


def one(n):
    return json.dumps({"columns": ["n"], "rows": [[n]]})


def test_values(client):
    table = pa.table({"g": [one(5), one(5), "oops", None], "p": [one(5), one(6), one(5), one(5)]})
    got = client.score("hybrid_ex", table, gold="g", pred="p")
    assert isinstance(got, pa.ChunkedArray) and got.type == pa.float64()
    assert got.to_pylist() == [1.0, 0.0, None, None]
    reasons = [json.loads(v) for v in client.score("hybrid_ex_json", table, gold="g", pred="p").to_pylist()]
    assert [r["status"] for r in reasons] == ["ok", "ok", "failed", "not_applicable"]
    assert reasons[2]["code"] == "invalid_argument"


def test_several_functions(client):
    got = client.score(["hybrid_ex", "ex_bird", "relation"], {"g": [one(1)], "p": [one(1)]}, gold="g", pred="p")
    assert got.to_pydict() == {"hybrid_ex": [1.0], "ex_bird": [1.0], "relation": ["same"]}


def test_no_rows_and_no_arguments(client):
    assert client.score("hybrid_ex", {"g": [], "p": []}, gold="g", pred="p").to_pylist() == []
    assert client.version()


def test_many_batches_keep_their_order(client):
    texts = [f"{i}/é" for i in range(45_000)]
    assert client.call("badger_echo", texts).to_pylist() == texts


def test_messages_are_cut_by_bytes(client):
    texts = [c * 3_000_000 for c in "abcdefgh"]
    assert client.call("badger_echo", texts).to_pylist() == texts


def test_a_row_that_is_too_large(client):
    with pytest.raises(be.BadgerError) as e:
        client.call("badger_echo", ["x" * (65 << 20)])
    assert e.value.code == "resource_exhausted"
    assert client.call("badger_echo", ["x"]).to_pylist() == ["x"]  # the client goes on


def test_errors_have_code_and_message(client):
    for call, code, part in (
        (lambda: client.score("hybrid_exx", {"g": [1]}), "not_found", "did you mean 'hybrid_ex'"),
        (lambda: client.score("hybrid_ex", {"gold": [one(1)], "p": [one(1)]}, gold="glod", pred="p"), "invalid_argument", "did you mean 'gold'"),
        (lambda: client.score("hybrid_ex", {"g": [one(1)]}, gold="g"), "invalid_argument", "needs agent_result"),
        (lambda: client.score("hybrid_ex", {"g": [one(1)]}, gold="g", pred="g", dialct=be.lit("duckdb")), "invalid_argument", "no parameter 'dialct'"),
        (lambda: client.score("llm_ex", {"g": [one(1)], "question": ["?"]}, gold="g", pred="g"), "invalid_argument", "gold_sql and gold_result"),
        (lambda: client.score("hybrid_ex", 5), "invalid_argument", "not int"),
        (lambda: client.call("hybrid_ex", ["a"], ["b", "c"]), "invalid_argument", "different lengths"),
    ):
        with pytest.raises(be.BadgerError) as e:
            call()
        assert e.value.code == code and part in e.value.message, e.value
        assert str(e.value) == f"{code}: {e.value.message}"


def test_errors_of_the_server(client):
    # past the checks of this package
    for name, columns, code, part in (
        ("no_such_function", [pa.array(["x"])], "not_found", "unknown function"),
        ("badger_echo", [pa.array(["x"]), pa.array(["y"])], None, "badger_echo"),
    ):
        batch = pa.RecordBatch.from_arrays(columns, names=[f"a{i}" for i in range(len(columns))])
        with pytest.raises(be.BadgerError) as e:
            client._transport.call(name, len(columns), batch.schema, [batch])
        assert part in e.value.message and (code is None or e.value.code == code), e.value
        assert "grpc" not in e.value.message.lower() and "debug" not in e.value.message, e.value


def test_options_and_literals(client):
    revenue = [json.dumps({"columns": ["revenue"], "rows": [[v]]}) for v in (100.25, 103.75, 150.5)]
    table = {"g": revenue[:1] * 2, "p": revenue[1:], "d": ["duckdb", None]}
    assert client.score("hybrid_ex", table, gold="g", pred="p").to_pylist() == [0.0, 0.0]
    options = {"numbers": "relative", "tolerance": 0.05}
    assert client.score("hybrid_ex", table, gold="g", pred="p", options=options).to_pylist() == [1.0, 0.0]
    assert client.score("hybrid_ex", table, gold="g", pred="p", options=options, dialect="d").to_pylist() == [1.0, 0.0]
    assert client.score("hybrid_ex", table, gold="g", pred="p", options=options, dialect=be.lit("duckdb")).to_pylist() == [1.0, 0.0]
    assert be.functions.hybrid_ex(table["g"], table["p"], options=options, client=client).to_pylist() == [1.0, 0.0]
    assert client.one("hybrid_ex", gold=one(1), pred=one(1)) == 1.0
    assert client.one("hybrid_ex_json", gold=one(1), pred=one(2))["passed"] is False


def test_types_of_columns(client):
    for array, want in (
        (pa.array(["a", None]), ["a", None]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", "b", None]).dictionary_encode(), ["a", "b", None]),
        (pa.array([2**63 - 1, None]), ["9223372036854775807", None]),
        (pa.array([decimal.Decimal("-1.50"), None]), ["-1.50", None]),
        (pa.array([True, None]), ["true", None]),
        (pa.array([["a"], None]), ['["a"]', None]),
        (pa.array(["x", "a", None]).slice(1), ["a", None]),
        (pa.nulls(2), [None, None]),
    ):
        assert client.call("badger_echo", array).to_pylist() == want, array.type


def test_latency_is_a_number(client):
    assert client.call("latency_overhead", [100, 0.0, None], [150, 1, 2.0]).to_pylist() == [50.0, None, None]


def test_results_are_exact():
    tz = datetime.timezone(datetime.timedelta(hours=1))
    table = pa.table({
        "i": pa.array([2**53 + 1, None]), "d": pa.array([decimal.Decimal("1.50"), None]), "b": pa.array([b"ab", b""]),
        "f": pa.array([0.1, float("nan")]), "s": pa.array([0.1, 2], pa.float32()), "n": pa.nulls(2),
        "t": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, 6), None]),
        "z": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=tz), None], pa.timestamp("us", "UTC")),
        "l": pa.array([[1, 2], None]), "o": pa.array([True, None]), "x": pa.array(["x", None]).dictionary_encode(),
        "day": pa.array([datetime.date(2024, 1, 2), None]),
    })  # fmt: skip
    got = json.loads(be.result(table))
    assert [(c["name"], c.get("type")) for c in got["columns"]] == [
        ("i", "BIGINT"), ("d", "DECIMAL"), ("b", "BINARY"), ("f", "DOUBLE"), ("s", "DOUBLE"), ("n", None), ("t", "TIMESTAMP"),
        ("z", "TIMESTAMPTZ"), ("l", "JSON"), ("o", "BOOLEAN"), ("x", "VARCHAR"), ("day", "DATE"),
    ]  # fmt: skip
    assert got["rows"][0] == ["9007199254740993", "1.50", "6162", 0.1, "0.1", None, "2024-01-02 03:04:05.000006",
                              "2024-01-02 02:04:05.000000Z", [1, 2], True, "x", "2024-01-02"]  # fmt: skip
    assert got["rows"][1] == [None, None, "", "NaN", "2", None, None, None, None, None, None, None]


def test_results_are_read_as_they_were(local):
    table = {"a": [decimal.Decimal("12345678901234567890.10"), None], "t": [datetime.datetime(2024, 1, 2, 3, 4, 5), None]}
    same = {"columns": [{"name": "A", "type": "DECIMAL"}, {"name": "T", "type": "TIMESTAMP"}],
            "rows": [["12345678901234567890.1", "2024-01-02T03:04:05"], [None, None]]}  # fmt: skip
    other = json.loads(json.dumps(same).replace("7890.1", "7891.1"))
    table = pa.table(table)
    assert be.functions.hybrid_ex(table, be.lit(same)).to_pylist() == [1.0]
    assert be.functions.hybrid_ex([table], [other]).to_pylist() != [1.0]


def test_tables_of_other_libraries(local):
    values = {"g": [one(1), one(2)], "p": [one(1), None]}
    tables = [values, [{"g": one(1), "p": one(1)}, {"g": one(2)}], pa.table(values), pa.RecordBatch.from_pydict(values)]
    for module, make in (
        ("pandas", lambda m: m.DataFrame(values)),
        ("polars", lambda m: m.DataFrame(values)),
        ("polars", lambda m: m.LazyFrame(values)),
        ("duckdb", lambda m: m.sql(f"SELECT * FROM (VALUES ('{one(1)}', '{one(1)}'), ('{one(2)}', NULL)) t(g, p)")),
    ):
        try:
            tables.append(make(__import__(module)))
        except ImportError:
            pass
    for table in tables:
        assert be.score("hybrid_ex", table, gold="g", pred="p").to_pylist() == [1.0, None], type(table)


def test_cells_that_are_data_frames(local):
    pd = pytest.importorskip("pandas")
    gold = pd.DataFrame({"region": ["north", "south"], "revenue": [1.5, None]})
    answer = pd.DataFrame({"Revenue": [None, 1.5], "Region": ["south", "north"]})
    frame = pd.DataFrame({"id": [1, 2, 3]})
    frame["gold"], frame["answer"] = [gold] * 3, [answer, None, gold.head(1)]
    got = be.score("hybrid_ex", frame, gold="gold", pred="answer").to_pylist()
    assert got[:2] == [1.0, None] and got[2] < 1
    assert be.one("hybrid_ex", gold=gold, pred=answer) == 1.0


def test_tokens(guarded):
    for address in (f"grpc://{guarded.grpc}", f"http://{guarded.http}"):
        for token in (None, "wrong"):
            with pytest.raises(be.BadgerError) as e:
                be.connect(address, token=token)
            assert e.value.code == "unauthenticated", e.value
        with be.connect(address, token="secret-of-the-night") as c:
            assert c.call("badger_echo", ["x"]).to_pylist() == ["x"]
            assert c.call("badger_whoami").to_pylist() == ["nightly"]


def test_fallback(server):
    with be.connect("grpc://127.0.0.1:1", fallback=f"http://{server.http}") as c:
        assert c.call("badger_echo", ["x"]).to_pylist() == ["x"]
    with pytest.raises(be.BadgerError) as e:
        be.connect("grpc://127.0.0.1:1")
    assert e.value.code == "unavailable"
    with pytest.raises(be.BadgerError) as e:
        be.connect("http://127.0.0.1:1")
    assert e.value.code == "unavailable"


def test_plain_text_stays_on_this_machine():
    for address in ("grpc://badger.example.com:7433", "http://10.0.0.1:7434", "ftp://x", "grpc://user@127.0.0.1:1"):
        with pytest.raises(be.BadgerError) as e:
            be.connect(address, token="t")
        assert e.value.code == "invalid_argument"


def test_a_program_that_ends(program, tmp_path):
    (tmp_path / "badger.yaml").write_text("no_such_key: 1\n")
    with be.connect(binary=program, config=tmp_path / "badger.yaml") as c, pytest.raises(be.BadgerError) as e:
        c.call("badger_echo", ["x"])
    assert "no_such_key" in e.value.message
    with pytest.raises(be.BadgerError) as e:
        be.connect(binary=str(tmp_path / "nothing"))
    assert e.value.code == "not_found"


def test_a_process_that_is_killed_is_started_again(program):
    with be.connect(binary=program) as c:
        assert c.call("badger_echo", ["x"]).to_pylist() == ["x"]
        c._transport._process.kill()
        c._transport._process.wait()
        assert c.call("badger_echo", ["y"]).to_pylist() == ["y"]


def test_judge_files_are_functions(program, tmp_path):
    (tmp_path / "brief.star").write_text(
        """
judge(name = "brief", version = 1, summary = "Whether a response is brief.", needs = ["response"], range = [0, 1], threshold = 1, formula = "1 if short")

def process_row(row, config):
    return {"value": 1 if len(row["response"]) < 10 else 0}
"""
    )
    with be.connect(binary=program, arguments=["--judges", str(tmp_path / "brief.star")]) as c:
        assert c.score("brief", {"answer": ["yes", "no, certainly not"]}, response="answer").to_pylist() == [1.0, 0.0]


def test_every_function_has_its_parameters():
    import inspect

    for name, f in be.functions.FUNCTIONS.items():
        if not name.endswith(("_submit", "_fetch")):
            here = list(inspect.signature(getattr(be.functions, name)).parameters)
            assert here == [p.name for p in f.params] + ["client"]
            assert getattr(be.functions, name).__doc__


def test_an_error_can_be_pickled():
    import pickle

    e = pickle.loads(pickle.dumps(be.BadgerError("not_found", "x")))
    assert (e.code, e.message) == ("not_found", "x")
