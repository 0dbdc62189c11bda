package counterexample

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

const ddl = `CREATE TABLE "Order Items" (
  order_id int NOT NULL, line smallint, price decimal(8,2) DEFAULT 0 CHECK (price > 0), note varchar(20) UNIQUE,
  CONSTRAINT pk PRIMARY KEY (order_id, line),
  FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE
);
-- a comment, with a ; in it
CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, day DATE, code number(10) REFERENCES codes);
CREATE TABLE codes (code number(10) PRIMARY KEY);
ALTER TABLE orders ADD CONSTRAINT u UNIQUE (day)`

func TestReadSchema(t *testing.T) {
	s := ReadSchema(ddl, sqlparts.SQLite)
	if len(s.Tables) != 3 {
		t.Fatalf("%d tables", len(s.Tables))
	}
	items, orders := s.Table("order items"), s.Table("ORDERS")
	if items == nil || orders == nil || items.Name != "Order Items" {
		t.Fatal("a table is not found by its name")
	}
	if len(items.Columns) != 4 || len(items.Unique) != 2 || len(items.Unique[0]) != 2 || len(items.Checks) != 1 {
		t.Errorf("%d columns, keys %v, %d checks", len(items.Columns), items.Unique, len(items.Checks))
	}
	if c := items.Column("line"); !c.NotNull || c.Kind != Int {
		t.Errorf("line: %+v, want a whole number that is never NULL, as a part of the key", c)
	}
	if c := items.Column("price"); c.Kind != Real || c.Declared != "decimal(8,2)" {
		t.Errorf("price: %+v", c)
	}
	if len(items.Foreign) != 1 || items.Foreign[0].To != orders || items.Foreign[0].Target[0] != orders.Column("id") {
		t.Errorf("references of items: %+v", items.Foreign)
	}
	if len(orders.Foreign) != 1 || orders.Foreign[0].Target[0].Name != "code" {
		t.Errorf("a reference without columns means the key: %+v", orders.Foreign)
	}
	if len(orders.Unique) != 2 || orders.Unique[1][0].Name != "day" {
		t.Errorf("keys of orders: %v, want id and day", orders.Unique)
	}
	if c := orders.Column("day"); c.Kind != Text || c.Shape != dateText {
		t.Errorf("a date of SQLite is a text: %+v", c)
	}
	if c := ReadSchema(ddl, sqlparts.Postgres).Table("orders").Column("day"); c.Kind != Date {
		t.Errorf("a date of Postgres is none: %+v", c)
	}
}

// What of the DDL is not understood is named, and not passed over.
func TestSchemaRefusals(t *testing.T) {
	for _, tc := range []struct{ ddl, dialect, why string }{
		{"CREATE TABLE t (a INT, b TEXT CHECK (b ~ '^[0-9]+$'))", "postgres", "a check"},
		{"CREATE TABLE t (a INT, b INT CHECK (b IS DISTINCT FROM 3))", "postgres", "a check"},
		{"CREATE TABLE t (a INT, b DATE CHECK (b > '01/02/2020'))", "postgres", "a check"},
		{"CREATE TABLE t (a INT, b TEXT CHECK (b > 5))", "postgres", "a check"},
		{"CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a * 2) STORED)", "postgres", "the generated column b"},
		{"CREATE TABLE t (a INT, b INT AS (a * 2))", "mysql", "the generated column b"},
		{"CREATE TABLE t (a INT, b TEXT); CREATE UNIQUE INDEX u ON t (lower(b))", "postgres", "not of columns alone"},
		{"CREATE TABLE t (a INT, b INT UNIQUE NULLS NOT DISTINCT)", "postgres", "UNIQUE NULLS NOT DISTINCT"},
		{"CREATE TABLE t (a INT, b INT, UNIQUE NULLS NOT DISTINCT (b))", "postgres", "UNIQUE NULLS NOT DISTINCT"},
		{"CREATE TABLE t (a INT, b INT, EXCLUDE USING gist (b WITH =))", "postgres", "EXCLUDE"},
		{"CREATE TABLE t (a INT, b INT); CREATE TRIGGER x BEFORE INSERT ON t EXECUTE FUNCTION f()", "postgres", "CREATE TRIGGER"},
		{"CREATE TABLE u (a INT, b INT, PRIMARY KEY (a, b)); CREATE TABLE t (a INT, b INT, FOREIGN KEY (a, b) REFERENCES u MATCH FULL)", "postgres", "MATCH FULL"},
		{"CREATE TABLE t (a INT, b ENUM('x', 'y'))", "mysql", "values of type enum"},
		{"CREATE DOMAIN some_int AS INT CHECK (VALUE > 3); CREATE TABLE t (a INT, b some_int)", "postgres", "values of type some_int"},
		{"CREATE TABLE t (a INT, b INT); ALTER TABLE t ALTER COLUMN b TYPE text", "postgres", "ALTER COLUMN b"},
		{"CREATE TABLE t (a INT, b INT NOT NULL FROBBED)", "postgres", "the column b with FROBBED"},
		{`CREATE TABLE t ("a" INT, "A" INT, b INT)`, "postgres", "two columns of the name a"},
		{"CREATE TABLE s1.t (a INT, b INT); CREATE TABLE x.t (a INT PRIMARY KEY, b INT)", "postgres", "two tables of this name"},
	} {
		if _, out := prepare(&Problem{Gold: "SELECT a, b FROM t", Pred: "SELECT a, b FROM t", Dialect: tc.dialect, Schema: tc.ddl}, false); !strings.Contains(out.Why, tc.why) {
			t.Errorf("%s: %q, want %q", tc.ddl, out.Why, tc.why)
		}
	}
}

