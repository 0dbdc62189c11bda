package counterexample

import (
	"encoding/json"
	"reflect"
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
ALTER TABLE orders ADD CONSTRAINT u UNIQUE (day);
CREATE UNIQUE INDEX partial ON orders (code) WHERE code > 1`

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
		t.Errorf("keys of orders: %v, want id and day, not what is unique in some rows only", orders.Unique)
	}
	if c := orders.Column("day"); c.Kind != Text || c.Shape != dateText {
		t.Errorf("a date of SQLite is a text: %+v", c)
	}
	if c := ReadSchema(ddl, sqlparts.Postgres).Table("orders").Column("day"); c.Kind != Date {
		t.Errorf("a date of Postgres is none: %+v", c)
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
		s, out := prepare(p)
		if s == nil {
			t.Fatal(out.Why)
		}
		g := &generator{tables: s.tables, sizes: s.values.sizes, seed: s.seed()}
		d := g.make(try)
		if !reflect.DeepEqual(s.inserts(d), s.inserts(g.make(try))) {
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
		{"another number of columns", `[[1]]`, `[[1, 1]]`, false, false},
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
	})
	if s == nil {
		t.Fatal(out.Why)
	}
	sql := strings.ReplaceAll(s.gold.sql[0], "'it''s; --'", "")
	if strings.ContainsAny(sql, `"';/`) || strings.Contains(sql, "read_csv") || strings.Contains(sql, "DROP") {
		t.Errorf("carried as %s", sql)
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
