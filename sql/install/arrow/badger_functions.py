{{$duckdb := eq .Warehouse.Name "duckdb-client" -}}
import {{if $duckdb}}inspect, {{end}}threading, time
import pyarrow as pa
from pyarrow import flight

BYTES = 16 << 20  # of the arguments in a message


def caller(name, rows, kinds, result, address, token, ca):
    """Returns a function of Arrow arrays that calls badger serve, and fails if a row cannot be scored in time."""
    shared, lock = {}, threading.Lock()  # one connection for all threads
    options = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer " + token.encode())] if token else [])
    schema = pa.schema([("a%d" % i, kind) for i, kind in enumerate(kinds)])

    def once(batches):
        with lock:
            if "client" not in shared:
                shared["client"] = flight.FlightClient(address, **({"tls_root_certs": ca} if ca else {}))
            client, out = shared["client"], []
        writer, reader = client.do_exchange(flight.FlightDescriptor.for_path(name), options)
        with writer:
            writer.begin(schema)
            for batch in batches:
                writer.write_batch(batch)
                out.append(reader.read_chunk().data.column(0))
            writer.done_writing()
        return out

    def call(*columns):
        columns = [c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in columns]
        columns = [c.cast(kind) for c, kind in zip(columns, kinds)]
        table, batches, at = pa.RecordBatch.from_arrays(columns, schema=schema), [], 0
        size = min(rows, max(1, table.num_rows * BYTES // max(1, table.nbytes)))
        while at < table.num_rows:
            batches.append(table.slice(at, size))
            at += size
        for attempt in range(8):
            try:
                parts = once(batches) if batches else []
                return pa.concat_arrays([p.cast(result) for p in parts]) if parts else pa.array([], result)
            except (flight.FlightUnavailableError, flight.FlightTimedOutError, OSError):
                if attempt == 7:
                    raise
                time.sleep(min(30, 0.25 * 2**attempt))
{{if $duckdb}}
    # DuckDB reads the number of arguments from the signature
    names = [inspect.Parameter("a%d" % i, inspect.Parameter.POSITIONAL_ONLY) for i in range(len(kinds))]
    call.__signature__ = inspect.Signature(names)
{{- end}}
    return call


# name, handler, rows a message, types of the arguments, type of the result
FUNCTIONS = [
{{- range $f := .Functions}}
    ({{py .Name}}, {{py (printf "%s/%d" .Of.Name (len .Params))}}, {{$.RowsOf $f}}, [{{range $i, $p := .Params}}{{if $i}}, {{end}}{{argtype .Type}}{{end}}], {{type .Result}}),
{{- end}}
]

{{if $duckdb}}
def register(con, address={{py .FlightAddress}}, token="", ca=None, names=None):
    """Creates badger's functions in a DuckDB connection: those in names, or all."""
    sql = {pa.string(): "VARCHAR", pa.float64(): "DOUBLE", pa.int64(): "BIGINT", pa.bool_(): "BOOLEAN"}
{{- else}}
def register(ctx, address={{py .FlightAddress}}, token="", ca=None, names=None):
    """Creates badger's functions in a DataFusion session: those in names, or all."""
    from datafusion import udf
{{end}}
    for name, handler, rows, kinds, result in FUNCTIONS:
        if names is None or name in names:
            {{- if $duckdb}}
            con.create_function(name, caller(handler, rows, kinds, result, address, token, ca), [sql[k] for k in kinds],
                                sql[result], type="arrow", null_handling="special", side_effects=True)
            {{- else}}
            ctx.register_udf(udf(caller(handler, rows, kinds, result, address, token, ca), kinds, result, "volatile", name=name))
            {{- end}}
