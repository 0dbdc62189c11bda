package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// Values that drivers and tools were publicly reported to read wrongly, by the report. The role's settings
// are those of the report.
func TestReportedValues(t *testing.T) {
	s := running(t)
	const farBefore, farAfter = "-5877641-06-24 00:00:00", "5881580-07-11 00:00:00"
	for _, tc := range []struct{ report, settings, query, want string }{
		{"metabase/metabase#12761: an infinite date ends the query", "", "SELECT 'infinity'::date AS a, '-infinity'::date AS b", "5881580-07-11|-5877641-06-24"},
		{"airbytehq/airbyte#19952: -infinity is read as a near date", "", "SELECT '-infinity'::timestamp AS a, '-infinity'::timestamptz AS b", farBefore + "|" + farBefore + "Z"},
		{"psycopg/psycopg#1251: infinity is refused", "", "SELECT 'infinity'::timestamptz AS a", farAfter + "Z"},
		{"tconbeer/harlequin#690: infinite timestamps end the query", "", "SELECT 'infinity'::timestamp AS a", farAfter},
		{"dbcodeio/public#482: infinity and minus infinity are one", "", "SELECT 'infinity'::timestamp < '2024-01-01' AS a, '-infinity'::timestamp AS b, 'infinity'::timestamp AS c", "false|" + farBefore + "|" + farAfter},
		{"oven-sh/bun#35121: infinity in an array is no date", "", "SELECT '{infinity,-infinity,2024-02-29}'::date[] AS a", `["infinity","-infinity","2024-02-29"]`},
		{"elixir-ecto/postgrex#504: infinity beside an interval in a row", "", "SELECT ROW(1000, INTERVAL '3 days 12:00', -1, 'infinity'::timestamptz, NULL) AS a", `(1000,"3 days 12:00:00",-1,infinity,)`},
		{"ged/ruby-pg#284: the first day of all, BC, is one of 1956", "", "SELECT '4714-11-24 23:58:59.1231 BC'::timestamp AS a", "-4713-11-24 23:58:59.1231"},
		{"microsoft/azuredatastudio-postgresql#250: years BC end the query", "", "SELECT '0002-01-01 BC'::timestamp AS a, '0001-12-31 BC'::date AS b", "-0001-01-01 00:00:00|0000-12-31"},
		{"jackc/pgx#2631: five digits of a year are not read from text", "", "SELECT '10000-01-02 03:04:05.123456'::timestamp AS a, '10000-01-02 03:04:05.123456+00'::timestamptz AS b", "10000-01-02 03:04:05.123456|10000-01-02 03:04:05.123456Z"},
		{"psycopg/psycopg#571: the role's DateStyle is not ISO", "DateStyle = 'SQL, DMY'", "SELECT '2023-05-03 09:25Z'::timestamptz AS a, ROW('2023-05-03'::date) AS b, '[2023-05-03,2023-05-04)'::daterange AS c", `2023-05-03 09:25:00Z|{"f1":"2023-05-03"}|[2023-05-03,2023-05-04)`},
		{"dbcli/pgcli#1256: the role's IntervalStyle changes intervals", "IntervalStyle = 'postgres_verbose'", "SELECT INTERVAL '-1 month 2 days -04:05' AS a", "-1 mons +2 days -04:05:00"},
		{"ponylang/postgres#145: intervals in the form of ISO 8601", "IntervalStyle = 'iso_8601'", "SELECT INTERVAL '1 year 2 months 3 days 04:05:06.789' AS a, ARRAY[INTERVAL '1 day'] AS b", `1 year 2 mons 3 days 04:05:06.789|["1 day"]`},
		{"npgsql/npgsql#6366: the role's zone changes instants", "TimeZone = 'America/New_York'", "SELECT '2024-07-01 12:00'::timestamptz AS a, ROW('2024-07-01 12:00Z'::timestamptz) AS b", `2024-07-01 12:00:00Z|{"f1":"2024-07-01 12:00:00+00"}`},
		{"lpsmith/postgresql-simple#123, hdbc/hdbc-postgresql#55: an offset of seconds is not read", "TimeZone = 'America/Mexico_City'", "SELECT '1920-12-25 00:00:00Z'::timestamptz AS a", "1920-12-25 00:00:00Z"},
		{"vladmihalcea/hypersistence-utils#759: ranges of instants with an offset of seconds", "TimeZone = 'Asia/Calcutta'", "SELECT tstzrange('1900-01-01 00:00:00Z', 'infinity') AS a, ARRAY['1900-01-01 00:00:00Z'::timestamptz] AS b", `["1900-01-01 00:00:00+00",infinity)|["1900-01-01 00:00:00+00"]`},
		{"lib/pq#1128, ged/ruby-pg#272, PyGreSQL/PyGreSQL#10: arrays that do not begin at 1", "", "SELECT '[0:1]={foo,bar}'::text[] AS a, '[-9:-8][0:0]={{1},{NULL}}'::int[] AS b", `["foo","bar"]|[[1],[null]]`},
		{"porsager/postgres#576, brianc/node-postgres#3020: arrays of boxes are cut at every comma", "", "SELECT '{((0,0),(1,1));NULL;((2,2),(3,3))}'::box[] AS a", `["(1,1),(0,0)",null,"(3,3),(2,2)"]`},
		{"jackc/pgx#1475: NaN and infinities end the query", "", "SELECT 'NaN'::float8 AS a, '-Infinity'::float8 AS b, 'Infinity'::float4 AS c", "NaN|-Infinity|Infinity"},
		{`t8y2/dbx#811: the one byte of "char" is a number, and 0 a character`, "", `SELECT ''::"char" AS a, ROW('a'::"char", ''::"char") AS b`, `|{"f1":"a","f2":""}`},
		{"duckdb/duckdb-postgres#102: an infinite instant is one of 290273 BC", "", "SELECT 1 AS a, now() < 'infinity'::timestamptz AS b, 'infinity'::timestamptz AS c", "1|true|" + farAfter + "Z"},
	} {
		t.Run(tc.report, func(t *testing.T) {
			name := s.database(t)
			owner := s.open(t, name, driver.Options{})
			defer owner.Close()
			role := "role_" + name
			mustExec(t, owner, "CREATE ROLE "+role+" LOGIN")
			if tc.settings != "" {
				mustExec(t, owner, "ALTER ROLE "+role+" SET "+tc.settings)
			}
			url := strings.Replace(s.URL(name, s.Port), "owner", role, 1)
			asText, err := postgres.OpenAsRedshift(context.Background(), url, driver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer asText.Close()
			direct := openURL(t, url, driver.Options{})
			defer direct.Close()
			for way, c := range map[string]driver.Conn{"binary": direct, "text": asText} {
				if way == "text" && (strings.Contains(tc.query, "ROW") || strings.Contains(tc.query, "ARRAY") || strings.Contains(tc.query, "[]") || strings.Contains(tc.settings, "Interval")) {
					continue // which Redshift has none of
				}
				if got, err := drivertest.Read(context.Background(), c, tc.query); err != nil || row(got) != tc.want {
					t.Errorf("%s: %s, %v, want %s", way, row(got), err, tc.want)
				}
			}
		})
	}
}

// Poolers that give out transactions.
func TestReportedPoolers(t *testing.T) {
	s := running(t)
	b := pool(t, s, "transaction", "server_round_robin = 1")
	name := s.database(t)
	t.Run("pgbouncer/pgbouncer#203, #164, #1067, #1118, jackc/pgx#344: another client's answer, statements that are not there, two round trips in two sessions", func(t *testing.T) {
		c := openURL(t, b.URL(name), driver.Options{})
		defer c.Close()
		var group sync.WaitGroup
		for caller := range 6 {
			group.Go(func() {
				for call := range 20 {
					n := fmt.Sprint(caller*100 + call)
					if got, err := drivertest.Read(context.Background(), c, "SELECT "+n+" AS a, $1::text AS b", n); err != nil || row(got) != n+"|"+n {
						t.Errorf("%s: %s, %v", n, row(got), err)
					}
				}
			})
		}
		group.Wait()
	})
	t.Run("supabase/supabase#18772, neondatabase/website#1294: nobody says that the address is a pooler's", func(t *testing.T) {
		report := doctor.Examine(context.Background(), doctor.Options{ReadOnly: true, Now: time.Now, Open: func(context.Context, bool) (*store.Store, error) {
			return store.New(connectors.New(openURL(t, b.URL(name), driver.Options{ReadOnly: true}), postgres.Dialect)), nil
		}})
		for _, c := range report.Checks {
			if c.Name == "pooler" && strings.Contains(c.Detail, "gives out transactions") {
				return
			}
		}
		t.Errorf("%+v, want the pooler and its mode", report.Checks)
	})
}

func TestReportedStatements(t *testing.T) {
	s := running(t)
	name := s.database(t)
	c := openURL(t, s.URL(name, s.Port)+"&pool_max_conns=1", driver.Options{})
	defer c.Close()
	t.Run("pgjdbc/r2dbc-postgresql#382, pgjdbc/pgjdbc#496: a statement that was read before its table changed cannot be run", func(t *testing.T) {
		mustExec(t, c, "CREATE TABLE changing (a int)", "INSERT INTO changing VALUES (1)")
		for _, change := range []string{"SELECT 1", "ALTER TABLE changing ALTER a TYPE text", "ALTER TABLE changing ADD b date DEFAULT '2024-02-29'", "ALTER TABLE changing DROP a"} {
			mustExec(t, c, change)
			if _, err := drivertest.Read(context.Background(), c, "SELECT * FROM changing"); err != nil {
				t.Errorf("after %s: %v", change, err)
			}
		}
	})
	t.Run("opensanctions/poliloom#138: a NUL in what a model wrote ends the batch", func(t *testing.T) {
		w := store.New(connectors.New(openURL(t, s.URL(name, s.Port), driver.Options{}), postgres.Dialect))
		defer w.Close()
		if err := w.Install(context.Background()); err != nil {
			t.Fatal(err)
		}
		scores := batchOf(1, 0)
		scores[0].Score.Reason, scores[0].Score.Detail = "a\x00b", map[string]any{"text": "\x00"}
		if err := w.WriteScores(context.Background(), "nul", "h", time.Unix(0, 0), scores); err != nil {
			t.Errorf("%v", err)
		}
		if got := one(t, c, `SELECT reason || (detail ->> 'text') || count(*) OVER () FROM badger.scores WHERE case_id = 'case-00000000' AND metric = 'metric 0'`); got != "a\ufffdb\ufffd1" {
			t.Errorf("stored as %q", got)
		}
	})
	t.Run("psycopg/psycopg2#183, liberapay/postgres.py#26: values of a type that was changed are read by what it was", func(t *testing.T) {
		many := openURL(t, s.URL(name, s.Port), driver.Options{})
		defer many.Close()
		mustExec(t, c, "CREATE TYPE pair AS (a int, b int)", "CREATE TABLE pairs (a int, b int)", "INSERT INTO pairs VALUES (1, 2)")
		for _, step := range []struct{ change, query, want string }{
			{"SELECT 1", "SELECT ROW(1, 2)::pair", `{"a":1,"b":2}`},
			{"ALTER TYPE pair RENAME ATTRIBUTE a TO c", "SELECT ROW(1, 2)::pair", `{"c":1,"b":2}`},
			{"ALTER TYPE pair DROP ATTRIBUTE c, ADD ATTRIBUTE a text", "SELECT ARRAY[ROW(2, '1')::pair]", `[{"b":2,"a":"1"}]`},
			{"ALTER TYPE pair ADD ATTRIBUTE d date", "SELECT ROW(2, '1', '2024-02-29')::pair", `{"b":2,"a":"1","d":"2024-02-29"}`},
			{"SELECT 1", "SELECT pairs FROM pairs", `{"a":1,"b":2}`},
			{"ALTER TABLE pairs RENAME a TO c", "SELECT pairs FROM pairs", `{"c":1,"b":2}`},
			{"ALTER TABLE pairs ALTER c TYPE text", "SELECT pairs FROM pairs", `{"c":"1","b":2}`},
		} {
			mustExec(t, c, step.change)
			for range 2 {
				if got, err := drivertest.Read(context.Background(), many, step.query); err != nil || row(got) != step.want {
					t.Errorf("after %s: %s, %v, want %s", step.change, row(got), err, step.want)
				}
			}
		}
	})
	t.Run(`pgjdbc/pgjdbc#1933: "char" of a byte that is no character ends the query`, func(t *testing.T) {
		if one(t, c, "SELECT current_setting('server_version_num')") < "150000" {
			t.Skip("the server sends the byte itself")
		}
		if got, err := drivertest.Read(context.Background(), c, `SELECT '\303'::"char" AS a, ARRAY['\303'::"char"] AS b, ROW(1, '\303'::"char") AS c`); err != nil || row(got) != `\303|["\\303"]|(1,"\\303")` {
			t.Errorf("%s, %v", row(got), err)
		}
	})
	t.Run("brianc/node-postgres#2475, pgadmin-org/pgadmin4#1794, dimitri/pgcopydb#874: a database of encoding SQL_ASCII", func(t *testing.T) {
		mustExec(t, c, "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
		ascii := s.open(t, "ascii", driver.Options{})
		defer ascii.Close()
		mustExec(t, ascii, `CREATE TABLE users ("näme" text)`, `INSERT INTO users VALUES ('café')`)
		if got, err := drivertest.Read(context.Background(), ascii, `SELECT "näme" FROM users`); err != nil || row(got) != "café" || got.Columns[0].Name != "näme" {
			t.Errorf("%+v, %v", got, err)
		}
		mustExec(t, ascii, `INSERT INTO users SELECT convert_from('\xc152', 'SQL_ASCII')`)
		for _, query := range []string{`SELECT * FROM users`, `SELECT ARRAY["näme"] AS a FROM users`, `SELECT ROW("näme") AS a FROM users`, `SELECT users FROM users`} {
			if got, err := drivertest.Read(context.Background(), ascii, query); !errcode.IsUnread(err) || !strings.Contains(err.Error(), "SQL_ASCII") {
				t.Errorf("%s: %+v, %v, want one that is not read", query, got, err)
			}
		}
		if got, err := drivertest.Read(context.Background(), ascii, `SELECT "näme"::bytea AS a FROM users ORDER BY 1 DESC LIMIT 1`); err != nil || row(got) != "c152" {
			t.Errorf("as bytes: %s, %v", row(got), err)
		}
		if _, err := drivertest.Read(context.Background(), ascii, "SELECT 'a\xc1R' AS a"); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("in the statement: %v, want invalid_argument", err)
		}
	})
	t.Run("dbeaver/dbeaver#22100: a byte that the database's encoding has no character for", func(t *testing.T) {
		mustExec(t, c, "CREATE DATABASE windows ENCODING 'WIN1252' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
		windows := s.open(t, "windows", driver.Options{})
		defer windows.Close()
		mustExec(t, windows, "CREATE TABLE t (a text)", `INSERT INTO t VALUES (convert_from('\x81', 'WIN1252'))`)
		if got, err := drivertest.Read(context.Background(), windows, "SELECT a FROM t"); !errcode.IsUnread(err) {
			t.Errorf("%+v, %v, want one that is not read", got, err)
		}
		if _, err := drivertest.Read(context.Background(), windows, "SELECT '字' AS a"); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("in the statement: %v, want invalid_argument", err)
		}
	})
	t.Run("brianc/node-postgres#2732, TableProApp/TablePro#2743: a database of encoding LATIN1", func(t *testing.T) {
		mustExec(t, c, "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
		latin := s.open(t, "latin", driver.Options{})
		defer latin.Close()
		mustExec(t, latin, `CREATE TABLE "nämen" ("näme" text)`)
		got, err := drivertest.Read(context.Background(), latin, `INSERT INTO "nämen" VALUES ('Supervisão'), ($1) RETURNING "näme" AS "näme", octet_length("näme") AS n`, "café")
		if err != nil || drivertest.Show(got) != "\"näme\" STRING: \"Supervisão\"|\"café\"\n\"n\" INT64: 10|4\n" {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := drivertest.Read(context.Background(), latin, `SELECT "nö"`); err == nil || !strings.Contains(err.Error(), "column nö") {
			t.Errorf("%v, want the column's name", err)
		}
	})
}

// What is run once is run once, and what is given up leaves nothing behind.
func TestReportedSessions(t *testing.T) {
	s := running(t)
	name := s.database(t)
	c := openURL(t, s.URL(name, s.Port)+"&pool_max_conns=1", driver.Options{})
	defer c.Close()
	beside := s.open(t, name, driver.Options{})
	defer beside.Close()
	t.Run("lib/pq#939, golang/go#11978: a statement whose session ends is run again in another", func(t *testing.T) {
		mustExec(t, beside, "CREATE SEQUENCE runs", "CREATE TABLE t (n bigint)")
		if err := c.Exec(context.Background(), "INSERT INTO t SELECT nextval('runs') FROM (SELECT 1) AS one WHERE pg_terminate_backend(pg_backend_pid())"); c.ErrorCode(err) != errcode.Unavailable {
			t.Errorf("%v, want unavailable", err)
		}
		if _, err := drivertest.Read(context.Background(), c, "SELECT nextval('runs'), pg_terminate_backend(pg_backend_pid())"); c.ErrorCode(err) != errcode.Unavailable {
			t.Errorf("%v, want unavailable", err)
		}
		if got := one(t, beside, "SELECT last_value || ' ' || (SELECT count(*) FROM t) FROM runs"); got != "2 0" {
			t.Errorf("%s, want two runs and no row", got)
		}
	})
	t.Run("transact-rs/sqlx#4393, #4385: a call that is given up while its transaction begins leaves it to the next", func(t *testing.T) {
		for i := range 40 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*50*time.Microsecond)
			_, err := drivertest.Read(ctx, c, "SELECT 1 AS a")
			cancel()
			if err != nil && c.ErrorCode(err) != errcode.DeadlineExceeded {
				t.Errorf("%v, want deadline exceeded", err)
			}
			if got, err := drivertest.Read(context.Background(), c, "SELECT statement_timestamp() - transaction_timestamp() < '1 s' AS a"); err != nil || row(got) != "true" {
				t.Fatalf("afterwards: %s, %v", row(got), err)
			}
		}
		if got := one(t, beside, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"); got != "0" {
			t.Errorf("%s transactions are left", got)
		}
	})
}

// Numbers of any size are read, and written as they are.
func TestReportedNumerics(t *testing.T) {
	s := running(t)
	name := s.database(t)
	c := s.open(t, name, driver.Options{})
	defer c.Close()
	t.Run("jackc/pgx#2415: a large numeric hangs the reader", func(t *testing.T) {
		for query, characters := range map[string]int{
			"SELECT 1e999::numeric AS a": 1000, "SELECT ARRAY[6.7e44536::numeric + 0.0] AS a": 44541,
			"SELECT 1e1000::numeric AS a": 0, "SELECT 6.7e44536::numeric + 0.0 AS a": 0, "SELECT 1e-16383::numeric AS a": 0, // which badger does not compute with
		} {
			got, err := drivertest.Read(context.Background(), c, query)
			switch {
			case characters == 0 && !errcode.IsUnread(err):
				t.Errorf("%s: %v, want an error of a value that is not read", query, err)
			case characters > 0 && (err != nil || len(strings.Trim(got.Columns[0].Value(0).String(), `"`)) != characters):
				t.Errorf("%s: %v, want %d characters", query, err, characters)
			}
		}
	})
	t.Run("adriangb/pgpq#85: zeros behind the point are lost, and scales are others", func(t *testing.T) {
		mustExec(t, c, "CREATE TABLE t (a numeric(38,30), b numeric(5,-2), c numeric)")
		schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: &arrow.Decimal128Type{Precision: 38, Scale: 30}, Nullable: true}, {Name: "b", Type: &arrow.Decimal128Type{Precision: 5, Scale: -2}, Nullable: true}, {Name: "c", Type: &arrow.Decimal256Type{Precision: 76, Scale: 76}, Nullable: true}}, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		a := []string{"0.000000000000000000000000000001", "-0.000012340000000000000000000000", "10000.000000010000000000000000000000", "0"}
		for i, v := range a {
			for col, text := range []string{v, []string{"12300", "-100", "0", "9999900"}[i], "0.00000000000000000000000000000000000000000000000000000000000000000000000" + fmt.Sprintf("%05d", i)} {
				if err := b.Field(col).AppendValueFromString(text); err != nil {
					t.Fatal(col, text, err)
				}
			}
		}
		rec := b.NewRecord()
		defer rec.Release()
		rows, err := array.NewRecordReader(schema, []arrow.Record{rec})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := merge(c, nil, rows); n != 4 || err != nil {
			t.Fatalf("%d rows, %v", n, err)
		}
		zeros := strings.Repeat("0", 71)
		want := fmt.Sprintf("\"a\" STRING: %q|%q|%q|%q\n\"b\" STRING: \"12300\"|\"-100\"|\"0\"|\"9999900\"\n\"c\" STRING: \"0.%[5]s00000\"|\"0.%[5]s00001\"|\"0.%[5]s00002\"|\"0.%[5]s00003\"\n",
			a[0], a[1], a[2], "0."+strings.Repeat("0", 30), zeros)
		if got, err := drivertest.Read(context.Background(), c, "SELECT a::text AS a, b::text AS b, c::text AS c FROM t"); err != nil || drivertest.Show(got) != want {
			t.Errorf("%v, %v, want %s", drivertest.Show(got), err, want)
		}
	})
}

