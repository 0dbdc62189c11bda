package postgres_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
)

// What the suite does not ask for because only PostgreSQL has it. Every query is read in both ways,
// by binary forms and by texts; plain is what the latter gives where it differs.
func TestTypesOfPostgreSQL(t *testing.T) {
	s := running(t)
	name := s.database(t)
	c := s.open(t, name, driver.Options{})
	defer c.Close()
	texts, err := postgres.OpenAsRedshift(context.Background(), s.URL(name, s.Port), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer texts.Close()
	mustExec(t, c, `CREATE TYPE mood AS ENUM ('red', 'grün', 'a "b"')`, `CREATE DOMAIN positive AS integer CHECK (VALUE > 0)`,
		`CREATE TYPE pair AS (a positive, "é ""x""" text, m mood)`, `CREATE TYPE nested AS (p pair, ps pair[], n numeric, j jsonb)`, `CREATE TABLE dropped (a int, gone int, b text)`, `ALTER TABLE dropped DROP COLUMN gone`)
	for _, tc := range []struct{ why, query, want, plain string }{
		{"an enumeration is its words", `SELECT 'grün'::mood AS a, ARRAY['red', NULL]::mood[] AS b`, "\"a\" STRING: \"grün\"\n\"b\" JSON: \"[\\\"red\\\",null]\"", ""},
		{"a domain is what it is made on, alone and inside", `SELECT 7::positive AS a, ARRAY[7, 8]::positive[] AS b`, "\"a\" INT64: 7\n\"b\" JSON: \"[7,8]\"", ""},
		{"rows are objects of their columns' names; NULL, empty text and quotes are told apart", `SELECT ROW(1, '', 'a "b"')::pair AS a, ROW(2, NULL, NULL)::pair AS b, ROW(3, E'c,"\\)(', 'red')::pair AS c, NULL::pair AS d`,
			`"a" JSON: "{\"a\":1,\"é \\\"x\\\"\":\"\",\"m\":\"a \\\"b\\\"\"}"` + "\n" + `"b" JSON: "{\"a\":2,\"é \\\"x\\\"\":null,\"m\":null}"` + "\n" + `"c" JSON: "{\"a\":3,\"é \\\"x\\\"\":\"c,\\\"\\\\)(\",\"m\":\"red\"}"` + "\n" + `"d" JSON: NULL`, ""},
		{"rows in rows and arrays", `SELECT ROW(ROW(1, 'x', 'red'), ARRAY[ROW(2, '{}', 'red')::pair, NULL], 12345678901234567890.10, '{"k": [1]}')::nested AS a`,
			`"a" JSON: "{\"p\":{\"a\":1,\"é \\\"x\\\"\":\"x\",\"m\":\"red\"},\"ps\":[{\"a\":2,\"é \\\"x\\\"\":\"{}\",\"m\":\"red\"},null],\"n\":12345678901234567890.10,\"j\":{\"k\": [1]}}"`, ""},
		{"a table's row, without the column that was dropped", `SELECT d FROM (SELECT 1 AS a, 'x' AS b) AS v, LATERAL (SELECT ROW(v.a, v.b)::dropped AS d) AS w`, `"d" JSON: "{\"a\":1,\"b\":\"x\"}"`, ""},
		{"texts in arrays", `SELECT ARRAY['', 'NULL', NULL, 'a,b', '{', '"', E'\\', E'\n'] AS a`, `"a" JSON: "[\"\",\"NULL\",null,\"a,b\",\"{\",\"\\\"\",\"\\\\\",\"\\n\"]"`, ""},
		{"arrays that begin elsewhere, of two dimensions, empty, and of a type with another delimiter", `SELECT '[0:1]={1,2}'::int[] AS a, '{{1,2},{3,NULL}}'::int[] AS b, '{}'::int[] AS c, ARRAY['(1,1),(0,0)'::box, '(2,2),(1,1)'] AS d`,
			`"a" JSON: "[1,2]"` + "\n" + `"b" JSON: "[[1,2],[3,null]]"` + "\n" + `"c" JSON: "[]"` + "\n" + `"d" JSON: "[\"(1,1),(0,0)\",\"(2,2),(1,1)\"]"`, ""},
		{"values in arrays", `SELECT ARRAY[true, false] AS a, ARRAY['NaN', '-Infinity', 1.50]::numeric[] AS b, ARRAY['\x00ff'::bytea] AS c, ARRAY['{"a": 1}'::jsonb, 'null'] AS d, ARRAY[0.1, 'NaN', 1e300]::float8[] AS e, ARRAY[DATE '2024-02-29', 'infinity'] AS f`,
			`"a" JSON: "[true,false]"` + "\n" + `"b" JSON: "[\"NaN\",\"-Infinity\",1.50]"` + "\n" + `"c" JSON: "[\"00ff\"]"` + "\n" + `"d" JSON: "[{\"a\": 1},null]"` + "\n" + `"e" JSON: "[0.1,\"NaN\",1e+300]"` + "\n" + `"f" JSON: "[\"2024-02-29\",\"infinity\"]"`, ""},
		{"rows without a type's name", `SELECT ROW(1::int2, 2::int8, 0.1::float4, 1e300, true, 'x'::varchar, NULL, ROW(DATE '0044-03-15 BC', TIME '24:00', TIMESTAMP '2024-02-29 12:00:00.5', TIMESTAMPTZ 'infinity'), '{"a":1}'::jsonb, ARRAY[[1,2],[3,4]], 5::oid) AS a, ARRAY[ROW(1, 'x'), ROW(2, NULL)] AS b`,
			`"a" JSON: "{\"f1\":1,\"f2\":2,\"f3\":0.1,\"f4\":1` + strings.Repeat("0", 300) + `,\"f5\":true,\"f6\":\"x\",\"f7\":null,\"f8\":{\"f1\":\"0044-03-15 BC\",\"f2\":\"24:00:00\",\"f3\":\"2024-02-29 12:00:00.5\",\"f4\":\"infinity\"},\"f9\":{\"a\": 1},\"f10\":[[1,2],[3,4]],\"f11\":5}"` + "\n" +
				`"b" JSON: "[{\"f1\":1,\"f2\":\"x\"},{\"f1\":2,\"f2\":null}]"`, ""},
		{"numerics without precision keep the decimals they show", `SELECT n FROM (VALUES (1, 0::numeric), (2, -0.00), (3, 1e-20), (4, 1e30), (5, 10000), (6, 0.00010000), (7, 123456789012345678901234567890.123456789)) AS t(i, n) ORDER BY i`,
			`"n" DECIMAL: 0.00000000000000000000|0.00000000000000000000|0.00000000000000000001|1000000000000000000000000000000.00000000000000000000|10000.00000000000000000000|0.00010000000000000000|123456789012345678901234567890.12345678900000000000`, ""},
		{"numerics with precision, to 76 digits and beyond, and with scales that Arrow has not",
			`SELECT 12.34::numeric(4,2) AS a, ('-' || repeat('9', 76))::numeric(76,0) AS b, (repeat('9', 30) || '.' || repeat('9', 46))::numeric(76,46) AS c, (repeat('9', 80))::numeric(80,0) AS d, 12345::numeric(3,-2) AS e, 0.00123::numeric(3,5) AS f, 0.0001::numeric(5,4) AS g, 1000000::numeric(10,3) AS h`,
			"\"a\" DECIMAL: 12.34\n\"b\" DECIMAL: -" + strings.Repeat("9", 76) + "\n\"c\" DECIMAL: " + strings.Repeat("9", 30) + "." + strings.Repeat("9", 46) + "\n\"d\" DECIMAL: " + strings.Repeat("9", 80) + "\n\"e\" DECIMAL: 12300\n\"f\" DECIMAL: 0.00123\n\"g\" DECIMAL: 0.0001\n\"h\" DECIMAL: 1000000.000", ""},
		{"NaN and infinities among numerics, of any column", `SELECT n::numeric AS n, m::numeric(4,1) AS m FROM (VALUES (1, 1.5, 'NaN'), (2, 'NaN'::numeric, 2.5::numeric), (3, 'Infinity', NULL), (4, '-Infinity', 'NaN'), (5, NULL, 3.5), (6, 2.5, 4.5)) AS t(i, n, m) ORDER BY i`,
			"\"n\" ANY: 1.5|NaN|Infinity|-Infinity|NULL|2.5\n\"m\" ANY: NaN|2.5|NULL|NaN|3.5|4.5", ""},
		{"times before Christ and far away; infinity", `SELECT TIMESTAMP '0044-03-15 12:00:00.000001 BC' AS a, DATE '0001-12-31 BC' AS b, TIMESTAMPTZ '12345-01-01 00:00:00+00' AS c, TIMESTAMP 'infinity' AS d, TIMESTAMPTZ '-infinity' AS e, TIMESTAMP '4713-01-01 00:00:00 BC' AS f, DATE '5874897-12-31' AS g, TIMESTAMP '294246-12-31 23:59:59.999999' AS h`,
			"\"a\" TIMESTAMP: -0043-03-15 12:00:00.000001\n\"b\" DATE: 0000-12-31\n\"c\" TIMESTAMPTZ: 12345-01-01 00:00:00Z\n\"d\" TIMESTAMP: 5881580-07-11 00:00:00\n\"e\" TIMESTAMPTZ: -5877641-06-24 00:00:00Z\n\"f\" TIMESTAMP: -4712-01-01 00:00:00\n\"g\" DATE: 5874897-12-31\n\"h\" TIMESTAMP: 294246-12-31 23:59:59.999999", ""},
		{"rows without a type's name that hold other types are the server's text", `SELECT ROW(1, 'grün'::mood, '1.2.3.4'::inet, 7::positive, INTERVAL '1 day', int4range(1, 5), 1.5::money) AS a, ROW(1, 'x') AS b, ARRAY[ROW('1.2.3.4'::inet)] AS c, 2 AS d`,
			`"a" STRING: "(1,grün,1.2.3.4,7,\"1 day\",\"[1,5)\",$1.50)"` + "\n" + `"b" STRING: "(1,x)"` + "\n" + `"c" STRING: "{(1.2.3.4)}"` + "\n" + `"d" INT64: 2`, ""},
		{"the last years, among others", `SELECT * FROM (VALUES (TIMESTAMP '294276-12-31 23:59:59.999', TIMESTAMPTZ '294247-01-10 04:00:55+00'), (NULL, NULL), (TIMESTAMP '2024-02-29', TIMESTAMPTZ '294247-01-10 04:00:54.775+00'), (TIMESTAMP 'infinity', TIMESTAMPTZ '2024-02-29 12:00:00.000001+00')) AS t(a, b)`,
			"\"a\" TIMESTAMP: 294276-12-31 23:59:59.999|NULL|2024-02-29 00:00:00|5881580-07-11 00:00:00\n\"b\" TIMESTAMPTZ: 294247-01-10 04:00:55Z|NULL|294247-01-10 04:00:54.775Z|2024-02-29 12:00:00.000001Z", ""},
		{"what has no other form is its text", `SELECT '192.168.0.1/24'::inet AS a, int4range(1, 5) AS b, '(1,2)'::point AS c, 'a b'::tsvector AS d, 'x'::"char" AS e, 'ab'::char(4) AS f, 'n'::name AS g, '<a/>'::xml AS h, '12:34:56:78:90:ab'::macaddr AS i, '1 2'::int2vector AS j, '$.a'::jsonpath AS k`,
			`"a" STRING: "192.168.0.1/24"` + "\n" + `"b" STRING: "[1,5)"` + "\n" + `"c" STRING: "(1,2)"` + "\n" + `"d" STRING: "'a' 'b'"` + "\n" + `"e" STRING: "x"` + "\n" + `"f" STRING: "ab  "` + "\n" + `"g" STRING: "n"` + "\n" + `"h" STRING: "<a/>"` + "\n" + `"i" STRING: "12:34:56:78:90:ab"` + "\n" + `"j" STRING: "1 2"` + "\n" + `"k" STRING: "$.\"a\""`, ""},
		{"jsonb is the server's text", `SELECT '{"b":1.50,  "a":[]}'::jsonb AS a`, `"a" JSON: "{\"a\": [], \"b\": 1.50}"`, ""},
		{"nothing of it", `SELECT pg_sleep(0) AS a`, `"a" STRING: ""`, ""},
	} {
		for way, conn := range map[string]driver.Conn{"binary": c, "text": texts} {
			got, err := drivertest.Read(context.Background(), conn, tc.query)
			if err != nil {
				t.Errorf("%s, %s: %v", tc.why, way, err)
				continue
			}
			want := tc.want + "\n"
			if way == "text" && tc.plain != "" {
				want = tc.plain + "\n"
			}
			if diff := cmp.Diff(want, drivertest.Show(got)); diff != "" {
				t.Errorf("%s, %s\nwant (-), got (+):\n%s", tc.why, way, diff)
			}
		}
	}
	for _, tc := range []struct {
		why, query string
		want       errcode.Code
		says       string
	}{
		{"a time that 64 bits do not hold", "SELECT TIMESTAMP '294276-12-31 23:59:59.123456' AS far", errcode.Unimplemented, `column 1 ("far"), row 1`},
	} {
		if got, err := drivertest.Read(context.Background(), c, tc.query); errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, %v, want %v with %s", tc.why, got, err, tc.want, tc.says)
		}
	}
	// A type that changes while it is known is read as it is then.
	mustExec(t, c, "CREATE TYPE grows AS (a int)")
	if got := one(t, c, "SELECT ROW(1)::grows"); got != `{"a":1}` {
		t.Errorf("got %s", got)
	}
	mustExec(t, c, "ALTER TYPE grows ADD ATTRIBUTE b text")
	if got := one(t, c, "SELECT ROW(1, 'x')::grows"); got != `{"a":1,"b":"x"}` {
		t.Errorf("got %s", got)
	}
}

