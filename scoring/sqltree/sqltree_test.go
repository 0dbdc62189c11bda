package sqltree

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

func build(t testing.TB, schema *Schema, dialect sqlparts.Dialect, a, b string) (*Query, *Query) {
	t.Helper()
	qa, qb := sqlparts.Parse(a, dialect), sqlparts.Parse(b, dialect)
	if qa.Final() == nil || qb.Final() == nil {
		t.Fatalf("no query in %q or %q", a, b)
	}
	trees, whole := treesOf(schema, qa, qb)
	if !whole {
		t.Errorf("%q or %q was not read whole", a, b)
	}
	return trees[0], trees[1]
}

// treesOf builds the trees of the queries of scripts.
func treesOf(schema *Schema, scripts ...*sqlparts.Script) (trees []*Query, whole bool) {
	var texts []Text
	for _, b := range sqlparts.Bind(schema.from, scripts...) {
		texts = append(texts, Text{b, b.Final()})
	}
	return Build(schema, texts...)
}

const shop = `
CREATE TABLE customers (id INT PRIMARY KEY, name TEXT NOT NULL, city TEXT, email TEXT UNIQUE);
CREATE TABLE orders (id INT, customer_id INT NOT NULL REFERENCES customers (id), amount DECIMAL(10, 2), year INT, code TEXT, CONSTRAINT pk PRIMARY KEY (id));
CREATE TABLE refunds (order_id INT, amount INT, FOREIGN KEY (order_id) REFERENCES orders);`

