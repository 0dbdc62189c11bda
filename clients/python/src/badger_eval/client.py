"""Calls badger's functions on columns."""

from __future__ import annotations

import difflib
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence, overload

import pyarrow as pa

from . import columns as _columns
from .columns import Literal
from .errors import BadgerError
from .transports import HTTP, Flight, Pipe, Transport, check_plaintext

_ROWS = 20_000  # of a message
_BYTES = 8 << 20

TYPES = {"VARCHAR": pa.string(), "JSON": pa.string(), "DOUBLE": pa.float64(), "BIGINT": pa.int64(), "BOOLEAN": pa.bool_()}


@dataclass(frozen=True)
class Param:
    """A parameter of a function."""

    name: str
    type: str  # of SQL: VARCHAR, JSON, DOUBLE, BIGINT or BOOLEAN
    optional: bool = False


@dataclass(frozen=True)
class Function:
    """A function of badger's catalogue."""

    name: str
    params: tuple[Param, ...]
    result: str  # a type of SQL

    @property
    def required(self) -> int:
        """The least number of arguments."""
        return sum(not p.optional for p in self.params)


# What gold and pred may stand for, in this order.
_ALIASES = {
    "gold": ("gold_result", "gold_sql", "gold_chart", "expected_tools"),
    "pred": ("agent_result", "agent_sql", "agent_chart", "tool_calls", "response", "interpretation"),
}


class Client:
    """A connection to badger. connect makes it. Threads may share it; it is closed by close, or as a context."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._served: dict[str, Function] | None = None

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection, or ends the process."""
        self._transport.close()

    def version(self) -> str:
        """Returns badger's version."""
        return str(self.call("badger_version")[0].as_py())

    def function(self, name: str) -> Function:
        """Returns a function of the catalogue. Of functions that this package does not know, the server tells it."""
        from .functions import FUNCTIONS

        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if self._served is None:
            listed = json.loads(_value(self._send(FUNCTIONS["badger_functions"], [], 1)[0]))
            self._served = {
                f["name"]: Function(
                    f["name"],
                    tuple(Param(p["name"], p["type"], p.get("optional", False)) for p in f.get("params") or ()),
                    f["result"],
                )
                for f in (listed["functions"] if isinstance(listed, dict) else listed)
            }
        if name in self._served:
            return self._served[name]
        near = difflib.get_close_matches(name, self._served, 1)
        raise BadgerError("not_found", f"unknown function {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    def call(self, name: str, *arguments: Any) -> pa.ChunkedArray:
        """Calls a function on columns in the order of its parameters, and returns a column of results.

        A column is an array of pyarrow, a series of pandas or polars, or a list. None, a text, a number, a dict and a
        table are one value for all rows. If all arguments are, there is one row.
        """
        f = self.function(name)
        arguments = arguments[: max((i + 1 for i, a in enumerate(arguments) if a is not None), default=0)]
        if len(arguments) > len(f.params):
            raise BadgerError("invalid_argument", f"{name} takes {len(f.params)} arguments, got {len(arguments)}")
        if len(arguments) < f.required:
            raise BadgerError("invalid_argument", f"{name} needs {', '.join(p.name for p in f.params[: f.required])}")
        given: list[Any] = [_columns.argument(a) for a in arguments]
        lengths = {p.name: len(a) for p, a in zip(f.params, given) if isinstance(a, pa.ChunkedArray)}
        if len(set(lengths.values())) > 1:
            raise BadgerError("invalid_argument", f"{name}: the columns have different lengths: {lengths}")
        rows = next(iter(lengths.values()), 1)
        return self._send(f, given, rows)

    def _send(self, f: Function, given: Sequence[Any], rows: int) -> pa.ChunkedArray:
        arrays = [
            a if isinstance(a, pa.ChunkedArray) else _columns.repeated(a.value if isinstance(a, Literal) else None, rows)
            for a in given
        ]
        names = [p.name for p in f.params[: len(arrays)]]
        kind = TYPES[f.result]
        if rows == 0:
            return pa.chunked_array([], kind)
        if arrays:
            table = pa.table(arrays, names=names)
            batches = list(_columns.batches(table, _ROWS, _BYTES))
        else:
            batches = [pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))]
        parts = self._transport.call(f.name, len(arrays), batches[0].schema, batches)
        return pa.chunked_array([p.cast(kind) for p in parts], kind)

    @overload
    def score(self, function: str, table: Any, *, gold: Any = ..., pred: Any = ..., options: Any = ..., **columns: Any) -> pa.ChunkedArray: ...
    @overload
    def score(self, function: Sequence[str], table: Any, *, gold: Any = ..., pred: Any = ..., options: Any = ..., **columns: Any) -> pa.Table: ...
    def score(self, function: str | Sequence[str], table: Any, *, gold: Any = None, pred: Any = None, options: Any = None, **columns: Any) -> Any:
        """Scores the rows of a table, and returns a value for each row; of several functions a table with a column for each.

        table is a table of pyarrow, pandas, polars or DuckDB, a dict of columns or a list of dicts. Keywords say which
        of its columns are the arguments, by the names of the function's parameters: gold_result="gold". gold and pred
        stand for the function's parameters of the gold and the answer, such as gold_result and agent_result. A
        required argument without a keyword is the column of its name. lit(value) is the same value for all rows, and
        options, a dict, are options of the metric. A value is null if the row cannot be scored; NAME_json has the reason.
        """
        names = [function] if isinstance(function, str) else list(function)
        given = {k: v for k, v in {"gold": gold, "pred": pred, **columns}.items() if v is not None}
        if options is not None:
            given["options"] = options if isinstance(options, (str, Literal)) else Literal(dict(options))
        found = [self.function(n) for n in names]
        data = _columns.Named(table)
        used: set[str] = set()
        out = [self._send(f, _arguments(f, data, given, used), len(data)) for f in found]
        for key in given:
            if key not in used:
                raise BadgerError("invalid_argument", f"{', '.join(names)}: no parameter {key!r}; there are {', '.join(p.name for p in found[0].params)}")
        return out[0] if isinstance(function, str) else pa.table(out, names=names)

    def one(self, function: str, *, gold: Any = None, pred: Any = None, options: Mapping[str, Any] | None = None, **values: Any) -> Any:
        """Scores one row of values, which are texts or tables, and returns a Python value; of NAME_json a dict."""
        given = {k: Literal(v) for k, v in {"gold": gold, "pred": pred, "options": options, **values}.items() if v is not None}
        f, used = self.function(function), set[str]()
        arguments = _arguments(f, None, given, used)
        for key in given:
            if key not in used:
                raise BadgerError("invalid_argument", f"{function}: no parameter {key!r}; there are {', '.join(p.name for p in f.params)}")
        value = _value(self._send(f, arguments, 1)[0])
        return json.loads(value) if f.result == "JSON" else value


