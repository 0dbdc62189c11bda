import json
import re

import pytest

import badger_eval as be

CASES = [
    {"case_id": "open", "question": "How many orders are open?",
     "gold": {"result": {"columns": ["n"], "rows": [[5]]}}, "agent": {"result": {"columns": ["n"], "rows": [[9]]}}},
    {"case_id": "names", "question": "Who are the customers?",
     "gold": {"result": {"columns": ["name"], "rows": [["a"], ["b"]]}}, "agent": {"result": {"columns": ["x"], "rows": [["b"], ["a"]]}}},
]  # fmt: skip


def test_duckdb(local):
    duckdb = pytest.importorskip("duckdb")
    from badger_eval.duckdb import register

    con = duckdb.connect()
    register(con)
    gold = '{"columns":["n"],"rows":[[1]]}'
    con.execute("CREATE TABLE t AS SELECT ? AS g, unnest([?, NULL, 'oops']) AS p", [gold, gold])
    assert con.execute("SELECT hybrid_ex(g, p), hybrid_ex_json(g, p)->>'status' FROM t").fetchall() == [
        (1.0, "ok"), (None, "not_applicable"), (None, "failed")]  # fmt: skip
    assert con.execute("SELECT hybrid_ex_all(g, p, '{}', 'duckdb', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) FROM t").fetchall()[0] == (1.0,)
    assert con.execute("SELECT count(hybrid_ex(g, p)) FROM t, range(3000)").fetchall() == [(3000,)]
    other = duckdb.connect()
    register(other, names=["ex_bird"])
    assert other.execute("SELECT ex_bird('[{\"a\":1}]', '[{\"b\":1}]')").fetchall() == [(1.0,)]
    with pytest.raises(duckdb.Error):
        other.execute("SELECT hybrid_ex('', '')")


def test_runs(program, tmp_path):
    before = be.run(CASES, metrics=["hybrid_ex", "relation"], binary=program)
    assert before.summary["cases"] == 2
    scores = {(r["case_id"], r["metric"]): r["value"] for r in before.scores().to_pylist()}
    assert scores["open", "hybrid_ex"] == 0 and scores["names", "hybrid_ex"] == 1
    fixed = json.loads(json.dumps(CASES).replace("[[9]]", "[[5]]"))
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, fixed)))
    after = be.run(tmp_path / "cases.jsonl", metrics=["hybrid_ex", "relation"], binary=program)
    compared = be.compare(before, after)
    change = next(c for c in compared.data["changes"] if c["metric"] == "hybrid_ex")
    assert (change["from"]["passed"], change["to"]["passed"]) == (1, 2)
    for page in (before, be.report(after), compared):
        frame = page._repr_html_()
        assert frame.startswith('<iframe sandbox="allow-scripts"') and frame.count("<") == 2  # all else is escaped
        assert "default-src &#x27;none&#x27;" in frame
        assert not re.search(r"(src|href)=&quot;(https?:)?//", frame)
    be.report(after).save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(be.BadgerError) as e:
        be.run(tmp_path / "nothing.jsonl", binary=program)
    assert "nothing.jsonl" in e.value.message


def write(path, cases):
    path.write_text("\n".join(c if isinstance(c, str) else json.dumps(c) for c in cases))


def test_plugin_answers(pytester, in_path):
    extra = {"case_id": "refused", "gold": {"result": "oops"}, "agent": {"result": {"columns": ["n"], "rows": [[1]]}}}
    no_gold = {"case_id": "no gold", "agent": {"result": {"columns": ["n"], "rows": [[1]]}}}
    write(pytester.path / "cases.jsonl", [*CASES, extra, no_gold, '{"case_id": "cut off'])
    got = pytester.runpytest("--badger-cases", "cases.jsonl", "-v", "-rs")
    got.assert_outcomes(passed=1, failed=3, skipped=1)
    got.stdout.fnmatch_lines([
        "*::open FAILED*", "*::names PASSED*",
        'open: hybrid_ex 0: 0 of 1 row agree; "n" differs in 1 row',
        "  relation value_differs: Both results are one number; gold's is 0.5556 times the answer's.",
        "  badger explain --cases *cases.jsonl --case open",
    ])  # fmt: skip
    assert "cases.jsonl:5" in got.stdout.str()
    assert pytester.runpytest("--badger-cases", "nothing.jsonl").ret != 0


def test_plugin_folders_versions_and_metrics(pytester, in_path):
    folder = pytester.path / "golden"
    folder.mkdir()
    versions = [{**CASES[1], "agent": {**CASES[1]["agent"], "name": "atlas", "version": v}} for v in ("1.0", "2.0")]
    write(folder / "a.jsonl", versions)
    write(folder / "b.jsonl", CASES[1:])
    (folder / "notes.txt").write_text("no cases")
    got = pytester.runpytest("--badger-cases", "golden", "--badger-metric", "ex_permuted", "-v")
    got.assert_outcomes(passed=3)
    got.stdout.fnmatch_lines(["*a.jsonl::names[[]atlas 1.0[]] PASSED*", "*a.jsonl::names[[]atlas 2.0[]] PASSED*", "*b.jsonl::names PASSED*"])
    none = pytester.runpytest("--badger-cases", "golden", "--badger-metric", "relation")
    none.stdout.fnmatch_lines(["*relation has no threshold*"])
    unknown = pytester.runpytest("--badger-cases", "golden", "--badger-metric", "hybrid_exx")
    unknown.stdout.fnmatch_lines(["*hybrid_ex*"])
    assert unknown.ret != 0


def test_plugin_live(pytester, in_path):
    write(pytester.path / "golden.jsonl", [{k: v for k, v in c.items() if k != "agent"} for c in CASES])
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.badger("golden.jsonl")
        def test_agent(badger_case):
            assert badger_case.question
            badger_case.check(result=[{"name": "b"}, {"name": "a"}])
        """
    )
    got = pytester.runpytest("-v")
    got.assert_outcomes(passed=1, failed=1)
    got.stdout.fnmatch_lines(["*test_agent[[]names[]] PASSED*", "open: hybrid_ex 0*", "  relation *"])
