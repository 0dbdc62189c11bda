"""How batches of arguments reach badger: through a process, over Arrow Flight, or over HTTP."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Iterator, Protocol, Sequence, TypeVar
from urllib.parse import quote, urlsplit

import pyarrow as pa

from . import binary as program
from .errors import BadgerError

T = TypeVar("T")

_TRIES = 8


class Transport(Protocol):
    """Sends a call and returns a batch of results for each batch of arguments."""

    def call(self, name: str, arity: int, schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> list[pa.Array]: ...

    def check(self) -> None:
        """Returns an error if badger cannot be reached."""

    def close(self) -> None: ...


def _through(write: Callable[[], None], read: Callable[[], T], few: bool) -> T:
    """Runs write and read at once, so that neither waits for the other. An error of read is the better one."""
    if few:  # a single batch is read whole before its results are written
        failed: list[BaseException] = []
        try:
            write()
        except (OSError, pa.ArrowException) as error:
            failed.append(error)
        try:
            return read()
        except pa.ArrowException:
            if failed:
                raise failed[0] from None
            raise
    errors: list[BaseException] = []

    def writing() -> None:
        try:
            write()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=writing, daemon=True)
    thread.start()
    out = read()
    thread.join()
    if errors:
        raise errors[0]
    return out


class Pipe:
    """badger pipe: a separate process, started with the first call and ended by close. It serves one call at a time."""

    def __init__(self, binary: str | None, config: str | None, arguments: Sequence[str]) -> None:
        self._command = [program.find(binary), "pipe", *(["--config", config] if config else []), *arguments]
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def call(self, name: str, arity: int, schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> list[pa.Array]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self._said: list[bytes] = []
                self._listener = threading.Thread(target=self._listen, args=(self._process, self._said), daemon=True)
                self._listener.start()
            done = False
            try:
                out = self._exchange(self._process, f"{name}/{arity}", schema, batches)
                done = True
                return out
            except (OSError, pa.ArrowException) as error:
                self._end()
                self._listener.join(5)
                raise BadgerError("unavailable", b"".join(self._said).decode(errors="replace").strip() or f"badger pipe: {error}") from error
            finally:
                if not done:
                    self._end()

    @staticmethod
    def _listen(process: subprocess.Popen[bytes], said: list[bytes]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            del said[:-20]
        process.stderr.close()

    @staticmethod
    def _exchange(process: subprocess.Popen[bytes], handler: str, schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> list[pa.Array]:
        to, source = process.stdin, process.stdout
        assert to is not None and source is not None

        def write() -> None:
            writer = pa.ipc.new_stream(to, schema.with_metadata({"badger.function": handler}))
            for batch in batches:
                writer.write_batch(batch)
                to.flush()
            writer.close()
            to.flush()

        def opened() -> pa.RecordBatchReader:
            reader = pa.ipc.open_stream(source)
            metadata = reader.schema.metadata or {}
            if b"badger.code" in metadata:
                raise BadgerError(metadata[b"badger.code"].decode(), metadata[b"badger.reason"].decode())
            return reader

        def read() -> list[pa.Array]:
            reader, out = opened(), []
            try:
                for _ in batches:
                    out.append(reader.read_next_batch().column(0))
            except StopIteration:  # the error follows
                opened()
                raise BadgerError("data_loss", "badger pipe sent fewer batches of results than there are of arguments") from None
            try:
                reader.read_next_batch()
            except StopIteration:
                return out
            raise BadgerError("data_loss", "badger pipe sent more batches of results than there are of arguments")

        return _through(write, read, len(batches) < 2)

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._wait()

    def _wait(self) -> None:
        process, self._process = self._process, None
        assert process is not None
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
        process.wait()

    def check(self) -> None:
        pass  # the process starts with the first call

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._wait()


_STATUS = re.compile(r"(?s)(?:gRPC|Flight) returned ([a-z ]+?) error, with message: (.*?)(?:\. gRPC client debug context: .*|\. Client context: .*)?$")
_CODES = {
    "cancelled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied",
    "resource_exhausted", "failed_precondition", "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated",
}  # fmt: skip


class Flight:
    """badger serve over Arrow Flight."""

    def __init__(self, address: str, token: str | None, ca: bytes | None, certificate: tuple[bytes, bytes] | None, timeout: float | None) -> None:
        from pyarrow import flight

        tls: dict[str, Any] = {"tls_root_certs": ca} if ca else {}
        if certificate:
            tls.update(cert_chain=certificate[0], private_key=certificate[1])
        self._flight = flight
        self._client = flight.FlightClient(address, **tls)
        headers = [(b"authorization", b"Bearer " + token.encode())] if token else []
        self._options = flight.FlightCallOptions(headers=headers, timeout=timeout)

    def call(self, name: str, arity: int, schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> list[pa.Array]:
        def once() -> list[pa.Array]:
            writer, reader = self._client.do_exchange(self._flight.FlightDescriptor.for_path(f"{name}/{arity}"), self._options)

            def write() -> None:
                writer.begin(schema)
                for batch in batches:
                    writer.write_batch(batch)
                writer.done_writing()

            try:
                return _through(write, lambda: [reader.read_chunk().data.column(0) for _ in batches], len(batches) < 2)
            finally:
                try:
                    writer.close()
                except (pa.ArrowException, KeyError, OSError):  # of the call, which was raised above
                    pass

        return _patient(lambda: self._coded(once))

    def _coded(self, once: Callable[[], T]) -> T:
        f = self._flight
        codes = (
            (f.FlightUnauthenticatedError, "unauthenticated"), (f.FlightUnauthorizedError, "permission_denied"),
            (f.FlightUnavailableError, "unavailable"), (f.FlightTimedOutError, "deadline_exceeded"),
            (f.FlightCancelledError, "cancelled"), (KeyError, "not_found"), (pa.ArrowNotImplementedError, "unimplemented"),
            (pa.ArrowCapacityError, "resource_exhausted"), (pa.ArrowMemoryError, "resource_exhausted"),
            (pa.ArrowInvalid, "invalid_argument"), (f.FlightInternalError, "internal"), (StopIteration, "data_loss"),
        )  # fmt: skip
        try:
            return once()
        except (pa.ArrowException, KeyError, StopIteration, OSError) as error:
            text = str(error.args[0]) if error.args else str(error)
            code = next((c for kind, c in codes if isinstance(error, kind)), "unknown")
            status = _STATUS.search(text)
            if status:  # its words are the code, of which pyarrow has fewer
                named, text = status.group(1).strip().replace(" ", "_"), status.group(2)
                code = named if named in _CODES else code
            raise BadgerError(code, text) from error

    def check(self) -> None:
        self._coded(lambda: list(self._client.do_action(self._flight.Action("protocol_version", b""), self._options)))

    def close(self) -> None:
        self._client.close()


def _patient(once: Callable[[], T]) -> T:
    """Calls once, and again while the server is overloaded or cannot be reached, up to seven times."""
    for attempt in range(_TRIES):
        try:
            return once()
        except BadgerError as error:
            if error.code != "unavailable" or attempt == _TRIES - 1:
                raise
        time.sleep(min(30, 0.1 * 2**attempt))
    raise AssertionError


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class HTTP:
    """badger serve over HTTP, in JSON. It takes several times as long as the others."""

    _BYTES = 8 << 20  # of the rows of a request; a server takes 10 MiB by default

    def __init__(self, address: str, token: str | None, ca: bytes | None, certificate: tuple[str, str] | None, timeout: float | None) -> None:
        self._address, self._timeout = address.rstrip("/"), timeout or 660
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({}), _NoRedirects()]
        if address.startswith("https:"):
            context = ssl.create_default_context(cadata=ca.decode() if ca else None)
            if certificate:
                context.load_cert_chain(*certificate)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def call(self, name: str, arity: int, schema: pa.Schema, batches: Sequence[pa.RecordBatch]) -> list[pa.Array]:
        out: list[pa.Array] = []
        for batch in batches:
            columns = [c.to_pylist() for c in batch.columns]
            for body, rows in self._bodies(zip(*columns) if columns else iter([()] * batch.num_rows)):
                results = _patient(lambda: self._post(name, body))["results"]
                if len(results) != rows:
                    raise BadgerError("data_loss", f"{self._address}: {len(results)} results for {rows} rows; is it an address of badger serve?")
                out.append(pa.array([json.dumps(r, ensure_ascii=False) if isinstance(r, (dict, list)) else r for r in results]))
        return out

    def _bodies(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[bytes, int]]:
        parts: list[bytes] = []
        size = 0
        for row in rows:
            part = json.dumps(row, ensure_ascii=False, default=str).encode()
            if parts and size + len(part) > self._BYTES:
                yield b'{"rows":[' + b",".join(parts) + b"]}", len(parts)
                parts, size = [], 0
            parts.append(part)
            size += len(part) + 1
        if parts:
            yield b'{"rows":[' + b",".join(parts) + b"]}", len(parts)

    def _post(self, name: str, body: bytes) -> Any:
        request = urllib.request.Request(f"{self._address}/v1/functions/{quote(name)}", body, self._headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            text = error.read(1 << 20).decode(errors="replace")
            try:
                reply = json.loads(text)["error"]
                code, reason = reply["code"], reply["message"]
            except (ValueError, KeyError, TypeError):
                code, reason = "unknown", f"HTTP status {error.code}: {text[:300]}"
            if error.code in (429, 503):
                code = "unavailable"
            raise BadgerError(code, reason) from None
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            if len(body) > 10 << 20 and isinstance(getattr(error, "reason", error), ConnectionError):  # it was not read
                raise BadgerError("resource_exhausted", f"the server refused a row of {len(body)} bytes (limits.body_bytes)") from error
            raise BadgerError("unavailable", f"{self._address}: cannot be reached: {error}") from error
        except ValueError as error:
            raise BadgerError("data_loss", f"{self._address}: the reply is no JSON; is it an address of badger serve?") from error

    def check(self) -> None:
        self._post("badger_version", b'{"rows":[[]]}')

    def close(self) -> None:
        self._opener.close()


_LOOPBACK = re.compile(r"^(localhost|127(\.\d+){3}|::1)$")


def check_plaintext(address: str, allowed: bool) -> None:
    """Returns an error if a token and results would leave this machine unencrypted."""
    parts = urlsplit(address)
    if parts.username or parts.query:
        raise BadgerError("invalid_argument", "address: expected no user and no query; pass token=")
    if parts.scheme in ("http", "grpc", "grpc+tcp") and not allowed and not _LOOPBACK.match(parts.hostname or ""):
        raise BadgerError(
            "invalid_argument",
            f"address: {parts.scheme}:// sends the token and results as plain text; "
            "expected https:// or grpc+tls://, or allow_plaintext=True in a network of your own",
        )
