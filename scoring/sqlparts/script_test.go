package sqlparts

import (
	goparser "go/parser"
	gotoken "go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDialectOf checks names and their synonyms; an unknown name is generic.
func TestDialectOf(t *testing.T) {
	for name, want := range map[string]Dialect{"Snowflake": Snowflake, "bigquery": BigQuery, "GoogleSQL": BigQuery, "spark": Databricks,
		"postgresql": Postgres, " redshift ": Redshift, "mssql": TSQL, "t-sql": TSQL, "MariaDB": MySQL, "sqlite3": SQLite, "duckdb": DuckDB,
		"big_query": BigQuery, "Spark SQL": Databricks, "PostgreSQL 16": Postgres, "MySQL 8.4": MySQL, "SQL Server 2022": TSQL, "Google BigQuery": BigQuery,
		"": Generic, "ANSI SQL": Generic} {
		if got := DialectOf(name); got != want || !NamesDialect(name) {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"cobol", "mysq", "oracle", "2016", "db2", "snow flake 2 x"} {
		if DialectOf(name) != Generic || NamesDialect(name) {
			t.Errorf("%q is a dialect", name)
		}
	}
	for d := Generic; d <= TSQL; d++ {
		if DialectOf(d.String()) != d {
			t.Errorf("the name of dialect %s is not read back", d)
		}
	}
	if s := Parse("select 1", Dialect(200)); s.Dialect != Generic {
		t.Errorf("a dialect that is none is read as %s, want generic", s.Dialect)
	}
}

// TestEffects checks what is read-only and what is not, among them disguises.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		dialect  Dialect
		sql      string
		readOnly bool
	}{
		{Generic, "select a from t", true},
		{Generic, "with x as (select 1) select * from x", true},
		{Generic, "values (1)", true},
		{Generic, "set x = 1; use db; select 1", true},
		{Generic, "begin transaction; select 1; commit", true},
		{Generic, "show create table t", true},
		{Generic, "describe t", true},
		{Generic, "explain select 1", true},
		{Generic, "select 'drop table t'", true},
		{Generic, "select replace(a, 'x', 'y'), insert(a, 1, 2, 'z'), truncate(b, 2), \"delete\" from t", true},
		{Generic, "select a as drop, b as update from t", true},
		{Generic, "-- drop table t\nselect 1", true},

		{Generic, "drop table t", false},
		{Generic, "select 1; drop table t", false},
		{Generic, "select 1;;;-- x\n;DROP /* */ TABLE t", false},
		{Generic, "(select 1); delete from t", false},
		{Generic, "select (1; delete from t", false},
		{Generic, "select 1 drop table t", false},
		{Generic, "select 1 from t garbage garbage truncate table t", false},
		{Generic, "select 1 from t garbage garbage attach 'x'", false},
		{Generic, "select 1 from t garbage garbage replace(a, b, c)", true},
		{Generic, "with x as (update t set a = 1 returning *) select * from x", false},
		{Generic, "with x as (with y as (select 1) insert into t select * from y returning *) select * from x", false},
		{Generic, "select * from (with x as (delete from t returning *) select * from x) y", false},
		{Generic, "with x as (select 1) update t set a = 1", false},
		{Generic, "explain analyze delete from t", false},
		{Generic, "select a into t2 from t", false},
		{Generic, "select 1 /*! ; drop table t */", false},
		{Generic, "select a from t for update", false},
		{Generic, "commit drop table t", false},
		{Generic, "frobnicate t", false},
		{Generic, "{% if x %} drop table t {% endif %}", false},
		{MySQL, "select 1 /*!50000 into outfile '/tmp/x' */", false},
		{MySQL, "select 1--\n; drop table t", false},
		{MySQL, "select a from t where b = '\\'; drop table t; -- '", true},
		{Postgres, "select a from t where b = '\\'; drop table t; -- '", false},
		{Postgres, "select $x$; drop table t; $x$", true},
		{Postgres, "do $$ begin delete from t; end $$", false},
		{Postgres, "/* /* */ drop table t */ select 1", true},
		{BigQuery, "/* /* */ drop table t */ select 1", false},
		{BigQuery, "select '''; drop table t; '''", true},
		{SQLite, "select [a; drop table t]", true},
		{SQLite, "attach 'x' as y", false},
		{TSQL, "select 1 exec xp_cmdshell 'x'", false},
		{TSQL, "declare @x int = 1 drop table t", false},
		{TSQL, "select 1 from t shutdown", false},
		{TSQL, "set @x = replace(@y, 'a', 'b')", true},
		{Generic, "select shutdown, backup from t kill", true},
		{TSQL, "if 1 = 1 drop table t", false},
		{TSQL, "select 1\nGO\ndrop table t", false},
		{Snowflake, "copy into @stage from t", false},
		{Snowflake, "execute immediate $$drop table t$$", false},
		{Databricks, "insert overwrite directory '/x' select 1", false},
		{DuckDB, "copy t to 'x.csv'", false},
		{DuckDB, "install httpfs", false},
	} {
		if got := Parse(c.sql, c.dialect).Effects(); got.ReadOnly() != c.readOnly {
			t.Errorf("%s: %q: effects %s, read-only %t, want %t", c.dialect, c.sql, got, got.ReadOnly(), c.readOnly)
		}
	}
}

