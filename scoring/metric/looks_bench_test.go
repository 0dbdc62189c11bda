//go:build unix

package metric_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// computed is how many nanoseconds of a processor this process has had.
func computed() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

// looked is a context that notes the longest time between two looks at it, of a processor, and ends after
// some seconds.
type looked struct {
	context.Context
	done chan struct{}
	ends int64 // this and the following: nanoseconds
	last atomic.Int64
	most atomic.Int64
}

func (l *looked) Done() <-chan struct{} { return l.done }

func (l *looked) Err() error {
	now := computed()
	gap := now - l.last.Swap(now)
	for most := l.most.Load(); gap > most && !l.most.CompareAndSwap(most, gap); most = l.most.Load() {
	}
	if now > l.ends {
		return context.Canceled
	}
	return nil
}

// longSQL are queries of many parts. # is the number of a part, % that of the one before.
var longSQL = func() map[string]func(n int) string {
	list := func(n int, form, between string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteString(between)
			}
			b.WriteString(strings.NewReplacer("#", strconv.Itoa(i+1), "%", strconv.Itoa(i)).Replace(form))
		}
		return b.String()
	}
	of := func(before, form, between, after string) func(n int) string {
		return func(n int) string { return before + list(n, form, between) + after }
	}
	both := func(before, form, middle, form2, between, after string) func(n int) string {
		return func(n int) string { return before + list(n, form, between) + middle + list(n, form2, between) + after }
	}
	return map[string]func(n int) string{
		"joins":              of("SELECT t0.a FROM t0 ", "JOIN t# ON t#.id = t%.id", " ", ""),
		"joins of one":       of("SELECT t0.a FROM t0 ", "JOIN t t# ON t#.id = t0.id", " ", " WHERE t0.b = 1"),
		"left joins":         of("SELECT t0.a FROM t0 ", "LEFT JOIN t# ON t#.id = t%.id AND t#.k > #", " ", ""),
		"joins USING":        of("SELECT t0.a FROM t0 ", "JOIN t# USING (id)", " ", ""),
		"tables":             both("SELECT t1.a FROM ", "t#", " WHERE t0.id = 1 AND ", "t#.id = #", ", ", ""),
		"tables and columns": both("SELECT ", "t#.a#", " FROM ", "t#", ", ", ""),
		"unknown columns":    both("SELECT ", "a#", " FROM ", "t#", ", ", ""),
		"IN list of numbers": of("SELECT a FROM t WHERE a IN (", "#", ", ", ")"),
		"IN list of texts":   of("SELECT a FROM t WHERE a IN (", "'x#'", ", ", ")"),
		"NOT IN":             of("SELECT a FROM t WHERE a NOT IN (", "#", ", ", ")"),
		"many IN":            of("SELECT a FROM t WHERE ", "a IN (#, %)", " OR ", ""),
		"OR":                 of("SELECT a FROM t WHERE ", "a = #", " OR ", ""),
		"AND":                of("SELECT a FROM t WHERE ", "a# = #", " AND ", ""),
		"AND of one":         of("SELECT a FROM t WHERE ", "a <> #", " AND ", ""),
		"AND of OR":          of("SELECT a FROM t WHERE ", "(a# = # OR b# = %)", " AND ", ""),
		"OR of AND":          of("SELECT a FROM t WHERE ", "(a# = # AND b# = %)", " OR ", ""),
		"EXISTS":             of("SELECT a FROM t WHERE ", "EXISTS (SELECT 1 FROM t# WHERE t#.a = t.a)", " AND ", ""),
		"IN subqueries":      of("SELECT a FROM t WHERE ", "a IN (SELECT b FROM t# WHERE c = #)", " AND ", ""),
		"scalar subqueries":  of("SELECT ", "(SELECT max(b) FROM t# WHERE t#.c = t.c)", ", ", " FROM t"),
		"columns":            of("SELECT ", "a# AS c#", ", ", " FROM t"),
		"expressions":        of("SELECT ", "a# + b# * # AS c#", ", ", " FROM t"),
		"aggregates":         of("SELECT k, ", "sum(a#) AS c#", ", ", " FROM t GROUP BY k"),
		"windows":            of("SELECT ", "row_number() OVER (PARTITION BY a# ORDER BY b#) AS c#", ", ", " FROM t"),
		"CASE":               of("SELECT CASE ", "WHEN a = # THEN %", " ", " END FROM t"),
		"CASE columns":       of("SELECT ", "CASE WHEN a# > # THEN 1 ELSE 0 END AS c#", ", ", " FROM t"),
		"GROUP BY":           both("SELECT ", "a#", ", count(*) FROM t GROUP BY ", "a#", ", ", ""),
		"ORDER BY":           of("SELECT a FROM t ORDER BY ", "a#", ", ", ""),
		"UNION ALL":          of("", "SELECT a# FROM t# WHERE b = #", " UNION ALL ", ""),
		"UNION":              of("", "SELECT a FROM t WHERE b = #", " UNION ", ""),
		"chain of WITH":      of("WITH c0 AS (SELECT a FROM t), ", "c# AS (SELECT a FROM c% WHERE a > #)", ", ", " SELECT a FROM c0"),
		"WITH, all read":     both("WITH ", "c# AS (SELECT a FROM t# WHERE a > #)", " SELECT c1.a FROM ", "c#", ", ", ""),
		"derived tables":     of("SELECT d1.a FROM ", "(SELECT a FROM t# WHERE b = #) d#", ", ", ""),
		"sums":               of("SELECT ", "a#", " + ", " FROM t"),
		"concatenations":     of("SELECT ", "'x#'", " || ", " FROM t"),
		"arguments":          of("SELECT coalesce(", "a#", ", ", ") FROM t"),
		"VALUES":             of("SELECT a FROM (VALUES ", "(#, 'x%')", ", ", ") v(a, b)"),
		"statements":         of("", "CREATE TABLE c# AS SELECT a FROM t#", "; ", "; SELECT a FROM t1"),
		"inserts":            of("CREATE TABLE c (a int); ", "INSERT INTO c VALUES (#)", "; ", "; SELECT a FROM c"),
		"DISTINCT ON":        of("SELECT DISTINCT ON (", "a#", ", ", ") a1 FROM t"),
		"LIKE":               of("SELECT a FROM t WHERE ", "a LIKE '%x#%'", " OR ", ""),
		"HAVING":             of("SELECT k FROM t GROUP BY k HAVING ", "sum(a#) > #", " AND ", ""),
		"one long text":      of("SELECT a FROM t WHERE a = '", "abc # def", " ", "'"),
		"one long name":      of("SELECT \"", "abc # def", " ", "\" FROM t"),
		"comments":           of("SELECT a -- ", "x", "\n-- ", "\n FROM t"),
		"template":           of("SELECT a FROM t WHERE ", "{{ x# }} = #", " AND ", ""),
	}
}()