func TestEquivalent(t *testing.T) {
	for _, tt := range []struct {
		why, a, b string
		equal     bool
	}{
		// differences that the tree ignores
		{"case, quotes, spacing, parentheses, semicolon", `SELECT "Name" FROM Customers WHERE (City = 'x');`, "select name\nfrom customers where city='x'", true},
		{"the case of values counts", "SELECT name FROM customers WHERE city = 'x'", "SELECT name FROM customers WHERE city = 'X'", false},
		{"table aliases", "SELECT c.name FROM customers AS c", "SELECT customers.name FROM customers", true},
		{"column aliases", "SELECT count(*) AS n FROM orders", "SELECT count(*) FROM orders", true},
		{"an alias in ORDER BY", "SELECT city, count(*) AS n FROM customers GROUP BY city ORDER BY n", "SELECT city, count(*) FROM customers GROUP BY 1 ORDER BY count(*)", true},
		{"schema prefixes", "SELECT a.b.customers.name FROM a.b.customers", "SELECT name FROM customers", true},
		{"an unqualified column of two tables", "SELECT name, year FROM customers JOIN orders ON customers.id = customer_id", "SELECT c.name, o.year FROM customers c JOIN orders o ON c.id = o.customer_id", true},
		{"another column", "SELECT name FROM customers", "SELECT city FROM customers", false},
		{"another table", "SELECT amount FROM orders", "SELECT amount FROM refunds", false},
		{"both sides of a self-join", "SELECT a.name FROM customers a JOIN customers b ON a.city = b.name", "SELECT b.name FROM customers a JOIN customers b ON a.city = b.name", false},
		{"a self-join written the other way round", "SELECT a.name FROM customers a JOIN customers b ON a.city = b.name", "SELECT y.name FROM customers x JOIN customers y ON x.name = y.city", true},

		{"text in double quotes, where no column has the name", `SELECT "name" FROM customers WHERE "city" = "New York"`, "SELECT name FROM customers WHERE city = 'New York'", true},

		// order
		{"the order of the select list", "SELECT name, city FROM customers", "SELECT city, name FROM customers", true},
		{"the order of AND", "SELECT 1 FROM orders WHERE year = 1 AND amount > 2", "SELECT 1 FROM orders WHERE amount > 2 AND year = 1", true},
		{"AND is not OR", "SELECT 1 FROM orders WHERE year = 1 AND amount > 2", "SELECT 1 FROM orders WHERE amount > 2 OR year = 1", false},
		{"sides of a comparison", "SELECT 1 FROM orders WHERE 1 < year", "SELECT 1 FROM orders WHERE year > 1", true},
		{"the order of joins, and where their conditions stand", "SELECT o.id FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.city = 'x'", "SELECT o.id FROM customers c, orders o WHERE c.id = o.customer_id AND c.city = 'x'", true},
		{"USING", "SELECT o.year FROM orders o JOIN refunds r ON o.amount = r.amount", "SELECT o.year FROM orders o JOIN refunds r USING (amount)", true},
		{"the order of an outer join counts", "SELECT 1 FROM orders o LEFT JOIN customers c ON o.year = c.city", "SELECT 1 FROM customers c LEFT JOIN orders o ON o.year = c.city", false},
		{"outer is not inner", "SELECT o.year FROM orders o LEFT JOIN customers c ON o.year = c.city", "SELECT o.year FROM orders o JOIN customers c ON o.year = c.city", false},
		{"the order of groups", "SELECT 1 FROM orders GROUP BY year, code", "SELECT 1 FROM orders GROUP BY code, year", true},
		{"the order of sort keys counts", "SELECT 1 FROM orders ORDER BY year, code", "SELECT 1 FROM orders ORDER BY code, year", false},
		{"direction counts", "SELECT 1 FROM orders ORDER BY year", "SELECT 1 FROM orders ORDER BY year DESC", false},
		{"operands of UNION", "SELECT city FROM customers UNION SELECT code FROM orders", "SELECT code FROM orders UNION SELECT city FROM customers", true},
		{"operands of EXCEPT count", "SELECT city FROM customers EXCEPT SELECT code FROM orders", "SELECT code FROM orders EXCEPT SELECT city FROM customers", false},
		{"columns of a set operation move together", "SELECT city, name FROM customers UNION SELECT code, year FROM orders", "SELECT name, city FROM customers UNION SELECT year, code FROM orders", true},
		{"or not at all", "SELECT city, name FROM customers UNION SELECT code, year FROM orders", "SELECT name, city FROM customers UNION SELECT code, year FROM orders", false},

		// the published rules, by their numbers
		{"1", "SELECT name FROM customers WHERE id = (SELECT max(id) FROM customers)", "SELECT name FROM customers ORDER BY id DESC LIMIT 1", true},
		{"1: not of a column with ties", "SELECT name FROM customers WHERE city = (SELECT max(city) FROM customers)", "SELECT name FROM customers ORDER BY city DESC LIMIT 1", false},
		{"1: not of a part of the table", "SELECT name FROM customers WHERE id = (SELECT max(id) FROM customers WHERE city = 'x')", "SELECT name FROM customers ORDER BY id DESC LIMIT 1", false},
		{"2", "SELECT DISTINCT id, city FROM customers", "SELECT id, city FROM customers", true},
		{"2: not without a key", "SELECT DISTINCT city FROM customers", "SELECT city FROM customers", false},
		{"2: not of a join", "SELECT DISTINCT c.id FROM customers c JOIN orders o ON c.city = o.code", "SELECT c.id FROM customers c JOIN orders o ON c.city = o.code", false},
		{"2 in COUNT", "SELECT count(DISTINCT email) FROM customers", "SELECT count(email) FROM customers", true},
		{"3", "SELECT id FROM customers WHERE city = 'x' INTERSECT SELECT id FROM customers WHERE name = 'y'", "SELECT id FROM customers WHERE city = 'x' AND name = 'y'", true},
		{"3 for UNION", "SELECT id FROM customers WHERE city = 'x' UNION SELECT id FROM customers WHERE name = 'y'", "SELECT id FROM customers WHERE city = 'x' OR name = 'y'", true},
		{"3: not without a key", "SELECT city FROM customers WHERE city = 'x' INTERSECT SELECT city FROM customers WHERE name = 'y'", "SELECT city FROM customers WHERE city = 'x' AND name = 'y'", false},
		{"4", "SELECT name, count(*) FROM customers GROUP BY id, name", "SELECT name, count(*) FROM customers GROUP BY id", true},
		{"4: only for columns of the same table", "SELECT 1 FROM customers c, orders o GROUP BY c.id, o.year", "SELECT 1 FROM customers c, orders o GROUP BY c.id", false},
		{"5", "SELECT id FROM customers EXCEPT SELECT customer_id FROM orders", "SELECT id FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)", true},
		{"6", "SELECT count(name) FROM customers", "SELECT count(*) FROM customers", true},
		{"6: not of what may be NULL", "SELECT count(city) FROM customers", "SELECT count(*) FROM customers", false},
		{"6: but of what a condition compares", "SELECT count(city) FROM customers WHERE city > 'a'", "SELECT count(*) FROM customers WHERE city > 'a'", true},
		{"6: not on the far side of an outer join", "SELECT count(c.id) FROM orders o LEFT JOIN customers c ON c.id = o.year", "SELECT count(*) FROM orders o LEFT JOIN customers c ON c.id = o.year", false},
		{"7", "SELECT 1 FROM customers WHERE name IS NOT NULL AND city = 'x'", "SELECT 1 FROM customers WHERE city = 'x'", true},
		{"7: not of what may be NULL", "SELECT 1 FROM customers WHERE city IS NOT NULL", "SELECT 1 FROM customers", false},
		{"8", "SELECT CAST(SUM(customer_id) AS FLOAT) / COUNT(*) FROM orders", "SELECT AVG(customer_id) FROM orders", true},
		{"9", "SELECT count(CASE WHEN year = 1 THEN 1 END) FROM orders", "SELECT sum(CASE WHEN year = 1 THEN 1 ELSE 0 END) FROM orders", true},
		{"9: not of a column that may be NULL", "SELECT count(CASE WHEN year = 1 THEN code END) FROM orders", "SELECT sum(CASE WHEN year = 1 THEN 1 ELSE 0 END) FROM orders", false},
		{"10", "SELECT max(year) FROM orders", "SELECT year FROM orders ORDER BY year DESC LIMIT 1", true},
		{"10: not the second one", "SELECT max(year) FROM orders", "SELECT year FROM orders ORDER BY year DESC LIMIT 1 OFFSET 1", false},
		{"11", "SELECT * FROM customers", "SELECT id, name, city, email FROM customers", true},
		{"12", "SELECT 1 FROM orders WHERE code = '150' AND year = 20.0", "SELECT 1 FROM orders WHERE code = 150 AND year = 20", true},
		{"12: not of codes", "SELECT 1 FROM orders WHERE code = '007'", "SELECT 1 FROM orders WHERE code = 7", false},
		{"13", "SELECT amount FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE city = 'x')", "SELECT o.amount FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.city = 'x'", true},
		{"13: not where a value may meet several rows", "SELECT amount FROM orders WHERE code IN (SELECT city FROM customers)", "SELECT o.amount FROM orders o JOIN customers c ON o.code = c.city", false},
		{"14", "SELECT o.amount FROM orders o JOIN customers c ON o.customer_id = c.id", "SELECT amount FROM orders", true},
		{"14: not where more is used", "SELECT o.amount FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.city = 'x'", "SELECT amount FROM orders", false},
		{"15", "SELECT 1 FROM orders WHERE substr(code, 1, 4) = '2013' AND substr(code, 5, 2) >= '08'", "SELECT 1 FROM orders WHERE code >= '201308'", true},
		{"16", "SELECT 1 FROM orders WHERE code LIKE '20x%'", "SELECT 1 FROM orders WHERE substr(code, 1, 3) = '20x'", true},
		{"16: not with a wildcard inside", "SELECT 1 FROM orders WHERE code LIKE '2_x%'", "SELECT 1 FROM orders WHERE substr(code, 1, 3) = '2_x'", false},
		{"17", "SELECT 1 FROM orders ORDER BY julianday(code)", "SELECT 1 FROM orders ORDER BY code", true},
		{"18", "SELECT 1 FROM orders WHERE year IN (1, 2)", "SELECT 1 FROM orders WHERE year = 2 OR year = 1", true},
		{"18 negated", "SELECT 1 FROM orders WHERE year NOT IN (1, 2)", "SELECT 1 FROM orders WHERE year <> 2 AND year != 1", true},
		{"19", "SELECT c.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id", "SELECT o.customer_id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id", true},
		{"20", "SELECT name FROM customers WHERE id IN (SELECT id FROM customers WHERE city = 'x')", "SELECT name FROM customers WHERE city = 'x'", true},
		{"20: not without a key", "SELECT name FROM customers WHERE city IN (SELECT city FROM customers WHERE name = 'x')", "SELECT name FROM customers WHERE name = 'x'", false},
		{"21", "SELECT city FROM customers UNION SELECT city FROM customers", "SELECT DISTINCT city FROM customers", true},
		{"22", "SELECT 1 FROM orders WHERE year BETWEEN 1 AND 2", "SELECT 1 FROM orders WHERE year <= 2 AND year >= 1", true},
		{"23", "SELECT 1 FROM orders WHERE NOT year > 1", "SELECT 1 FROM orders WHERE year <= 1", true},
		{"24", "SELECT iif(year = 1, 2, 3) FROM orders", "SELECT CASE WHEN year = 1 THEN 2 ELSE 3 END FROM orders", true},
		{"24 for the short form", "SELECT CASE year WHEN 1 THEN 2 END FROM orders", "SELECT CASE WHEN year = 1 THEN 2 END FROM orders", true},
		{"25", "SELECT c.name FROM customers c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.id IS NULL", "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)", true},
		{"25: not with a column that may be NULL", "SELECT c.name FROM customers c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.code IS NULL", "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)", false},
		{"26", "WITH x AS (SELECT city, count(*) AS n FROM customers GROUP BY city) SELECT n FROM x WHERE n > 1", "SELECT d.k FROM (SELECT city AS c, count(*) AS k FROM customers GROUP BY city) d WHERE d.k > 1", true},
		{"26: the body counts", "WITH x AS (SELECT city FROM customers) SELECT city FROM x", "WITH x AS (SELECT name AS city FROM customers) SELECT city FROM x", false},
		{"1 = 1", "SELECT 1 FROM orders WHERE 1 = 1 AND year = 2", "SELECT 1 FROM orders WHERE year = 2", true},

		// scopes
		{"a correlated subquery", "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)", "SELECT name FROM customers x WHERE EXISTS (SELECT o.id FROM orders o WHERE x.id = o.customer_id)", true},
		{"a subquery that is not correlated", "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = o.id)", "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)", false},
		{"the same table outside and inside", "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM customers d WHERE d.city = c.city)", "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM customers d WHERE d.city = d.city)", false},
		{"windows count", "SELECT sum(amount) OVER (PARTITION BY year) FROM orders", "SELECT sum(amount) OVER (PARTITION BY code) FROM orders", false},
		{"a named window is its definition", "SELECT sum(amount) OVER w FROM orders WINDOW w AS (ORDER BY year)", "SELECT sum(amount) OVER (ORDER BY year) FROM orders", true},
		{"LIMIT counts", "SELECT name FROM customers LIMIT 3", "SELECT name FROM customers LIMIT 4", false},
		{"HAVING counts", "SELECT city FROM customers GROUP BY city HAVING count(*) > 1", "SELECT city FROM customers GROUP BY city", false},
		{"a column of USING is the right one's in a RIGHT JOIN", "SELECT amount FROM orders RIGHT JOIN refunds USING (amount)", "SELECT refunds.amount FROM orders RIGHT JOIN refunds ON orders.amount = refunds.amount", true},
		{"and not the left one's", "SELECT amount FROM orders RIGHT JOIN refunds USING (amount)", "SELECT orders.amount FROM orders RIGHT JOIN refunds ON orders.amount = refunds.amount", false},
		{"a column of USING is either's in a FULL JOIN", "SELECT amount FROM orders FULL JOIN refunds USING (amount)", "SELECT orders.amount FROM orders FULL JOIN refunds ON orders.amount = refunds.amount", false},
		{"a column comes before an alias in an expression of ORDER BY", "SELECT -year AS amount FROM orders ORDER BY amount + 1", "SELECT -year AS amount FROM orders ORDER BY -year + 1", false},
		// what trees once lost
		{"the type of a number that is divided", "SELECT sum(amount) * 100.0 / count(*) FROM orders", "SELECT sum(amount) * 100 / count(*) FROM orders", false},
		{"a version is text", "SELECT 1 FROM orders WHERE code = '1.10'", "SELECT 1 FROM orders WHERE code = '1.1'", false},
		{"text in a call", "SELECT replace(code, '1.', '') FROM orders", "SELECT replace(code, '1', '') FROM orders", false},
		{"the condition of a nested join", "SELECT 1 FROM orders o LEFT JOIN (customers c JOIN refunds r ON c.id = r.order_id) ON o.id = c.id", "SELECT 1 FROM orders o LEFT JOIN (customers c JOIN refunds r ON c.city = r.amount) ON o.id = c.id", false},
		{"schemas that both name", "SELECT id FROM prod.orders", "SELECT id FROM test.orders", false},
		{"a length", "SELECT cast(code AS varchar(3)) FROM orders", "SELECT cast(code AS varchar(10)) FROM orders", false},
		{"a table of a path", "SELECT dbo.fx(id) FROM orders", "SELECT old.fx(id) FROM orders", false},
		{"columns of VALUES", "SELECT q FROM (VALUES (1, 2)) AS v (q, r)", "SELECT q FROM (VALUES (1, 2)) AS v (r, q)", false},
		{"DISTINCT before a limit", "SELECT city FROM customers LIMIT 3 UNION SELECT city FROM customers LIMIT 3", "SELECT DISTINCT city FROM customers LIMIT 3", false},
		{"a column comes before an alias in GROUP BY", "SELECT substr(city, 1, 1) AS city, count(*) FROM customers GROUP BY city", "SELECT substr(city, 1, 1) AS city, count(*) FROM customers GROUP BY 1", false},
		{"* of a join that IN is not", "SELECT * FROM orders WHERE customer_id IN (SELECT id FROM customers)", "SELECT * FROM orders JOIN customers ON customer_id = customers.id", false},

		{"ALL counts", "SELECT city FROM customers UNION ALL SELECT code FROM orders", "SELECT city FROM customers UNION SELECT code FROM orders", false},
	} {
		schema := ReadSchema(shop, sqlparts.SQLite)
		a, b := build(t, schema, sqlparts.SQLite, tt.a, tt.b)
		if got := equivalent(a, b, schema, Rules{}); got != tt.equal {
			t.Errorf("%s: %v, want %v\n %s\n %s", tt.why, got, tt.equal, a, b)
		}
	}
}

