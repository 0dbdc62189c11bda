"""Arguments in any form as Arrow columns."""

from __future__ import annotations

import datetime
import decimal
import difflib
import json
import math
import uuid
from typing import Any, Callable, Iterable, Mapping, Sequence

import pyarrow as pa

from .errors import BadgerError


class Literal:
    """A value that all rows have. lit makes it."""

    def __init__(self, value: Any) -> None:
        self.value = value


def lit(value: Any) -> Literal:
    """Returns a value that all rows have, for an argument of score that would else be the name of a column."""
    return Literal(value)


def argument(value: Any) -> Any:
    """Returns an argument as a column, or as a Literal if it is one value: a text, a number, a dict or a table."""
    if value is None or isinstance(value, Literal):
        return value
    if isinstance(value, (str, bool, int, float, Mapping)) or is_table(value):
        return Literal(value)
    return to_column(value)


def is_table(value: Any) -> bool:
    """Reports whether value is a table of a library: pyarrow, pandas, polars or DuckDB."""
    if isinstance(value, (pa.Table, pa.RecordBatch)):
        return True
    module = type(value).__module__.partition(".")[0]
    return module in ("pandas", "polars", "duckdb", "_duckdb") and hasattr(value, "columns")


def to_table(value: Any) -> pa.Table:
    """Returns a table of pyarrow, pandas, polars or DuckDB, a dict of columns or a list of dicts as a pyarrow.Table.

    Cells of a dict or a list that are tables, lists or dicts become JSON text.
    """
    if isinstance(value, pa.Table):
        return value
    if isinstance(value, pa.RecordBatch):
        return pa.Table.from_batches([value])
    if isinstance(value, pa.RecordBatchReader):
        return value.read_all()
    module = type(value).__module__.partition(".")[0]
    if module == "polars":
        value = value.collect() if hasattr(value, "collect") else value
        return value.to_arrow()
    if module in ("duckdb", "_duckdb"):
        for method in ("to_arrow_table", "fetch_arrow_table", "arrow"):
            if hasattr(value, method):
                return to_table(getattr(value, method)())
    if module == "pandas":
        names = [str(n) for n in value.columns]
        return pa.table([to_column(value.iloc[:, i]) for i in range(len(names))], names=names)
    if isinstance(value, Mapping):
        return pa.table({str(k): to_column(v) for k, v in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and all(isinstance(r, Mapping) for r in value):
        names = list(dict.fromkeys(k for r in value for k in r))
        return pa.table({str(k): to_column([r.get(k) for r in value]) for k in names})
    if hasattr(value, "__arrow_c_stream__") and hasattr(pa.RecordBatchReader, "from_stream"):
        return pa.RecordBatchReader.from_stream(value).read_all()
    raise BadgerError(
        "invalid_argument",
        f"expected a table of pyarrow, pandas, polars or DuckDB, a dict of columns or a list of dicts, not {type(value).__name__}",
    )


def to_column(values: Any) -> pa.ChunkedArray:
    """Returns values as a flat column: nested cells and cells that are tables become JSON text."""
    if isinstance(values, pa.Array):
        values = pa.chunked_array([values])
    if not isinstance(values, pa.ChunkedArray):
        module = type(values).__module__.partition(".")[0]
        if module == "polars":
            values = pa.chunked_array([values.to_arrow()])
        elif module == "pandas" and values.dtype != object:
            values = pa.Array.from_pandas(values)
            values = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
        else:
            return _from_cells(list(values))
    if pa.types.is_nested(values.type):
        return pa.chunked_array([[text_of(v) for v in chunk.to_pylist()] for chunk in values.chunks], pa.string())
    return values


def _from_cells(cells: list[Any]) -> pa.ChunkedArray:
    nested = any(isinstance(c, (dict, list, tuple)) or is_table(c) for c in cells)
    if not nested:
        try:
            return pa.chunked_array([pa.array(cells, from_pandas=True)])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # of several types
            pass
    return pa.chunked_array([pa.array([text_of(c) for c in cells], pa.string())])


def _missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or isinstance(value, float) and math.isnan(value)


def text_of(value: Any) -> str | None:
    """Returns a cell as text: strings unchanged, tables as results in JSON, dicts and lists as JSON, None as None."""
    if isinstance(value, str):
        return value
    if is_table(value):
        return result(value)
    if _missing(value):
        return None
    if isinstance(value, (dict, list, tuple, bool)):
        return _encode(value)
    return str(value)


def result(table: Any) -> str:
    """Returns a table as a result for the arguments gold_result and agent_result, without loss."""
    table = to_table(table)
    head = [{"name": f.name, "type": _type_name(f.type)} if f.type != pa.null() else {"name": f.name} for f in table.schema]
    rows = zip(*(_cells(c) for c in table.columns)) if table.num_columns else []
    return _encode({"columns": head, "rows": [list(r) for r in rows]})


def _cells(column: pa.ChunkedArray) -> list[Any]:
    """Returns the cells of a column. What Python would round is text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _cells(column.cast(kind.value_type))
    if pa.types.is_timestamp(kind) and kind.tz:
        return [None if v is None else v + "Z" for v in _cells(column.cast(pa.timestamp(kind.unit)))]
    if kind == pa.float16():
        column, kind = column.cast(pa.float32()), pa.float32()
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind) or kind == pa.float32():
        column = column.cast(pa.string())
    return column.to_pylist()  # type: ignore[no-any-return]


def _type_name(kind: pa.DataType) -> str:
    t = pa.types
    if t.is_dictionary(kind):
        return _type_name(kind.value_type)
    for is_kind, name in (
        (t.is_boolean, "BOOLEAN"),
        (t.is_integer, "BIGINT" if kind != pa.uint64() else "DECIMAL"),
        (t.is_floating, "DOUBLE"),
        (t.is_decimal, "DECIMAL"),
        (t.is_date, "DATE"),
        (t.is_time, "TIME"),
        (t.is_timestamp, "TIMESTAMPTZ" if t.is_timestamp(kind) and kind.tz else "TIMESTAMP"),
        (t.is_binary, "BINARY"),
        (t.is_large_binary, "BINARY"),
        (t.is_fixed_size_binary, "BINARY"),
        (t.is_nested, "JSON"),
    ):
        if is_kind(kind):
            return name
    return "VARCHAR"


def _plain(value: Any) -> Any:
    """Returns what json has no form for as text or numbers that keep every digit."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else str(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f") if value.is_finite() else str(value)
    if isinstance(value, datetime.timedelta):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    if isinstance(value, uuid.UUID):
        return str(value)
    if is_table(value):
        return json.loads(result(value))
    if hasattr(value, "item"):  # a number of numpy
        return _plain(value.item())
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def _encode(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


class Named:
    """The columns of a table by name. Only those that are asked for are converted."""

    def __init__(self, value: Any) -> None:
        self._at: Callable[[int], Any]
        if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns"):
            self._names, self._rows = [str(n) for n in value.columns], len(value)
            self._at = lambda i: value.iloc[:, i]
        else:
            table = to_table(value)
            self._names, self._rows = list(table.schema.names), table.num_rows
            self._at = table.column

    def __len__(self) -> int:
        return self._rows

    def pick(self, name: str, argument: str) -> pa.ChunkedArray:
        """Returns a column for an argument, or an error that names the columns."""
        if self._names.count(name) == 1:
            return to_column(self._at(self._names.index(name)))
        if name in self._names:
            raise BadgerError("invalid_argument", f"{argument}: the table has several columns {name!r}")
        near = difflib.get_close_matches(name, self._names, 1)
        raise BadgerError(
            "invalid_argument",
            f"{argument}: the table has no column {name!r}{f'; did you mean {near[0]!r}?' if near else '.'} "
            f"It has {', '.join(map(repr, self._names)) or 'none'}. A value for all rows is lit(…).",
        )


def repeated(value: Any, rows: int) -> pa.ChunkedArray:
    """Returns a column with one value in all rows, which takes the memory of one."""
    text = text_of(value)
    if text is None:
        return pa.chunked_array([pa.nulls(rows, pa.string())])
    return pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), pa.array([text]))])


def batches(table: pa.Table, rows: int, size: int) -> Iterable[pa.RecordBatch]:
    """Cuts a table into batches of at most so many rows, and of about so many bytes."""
    for batch in table.to_batches(max_chunksize=rows):
        if batch.num_rows == 0:
            continue
        step = max(1, min(batch.num_rows, batch.num_rows * size // max(1, batch.nbytes)))
        for at in range(0, batch.num_rows, step):
            yield batch.slice(at, step)