// schemas of many parts, next to a short query.
var longDDL = map[string]func(n int) string{
	"tables of DDL": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "CREATE TABLE t%d (id INTEGER PRIMARY KEY, a INTEGER, k INTEGER REFERENCES t%d(id));\n", i, max(0, i-1))
		}
		return b.String()
	},
	"columns of DDL": func(n int) string {
		var b strings.Builder
		b.WriteString("CREATE TABLE t (id INTEGER PRIMARY KEY")
		for i := range n {
			fmt.Fprintf(&b, ", a%d INTEGER UNIQUE CHECK (a%d > 0)", i, i)
		}
		return b.String() + ")"
	},
}

// How long a query of many parts is computed on between two looks whether anybody waits, by metric, in
// the first seconds.
// BADGER_PARTS is how many parts, BADGER_FORM and BADGER_METRIC parts of names.
func BenchmarkLooks(b *testing.B) {
	n := 3000
	if s := os.Getenv("BADGER_PARTS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	all := metric.All()
	engine, err := scoring.NewEngine(all, nil)
	if err != nil {
		b.Fatal(err)
	}
	cases := map[string]*scoring.Case{}
	for name, form := range longSQL {
		text := form(n)
		cases[name] = &scoring.Case{Golds: []scoring.Query{{SQL: text}}, Pred: scoring.Query{SQL: strings.Replace(text, "2", "9", 1), Ran: true}}
		cases[name+", turned"] = &scoring.Case{Golds: []scoring.Query{{SQL: text}}, Pred: scoring.Query{SQL: strings.ReplaceAll(text, "1", "8"), Ran: true}}
	}
	for name, form := range longDDL {
		joins := longSQL["joins"](40)
		cases[name] = &scoring.Case{Schema: form(n), Golds: []scoring.Query{{SQL: joins}}, Pred: scoring.Query{SQL: strings.Replace(joins, "2", "9", 1), Ran: true}}
	}
	for name, c := range cases {
		if !strings.Contains(name, os.Getenv("BADGER_FORM")) {
			continue
		}
		c.Question = "q"
		for i := range all {
			m := &all[i]
			if m.Needs&scoring.FieldJudge != 0 || (m.Needs|m.Reads)&(scoring.FieldGoldSQL|scoring.FieldPredSQL) == 0 || !strings.Contains(m.Name, os.Getenv("BADGER_METRIC")) {
				continue
			}
			b.Run(name+"/"+m.Name, func(b *testing.B) {
				for range b.N {
					begun := computed()
					l := &looked{Context: b.Context(), done: make(chan struct{}), ends: begun + 3e9}
					l.last.Store(begun)
					stop := make(chan struct{})
					go l.watch(b, stop)
					_, err := engine.Score(l, c, m.Name)
					close(stop)
					if err != nil && !errors.Is(err, context.Canceled) {
						b.Fatal(err)
					}
					_ = l.Err()
					b.ReportMetric(float64(l.most.Load())/1e6, "ms-unlooked")
				}
			})
		}
	}
}

// watch logs where a computation is that has not looked for long, if BADGER_STACKS is set.
func (l *looked) watch(b *testing.B, stop chan struct{}) {
	if os.Getenv("BADGER_STACKS") == "" {
		return
	}
	for logged := int64(0); ; {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if last := l.last.Load(); last != logged && computed()-last > 100e6 {
			logged = last
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			for _, s := range strings.Split(string(stacks), "\n\n") {
				if strings.Contains(s, "scoring.(*Engine)") {
					b.Log(s)
				}
			}
		}
	}
}