def _value(scalar: Any) -> Any:
    return scalar.as_py()


def _arguments(f: Function, data: _columns.Named | None, given: Mapping[str, Any], used: set[str]) -> list[Any]:
    """Returns the arguments of a function in order, and adds the keys of given that it takes to used."""
    names = [p.name for p in f.params]
    keys = {n: n for n in names if n in given}
    for alias, stands_for in _ALIASES.items():
        if alias not in given:
            continue
        required = [p.name for p in f.params if not p.optional and p.name in stands_for]
        if len(required) > 1:
            raise BadgerError("invalid_argument", f"{alias}: {f.name} takes {' and '.join(required)}; name them: {required[0]}=…")
        for name in required or [n for n in names if n in stands_for][:1]:
            if name in keys:
                raise BadgerError("invalid_argument", f"{alias} and {name} are the same argument of {f.name}")
            keys[name] = alias
    used.update(keys.values())
    out: list[Any] = []
    for p in f.params:
        if p.name not in keys:
            if p.optional or data is None:
                if not p.optional:
                    raise BadgerError("invalid_argument", f"{f.name} needs {p.name}")
                out.append(None)
            else:
                out.append(data.pick(p.name, f"{f.name} needs {p.name}"))
            continue
        value = given[keys[p.name]]
        if isinstance(value, str) and data is not None:
            value = data.pick(value, keys[p.name])
        else:
            value = _columns.argument(value)
            if data is not None and not isinstance(value, Literal) and len(value) != len(data):
                raise BadgerError("invalid_argument", f"{keys[p.name]}: {len(value)} rows, expected {len(data)}")
        out.append(value)
    while out and out[-1] is None:
        out.pop()
    return out


