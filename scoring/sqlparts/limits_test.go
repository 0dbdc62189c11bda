package sqlparts

import (
	"fmt"
	"strings"
	"testing"
)

// hostile are texts made to be slow or deep, by size.
var hostile = map[string]func(n int) string{
	"open parentheses":    func(n int) string { return "select " + strings.Repeat("(", n) },
	"closed parentheses":  func(n int) string { return "select " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
	"closing parentheses": func(n int) string { return "select " + strings.Repeat(")", n) },
	"parentheses in FROM": func(n int) string { return "select * from " + strings.Repeat("(", n) + "t" + strings.Repeat(")", n) },
	"nested subqueries":   func(n int) string { return strings.Repeat("select * from (", n) + "select 1" + strings.Repeat(")", n) },
	"nested queries":      func(n int) string { return strings.Repeat("(", n) + "select 1" + strings.Repeat(") union select 2", n) },
	"nested IN":           func(n int) string { return "select " + strings.Repeat("a in (", n) + "1" + strings.Repeat(")", n) },
	"nested calls":        func(n int) string { return "select " + strings.Repeat("f(", n) + strings.Repeat(")", n) },
	"nested TRIM":         func(n int) string { return "select " + strings.Repeat("trim(", n) + strings.Repeat(" from x)", n) },
	"nested CAST": func(n int) string {
		return "select " + strings.Repeat("cast(", n) + "1" + strings.Repeat(" as int)", n)
	},
	"nested CASE": func(n int) string {
		return "select " + strings.Repeat("case when a then ", n) + "1" + strings.Repeat(" end", n)
	},
	"nested arrays":  func(n int) string { return "select " + strings.Repeat("[", n) + strings.Repeat("]", n) },
	"nested braces":  func(n int) string { return "select " + strings.Repeat("{", n) + strings.Repeat("}", n) },
	"nested indexes": func(n int) string { return "select a" + strings.Repeat("[b", n) + strings.Repeat("]", n) },
	"nested windows": func(n int) string {
		return "select " + strings.Repeat("sum(1) over (order by ", n) + strings.Repeat(")", n)
	},
	"nested grouping sets": func(n int) string {
		return "select 1 group by " + strings.Repeat("grouping sets (", n) + strings.Repeat(")", n)
	},
	"nested types": func(n int) string { return "select a::" + strings.Repeat("array<", n) + strings.Repeat(">", n) },
	"nested WITH": func(n int) string {
		return strings.Repeat("with a as (", n) + "select 1" + strings.Repeat(") select 1", n)
	},
	"crossed brackets":     func(n int) string { return "select " + strings.Repeat("([{", n) + strings.Repeat(")", n) },
	"minus signs":          func(n int) string { return "select " + strings.Repeat("- ", n) + "1" },
	"NOT":                  func(n int) string { return "select " + strings.Repeat("not ", n) + "a" },
	"sums":                 func(n int) string { return "select 1" + strings.Repeat(" + 1", n) },
	"comparisons":          func(n int) string { return "select 1" + strings.Repeat(" = 1", n) },
	"AND":                  func(n int) string { return "select 1 where a" + strings.Repeat(" and a", n) },
	"AND and OR":           func(n int) string { return "select 1 where a" + strings.Repeat(" and b or c", n) },
	"LIKE":                 func(n int) string { return "select a" + strings.Repeat(" like b", n) },
	"IS NULL":              func(n int) string { return "select a" + strings.Repeat(" is null", n) },
	"BETWEEN":              func(n int) string { return "select a" + strings.Repeat(" between b and c", n) },
	"casts in a row":       func(n int) string { return "select a" + strings.Repeat("::int", n) },
	"fields":               func(n int) string { return "select (a)" + strings.Repeat(".b", n) },
	"paths":                func(n int) string { return "select a" + strings.Repeat(":b[0]", n) },
	"long names":           func(n int) string { return "select a" + strings.Repeat(".a", n) + " from a" + strings.Repeat(".a", n) },
	"arrows":               func(n int) string { return "select " + strings.Repeat("a -> ", n) + "1" },
	"set operations":       func(n int) string { return "select 1" + strings.Repeat(" union select 1", n) },
	"mixed set operations": func(n int) string { return "select 1" + strings.Repeat(" union select 1 intersect select 2", n) },
	"ordered arms":         func(n int) string { return "select 1" + strings.Repeat(" order by 1 union select 1", n) },
	"joins":                func(n int) string { return "select 1 from a" + strings.Repeat(" join b on a.x = b.x", n) },
	"postponed conditions": func(n int) string {
		return "select 1 from a" + strings.Repeat(" join b", n) + strings.Repeat(" on x", n)
	},
	"conditions too many":           func(n int) string { return "select 1 from a" + strings.Repeat(" join b on x on y", n) },
	"clauses twice":                 func(n int) string { return "select 1" + strings.Repeat(" from a where b", n) },
	"broken conditions":             func(n int) string { return "select 1 where a" + strings.Repeat(" b c and d e or f", n) },
	"items without commas":          func(n int) string { return "select" + strings.Repeat(" a b c,", n) },
	"common table expression":       func(n int) string { return ctes(n) },
	"CTE doubling":                  func(n int) string { return doubling(n) },
	"statements":                    func(n int) string { return strings.Repeat("create table t as select * from t;", n) },
	"semicolons":                    func(n int) string { return strings.Repeat(";", n) },
	"pipes":                         func(n int) string { return "from t" + strings.Repeat(" |> limit 1", n) },
	"pipe unions":                   func(n int) string { return "from t" + strings.Repeat(" |> union all (select 1)", n) },
	"pipe extensions":               func(n int) string { return "from t" + strings.Repeat(" |> extend a as b", n) },
	"empty pipes":                   func(n int) string { return "from t" + strings.Repeat(" |>", n) },
	"prefix aliases":                func(n int) string { return "from " + strings.Repeat("a: ", n) + "t" },
	"quotes":                        func(n int) string { return "select " + strings.Repeat("'", n) },
	"templates":                     func(n int) string { return "select " + strings.Repeat("{{ a ", n) },
	"dollar signs":                  func(n int) string { return "select " + strings.Repeat("$a$b", n) },
	"dollar braces":                 func(n int) string { return "select " + strings.Repeat("${", n) },
	"comment openings":              func(n int) string { return "select " + strings.Repeat("/*", n) },
	"brackets that look like names": func(n int) string { return "select " + strings.Repeat("[a ", n) },
	"bad bytes":                     func(n int) string { return "select " + strings.Repeat("\x00\xff\\", n) },
	"arrays in FROM":                func(n int) string { return "select 1 from a" + strings.Repeat(", b.c", n) },
	"aliases": func(n int) string {
		return "select " + strings.Repeat("a as b, ", n) + "1 order by " + strings.Repeat("1, ", n) + "1"
	},
	"windows of windows": func(n int) string {
		return "select sum(a) over w window " + strings.Repeat("w as (w), ", n) + "x as (w)"
	},
	"intervals":    func(n int) string { return "select " + strings.Repeat("interval ", n) },
	"words":        func(n int) string { return strings.Repeat("word ", n) },
	"select":       func(n int) string { return strings.Repeat("select ", n) },
	"values":       func(n int) string { return "values " + strings.Repeat("(1), ", n) + "(1)" },
	"stars":        func(n int) string { return "select " + strings.Repeat("* ", n) },
	"IF":           func(n int) string { return strings.Repeat("if a then ", n) },
	"explanations": func(n int) string { return strings.Repeat("explain ", n) + "select 1" },
}

// ctes is a chain in which each reads the one before.
func ctes(n int) string {
	var b strings.Builder
	b.WriteString("with c0 as (select * from t)")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, ", c%d as (select * from c%d)", i, i-1)
	}
	fmt.Fprintf(&b, " select * from c%d", n)
	return b.String()
}