// Numbers of every length and place of the point, against the server's own text of them.
func TestNumericsAsTheServerWritesThem(t *testing.T) {
	s := running(t)
	c := s.open(t, s.database(t), driver.Options{})
	defer c.Close()
	random := rand.New(rand.NewPCG(1, 2))
	mustExec(t, c, "CREATE TABLE n (wide numeric, narrow numeric(38,9), half numeric(20,10))")
	var rows []string
	digits := func(n int) string {
		b := make([]byte, max(n, 1))
		for i := range b {
			b[i] = byte('0' + random.IntN(10))
			if random.IntN(3) == 0 {
				b[i] = '0'
			}
		}
		return string(b)
	}
	for range 2000 {
		sign := []string{"", "-"}[random.IntN(2)]
		rows = append(rows, "("+sign+digits(random.IntN(60))+"."+digits(random.IntN(60))+", "+sign+digits(random.IntN(30))+"."+digits(random.IntN(10))+", "+sign+digits(random.IntN(11))+"."+digits(random.IntN(11))+")")
	}
	mustExec(t, c, "INSERT INTO n VALUES "+strings.Join(rows, ", "))
	got, err := drivertest.Read(context.Background(), c, "SELECT wide, wide::text, narrow, narrow::text, half, half::text FROM n")
	if err != nil || got.Rows() != 2000 {
		t.Fatal(err)
	}
	for row := range got.Rows() {
		for col := 0; col < 6; col += 2 {
			a, ok1 := new(big.Rat).SetString(got.Columns[col].Value(row).String())
			b, ok2 := new(big.Rat).SetString(got.Columns[col+1].Value(row).Text())
			if !ok1 || !ok2 || a.Cmp(b) != 0 {
				t.Fatalf("row %d: %v, the server writes %s", row, got.Columns[col].Value(row), got.Columns[col+1].Value(row).Text())
			}
		}
	}
}