func TestColumnOrderMayCount(t *testing.T) {
	schema := ReadSchema(shop, sqlparts.SQLite)
	a, b := build(t, schema, sqlparts.SQLite, "SELECT name, city FROM customers", "SELECT city, name FROM customers")
	if equivalent(a, b, schema, Rules{ColumnOrder: true}) {
		t.Error("the order of columns was ignored")
	}
}

// Without a schema, names are resolved by what the queries say of the tables, and keys assumed by
// their names.
func TestWithoutSchema(t *testing.T) {
	for _, tt := range []struct {
		why, a, b string
		equal     bool
	}{
		{"what one query says of a column helps the other", "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id", "SELECT name FROM customers JOIN orders ON customer_id = customers.id", true},
		{"an id is never NULL", "SELECT count(id) FROM customers", "SELECT count(*) FROM customers", true},
		{"nor is customer_id of customers", "SELECT count(customer_id) FROM customers", "SELECT count(*) FROM customers", true},
		{"nor category_id of categories", "SELECT count(category_id) FROM categories", "SELECT count(*) FROM categories", true},
		{"customer_id of orders may be", "SELECT count(customer_id) FROM orders", "SELECT count(*) FROM orders", false},
		{"a star is not expanded", "SELECT * FROM t", "SELECT a FROM t", false},
	} {
		schema := &Schema{}
		a, b := build(t, schema, sqlparts.Generic, tt.a, tt.b)
		if got := equivalent(a, b, schema, Rules{}); got != tt.equal {
			t.Errorf("%s: %v, want %v\n %s\n %s", tt.why, got, tt.equal, a, b)
		}
	}
}