// doubling is a chain in which each reads the one before twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("with c0 as (select * from t)")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, ", c%d as (select a.*, b.* from c%d a, c%d b)", i, i-1, i-1)
	}
	fmt.Fprintf(&b, " select * from c%d", n)
	return b.String()
}

// TestWorkIsLinear counts the tokens the parser passes and looks at: a few times as many as the
// text has, however long it is.
func TestWorkIsLinear(t *testing.T) {
	for name, text := range hostile {
		for d := Generic; d <= TSQL; d++ {
			for _, n := range []int{300, 5000} {
				p := new(parser)
				p.parse(text(n), d, d.syntax())
				if most := 6*len(p.toks) + 100; p.steps > most {
					t.Errorf("%s in %s: %d steps for %d tokens", name, d, p.steps, len(p.toks))
				}
			}
		}
	}
}

// TestDepthIsBounded checks that no text makes a tree so deep that walking it is dangerous, and
// that all functions come back from all hostile texts.
func TestDepthIsBounded(t *testing.T) {
	for name, text := range hostile {
		n := 10_000
		if strings.HasSuffix(name, "parentheses") {
			n = 100_000
		}
		s := Parse(text(n), Generic)
		deepest := 0
		for _, st := range s.Statements {
			if d := depthOf(st); d > deepest {
				deepest = d
			}
		}
		if most := 6 * maxDepth; deepest > most {
			t.Errorf("%s: tree is %d deep, want at most %d", name, deepest, most)
		}
		if q := s.Final(); q != nil {
			Extract(q)
			Columns(q)
			Tables(q)
			Format(q)
		}
	}
}

