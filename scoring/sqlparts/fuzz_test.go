package sqlparts

import "testing"

// FuzzParse feeds texts of any kind in every dialect: nothing panics, every position is in the
// text, the same text gives the same tree, and a query that was understood is written in a form
// that is read and written the same way again.
func FuzzParse(f *testing.F) {
	for d := Generic; d <= TSQL; d++ {
		for _, sql := range fuzzSeeds {
			f.Add(sql, uint8(d))
		}
	}
	for _, c := range goldenCases(f) {
		f.Add(c.sql, uint8(c.dialect))
	}
	f.Fuzz(func(t *testing.T, sql string, dialect uint8) {
		checkParse(t, sql, Dialect(dialect%uint8(TSQL+1)))
	})
}

var fuzzSeeds = []string{
	"", "(", ")", "select", "select 'a", "select \"a", "select `a", "select [a", "/* a", "-- a", "$$ a", "$a$ b $a$", "{{ a }}", "{% a %}", "${a}",
	"select * from a; drop table b", "with x as (delete from a returning *) select * from x", "\x00\xff\xfe", "select\u00a0a\u3000from\ufefft",
	"from t |> where a |> aggregate sum(b) as s group by c |> order by s desc |> limit 5",
	"select {'a': [1, 2]}, x[1:2], a:b.c[0], m -> m + 1, interval '1 day', date '2024-01-01'",
	// what once went wrong
	"from A(>where a|>p y c|>order s desc|>limit", "from A|>where 0|>aggregate", "select fro#0", "select B'0''0'", "from A from #A0",
	"select group by((0 A))", "select[][(''A)]", "select((A A)->0)", "select(0->(A)->0)", "select(+(A)->0)", "(select limit 0)limit all",
	"from A match_recognize(0measures()as)", "from A match_recognize(define 0)", "select ''%time with time!B''", "select()overlaps(*)",
	"select 0#*", "pivot A on 0", "pivot(A)group by 0", "select(0A,)", "select((),)", "select array<0>[A]", "select %()", "with",
	"select order by A fetch 0 %0", "select extract(!A from)", "select A(0)over(A rows#)", "select 0 .A|0", "select[]:A.'a'",
	"case when a then case when b then c end end", "not not - - + ~ a", "a.b.c.*", "select * exclude (a) replace (b as c) rename (d as e) from f",
}

// checkParse holds one text against everything FuzzParse promises.
func checkParse(t *testing.T, sql string, d Dialect) {
	t.Helper()
	s := Parse(sql, d)
	again := Parse(sql, d)
	if len(s.Notes) != len(again.Notes) || len(s.Statements) != len(again.Statements) {
		t.Fatalf("%s: %q gives %d notes, then %d", d, sql, len(s.Notes), len(again.Notes))
	}
	for i, n := range s.Notes {
		if n != again.Notes[i] || n.Start < 0 || n.End < n.Start || int(n.End) > len(sql) {
			t.Fatalf("%s: %q: bad note %+v", d, sql, n)
		}
	}
	for i, st := range s.Statements {
		inBounds(t, d, sql, st)
		if st.Kind == "" {
			t.Fatalf("%s: %q: statement without a kind", d, sql)
		}
		if st.Query == nil {
			continue
		}
		one := Format(st.Query)
		if two := Format(again.Statements[i].Query); one != two {
			t.Fatalf("%s: %q is written differently the second time:\n%s\n%s", d, sql, one, two)
		}
		c := Extract(st.Query)
		Complexity(c)
		Columns(st.Query)
		Tables(st.Query)
		st.Query.Ordered()
		st.Query.RowLimit()
		if len(s.Notes) == 0 && !writes(st.Query) {
			stable(t, d, sql, one)
		}
	}
	ordersRows(sql, d)
}

// inBounds checks the position of every node.
func inBounds(t *testing.T, d Dialect, sql string, n Node) {
	t.Helper()
	Walk(n, func(n Node) bool {
		if start, end := n.Range(); start < 0 || end < start || end > len(sql) {
			t.Fatalf("%s: %q: %T at [%d, %d)", d, sql, n, start, end)
		}
		return true
	})
}

// writes reports whether there is a statement inside that is not a query; those are not written in full.
func writes(q *Query) bool {
	found := false
	Walk(q, func(n Node) bool {
		if _, ok := n.(*Statement); ok {
			found = true
		}
		return !found
	})
	return found
}

// stable checks that what Format wrote is read and written the same way.
func stable(t *testing.T, d Dialect, sql, one string) {
	t.Helper()
	s := Parse(one, Generic)
	if len(s.Notes) > 0 {
		t.Fatalf("%s: %q is written as\n%s\nwhich is not understood: %+v", d, sql, one, s.Notes)
	}
	if len(s.Statements) != 1 || s.Statements[0].Query == nil {
		t.Fatalf("%s: %q is written as\n%s\nwhich is no query", d, sql, one)
	}
	if two := Format(s.Statements[0].Query); one != two {
		t.Fatalf("%s: %q is written as\n%s\nand then as\n%s", d, sql, one, two)
	}
}

// TestFormatIsStable checks the same on all real queries.
func TestFormatIsStable(t *testing.T) {
	for _, q := range loadCorpus(t) {
		checkParse(t, q.SQL, DialectOf(q.Dialect))
	}
}
