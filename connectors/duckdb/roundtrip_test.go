package duckdb_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

func randomValue(r *rand.Rand, kind scoring.Type) scoring.Value {
	switch kind {
	case scoring.Bool:
		return scoring.BoolValue(r.IntN(2) == 0)
	case scoring.Int64:
		return scoring.IntValue(int64(r.Uint64() >> r.IntN(64))) //nolint:gosec // any
	case scoring.Float64:
		return scoring.FloatValue([]float64{math.Inf(1), math.NaN(), r.NormFloat64(), 5e-324}[r.IntN(4)])
	case scoring.Decimal:
		wide := new(big.Int).Exp(big.NewInt(r.Int64()), big.NewInt(int64(1+r.IntN(2))), nil)
		return scoring.BigDecimalValue(wide.Mod(wide, new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)), int32(r.IntN(8))) //nolint:gosec // small
	case scoring.Date:
		return scoring.DateValue(r.Int64N(100000) - 50000)
	case scoring.Time:
		return scoring.TimeValue(r.Int64N(86400e9))
	case scoring.Timestamp:
		return scoring.TimestampValue(kind, r.Int64N(8e9)-4e9, r.Int32N(1e9))
	case scoring.TimestampTZ:
		return scoring.TimestampValue(kind, r.Int64N(8e9)-4e9, r.Int32N(1e6)*1000)
	case scoring.JSON:
		return scoring.TextValue(kind, []string{`{"a": [1, null]}`, `"x"`, "[]"}[r.IntN(3)])
	}
	return scoring.TextValue(kind, []string{"", "a", "añ😀", "twelve bytes", "thirteen byte", strings.Repeat("long ", 50), "\x00"}[r.IntN(7)])
}

// What is written comes back, in every type, over chunk borders.
func TestTablesComeBackAsTheyWere(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{})
	kinds := []scoring.Type{scoring.Bool, scoring.Int64, scoring.Float64, scoring.Decimal, scoring.String, scoring.Bytes, scoring.Date, scoring.Time, scoring.Timestamp, scoring.TimestampTZ, scoring.JSON}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		rows := r.IntN(5000)
		var cols []scoring.Column
		for i := range 1 + r.IntN(6) {
			kind := kinds[r.IntN(len(kinds))]
			b := scoring.NewBuilder(fmt.Sprintf("Column %d \"é\"", i), kind, rows)
			nulls := r.IntN(3)
			for range rows {
				if r.IntN(4) < nulls {
					b.AppendNull()
				} else {
					b.Append(randomValue(r, kind))
				}
			}
			cols = append(cols, b.Column())
		}
		want, err := scoring.NewTable(cols...)
		if err != nil {
			t.Fatal(err)
		}
		in, err := arrowtable.NewReader(memory.NewGoAllocator(), want, 1+r.IntN(3000))
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Create(context.Background(), "t", in)
		in.Release()
		if err != nil || n != int64(rows) {
			t.Fatalf("seed %d: %d, %v, want %d", seed, n, err, rows)
		}
		got, err := query(t, c, "SELECT * FROM t")
		if err != nil {
			t.Fatal(err)
		}
		if a, b := drivertest.Show(got), drivertest.Show(want); a != b {
			t.Fatalf("seed %d: got\n%.3000s\nwant\n%.3000s", seed, a, b)
		}
	}
}

func TestWhatTheEngineCannotHold(t *testing.T) {
	c := mustOpen(t, "", duckdb.Options{})
	wide, _ := new(big.Int).SetString(strings.Repeat("9", 39), 10)
	for why, v := range map[string]scoring.Value{
		"39 digits": scoring.BigDecimalValue(wide, 0), "an instant with nanoseconds": scoring.TimestampValue(scoring.TimestampTZ, 0, 1),
	} {
		b := scoring.NewBuilder("c", scoring.Null, 0)
		b.Append(v)
		table, _ := scoring.NewTable(b.Column())
		in, err := arrowtable.NewReader(memory.NewGoAllocator(), table, 10)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Create(context.Background(), "t", in)
		in.Release()
		if code := errcode.Of(err); code != errcode.Unimplemented && code != errcode.InvalidArgument || !strings.Contains(err.Error(), `"c"`) {
			t.Errorf("%s: %v (%v), want an error that names the column", why, err, code)
		}
	}
	if _, err := query(t, c, "SELECT * FROM t"); errcode.Of(err) != errcode.NotFound {
		t.Errorf("a table was left behind: %v", err)
	}
}

