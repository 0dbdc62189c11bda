package sqlparts

import (
	"strings"
	"testing"
	"time"
)

// The literals of warehouses that no test runs, as their documentation writes them.
func TestPinClock(t *testing.T) {
	utc := time.Date(2024, 6, 30, 0, 0, 0, 0, time.UTC)
	paris := time.Date(2024, 7, 1, 1, 2, 3, 0, time.FixedZone("", 2*60*60))
	for _, c := range []struct {
		dialect, sql string
		at           time.Time
		want         string
	}{
		{"snowflake", "SELECT CURRENT_DATE(), CURRENT_TIMESTAMP, SYSDATE(), CURRENT_TIME(2)", paris, "SELECT CAST('2024-07-01' AS DATE), CAST('2024-07-01 01:02:03 +0200' AS TIMESTAMP_LTZ), CAST('2024-06-30 23:02:03' AS TIMESTAMP_NTZ), CAST('01:02:03' AS TIME)"},
		{"snowflake", "SELECT DATEADD(day, -30, GETDATE())", utc, "SELECT DATEADD(day, -30, CAST('2024-06-30 00:00:00 +0000' AS TIMESTAMP_LTZ))"},
		{"bigquery", "SELECT CURRENT_DATE(), CURRENT_TIMESTAMP(), CURRENT_DATETIME(), CURRENT_TIME()", utc, "SELECT DATE '2024-06-30', TIMESTAMP '2024-06-30 00:00:00+00:00', DATETIME '2024-06-30 00:00:00', TIME '00:00:00'"},
		{"bigquery", "SELECT CURRENT_DATE('Asia/Tokyo')", utc, "SELECT DATE(TIMESTAMP '2024-06-30 00:00:00+00:00', 'Asia/Tokyo')"},
		{"bigquery", "SELECT x FROM t WHERE d > DATE_SUB(CURRENT_DATE, INTERVAL 30 DAY) -- CURRENT_DATE", utc, "SELECT x FROM t WHERE d > DATE_SUB(DATE '2024-06-30', INTERVAL 30 DAY) -- CURRENT_DATE"},
		{"bigquery", "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)", utc, "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(TIMESTAMP '2024-06-30 00:00:00+00:00', INTERVAL 1 HOUR)"},
		{"databricks", "SELECT current_date(), now(), localtimestamp(), unix_timestamp()", utc, "SELECT DATE '2024-06-30', TIMESTAMP '2024-06-30 00:00:00+00:00', TIMESTAMP_NTZ '2024-06-30 00:00:00', CAST(1719705600 AS BIGINT)"},
		{"redshift", "SELECT GETDATE(), sysdate AS s, current_date AS d", paris, `SELECT TIMESTAMP '2024-06-30 23:02:03' AS "getdate", TIMESTAMP '2024-06-30 23:02:03' AS s, DATE '2024-07-01' AS d`},
		{"mysql", "SELECT NOW() AS n, CURDATE() - INTERVAL 1 DAY, UTC_DATE AS u, UNIX_TIMESTAMP() AS x", paris, "SELECT TIMESTAMP '2024-07-01 01:02:03' AS n, DATE '2024-07-01' - INTERVAL 1 DAY, DATE '2024-06-30' AS u, CAST(1719788523 AS SIGNED) AS x"},
		{"mysql", "SELECT curdate()", utc, "SELECT DATE '2024-06-30' AS `curdate()`"},
		{"tsql", "SELECT GETDATE(), SYSUTCDATETIME(), SYSDATETIMEOFFSET(), CURRENT_TIMESTAMP", paris, "SELECT CAST('2024-07-01T01:02:03' AS datetime), CAST('2024-06-30T23:02:03' AS datetime2), CAST('2024-07-01T01:02:03+02:00' AS datetimeoffset), CAST('2024-07-01T01:02:03' AS datetime)"},
		{"sqlite", "SELECT strftime('%Y') AS y, date('now', 'localtime') AS d", utc, "SELECT strftime('%Y', '2024-06-30 00:00:00') AS y, date('2024-06-30 00:00:00', 'localtime') AS d"},
		{"sqlite", "SELECT unixepoch('subsec') AS u", utc, "SELECT unixepoch('2024-06-30 00:00:00', 'subsec') AS u"},
		{"postgres", "SELECT ARRAY[current_date, now()::date] AS a FROM (SELECT now()) x", utc, `SELECT ARRAY[DATE '2024-06-30', TIMESTAMPTZ '2024-06-30 00:00:00+00:00'::date] AS a FROM (SELECT TIMESTAMPTZ '2024-06-30 00:00:00+00:00' AS "now") x`},
		{"duckdb", "SELECT count(*) FROM t", utc, "SELECT count(*) FROM t"},
		{"duckdb", "SELECT now().year() AS y, today() .month() AS m, now()::date AS d", utc, "SELECT (TIMESTAMPTZ '2024-06-30 00:00:00+00:00').year() AS y, (DATE '2024-06-30') .month() AS m, TIMESTAMPTZ '2024-06-30 00:00:00+00:00'::date AS d"},
		{"postgres", `SELECT 'Live now' AS a, 'today''s news' AS b, E'a\n' AS c, 'nowhere' AS d FROM t`, utc, `SELECT 'Live now' AS a, 'today''s news' AS b, E'a\n' AS c, 'nowhere' AS d FROM t`},
	} {
		got, n, why := Parse(c.sql, DialectOf(c.dialect)).PinClock(c.at)
		if got != c.want || why != "" || (n == 0) != (c.sql == c.want) {
			t.Errorf("%s: %s\n got %s (%d, %s)\nwant %s", c.dialect, c.sql, got, n, why, c.want)
		}
	}
}

