package sqlparts

import (
	"strings"
	"testing"
	"time"
)

// FuzzDependences looks for panics, places outside of the text, and pinned texts that still read the
// clock.
func FuzzDependences(f *testing.F) {
	for _, sql := range []string{
		"SELECT a, row_number() OVER (PARTITION BY b ORDER BY now()) FROM t JOIN u USING (id) WHERE d > CURRENT_DATE - 30 ORDER BY random() LIMIT 3",
		"WITH x AS (SELECT g, array_agg(a) AS l FROM t SAMPLE (10) GROUP BY 1) SELECT *, date('now', 'localtime'), 'today'::date FROM x AT (OFFSET => -5)",
		"```sql\nSELECT 1\n```", "{\"sql\": \"SELECT 1\"}", "<think>a</think> Here it is: SELECT {{ x }}, ${y} FROM SEMANTIC_VIEW(a METRICS b AS c DIMENSIONS * WHERE d)",
		"SELECT DISTINCT ON (a) a FROM t; DECLARE x DATE DEFAULT now(); SELECT strftime('%s'), age(d), NEXT VALUE FOR s",
	} {
		for d := Generic; d <= TSQL; d++ {
			f.Add(sql, uint8(d))
		}
	}
	at := time.Date(2024, 6, 30, 1, 2, 3, 0, time.FixedZone("", 3600))
	f.Fuzz(func(t *testing.T, sql string, dialect uint8) {
		d := Dialect(dialect) % (TSQL + 1)
		s := Parse(sql, d)
		for _, x := range s.Dependences(nil) {
			if x.Start < 0 || x.End < x.Start || int(x.End) > len(sql) || x.What == "" && x.End > x.Start && strings.TrimSpace(sql[x.Start:x.End]) != "" {
				t.Errorf("%v lies outside of %q", x, sql)
			}
			s.Position(x)
		}
		if text, n, why := s.PinClock(at); why == "" && n > 0 {
			for _, x := range Parse(text, d).Dependences(nil) {
				if x.On == OnClock {
					t.Errorf("%q is pinned as %q, which reads the clock: %s", sql, text, x.What)
				}
			}
		}
		for _, x := range s.Templates() {
			if x.Start < 0 || x.End <= x.Start || int(x.End) > len(sql) {
				t.Errorf("%v lies outside of %q", x, sql)
			}
		}
		if inner, around := Unwrap(sql, d); len(around) == 0 && inner != sql {
			t.Errorf("%q became %q, with nothing around it", sql, inner)
		}
	})
}

// Long texts take time in proportion to their length.
func TestDependencesAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts")
	}
	const n = 20_000
	for name, sql := range map[string]string{
		"calls":      "SELECT " + strings.Repeat("now(), ", n) + "1",
		"statements": strings.Repeat("SET a = now(); ", n),
		"orders":     "SELECT 1 FROM t ORDER BY " + strings.Repeat("random(), ", n) + "1 LIMIT 2",
		"subqueries": "SELECT " + strings.Repeat("(SELECT a FROM t LIMIT 1), ", n) + "1",
		"keys":       "SELECT a, b FROM t ORDER BY " + strings.Repeat("x, ", n) + "y LIMIT 2",
		"conditions": "SELECT a, b FROM t WHERE " + strings.Repeat("x = 1 AND ", n) + "y = 2 LIMIT 2",
		"sources":    "SELECT a FROM " + strings.Repeat("t, ", n) + "u LIMIT 2",
		"braces":     "SELECT " + strings.Repeat("{{ ", n),
		"fences":     strings.Repeat("```\n", n),
		"colons":     strings.Repeat("a: ", n) + "SELECT 1",
		"thoughts":   strings.Repeat("<think>", n) + "SELECT 1",
		"tables":     "WITH " + strings.Repeat("c AS (SELECT a FROM c LIMIT 1), ", n/10) + "d AS (SELECT 1) SELECT * FROM c LIMIT 2",
		"arrays":     "SELECT " + strings.Repeat("array_agg(a), ", n) + "1 FROM t GROUP BY " + strings.Repeat("b, ", n) + "c",
	} {
		start := time.Now()
		s := Parse(sql, Postgres)
		s.Dependences(nil)
		s.Templates()
		s.PinClock(time.Unix(0, 0))
		Unwrap(sql, Postgres)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %d bytes took %v", name, len(sql), took)
		} else {
			t.Logf("%s: %d bytes, %v", name, len(sql), took)
		}
	}
}