// The engine is the oracle of the readers of files: what it writes as Parquet and CSV must be read
// as what it reads itself.
func TestFilesWrittenByTheEngine(t *testing.T) {
	dir := t.TempDir()
	c := mustOpen(t, "", duckdb.Options{})
	mustExec(t, c, `CREATE TYPE colour AS ENUM ('red', 'grün');
CREATE TABLE t AS SELECT i AS id, (i - 1500)::TINYINT AS tiny FROM range(0) t(i);
CREATE OR REPLACE TABLE t AS SELECT
 CASE WHEN i % 5 > 0 THEN i END AS big, (i % 200 - 100)::TINYINT AS tiny, (i * 7)::SMALLINT AS small, CASE WHEN i % 3 > 0 THEN (i * 100003)::INTEGER END AS int,
 (i % 256)::UTINYINT AS u8, (i)::USMALLINT AS u16, (i * 1000003)::UINTEGER AS u32, CASE WHEN i % 2 = 0 THEN 18446744073709551615 - i ELSE i END::UBIGINT AS u64,
 sqrt(i) AS double, CASE i % 7 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE (i / 10)::VARCHAR END::DOUBLE AS special, (i / 10)::FLOAT AS float,
 (i / 100)::DECIMAL(4,2) AS d4, (i / 100)::DECIMAL(9,2) AS d9, (i * 1234567)::DECIMAL(18,3) AS d18, CASE WHEN i % 4 > 0 THEN ('9999999999999999999999999999999999' || (i % 10))::DECIMAL(38,3) END AS d38,
 CASE WHEN i % 6 > 0 THEN 'text ' || (i % 50) END AS text, repeat('x', (i % 40)::INTEGER) AS lengths, i % 2 = 0 AS bool,
 DATE '1600-01-01' + (i * 100)::INTEGER AS date, TIME '00:00:00' + INTERVAL (i * 10) MILLISECOND AS time,
 TIMESTAMP '1900-01-01' + INTERVAL (i * 1000003) SECOND + INTERVAL (i) MICROSECOND AS ts, (TIMESTAMP_NS '2024-02-29 12:34:56.123456789') AS ns, (TIMESTAMP '2024-02-29' + INTERVAL (i) HOUR)::TIMESTAMPTZ AS tz,
 CASE WHEN i % 2 = 0 THEN '\x00\xFF'::BLOB END AS blob, ('00000000-0000-4000-8000-' || lpad(i::VARCHAR, 12, '0'))::UUID AS uuid,
 CASE WHEN i % 3 = 0 THEN 'red' ELSE 'grün' END::colour AS enum, CASE WHEN i % 3 > 0 THEN [i, NULL] END AS list, {'a': i, 'b': 'x' || i} AS struct, ('{"k": ' || i || '}')::JSON AS json
FROM range(3000) t(i)`)
	want, err := query(t, c, "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range sample.Of([]string{"PARQUET_VERSION V1, COMPRESSION uncompressed", "PARQUET_VERSION V1, COMPRESSION snappy, ROW_GROUP_SIZE 2048", "PARQUET_VERSION V1, COMPRESSION zstd", "PARQUET_VERSION V1, COMPRESSION gzip, DICTIONARY_SIZE_LIMIT 0", "PARQUET_VERSION V1, COMPRESSION brotli"}, 3) {
		path := filepath.Join(dir, "r.parquet")
		mustExec(t, c, "COPY t TO '"+path+"' (FORMAT parquet, "+how+")")
		got, err := resultfile.Read(context.Background(), path, nil)
		if err != nil {
			t.Errorf("%s: %v", how, err)
			continue
		}
		for i := range want.Columns {
			g, w := got.Columns[i], want.Columns[i]
			for r := range want.Rows() {
				if a, b := g.Value(r), w.Value(r); a.Type != b.Type || a.String() != b.String() {
					t.Errorf("%s: column %s, row %d: %v %s, want %v %s", how, w.Name, r+1, a.Type, a, b.Type, b)
					break
				}
			}
		}
	}
	// The newer encodings: all are read but one, which is refused by name.
	path := filepath.Join(dir, "v2.parquet")
	mustExec(t, c, "COPY (SELECT * EXCLUDE (double, special, float, list) FROM t) TO '"+path+"' (FORMAT parquet, PARQUET_VERSION V2)")
	want2, err := query(t, c, "SELECT * EXCLUDE (double, special, float, list) FROM t")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := resultfile.Read(context.Background(), path, nil); err != nil || drivertest.Show(got) != drivertest.Show(want2) {
		t.Errorf("version 2: other values, or %v", err)
	}
	for why, how := range map[string]string{"doubles split into streams of bytes": "PARQUET_VERSION V2", "a compression that is not read": "COMPRESSION lz4_raw"} {
		mustExec(t, c, "COPY (SELECT double FROM t) TO '"+path+"' (FORMAT parquet, "+how+")")
		if _, err := resultfile.Read(context.Background(), path, nil); errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), "double") {
			t.Errorf("%s: %v (%v), want unimplemented", why, err, errcode.Of(err))
		}
	}
	// CSV has no types: those that its text tells must come out, with the same values.
	mustExec(t, c, "CREATE VIEW v AS SELECT big, int, u64, double, special, d9, d38, text, lengths, bool, date, ts, tz FROM t")
	path = filepath.Join(dir, "r.csv")
	mustExec(t, c, "COPY v TO '"+path+"' (FORMAT csv, HEADER)")
	want, err = query(t, c, "SELECT * FROM v")
	if err != nil {
		t.Fatal(err)
	}
	got, err := resultfile.Read(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Columns {
		g, w := got.Columns[i], want.Columns[i]
		numeric := g.Type.Numeric() && w.Type.Numeric()
		if g.Type != w.Type && !numeric {
			t.Errorf("CSV column %s: %v, want %v", w.Name, g.Type, w.Type)
		}
		for r := range want.Rows() {
			a, b := g.Value(r), w.Value(r)
			as, bs := a.String(), b.String()
			if numeric && strings.Contains(bs, ".") { // 1.50 as a double is 1.5
				bs = strings.TrimRight(strings.TrimRight(bs, "0"), ".")
			}
			if numeric && strings.Contains(as, ".") {
				as = strings.TrimRight(strings.TrimRight(as, "0"), ".")
			}
			if as != bs {
				t.Errorf("CSV column %s, row %d: %q, want %q", w.Name, r+1, as, bs)
				break
			}
		}
	}
}