// What one call does is no other's matter.
func TestReportedCallers(t *testing.T) {
	t.Parallel()
	s := running(t)
	name := s.database(t)
	c := s.open(t, name, driver.Options{})
	defer c.Close()
	t.Run("go-pg/pg#1893: a call that is given up cancels the query of another", func(t *testing.T) {
		stop := make(chan struct{})
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
					_, _ = drivertest.Read(ctx, c, "SELECT pg_sleep(0.01), 1 AS a")
					cancel()
				}
			})
		}
		for range sample.Count(150, 4) {
			if got, err := drivertest.Read(context.Background(), c, "SELECT 1 AS a FROM pg_sleep(0.01)"); err != nil || row(got) != "1" {
				t.Errorf("%s, %v", row(got), err)
				break
			}
		}
		close(stop)
		group.Wait()
	})
	t.Run("pgbouncer/pgbouncer#1222: a call that waits for a session of the pooler's cannot be given up", func(t *testing.T) {
		for _, mode := range []string{"session", "transaction"} {
			b := pool(t, s, mode)
			through := openURL(t, b.URL(name), driver.Options{})
			busy, end := context.WithCancel(context.Background())
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() { _, _ = drivertest.Read(busy, through, "SELECT pg_sleep(60)") })
			}
			time.Sleep(time.Second)
			for range 3 {
				ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
				begun := time.Now()
				_, err := drivertest.Read(ctx, through, "SELECT 1 AS a")
				cancel()
				if took := time.Since(begun); took > 2*time.Second || through.ErrorCode(err) != errcode.DeadlineExceeded {
					t.Errorf("%s: %v after %v", mode, err, took)
				}
			}
			end()
			group.Wait()
			if got, err := drivertest.Read(context.Background(), through, "SELECT 1 AS a"); err != nil || row(got) != "1" {
				t.Errorf("%s: afterwards: %v", mode, err)
			}
			through.Close()
		}
	})
	t.Run("jackc/pgx#1852, lib/pq#577: a call that was given up spoils the session for the next", func(t *testing.T) {
		single := openURL(t, s.URL(name, s.Port)+"&pool_max_conns=1", driver.Options{})
		defer single.Close()
		done, cancel := context.WithCancel(context.Background())
		cancel()
		for i := range 40 {
			if _, err := drivertest.Read(done, single, "SELECT $1::int AS a", int64(i)); single.ErrorCode(err) != errcode.Cancelled {
				t.Errorf("%v, want cancelled", err)
			}
			late, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond+time.Duration(i%20)*100*time.Microsecond)
			if _, err := drivertest.Read(late, single, "SELECT 1 AS a FROM pg_sleep(0.006)"); err != nil && single.ErrorCode(err) != errcode.DeadlineExceeded {
				t.Errorf("%v, want deadline exceeded", err)
			}
			cancel()
			if got, err := drivertest.Read(context.Background(), single, "SELECT $1::int AS a, $2::text AS b FROM pg_sleep(0.001)", int64(i), "x"); err != nil || row(got) != fmt.Sprintf("%d|x", i) {
				t.Errorf("afterwards: %s, %v", row(got), err)
			}
		}
	})
	t.Run("jackc/pgx#125: after a lock could not be had, the next statement is answered as another", func(t *testing.T) {
		single := openURL(t, s.URL(name, s.Port)+"&pool_max_conns=1", driver.Options{})
		defer single.Close()
		mustExec(t, c, "CREATE TABLE locked AS SELECT 1 AS a")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		held, err := c.Query(ctx, "SELECT a, i FROM (SELECT a FROM locked FOR UPDATE) AS l, generate_series(1, 5000000) AS g(i)") // more than waits between server and client
		if err != nil || !held.Next() {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := drivertest.Read(context.Background(), single, "SELECT a FROM locked FOR UPDATE NOWAIT"); single.ErrorCode(err) != errcode.Unavailable && single.ErrorCode(err) != errcode.FailedPrecondition {
				t.Errorf("%v (%v), want an error of the lock", err, single.ErrorCode(err))
			}
			if got, err := drivertest.Read(context.Background(), single, "SELECT $1::int AS a, $2::text AS b", int64(7), "x"); err != nil || row(got) != "7|x" {
				t.Errorf("afterwards: %s, %v", row(got), err)
			}
		}
		held.Release()
	})
	t.Run("jackc/pgx#619: an error behind the first rows is dropped", func(t *testing.T) {
		for _, n := range []int{1, 2, 8191, 8192, 8193, 20000} {
			if got, err := drivertest.Read(context.Background(), c, fmt.Sprintf("SELECT 1 / (%d - i) AS a FROM generate_series(1, 20000) AS g(i)", n)); c.ErrorCode(err) != errcode.InvalidArgument {
				t.Errorf("row %d: %+v, %v, want invalid argument", n, got, err)
			}
		}
	})
	t.Run("jackc/pgx#2153: a result that is given up is read to its end", func(t *testing.T) {
		r, err := c.Query(context.Background(), "SELECT generate_series(1, 1000000000000) AS i") // which takes days
		if err != nil || !r.Next() {
			t.Fatal(err)
		}
		r.Release()
		if got, err := drivertest.Read(context.Background(), c, "SELECT 1 AS a"); err != nil || row(got) != "1" {
			t.Errorf("afterwards: %s, %v", row(got), err)
		}
	})
	t.Run("MaterializeInc/materialize#35949: rows without columns are none", func(t *testing.T) {
		got, err := drivertest.Read(context.Background(), c, "SELECT FROM generate_series(1, 3)")
		if err != nil || got.Rows() != 3 || len(got.Columns) != 0 {
			t.Errorf("%+v, %v, want three rows without columns", got, err)
		}
	})
	t.Run("sequelize/sequelize#7179: a read that gave way to a standby's recovery is not read again", func(t *testing.T) {
		mustExec(t, c, "CREATE SEQUENCE reads", `CREATE FUNCTION conflicts(times int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('reads') % (times + 1) <> 0 THEN
				RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
			END IF; RETURN times; END $$`)
		for times, want := range map[int]errcode.Code{0: errcode.OK, 1: errcode.OK, 3: errcode.OK, 4: errcode.Unavailable} {
			mustExec(t, c, "ALTER SEQUENCE reads RESTART")
			if got, err := drivertest.Read(context.Background(), c, "SELECT conflicts($1::int) AS a", int64(times)); c.ErrorCode(err) != want || err == nil && row(got) != fmt.Sprint(times) {
				t.Errorf("%d times: %s, %v, want %v", times, row(got), err, want)
			}
		}
		mustExec(t, c, "ALTER SEQUENCE reads RESTART")
		if err := c.Exec(context.Background(), "CREATE TABLE made AS SELECT conflicts(1) AS a"); c.ErrorCode(err) != errcode.Unavailable {
			t.Errorf("%v, want unavailable of a statement that writes", err)
		}
		behind := "SELECT CASE WHEN i < 20000 THEN i ELSE conflicts(1) END AS a FROM generate_series(1, 20000) AS g(i)"
		mustExec(t, c, "ALTER SEQUENCE reads RESTART")
		if got, err := drivertest.Read(context.Background(), c, behind); c.ErrorCode(err) != errcode.Unavailable {
			t.Errorf("%+v, %v, want unavailable behind the first rows", got, err)
		}
	})
	t.Run("estuary/connectors#5218: Redshift's serializable isolation violation ends a write", func(t *testing.T) {
		mustExec(t, c, `CREATE FUNCTION violates() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION '1023' USING ERRCODE = 'XX000', DETAIL = 'Serializable isolation violation on table - 142443, transactions forming the cycle are: 388224, 388223 (pid:11768)'; END $$`,
			"CREATE TABLE v (k text, n bigint)", "CREATE TRIGGER x BEFORE INSERT ON v EXECUTE FUNCTION violates()")
		like, err := postgres.OpenAsRedshift(context.Background(), s.URL(name, s.Port), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer like.Close()
		err = like.Exec(context.Background(), "INSERT INTO v VALUES ('a', 1)")
		if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "try again") {
			t.Errorf("%v (%v), want unavailable", err, errcode.Of(err))
		}
	})
}
