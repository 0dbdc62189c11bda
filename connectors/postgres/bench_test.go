package postgres_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

const (
	benchRows = 1_000_000
	million   = `CREATE UNLOGGED TABLE million AS SELECT i::bigint AS a, (i % 1000)::int AS b, i * 0.25::float8 AS c, (i * 1.01)::numeric(18,2) AS d, i % 3 = 0 AS e,
'name of ' || (i % 5000) AS f, DATE '2020-01-01' + i % 2000 AS g, TIMESTAMPTZ '2020-01-01 00:00:00+00' + i * INTERVAL '1 second' AS h, CASE WHEN i % 7 > 0 THEN md5(i::text) END AS i, (i % 100)::smallint AS j
FROM generate_series(1, 1000000) AS t(i)`
)

// Reading a million rows of ten columns, every value decoded. BADGER_PSYCOPG_PYTHON names a Python
// with psycopg 3, which then does the same.
func BenchmarkRead(b *testing.B) {
	s := running(b)
	name := s.database(b)
	c := s.open(b, name, driver.Options{})
	defer c.Close()
	mustExec(b, c, million)
	b.Run("badger", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := c.Query(context.Background(), "SELECT * FROM million")
			if err != nil {
				b.Fatal(err)
			}
			rows := int64(0)
			for r.Next() {
				rows += r.Record().NumRows()
			}
			if r.Release(); r.Err() != nil || rows != benchRows {
				b.Fatal(rows, r.Err())
			}
		}
	})
	peer(b, "psycopg", s.URL(name, s.Port), `
with psycopg.connect(url) as c, c.cursor(name="s", binary=True) as q:
    q.itersize = 8192
    q.execute("SELECT * FROM million")
    n = 0
    while rows := q.fetchmany(8192): n += len(rows)
    assert n == 1000000`)
}

// Writing a hundred thousand scores, as many a merge as a run does, into a table that has them
// already.
func BenchmarkWriteScores(b *testing.B) {
	s := running(b)
	name := s.database(b)
	w := store.New(connectors.New(s.open(b, name, driver.Options{}), postgres.Dialect))
	defer w.Close()
	if err := w.Install(context.Background()); err != nil {
		b.Fatal(err)
	}
	rows := make([]scoring.Row, 100_000)
	for i := range rows {
		rows[i] = scoring.Row{AnswerID: scoring.AnswerID{CaseID: fmt.Sprintf("case %d", i/10), By: scoring.By{Agent: "agent", Version: "1", Batch: "b"}}, Score: scoring.Score{Metric: fmt.Sprintf("metric %d", i%10), Version: 1, Status: scoring.StatusOK, Value: 0.5, Reason: "two rows of five differ"}}
	}
	for _, size := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("badger/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for at := 0; at < len(rows); at += size {
					if err := w.WriteScores(context.Background(), "run", "hash", time.Unix(0, 0), rows[at:at+size]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
	peer(b, "psycopg/executemany/1000", s.URL(name, s.Port), `
columns = "eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, reason, config_hash, scored_at".split(", ")
key = columns[:6]
sql = f"INSERT INTO badger.scores ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))}) ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id, case_id, metric) DO UPDATE SET " + ", ".join(f"{c} = EXCLUDED.{c}" for c in columns if c not in key)
now = datetime.datetime.now(datetime.timezone.utc)
rows = [("run", f"case {i//10}", "agent", "1", "b", f"metric {i%10}", 1, "ok", 0.5, "two rows of five differ", "hash", now) for i in range(100000)]
with psycopg.connect(url) as c:
    for at in range(0, len(rows), 1000):
        with c.cursor() as q: q.executemany(sql, rows[at:at+1000])
        c.commit()`)
}

// BenchmarkMergeScores merges batches of 4,096 scores of a run into a table that holds those of other
// runs: scores that are new, and those that are there. What a batch takes must not grow with the
// table as reading it would.
func BenchmarkMergeScores(b *testing.B) {
	const cases, batches = 64, 16
	for _, held := range []int{0, 200_000, 1_000_000} {
		for _, again := range []bool{false, true} {
			b.Run(fmt.Sprintf("held=%d/again=%v", held, again), func(b *testing.B) {
				s := running(b)
				c := s.open(b, s.database(b), driver.Options{})
				w := store.New(connectors.New(c, postgres.Dialect))
				defer w.Close()
				if err := w.Install(context.Background()); err != nil {
					b.Fatal(err)
				}
				mustExec(b, c, fmt.Sprintf(otherRuns, held), "VACUUM ANALYZE badger.scores", "CHECKPOINT")
				write := func(batch int) {
					if err := w.WriteScores(context.Background(), "20260901T221919", "h", time.Unix(0, 0), batchOf(cases, batch*cases)); err != nil {
						b.Fatal(err)
					}
				}
				n, every := 0, math.MaxInt
				if again {
					for every = batches; n < every; n++ {
						write(n)
					}
				}
				for b.Loop() {
					write(n % every)
					n++
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/batch")
			})
		}
	}
}

// peer times a Python program, without its start.
func peer(b *testing.B, name, url, program string) {
	python := os.Getenv("BADGER_PSYCOPG_PYTHON")
	if python == "" {
		return
	}
	b.Run(name, func(b *testing.B) {
		out, err := exec.Command(python, "-c", "import psycopg, time, datetime, sys\nurl = sys.argv[1]\ndef run():"+strings.ReplaceAll(program, "\n", "\n    ")+
			"\nfor _ in range(int(sys.argv[2])):\n    t = time.perf_counter(); run(); print(time.perf_counter() - t)", url, fmt.Sprint(b.N)).CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		total := 0.0
		for line := range strings.FieldsSeq(string(out)) {
			var sec float64
			if _, err := fmt.Sscan(line, &sec); err != nil {
				b.Fatal(err)
			}
			total += sec
		}
		b.ReportMetric(total/float64(b.N)*1e9, "ns/op")
	})
}