func TestReadSchema(t *testing.T) {
	s := ReadSchema(`
-- a comment with CREATE TABLE ghosts (a int);
CREATE OR REPLACE TRANSIENT TABLE IF NOT EXISTS "Main".[Big Table] (
  "Key" NUMBER(38, 0) NOT NULL DEFAULT nextval('s') PRIMARY KEY, -- the key
  b VARCHAR(10) COLLATE 'x' CHECK (b IN ('a,b', ')')), c int unique references other(k),
  tags ARRAY<STRUCT<a INT64, b STRING>>,
  CONSTRAINT fk FOREIGN KEY (b) REFERENCES s.other (x) ON DELETE CASCADE, UNIQUE KEY u (b), INDEX (c)
);
CREATE TABLE other (k int, x int, PRIMARY KEY (k, x));
ALTER TABLE ONLY other ADD CONSTRAINT q UNIQUE (x);
CREATE UNIQUE INDEX i ON other USING btree (y);
CREATE VIEW v AS SELECT 1;
CREATE UNIQUE INDEX j ON other (k DESC);`, sqlparts.Generic)
	if !s.Stated || len(s.Tables) != 2 {
		t.Fatalf("%d tables", len(s.Tables))
	}
	big := s.Tables["big table"]
	if big == nil || strings.Join(big.Columns, " ") != "key b c tags" {
		t.Fatalf("columns of the big table: %+v", big)
	}
	for _, tt := range []struct {
		c               Column
		unique, notNull bool
	}{
		{Column{"big table", "key"}, true, true},
		{Column{"big table", "b"}, true, false},
		{Column{"big table", "c"}, true, false},
		{Column{"big table", "tags"}, false, false},
		{Column{"other", "k"}, true, true},
		{Column{"other", "x"}, true, true},
		{Column{"other", "id"}, false, false},
		{Column{"nowhere", "id"}, false, false},
	} {
		if s.Unique(tt.c) != tt.unique || s.NotNull(tt.c) != tt.notNull {
			t.Errorf("%v: unique %v, not null %v", tt.c, s.Unique(tt.c), s.NotNull(tt.c))
		}
	}
	if to, _ := s.References(Column{"big table", "b"}); to != (Column{"other", "x"}) {
		t.Errorf("b refers to %v", to)
	}
	if ReadSchema("no tables here", sqlparts.Generic).Stated {
		t.Error("a text without tables states a schema")
	}
}

