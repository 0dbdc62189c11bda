package duckdb_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

const benchRows = 1_000_000

func rate(b *testing.B, rows int) {
	b.Helper()
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// BenchmarkScan reads ten columns: five integers and doubles, three texts, a date, a decimal.
func BenchmarkScan(b *testing.B) {
	c := mustOpen(b, "", duckdb.Options{})
	mustExec(b, c, fmt.Sprintf(`CREATE TABLE t AS SELECT i AS a, i * 7 AS b, (i %% 1000)::INTEGER AS c, i / 3 AS d, sqrt(i) AS e,
'Customer #' || lpad(i::VARCHAR, 9, '0') AS f, 'short' AS g, 'region ' || (i %% 25) AS h, DATE '1992-01-01' + (i %% 2500)::INTEGER AS j, (i / 100)::DECIMAL(15,2) AS k FROM range(%d) t(i)`, benchRows))
	b.Run("records", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := c.Query(context.Background(), "SELECT * FROM t")
			if err != nil {
				b.Fatal(err)
			}
			for r.Next() {
			}
			if err := r.Err(); err != nil {
				b.Fatal(err)
			}
			r.Release()
		}
		rate(b, benchRows)
	})
	b.Run("table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := c.Query(context.Background(), "SELECT * FROM t")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := arrowtable.Read(r, arrowtable.Limits{}); err != nil {
				b.Fatal(err)
			}
			r.Release()
		}
		rate(b, benchRows)
	})
}

// scores makes rows like those of the scores table.
func scores(n int) arrow.Record {
	fields := []arrow.Field{
		{Name: "eval_run_id", Type: arrow.BinaryTypes.String}, {Name: "case_id", Type: arrow.BinaryTypes.String}, {Name: "metric", Type: arrow.BinaryTypes.String},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64}, {Name: "passed", Type: arrow.FixedWidthTypes.Boolean}, {Name: "reason", Type: arrow.BinaryTypes.String},
		{Name: "detail", Type: arrow.BinaryTypes.String}, {Name: "scored_at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema(fields, nil))
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		b.Field(0).(*array.StringBuilder).Append("01JC5Z3V8T7XK2")
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("case-%06d", i/10))
		b.Field(2).(*array.StringBuilder).Append([]string{"hybrid_ex", "ex_bird", "row_f1", "soft_f1_bird", "match_spider2", "match_defog", "ex_multiset", "ex_permuted", "syntactic_accuracy", "latency_overhead"}[i%10])
		b.Field(3).(*array.Float64Builder).Append(r.Float64())
		b.Field(4).(*array.BooleanBuilder).Append(i%2 == 0)
		b.Field(5).(*array.StringBuilder).Append("all rows and columns agree within the tolerance")
		b.Field(6).(*array.StringBuilder).Append(`{"columns":[{"gold":"a","pred":"b","source":"values"}],"rows":{"gold":10,"pred":10,"matched":10}}`)
		b.Field(7).(*array.TimestampBuilder).Append(arrow.Timestamp(1732000000000000 + int64(i)))
	}
	return b.NewRecord()
}

const scoresDDL = "CREATE TABLE scores (eval_run_id VARCHAR, case_id VARCHAR, metric VARCHAR, value DOUBLE, passed BOOLEAN, reason VARCHAR, detail JSON, scored_at TIMESTAMPTZ)"

// BenchmarkWrite appends score rows, and merges them by key into a table that has them already, at
// once and in batches.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	rec := scores(n)
	defer rec.Release()
	key := []string{"eval_run_id", "case_id", "metric"}
	write := func(b *testing.B, c *duckdb.Conn, key []string, batch int64) {
		b.Helper()
		for at := int64(0); at < n; at += batch {
			part := rec.NewSlice(at, min(at+batch, n))
			r, err := array.NewRecordReader(part.Schema(), []arrow.Record{part})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := c.Merge(context.Background(), "scores", key, r); err != nil {
				b.Fatal(err)
			}
			r.Release()
			part.Release()
		}
	}
	for _, bench := range []struct {
		name  string
		key   []string
		batch int64
	}{{"append", nil, n}, {"merge", key, n}, {"merge by 1000", key, 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			c := mustOpen(b, b.TempDir()+"/w.duckdb", duckdb.Options{})
			mustExec(b, c, scoresDDL)
			if bench.key != nil {
				write(b, c, nil, n)
			}
			b.ReportAllocs()
			for b.Loop() {
				write(b, c, bench.key, bench.batch)
			}
			rate(b, n)
		})
	}
}

