package duckdb_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/sample"
)

// A merge leaves out the rows before the writer's first, and finds its own although the engine numbers
// rows again, once it has cleared away those that others deleted before or after the writer began.
func TestAddingAgainFindsRowsThatMoved(t *testing.T) {
	const others, own = 5 * group, 1000
	for _, tc := range sample.Of([]struct {
		why           string
		before, after int // how many of the others' rows are deleted before the writer's first merge, and after it
		ownFirst      bool
	}{
		{why: "nothing is deleted"},
		{why: "deleted before", before: 3 * group},
		{why: "deleted after", after: 3 * group},
		{why: "deleted before and after", before: group, after: 2 * group},
		{why: "the writer's own rows are first", after: 2 * group, ownFirst: true},
	}, 6) {
		t.Run(tc.why, func(t *testing.T) {
			ctx := context.Background()
			c := mustOpen(t, filepath.Join(t.TempDir(), "w.duckdb"), duckdb.Options{})
			mustExec(t, c, "CREATE TABLE t (run VARCHAR, k BIGINT, n BIGINT)")
			insert := func(run string, n int) {
				mustExec(t, c, fmt.Sprintf("INSERT INTO t SELECT '%s', i, 0 FROM range(%d) t(i)", run, n))
			}
			if tc.ownFirst {
				insert("r", own)
			}
			insert("other", others)
			if !tc.ownFirst {
				insert("r", own)
			}
			mustExec(t, c, "CHECKPOINT")
			mustExec(t, c, fmt.Sprintf("DELETE FROM t WHERE run = 'other' AND k < %d", tc.before))
			m := driver.Mark{Column: "run", Value: "r", Table: -1, Alone: true, Own: own}
			for i := range 3 {
				r := ownRows(own, int64(i))
				_, err := c.Add(ctx, "t", []string{"run", "k"}, r, true, &m)
				r.Release()
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					mustExec(t, c, fmt.Sprintf("DELETE FROM t WHERE run = 'other' AND k < %d", tc.before+tc.after))
				}
				mustExec(t, c, "CHECKPOINT")
				got, err := query(t, c, "SELECT count(*) AS n, count(DISTINCT k) AS k, min(n) AS low, max(n) AS high FROM t WHERE run = 'r'")
				if err != nil {
					t.Fatal(err)
				}
				for col, want := range []string{fmt.Sprint(own), fmt.Sprint(own), fmt.Sprint(i), fmt.Sprint(i)} {
					if v := got.Columns[col].Value(0).String(); v != want {
						t.Errorf("round %d: %s is %s, want %s", i+1, got.Columns[col].Name, v, want)
					}
				}
			}
		})
	}
}

// group is how many rows the engine keeps together and clears away as a whole.
const group = 122_880

func ownRows(n int, value int64) array.RecordReader {
	s := arrow.NewSchema([]arrow.Field{{Name: "run", Type: arrow.BinaryTypes.String}, {Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	defer b.Release()
	for k := range n {
		b.Field(0).(*array.StringBuilder).Append("r")
		b.Field(1).(*array.Int64Builder).Append(int64(k))
		b.Field(2).(*array.Int64Builder).Append(value)
	}
	rec := b.NewRecord()
	defer rec.Release()
	r, _ := array.NewRecordReader(s, []arrow.Record{rec})
	return r
}