func TestCanonicalNumber(t *testing.T) {
	for in, want := range map[string]string{"29.00": "29", "1e3": "1000", "0.10": "0.1", ".5": "0.5", "007": "7", "-0": "0", "1e-2": "0.01", "1e999": "1e999", "0x1F": "0x1F", "9007199254740993": "9007199254740993"} {
		if got := canonicalNumber(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

// Common table expressions that each read the one before twice would be 2^60 queries.
func TestDoublingIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT 1 AS a)")
	for i := 1; i < 60; i++ {
		prev := "c" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		if i == 1 {
			prev = "c0"
		}
		b.WriteString(", c" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + " AS (SELECT x.a FROM " + prev + " x JOIN " + prev + " y ON x.a = y.a)")
	}
	b.WriteString(" SELECT a FROM c59")
	if _, whole := treesOf(&Schema{}, sqlparts.Parse(b.String(), sqlparts.Generic)); whole {
		t.Error("2^60 queries were read")
	}
}

// Normalizing twice changes nothing, a query is equal to itself, and nothing panics.
func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"SELECT a FROM t WHERE a IN (SELECT id FROM t) UNION SELECT b FROM u ORDER BY 1", "WITH x AS (SELECT 1) SELECT * FROM x, x y WHERE x.a = ^", "SELECT count(DISTINCT a) FROM t GROUP BY ALL HAVING NOT (a AND b)",
		"SELECT a FROM t LEFT JOIN u USING (a, b) WHERE u.a IS NULL", "VALUES (1, 2)", "SELECT CASE a WHEN 1 THEN 2 END, x:y.z[1], f(a => 1) OVER w FROM t, LATERAL FLATTEN(input => t.x) WINDOW w AS (w)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 2000 {
			return
		}
		script := sqlparts.Parse(sql, sqlparts.Generic)
		q := script.Final()
		if q == nil {
			return
		}
		schema := ReadSchema(shop, sqlparts.SQLite)
		trees, _ := treesOf(schema, script, script)
		n := Normalizer{Schema: schema}
		a, b := n.Normalize(trees[0]).String(), n.Normalize(trees[1]).String()
		if a != b {
			t.Errorf("%q differs from itself:\n%s\n%s", sql, a, b)
		}
		if s := Similarity(trees[0], trees[1]); s != 1 {
			t.Errorf("%q is %v like itself", sql, s)
		}
		SetMatch(trees[0], trees[1], schema)
		BeyondSpider(q, sql)
	})
}