// Wide rows make small records, so that memory does not grow with the width.
func TestRecordsAreOfBoundedSize(t *testing.T) {
	s := running(t)
	c := s.open(t, s.database(t), driver.Options{})
	defer c.Close()
	r, err := c.Query(context.Background(), "SELECT repeat('x', 1000000) AS s FROM generate_series(1, 20)")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows, records := int64(0), 0
	for r.Next() {
		if n := r.Record().NumRows(); n > 5 {
			t.Errorf("a record of %d rows of a megabyte each", n)
		}
		rows += r.Record().NumRows()
		records++
	}
	if r.Err() != nil || rows != 20 || records < 4 {
		t.Errorf("%d rows in %d records, %v", rows, records, r.Err())
	}
}

// Days and times of all that PostgreSQL has, by binary forms, by texts, and inside rows without a
// type's name, against each other and against the server's own text.
func TestTimesAsTheServerWritesThem(t *testing.T) {
	s := running(t)
	name := s.database(t)
	c := s.open(t, name, driver.Options{})
	defer c.Close()
	texts, err := postgres.OpenAsRedshift(context.Background(), s.URL(name, s.Port), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer texts.Close()
	mustExec(t, c, `CREATE TABLE moments AS SELECT i, d, m, m AT TIME ZONE 'UTC' AS z, c, (i * 7919 % 2000001 - 1000000) * 1.25e-3::float4 AS f, (i * 0.37 - 300)::float8 AS g, (i - 500) * 0.0100::numeric AS n
FROM (SELECT i, DATE '4713-01-01 BC' + (i::bigint * 2147483 % 2140000000)::int AS d, TIMESTAMP '4713-01-01 BC' + (i * 292) * INTERVAL '365 days 01:02:03.456789' AS m, TIME '00:00' + i * INTERVAL '86.399123 s' AS c FROM generate_series(0, 999) AS t(i)) AS t`)
	const binary = "SELECT d, m, z, c, ROW(d, m, z, c, f, g, n, i, '', NULL, ARRAY[d, NULL])::text AS theirs, ROW(d, m, z, c, f, g, n, i, '', NULL, ARRAY[d, NULL]) AS ours FROM moments ORDER BY i"
	ours, err := drivertest.Read(context.Background(), c, binary)
	if err != nil || ours.Rows() != 1000 {
		t.Fatal(err)
	}
	plain, err := drivertest.Read(context.Background(), texts, "SELECT d, m, z, c FROM moments ORDER BY i")
	if err != nil {
		t.Fatal(err)
	}
	for row := range ours.Rows() {
		for col := range plain.Columns {
			if a, b := ours.Columns[col].Value(row).String(), plain.Columns[col].Value(row).String(); a != b {
				t.Fatalf("row %d, column %d: %s in binary, %s as text", row, col, a, b)
			}
		}
		var fields []any
		want := ours.Columns[4].Value(row).Text()
		parts := strings.SplitN(strings.Trim(want, "()"), ",", 11)
		for i, part := range parts {
			switch part = strings.Trim(part, `"`); {
			case i == 8:
				fields = append(fields, `""`)
			case i == 9:
				fields = append(fields, "null")
			case i == 10:
				first, _, _ := strings.Cut(strings.Trim(part, `{}"\`), ",")
				fields = append(fields, `["`+strings.Trim(first, `"\`)+`",null]`)
			case i < 4:
				fields = append(fields, `"`+part+`"`)
			default:
				fields = append(fields, part)
			}
		}
		var b strings.Builder
		for i, f := range fields {
			fmt.Fprintf(&b, `,"f%d":%s`, i+1, f)
		}
		if got := ours.Columns[5].Value(row).Text(); got != "{"+b.String()[1:]+"}" {
			t.Fatalf("row %d: %s, the server writes %s", row, got, want)
		}
	}
}
