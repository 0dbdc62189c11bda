"""The Python of docs/clients/python.md runs."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "clients" / "python.md"


def test_page(local, in_path, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 5
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["values"].to_pylist() == [1.0, None]
    assert names["before"].summary["cases"] == 1