// BenchmarkAdd stores a run's scores, 4096 in a batch, in a table that holds those of other runs
// already, and stores them again, as after a metric was corrected. What a batch takes must not grow
// with the table: us/score is of the processor.
func BenchmarkAdd(b *testing.B) {
	for _, held := range []int{0, 1_000_000, 5_000_000} {
		for _, again := range []bool{false, true} {
			b.Run(fmt.Sprintf("held=%d/again=%v", held, again), func(b *testing.B) { benchmarkAdd(b, held, again) })
		}
	}
}

func benchmarkAdd(b *testing.B, held int, again bool) {
	const metrics, cases, batches = 64, 64, 64
	detail := json.RawMessage(`{"columns":[{"gold":"a","pred":"b","source":"values"}],"rows":{"gold":10,"pred":10,"matched":10}}`)
	c := mustOpen(b, b.TempDir()+"/w.duckdb", duckdb.Options{Options: driver.Options{Sparing: true}})
	w := store.New(connectors.New(c, duckdb.Dialect))
	if err := w.Install(context.Background()); err != nil {
		b.Fatal(err)
	}
	mustExec(b, c, fmt.Sprintf(`INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, reason, detail, config_hash, scored_at)
SELECT '20260901T22191' || (i // 1000000), 'case-' || lpad((i // 64 %% 15625)::VARCHAR, 8, '0'), 'atlas', '1', 'b', 'metric ' || (i %% 64), 1, 'ok', 0.5, 'all rows agree', '{"rows": ' || i || '}', 'h', now() FROM range(%d) t(i)`, held))
	s := w.ScoreWriter("20260901T221919", "h") // it sorts like the others in what the engine keeps of a text, 8 bytes
	for _, err := range s.Held(context.Background()) {
		b.Fatal(err)
	}
	rows := make([]scoring.Row, metrics*cases)
	for i := range rows {
		rows[i].Agent, rows[i].GoldHash = "atlas", "0f63a9c2d41e77b8"
		rows[i].Score = scoring.Score{Metric: fmt.Sprint("metric ", i%metrics), Version: 1, Status: scoring.StatusOK, Value: float64(i) / 7, Reason: "all rows and columns agree within the tolerance", Detail: detail}
	}
	write := func(batch int) {
		for i := range rows {
			rows[i].CaseID = fmt.Sprintf("case-%08d", batch*cases+i/metrics)
		}
		if err := s.Write(context.Background(), time.Now(), rows); err != nil {
			b.Fatal(err)
		}
	}
	n, every := 0, math.MaxInt
	if again {
		for every = batches; n < every; n++ {
			write(n)
		}
	}
	b.ReportAllocs()
	before := processor(b)
	for b.Loop() {
		write(n % every)
		n++
	}
	rate(b, len(rows))
	b.ReportMetric((processor(b)-before).Seconds()*1e6/float64(b.N*len(rows)), "us/score")
}

// processor is what this process has taken of the processor.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScalar calls a trivial function of two texts, and one that only looks at a long one.
func BenchmarkScalar(b *testing.B) {
	c := mustOpen(b, "", duckdb.Options{})
	if err := c.RegisterScalar(context.Background(), sameText,
		driver.Scalar{Name: "echo", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.VARCHAR, Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
			copy(out.Texts, a[0].Texts)
			return nil
		}}); err != nil {
		b.Fatal(err)
	}
	mustExec(b, c, fmt.Sprintf("CREATE TABLE t AS SELECT 'k' || i AS a, 'k5' AS b, '%s' || i AS c FROM range(%d) t(i)", strings.Repeat("long ", 20), benchRows))
	for name, sql := range map[string]string{"two short texts": "SELECT sum(same(a, b)) FROM t", "long text in and out": "SELECT sum(length(echo(c))) FROM t"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustExec(b, c, sql)
			}
			rate(b, benchRows)
		})
	}
}