// A key that may not hold is respected all the same: what differs on such a database differs.
func TestSchemaKeepsDoubtfulKeys(t *testing.T) {
	for _, ddl := range []string{
		"CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX u ON t (a) WHERE b > 1",
		"CREATE TABLE t (a INT UNIQUE, b INT); ALTER TABLE t DROP CONSTRAINT t_a_key",
		"CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX u ON other.t (a)",
	} {
		if s := ReadSchema(ddl, sqlparts.Postgres); len(s.Tables[0].Unique) != 1 || s.Tables[0].bad != "" {
			t.Errorf("%s: %d keys, %q", ddl, len(s.Tables[0].Unique), s.Tables[0].bad)
		}
	}
	if s := ReadSchema("CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX u ON t (a); DROP INDEX u", sqlparts.Postgres); len(s.Tables[0].Unique) != 0 {
		t.Error("an index that was dropped is kept")
	}
}

// What stands around a constraint does not hide it.
func TestSchemaConstraints(t *testing.T) {
	s := ReadSchema(`CREATE TABLE t (
  a INT DEFAULT (0) NOT NULL, b INT DEFAULT (f(1, (2))) UNIQUE, id INTEGER PRIMARY KEY, n NUMERIC DEFAULT -1.5 NOT NULL,
  d TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, o INT REFERENCES t (id) ON DELETE SET DEFAULT, p INT REFERENCES t (id) ON UPDATE NO ACTION NOT NULL,
  q TEXT DEFAULT NULL, s SERIAL, i INT GENERATED BY DEFAULT AS IDENTITY (START WITH 5), z INT);
ALTER TABLE t ALTER COLUMN z SET NOT NULL`, sqlparts.Postgres)
	table := s.Table("t")
	if table == nil || table.bad != "" || len(table.Columns) != 11 || len(table.Unique) != 2 || len(table.Foreign) != 2 {
		t.Fatalf("%+v", table)
	}
	for _, c := range table.Columns {
		if want := !strings.Contains("boq", c.Name); c.NotNull != want {
			t.Errorf("%s is never NULL: %v, want %v", c.Name, c.NotNull, want)
		}
	}
}

func TestReadableValues(t *testing.T) {
	for text, want := range map[string]string{
		"it's":                   "'it''s'",
		"a\nb\x1b[0m":            `'a\nb\x1b[0m'`,
		"a\u202eb":               `'a\u202eb'`,
		strings.Repeat("ä", 100): "'" + strings.Repeat("ä", 58) + "…",
	} {
		if got := readable(textValue(text)); got != want {
			t.Errorf("%q reads %s, want %s", text, got, want)
		}
	}
}

