"""A plugin of dbt-duckdb that registers badger's functions in its DuckDB.

In the output of the profile:

    plugins:
      - module: badger_eval.dbt_duckdb
        config: {address: "grpc://127.0.0.1:7433", token_env: SERVER_TOKEN}

config is optional. Its keys are arguments of badger_eval.connect; without an address, a process on this machine computes. token_env is the name of an
environment variable with the token, and names a list of functions; by default, all are registered.
"""

from __future__ import annotations

import os
from typing import Any

from dbt.adapters.duckdb.plugins import BasePlugin

from .client import Client, connect, default
from .duckdb import register
from .errors import BadgerError


class Plugin(BasePlugin):  # type: ignore[misc]
    """Registers the functions when dbt-duckdb opens its connection."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        config = dict(plugin_config)
        self._names = config.pop("names", None)
        variable = config.pop("token_env", None)
        if variable is not None:
            if not os.environ.get(variable):
                raise BadgerError("invalid_argument", f"token_env: the environment variable {variable} is not set")
            config["token"] = os.environ[variable]
        self._client: Client = connect(**config) if config else default()

    def configure_connection(self, conn: Any) -> None:
        register(conn, self._client, self._names)