func BenchmarkNormalize(b *testing.B) {
	const (
		gold = "SELECT T1.full_name FROM superhero AS T1 INNER JOIN hero_attribute AS T2 ON T1.id = T2.hero_id INNER JOIN attribute AS T3 ON T2.attribute_id = T3.id WHERE T3.attribute_name = 'Strength' AND T2.attribute_value = (SELECT MAX(T4.attribute_value) FROM hero_attribute AS T4 INNER JOIN attribute AS T5 ON T4.attribute_id = T5.id WHERE T5.attribute_name = 'Strength')"
		pred = "SELECT superhero.full_name FROM superhero INNER JOIN hero_attribute ON superhero.id = hero_attribute.hero_id INNER JOIN attribute ON hero_attribute.attribute_id = attribute.id WHERE attribute.attribute_name = 'Strength' AND hero_attribute.attribute_value = (SELECT MAX(attribute_value) FROM hero_attribute INNER JOIN attribute ON hero_attribute.attribute_id = attribute.id WHERE attribute.attribute_name = 'Strength')"
	)
	g, p := sqlparts.Parse(gold, sqlparts.SQLite), sqlparts.Parse(pred, sqlparts.SQLite)
	b.ReportAllocs()
	for b.Loop() {
		schema := &Schema{}
		trees, _ := treesOf(schema, g, p)
		if !equivalent(trees[0], trees[1], schema, Rules{}) {
			b.Fatal("not equal")
		}
	}
}