// A value that a type cannot hold is not drawn; SQLite's types hold everything.
func TestTypesLimitValues(t *testing.T) {
	long, real := textValue("abcd"), func(x float64) Value { return Value{Kind: Real, Real: x} }
	for _, tc := range []struct {
		declared string
		dialect  sqlparts.Dialect
		v        Value
		fits     bool
	}{
		{"varchar(3)", sqlparts.Postgres, long, false}, {"varchar(4)", sqlparts.Postgres, long, true}, {"char", sqlparts.Postgres, long, false},
		{"varchar(3)", sqlparts.SQLite, long, true}, {"varchar", sqlparts.Postgres, long, true}, {"varchar(4)", sqlparts.MySQL, textValue("äöüß"), true},
		{"smallint", sqlparts.Postgres, intValue(32767), true}, {"smallint", sqlparts.Postgres, intValue(32768), false},
		{"int", sqlparts.Postgres, intValue(3e9), false}, {"bigint", sqlparts.Postgres, intValue(3e9), true}, {"int", sqlparts.Snowflake, intValue(3e9), true},
		{"int unsigned", sqlparts.MySQL, intValue(-1), false}, {"int(10) unsigned", sqlparts.MySQL, intValue(-1), false}, {"int", sqlparts.MySQL, intValue(-1), true},
		{"tinyint", sqlparts.TSQL, intValue(-1), false}, {"tinyint", sqlparts.TSQL, intValue(255), true}, {"tinyint", sqlparts.MySQL, intValue(255), false},
		{"numeric(4,2)", sqlparts.Postgres, real(99), true}, {"numeric(4,2)", sqlparts.Postgres, real(100), false}, {"numeric", sqlparts.Postgres, real(0.1), false},
		{"double precision", sqlparts.Postgres, real(0.1), true},
	} {
		c := &Column{Declared: tc.declared}
		if c.typed(tc.dialect); (fit(tc.v, c) == tc.v) != tc.fits {
			t.Errorf("%s of dialect %v holds %v: %v, want %v", tc.declared, tc.dialect, tc.v, !tc.fits, tc.fits)
		}
	}
}

// A check compares texts exactly.
func TestCheckOnTexts(t *testing.T) {
	s := ReadSchema("CREATE TABLE t (g VARCHAR(9) CHECK (g IN ('A', '7', '2020-01-01')))", sqlparts.SQLite)
	for text, want := range map[string]bool{"A": false, "A ": true, "7": false, "7.0": true, "2020-01-01": false, "2020-01-01 00:00:00": true, "": true} {
		if got := broken(s.Tables[0].Checks[0], s.Tables[0], []Value{textValue(text)}); got != want {
			t.Errorf("%q breaks the check: %v, want %v", text, got, want)
		}
	}
}

// Checks are read as PostgreSQL writes them, with a cast for each literal and ANY for IN.
func TestChecksOfPostgres(t *testing.T) {
	for check, want := range map[string]map[string]bool{ // by value: whether it breaks the check; nil: it is not understood
		"(grade)::text = ANY ((ARRAY['A'::character varying, 'B'::character varying])::text[])": {"A": false, "C": true},
		"grade <> ALL (ARRAY['A'::text])":       {"A": true, "C": false},
		"(grade)::text <> ''::text":             {"": true, "A": false},
		"(grade)::integer > 3":                  nil,
		"grade > ANY (ARRAY['A'::text])":        nil,
		"(age >= (18)::numeric) AND age < 30.5": {"17": true, "18": false, "31": true},
		"(age)::integer > 3":                    nil,
		"age > '3'::text":                       nil,
	} {
		s := ReadSchema("CREATE TABLE t (grade character varying(9), age numeric(4,1), CHECK ("+check+"))", sqlparts.Postgres)
		for i, c := range s.Tables[0].Columns {
			c.at = i
		}
		_, ok := understood(s.Tables[0].Checks[0], s.Tables[0])
		if ok != (want != nil) {
			t.Errorf("%s is understood: %v, want %v", check, ok, want != nil)
		}
		for text, breaks := range want {
			row := []Value{textValue(text), {}}
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				row = []Value{{}, {Kind: Real, Real: n}}
			}
			if got := broken(s.Tables[0].Checks[0], s.Tables[0], row); got != breaks {
				t.Errorf("%s: %q breaks it: %v, want %v", check, text, got, breaks)
			}
		}
	}
}

// Every database that is made keeps every constraint, and the same try makes the same database.
func TestDatabasesKeepConstraints(t *testing.T) {
	p := &Problem{
		Gold:    `SELECT o.day, count(*) FROM orders o JOIN "Order Items" i ON i.order_id = o.id WHERE i.price > 10 AND i.note = 'x' GROUP BY o.day`,
		Pred:    `SELECT day FROM orders JOIN codes ON codes.code = orders.code JOIN "Order Items" ON line = 3`,
		Dialect: "sqlite", Schema: ddl,
	}
	rows := 0
	for try := range 300 {
		s, out := prepare(p, false)
		if s == nil {
			t.Fatal(out.Why)
		}
		g := &generator{tables: s.tables, sizes: s.values.sizes, seed: s.seed(), real: s.realism()}
		d := g.make(try, try%2 == 1)
		if !reflect.DeepEqual(s.inserts(d), s.inserts(g.make(try, try%2 == 1))) {
			t.Fatal("the same try makes two databases")
		}
		rows += d.Count()
		items, orders := d.rows(s.schema.Table("Order Items")), d.rows(s.schema.Table("orders"))
		ids, keys := map[int64]bool{}, map[[2]int64]bool{}
		for _, r := range orders.Rows {
			id := r[s.schema.Table("orders").Column("id").at].Int
			if ids[id] {
				t.Fatalf("try %d: the key %d is there twice", try, id)
			}
			ids[id] = true
		}
		for _, r := range items.Rows {
			at := func(name string) Value { return r[s.schema.Table("Order Items").Column(name).at] }
			if !ids[at("order_id").Int] {
				t.Fatalf("try %d: no order %d", try, at("order_id").Int)
			}
			key := [2]int64{at("order_id").Int, at("line").Int}
			if keys[key] || at("line").Kind == Null {
				t.Fatalf("try %d: the key %v", try, key)
			}
			keys[key] = true
			if price := at("price"); price.Kind != Null && price.Real <= 0 {
				t.Fatalf("try %d: a price of %v", try, price)
			}
		}
	}
	if rows < 300 {
		t.Errorf("%d rows in 300 databases", rows)
	}
}