// A script in which a part may read the clock without being found is not pinned.
func TestPinClockRefuses(t *testing.T) {
	at := time.Date(2024, 6, 30, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ dialect, sql, why string }{
		{"generic", "SELECT CURRENT_DATE", "the dialect is not known"},
		{"sqlite", "WITH c AS (SELECT 'now' AS t) SELECT date(t) FROM c", "line 1: the text 'now' may mean the time of the run"},
		{"sqlite", "SELECT timediff('now', 'now')", "cannot be pinned"},
		{"postgres", "SELECT count(*) FROM t WHERE d > 'yesterday'", "line 1: the text 'yesterday' may mean"},
		{"postgres", "SELECT *\nFROM now()", "line 2, now(), reads the clock in a way"},
		{"postgres", "SELECT shop.now()", "line 1: shop.now may read the clock"},
		{"postgres", "SET x = now(); SELECT 1", "only queries are read through"},
		{"snowflake", "SELECT a FROM t AT (OFFSET => -3600)", "reads the clock in a way that cannot be pinned"},
		{"snowflake", "SELECT a FROM t AT (TIMESTAMP => DATEADD(hour, -1, CURRENT_TIMESTAMP()))", "CURRENT_TIMESTAMP may read the clock|reads the clock in a way"},
		{"duckdb", "SELECT now( FROM t", "was not read"},
		{"postgres", "SELECT timestamp 'tomorrow 08:30'", "the text 'tomorrow 08:30' may mean"},
		{"redshift", "SELECT timestamp 'Yesterday PM 3:00'", "the text 'yesterday pm 3:00' may mean"},
		{"postgres", "SELECT '[yesterday,today]'::daterange", "the text '[yesterday,today]' may mean"},
		{"postgres", "SELECT * FROM json_to_record('{\"d\": \"now\"}') AS r(d timestamp)", "may mean the time of the run"},
		{"postgres", `SELECT E'\u006eow'::timestamp`, "characters by their codes"},
		{"postgres", `SELECT E'no\167'::date`, "characters by their codes"},
		{"postgres", `SELECT U&'tod\0061y'::date`, "characters by their codes"},
	} {
		text, _, why := Parse(c.sql, DialectOf(c.dialect)).PinClock(at)
		ok := false
		for part := range strings.SplitSeq(c.why, "|") {
			ok = ok || strings.Contains(why, part)
		}
		if !ok || text != "" {
			t.Errorf("%s: %s\n got %q, %q\nwant %q", c.dialect, c.sql, text, why, c.why)
		}
	}
	if _, _, why := Parse("SELECT now()", Postgres).PinClock(at.Add(time.Millisecond)); !strings.Contains(why, "whole seconds") {
		t.Errorf("milliseconds: %q", why)
	}
}