// depthOf is how deep a tree is.
func depthOf(n Node) int {
	deepest := 0
	Walk(n, func(child Node) bool {
		if child == n {
			return true
		}
		deepest = max(deepest, depthOf(child))
		return false
	})
	return deepest + 1
}

// TestDepthLimitIsNoted checks where the limit lies and that crossing it is said.
func TestDepthLimitIsNoted(t *testing.T) {
	nested := func(n int) string { return "select " + strings.Repeat("(", n) + "a" + strings.Repeat(")", n) }
	if s := Parse(nested(200), Generic); len(s.Notes) != 0 {
		t.Errorf("200 parentheses: notes %+v, want none", s.Notes)
	}
	s := Parse(nested(100_000), Generic)
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0].What, "nested too deeply") {
		t.Errorf("100,000 parentheses: notes %+v, want one that says so", s.Notes)
	}
	sum := "select 1" + strings.Repeat(" + 1", 500)
	if s := Parse(sum, Generic); len(s.Notes) != 0 {
		t.Errorf("a sum of 501: notes %+v, want none", s.Notes)
	}
	chain := "select 1 from t where a = 1" + strings.Repeat(" and a = 1", 50_000)
	if s := Parse(chain, Generic); len(s.Notes) != 0 {
		t.Errorf("a chain of 50,000 conditions: notes %+v, want none", s.Notes)
	}
}

// TestNotesAreBounded checks that a text full of errors does not fill the memory with notes.
func TestNotesAreBounded(t *testing.T) {
	if n := len(Parse("select "+strings.Repeat("\x00 ", 100_000), Generic).Notes); n != maxNotes {
		t.Errorf("%d notes, want %d", n, maxNotes)
	}
}

// TestBrokenTexts checks that texts that end in the middle of something give what there is.
func TestBrokenTexts(t *testing.T) {
	for _, c := range []struct{ sql, why, want string }{
		{"", "nothing", ""},
		{" \n-- only a comment", "a comment is nothing", ""},
		{"select 'abc", "an unterminated string reaches to the end", "select 'abc'"},
		{"select `abc from t", "an unterminated name too", `select "abc from t"`},
		{"select a /* from t", "an unterminated comment hides the rest", "select a"},
		{"select $$a from t", "an unterminated dollar string too", "select 'a from t'"},
		{"select a from", "FROM without a table", "select a from "},
		{"select a\x00, b from t", "a zero byte costs one item at most", "select a \x00, b from t"},
		{"select \xff\xfe from t", "invalid UTF-8 is a name", "select \xff\xfe from t"},
		{"with x as (select 1", "an unclosed common table expression", ""},
	} {
		s := Parse(c.sql, Generic)
		got := ""
		if q := s.Final(); q != nil {
			got = Format(q)
		}
		if c.want != "" && got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.why, c.sql, got, c.want)
		}
		if c.sql == "" && (len(s.Statements) > 0 || len(s.Notes) > 0) {
			t.Errorf("%s: %d statements and %d notes, want none", c.why, len(s.Statements), len(s.Notes))
		}
	}
}