def _pem(value: str | os.PathLike[str] | bytes | None, name: str) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    try:
        return Path(value).read_bytes()
    except OSError as error:
        raise BadgerError("not_found", f"{name}: {error}") from error


def connect(
    address: str | None = None,
    *,
    fallback: str | None = None,
    token: str | None = None,
    ca: str | os.PathLike[str] | bytes | None = None,
    certificate: tuple[str, str] | None = None,
    timeout: float | None = None,
    allow_plaintext: bool = False,
    binary: str | None = None,
    config: str | os.PathLike[str] | None = None,
    arguments: Sequence[str] = (),
) -> Client:
    """Returns a client of badger.

    Without an address, a process on this machine computes: the program badger (binary, else the one that the wheel
    installed), with a configuration file and further arguments of badger pipe, such as ["--judge", "openai:gpt-4o"].
    It opens no port and, unless the configuration names a host, contacts nothing.

    An address is that of badger serve: grpc://HOST:PORT or grpc+tls://HOST:PORT for Arrow Flight, http://HOST:PORT or
    https://HOST:PORT for JSON. fallback is a second one, for a network that does not let gRPC pass.
    token is a token of the server, ca a file with the certificates of its authority, and certificate the files of a
    client's certificate and key. timeout is the time limit of a call in seconds. No other host is contacted.
    """
    if address is None:
        if fallback or token or ca or certificate:
            raise BadgerError("invalid_argument", "fallback, token, ca and certificate need an address")
        return Client(Pipe(binary, None if config is None else os.fspath(config), arguments))
    if binary or config or arguments:
        raise BadgerError("invalid_argument", "binary, config and arguments are of a process, which has no address")
    failed: BadgerError | None = None
    for at in (address, fallback):
        if at is None:
            continue
        check_plaintext(at, allow_plaintext)
        client = None
        try:
            if at.startswith(("http://", "https://")):
                client = Client(HTTP(at, token, _pem(ca, "ca"), certificate, timeout))
            elif at.startswith(("grpc://", "grpc+tls://", "grpc+tcp://")):
                try:
                    pair = None
                    if certificate:
                        pair = (_pem(certificate[0], "certificate") or b"", _pem(certificate[1], "certificate") or b"")
                    client = Client(Flight(at, token, _pem(ca, "ca"), pair, timeout))
                except ImportError as error:  # a pyarrow that was built without Flight
                    raise BadgerError("unavailable", f"this pyarrow has no Flight: {error}") from error
            else:
                raise BadgerError("invalid_argument", f"address {at!r}: expected grpc://, grpc+tls://, http:// or https://")
            client._transport.check()
            return client
        except BadgerError as error:
            if client is not None:
                client.close()
            if error.code != "unavailable" or fallback is None:
                raise
            failed = failed or error
    assert failed is not None
    raise failed


_default: Client | None = None
_lock = threading.Lock()


def default() -> Client:
    """Returns the client of functions that name none: that of use, or a process on this machine."""
    global _default
    with _lock:
        if _default is None:
            _default = connect()
        return _default


def use(client: Client) -> Client:
    """Makes client the one of functions that name none."""
    global _default
    with _lock:
        _default = client
    return client


@overload
def score(function: str, table: Any, *, gold: Any = ..., pred: Any = ..., options: Any = ..., client: Client | None = ..., **columns: Any) -> pa.ChunkedArray: ...
@overload
def score(function: Sequence[str], table: Any, *, gold: Any = ..., pred: Any = ..., options: Any = ..., client: Client | None = ..., **columns: Any) -> pa.Table: ...
def score(function: str | Sequence[str], table: Any, *, gold: Any = None, pred: Any = None, options: Any = None, client: Client | None = None, **columns: Any) -> Any:
    return (client or default()).score(function, table, gold=gold, pred=pred, options=options, **columns)


score.__doc__ = Client.score.__doc__


def one(function: str, *, gold: Any = None, pred: Any = None, options: Mapping[str, Any] | None = None, client: Client | None = None, **values: Any) -> Any:
    return (client or default()).one(function, gold=gold, pred=pred, options=options, **values)


one.__doc__ = Client.one.__doc__
