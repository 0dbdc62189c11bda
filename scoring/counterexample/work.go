package counterexample

import (
	"math"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// The bounds of what is run, in rows that joins may make. They end a search at the same database on
// every machine, where a bound of time would not.
const (
	maxWork      = 2_000_000  // of a query on one database; larger databases are passed over
	maxTotalWork = 60_000_000 // of a search
)

// work is how many rows a query may have to make on a database: all those of the joins, for each row
// of the outer query where one stands inside of it.
func (d *Database) work(q *sqlparts.Query) float64 {
	w := &worker{sizes: map[string]float64{}}
	for i := range d.Tables {
		w.sizes[strings.ToLower(d.Tables[i].Table.Name)] = float64(len(d.Tables[i].Rows))
	}
	return w.query(q).work
}

// worker bounds the work of a query by the sizes of what it reads.
type worker struct {
	sizes map[string]float64
	with  []named
}

// extent is how many rows a query returns at most, and makes on the way.
type extent struct{ rows, work float64 }

type named struct {
	name string
	extent
}

func (w *worker) query(q *sqlparts.Query) extent {
	from := len(w.with)
	defer func() { w.with = w.with[:from] }()
	for _, t := range q.With {
		if t.Query != nil {
			w.with = append(w.with, named{strings.ToLower(t.Name.Text), w.query(t.Query)})
		}
	}
	return w.body(q.Body)
}

func (w *worker) body(n sqlparts.Node) extent {
	var out extent
	switch b := n.(type) {
	case *sqlparts.Query:
		return w.query(b)
	case *sqlparts.SetOp:
		for _, t := range b.Terms {
			x := w.query(t)
			out.rows, out.work = out.rows+x.rows, out.work+x.work
		}
	case *sqlparts.Values:
		out.rows = float64(len(b.Rows))
		out.work = out.rows
	case *sqlparts.Select:
		derived := map[*sqlparts.Query]bool{}
		out = w.sources(b.From, derived)
		inner := 0.0
		sqlparts.Walk(b, func(n sqlparts.Node) bool {
			q, ok := n.(*sqlparts.Query)
			if ok && !derived[q] {
				inner += w.query(q).work
			}
			return !ok
		})
		out.work += max(1, out.rows) * (1 + inner)
	}
	return out
}

// sources is the product of what stands in a FROM, and what its queries take. It notes these queries.
func (w *worker) sources(list []*sqlparts.Source, derived map[*sqlparts.Query]bool) extent {
	out := extent{rows: 1}
	for _, src := range list {
		x := extent{}
		switch {
		case src.Nested != nil:
			x = w.sources(src.Nested, derived)
		case src.Query != nil:
			derived[src.Query] = true
			x = w.query(src.Query)
		default:
			x = w.table(src)
		}
		if src.Lateral {
			x.work *= max(1, out.rows)
		}
		// An outer join may keep the rows of either side.
		out.rows, out.work = math.Max(out.rows, 1)*math.Max(x.rows, 1), out.work+x.work
	}
	return out
}

func (w *worker) table(src *sqlparts.Source) extent {
	name := strings.ToLower(src.Table.Last().Text)
	if len(src.Table) == 1 {
		for i := len(w.with) - 1; i >= 0; i-- {
			if w.with[i].name == name {
				return w.with[i].extent
			}
		}
	}
	return extent{rows: w.sizes[name]}
}