func value(t *testing.T, text string) [][]Value {
	t.Helper()
	var rows [][]Value
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestResultsAreCompared(t *testing.T) {
	for _, tc := range []struct {
		why, a, b string
		ordered   bool
		same      bool
	}{
		{"the order of rows", `[[1], [2]]`, `[[2], [1]]`, false, true},
		{"the order of rows where it counts", `[[1], [2]]`, `[[2], [1]]`, true, false},
		{"the order of columns", `[[1, "a"], [2, "b"]]`, `[["b", 2], ["a", 1]]`, false, true},
		{"columns that fit one by one, and not together", `[[1, 2], [2, 1]]`, `[[1, 1], [2, 2]]`, false, false},
		{"one row more often", `[[1], [1]]`, `[[1]]`, false, false},
		{"other multiplicities", `[[1], [1], [2]]`, `[[1], [2], [2]]`, false, false},
		{"NULL is no 0", `[[null]]`, `[[0]]`, false, false},
		{"a number as a text", `[[7]]`, `[["7"]]`, false, true},
		{"digits that dialects round away", `[[0.3333333]]`, `[[0.333333]]`, false, true},
		{"whole numbers are exact", `[[9007199254740993]]`, `[[9007199254740992]]`, false, false},
		{"blanks at the end", `[["a "]]`, `[["a"]]`, false, true},
		{"case", `[["A"]]`, `[["a"]]`, false, false},
		{"midnight", `[["2020-01-01 00:00:00"]]`, `[["2020-01-01"]]`, false, true},
		{"no rows", `[]`, `[]`, false, true},
		{"a column too many", `[[1], [2]]`, `[["a", 1], ["b", 2]]`, false, true},
		{"a column too many, and rows of which one differs", `[[1], [2]]`, `[["a", 1], ["b", 3]]`, false, false},
		{"a column too many, in another order of rows", `[[1], [2]]`, `[["b", 2], ["a", 1]]`, true, false},
		{"a column too few", `[[1, 1]]`, `[[1]]`, false, false},
	} {
		if got := sameUpToColumns(value(t, tc.a), value(t, tc.b), tc.ordered); got != tc.same {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.same)
		}
	}
}

// Nothing of a query but its literals reaches the engine.
func TestCarriedNamesAreOwn(t *testing.T) {
	s, out := prepare(&Problem{
		Gold:    `WITH "x; DROP TABLE" AS (SELECT day AS "read_csv('a')" FROM orders) SELECT "read_csv('a')" AS "/*" FROM "x; DROP TABLE" WHERE "read_csv('a')" <> 'it''s; --'`,
		Pred:    "SELECT day FROM orders",
		Dialect: "sqlite", Schema: ddl,
	}, false)
	if s == nil {
		t.Fatal(out.Why)
	}
	sql := strings.ReplaceAll(s.gold.sql[0], "'it''s; --'", "")
	if strings.ContainsAny(sql, `"';/`) || strings.Contains(sql, "read_csv") || strings.Contains(sql, "DROP") {
		t.Errorf("translated as %s", sql)
	}
}

func FuzzReadSchema(f *testing.F) {
	f.Add(ddl)
	f.Add("CREATE TABLE t (a int CHECK (a IN (1, (2)), b")
	f.Add("CREATE TABLE t (FOREIGN KEY (a) REFERENCES")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []sqlparts.Dialect{sqlparts.SQLite, sqlparts.Generic, sqlparts.BigQuery} {
			for _, table := range ReadSchema(text, d).Tables {
				for _, k := range table.Foreign {
					if len(k.Columns) != len(k.Target) || k.To == nil {
						t.Fatalf("a reference of %d columns to %d", len(k.Columns), len(k.Target))
					}
				}
			}
		}
	})
}

