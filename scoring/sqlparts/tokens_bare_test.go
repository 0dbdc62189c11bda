package sqlparts

import (
	"slices"
	"testing"
)

// A bare text has nothing of what its strings, quoted names and comments hold, in each way in which
// engines of the dialect may cut it.
func TestBare(t *testing.T) {
	for _, tt := range []struct {
		dialect Dialect
		sql     string
		want    []string
	}{
		{Snowflake, "SELECT 'a ->> b' ->> SELECT \"x\"", []string{"SELECT '' ->> SELECT \"\""}},
		{Snowflake, "SELECT $$a ' $$ -- x", []string{"SELECT ''  "}},
		{Snowflake, "SELECT 1 -- a\r ->> b", []string{"SELECT 1  \r ->> b", "SELECT 1  "}},
		{Snowflake, "/* /* */ a */ b", []string{"  a */ b", "  b"}},
		{Postgres, "SELECT E'\\'' || 'x' /* /* */ */", []string{"SELECT '' || ''  "}},
		{Databricks, "SELECT 1 -- \\\nFROM t", []string{"SELECT 1  ", "SELECT 1  \nFROM t"}},
		{Databricks, "SELECT `a ( b`", []string{`SELECT ""`}},
	} {
		var got []string
		for _, tokens := range TokenReadings(tt.sql, tt.dialect) {
			got = append(got, Bare(tt.sql, tokens))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, got %q, want %q", tt.dialect, tt.sql, got, tt.want)
		}
	}
}
