"""badger's functions in a DuckDB connection of a Python program."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, Iterable

import pyarrow as pa

from .client import TYPES, Client, Function, default
from .functions import FUNCTIONS

if TYPE_CHECKING:
    import duckdb

_SQL = {"VARCHAR": "VARCHAR", "JSON": "VARCHAR", "DOUBLE": "DOUBLE", "BIGINT": "BIGINT", "BOOLEAN": "BOOLEAN"}


def register(con: duckdb.DuckDBPyConnection, client: Client | None = None, names: Iterable[str] | None = None) -> None:
    """Creates the functions of the catalogue in a DuckDB connection: those in names, or all.

    con.sql("SELECT hybrid_ex(gold, answer) FROM answers") then calls badger with batches of columns. A function with
    optional arguments exists twice: NAME has the required ones, NAME_all all of them. Functions without arguments
    are not created.
    """
    client = client or default()
    for f in [client.function(n) for n in names] if names is not None else FUNCTIONS.values():
        if f.required:
            _create(con, client, f, f.name, f.required)
        if f.required < len(f.params):
            _create(con, client, f, f"{f.name}_all" if f.required else f.name, len(f.params))


def _create(con: Any, client: Client, f: Function, name: str, arity: int) -> None:
    params = f.params[:arity]
    call = _function(client, f, arity)
    # DuckDB reads the number of arguments from the signature.
    call.__signature__ = inspect.Signature([inspect.Parameter(p.name, inspect.Parameter.POSITIONAL_ONLY) for p in params])  # type: ignore[attr-defined]
    con.create_function(
        name, call, [_SQL[p.type] for p in params], _SQL[f.result], type="arrow", null_handling="special", side_effects=True
    )


def _function(client: Client, f: Function, arity: int) -> Callable[..., pa.Array]:
    def call(*columns: pa.ChunkedArray) -> pa.Array:
        out = client.call(f.name, *columns)
        return pa.concat_arrays(out.chunks) if out.num_chunks else pa.array([], TYPES[f.result])

    return call