// short is an engine that answers some queries and then has no memory left.
type short struct{ answers int }

func (e *short) Open(context.Context, []string) (Session, error) { return e, nil }
func (e *short) Load(context.Context, []string) error            { return nil }
func (e *short) Close()                                          {}

func (e *short) Query(_ context.Context, sql string) ([][]Value, error) {
	if e.answers--; e.answers < 0 {
		return nil, fmt.Errorf("%w: allocation failure", ErrMemory)
	}
	return [][]Value{{intValue(1)}}, nil
}

// A search that the engine's memory ends has found nothing, whatever it tried until then: it is neither
// a difference nor the lack of one.
func TestMemoryEndsSearches(t *testing.T) {
	p := &Problem{Gold: "SELECT a FROM t", Pred: "SELECT a + 0 FROM t", Dialect: "postgres", Schema: "CREATE TABLE t (a int)"}
	if out, err := Find(t.Context(), &short{answers: 1 << 20}, p); err != nil || out.Found || out.Tries == 0 {
		t.Fatalf("with memory: %+v %v", out, err)
	}
	for _, answers := range []int{0, 1, 7} {
		if out, err := Find(t.Context(), &short{answers: answers}, p); !errors.Is(err, ErrMemory) {
			t.Errorf("after %d queries: %+v %v", answers, out, err)
		}
	}
}

// What fails in the case's dialect refutes nothing there, though the engine runs it.
func TestDialectsLackConstructs(t *testing.T) {
	const schema = "CREATE TABLE t (k int PRIMARY KEY, a int, b int, c text); CREATE TABLE u (a int)"
	for _, test := range []struct {
		query       string
		has, hasNot []string
	}{
		{"SELECT a FROM t WHERE b > ALL (SELECT a FROM u)", []string{"postgres", "mysql", "snowflake", "tsql"}, []string{"sqlite", "bigquery", "databricks"}},
		{"SELECT a FROM t WHERE c ILIKE 'x'", []string{"postgres", "duckdb", "snowflake"}, []string{"sqlite", "mysql", "bigquery"}},
		{"SELECT k::float FROM t", []string{"postgres", "duckdb", "databricks"}, []string{"sqlite", "mysql", "bigquery"}},
		{"SELECT a FROM t QUALIFY row_number() OVER (ORDER BY k) = 1", []string{"duckdb", "snowflake", "bigquery", "databricks"}, []string{"sqlite", "postgres", "mysql"}},
		{"SELECT IFNULL(a, 0) FROM t", []string{"sqlite", "mysql", "duckdb", "bigquery"}, []string{"postgres", "tsql"}},
		{"SELECT IIF(a > 1, 1, 0) FROM t", []string{"sqlite", "tsql"}, []string{"postgres", "mysql", "bigquery"}},
		{"SELECT a, b, COUNT(*) FROM t GROUP BY a", []string{"sqlite", "mysql"}, []string{"postgres", "duckdb", "snowflake", "bigquery", "databricks", "tsql"}},
		{"SELECT k, b, COUNT(*) FROM t GROUP BY k", []string{"sqlite", "postgres"}, []string{"duckdb", "snowflake"}},
	} {
		for i, dialects := range [][]string{test.has, test.hasNot} {
			for _, d := range dialects {
				_, out := prepare(&Problem{Gold: "SELECT a FROM t", Pred: test.query, Dialect: d, Schema: schema}, false)
				if lacks := out != nil && strings.Contains(out.Why, "does not have"); lacks != (i == 1) {
					t.Errorf("%s in %s: %+v", test.query, d, out)
				}
			}
		}
	}
}

func TestViewsAreNamed(t *testing.T) {
	p := &Problem{Gold: "SELECT a FROM v", Pred: "SELECT a FROM t", Dialect: "postgres", Schema: "CREATE TABLE t (a int); CREATE OR REPLACE VIEW public.V AS SELECT a FROM t"}
	if _, out := prepare(p, false); out == nil || !strings.Contains(out.Why, "the view v: only tables are read") {
		t.Errorf("%+v", out)
	}
}

func TestBooleansAreReadBack(t *testing.T) {
	for _, v := range []Value{{Kind: Bool, Int: 1}, {Kind: Bool}} {
		b, err := json.Marshal(v)
		var back Value
		if err != nil || json.Unmarshal(b, &back) != nil || back != v || v.SQL() != strings.ToUpper(string(b)) {
			t.Errorf("%+v is %s and then %+v, in SQL %s", v, b, back, v.SQL())
		}
	}
}