// TestPositions checks that nodes and notes stand where their text is.
func TestPositions(t *testing.T) {
	const sql = "select a + b, f(c) from t join (select d from u) x on t.i = x.i where e in (1, 2)"
	want := map[string]bool{"a + b": false, "f(c)": false, "c": false, "t": false, "select d from u": false, "t.i = x.i": false,
		"join (select d from u) x on t.i = x.i": false, "e in (1, 2)": false, "2": false}
	Walk(Parse(sql, Generic).Statements[0], func(n Node) bool {
		start, end := n.Range()
		if _, ok := want[sql[start:end]]; ok {
			want[sql[start:end]] = true
		}
		return true
	})
	for text, found := range want {
		if !found {
			t.Errorf("no node stands at %q", text)
		}
	}
	s := Parse("select a from t where b = 1 and c d e and f = 2", Generic)
	if len(s.Notes) != 1 || s.SQL[s.Notes[0].Start:s.Notes[0].End] != "c d e" {
		t.Errorf("notes %+v, want one at \"c d e\"", s.Notes)
	}
}

// TestNotesDoNotQuote checks that notes, which end up in logs, never hold what the text says.
func TestNotesDoNotQuote(t *testing.T) {
	for name, text := range hostile {
		for _, n := range Parse("select secret_word, "+text(50)+" secret_word", Generic).Notes {
			if strings.Contains(n.What, "secret_word") {
				t.Errorf("%s: note %q quotes the text", name, n.What)
			}
		}
	}
}

// TestNormalized checks the normal form on its own, in the dialect in which its precedences are
// defined.
func TestNormalized(t *testing.T) {
	for sql, want := range map[string]string{
		"T.Sales__Amount + 1":              "amount + 1",
		"((a))":                            "a",
		"x NOT IN ('b', 'a', 'b')":         "x not in ('a', 'b')",
		"NOT (x IS NULL)":                  "x is not null",
		"exists (select 1)":                "exists(subquery)",
		"(select max(a) from t) + 1":       "subquery + 1",
		"CAST(a AS Numeric(10, 2))":        "cast(a as decimal)",
		"a::geography":                     "cast(a as geography)",
		"INTERVAL '3 months'":              "interval 3 month",
		"count(*) over (partition by b)":   "count(*) over (partition by b)",
		"\"Weird Name\"":                   "\"weird name\"",
		"case when a then 1 end = 1 and b": "case when a then 1 end = 1 and b",
	} {
		e := Parse("select "+sql, Generic).Final().Body.(*Select).Items[0].Expr
		if got := Normalized(e); got != want {
			t.Errorf("%s is %s, want %s", sql, got, want)
		}
	}
}

// TestConcurrentUse parses and reads at the same time; the race detector watches.
func TestConcurrentUse(t *testing.T) {
	q := Parse("with a as (select x from t) select x, count(*) from a group by 1 order by 2", Generic).Final()
	want := Format(q)
	done := make(chan string)
	for range 8 {
		go func() {
			for range 50 {
				Extract(q)
				Columns(q)
				Parse("select * from u where a in (select b from c)", Snowflake)
			}
			done <- Format(q)
		}()
	}
	for range 8 {
		if got := <-done; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestImports checks that the package is on the standard library alone, on what is inside it, and on what
// ends long computations.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		f, err := goparser.ParseFile(gotoken.NewFileSet(), file, nil, goparser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if path, _ := strconv.Unquote(imp.Path.Value); strings.Contains(path, ".") && path != "github.com/badger-eval/badger/scoring/sqlparts" && path != "github.com/badger-eval/badger/internal/halt" && !strings.HasPrefix(path, "github.com/badger-eval/badger/scoring/sqlparts/internal/") {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}

// White space is what is between tokens, and nothing else.
func TestOneSpace(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"SELECT a  FROM\n\tt ;", "SELECT a FROM t", true},
		{"SELECT 'a  b'", "SELECT 'a b'", false},
		{"SELECT `a  b`", "SELECT `a b`", false},
		{"SELECT a -- b\nFROM t", "SELECT a -- b FROM t", false},
		{"SELECT a -- b\n  FROM t", "SELECT a -- b\nFROM t", true},
		{"SELECT a /* b */ FROM t", "SELECT a FROM t", false},
		{"select a FROM t", "SELECT a FROM t", false},
	} {
		if same := OneSpace(tt.a, Generic) == OneSpace(tt.b, Generic); same != tt.same {
			t.Errorf("%q and %q: the same %v, want %v: %q, %q", tt.a, tt.b, same, tt.same, OneSpace(tt.a, Generic), OneSpace(tt.b, Generic))
		}
	}
}

// Lexemes are the words of a text: what means the same has the same, and what may not has others.
func TestLexemes(t *testing.T) {
	texts := func(sql string, d Dialect) (out []string) {
		for _, l := range Lexemes(sql, d) {
			out = append(out, l.Text)
		}
		return out
	}
	for _, tt := range []struct {
		a, b string
		d    Dialect
		same bool
	}{
		{"SELECT a FROM t;", "select  a -- x\nfrom t", DuckDB, true},
		{"SELECT a FROM t", "SELECT A FROM t", DuckDB, false}, // may be another name
		{"SELECT v:Date FROM t", "SELECT v:date FROM t", Snowflake, false},
		{"SELECT 'a' FROM t", `SELECT "a" FROM t`, MySQL, false},
	} {
		if same := slices.Equal(texts(tt.a, tt.d), texts(tt.b, tt.d)); same != tt.same {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, same, tt.same)
		}
	}
}
