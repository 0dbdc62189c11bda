package sqlparts

import "testing"

// Semantic views are parsed completely, do not change when they are printed and parsed again, and are
// distinguished.
func TestSemanticViews(t *testing.T) {
	seen := map[string]string{}
	for _, sql := range []string{
		"SELECT * FROM SEMANTIC_VIEW(sv METRICS orders.revenue DIMENSIONS customer.region)",
		"SELECT * FROM SEMANTIC_VIEW(sv METRICS orders.n DIMENSIONS customer.region)",
		"SELECT * FROM SEMANTIC_VIEW(sv FACTS orders.revenue DIMENSIONS customer.region)",
		"SELECT * FROM SEMANTIC_VIEW(other METRICS orders.revenue DIMENSIONS customer.region)",
		"SELECT * FROM SEMANTIC_VIEW(db.s.sv DIMENSIONS c.name AS who, DATE_PART('year', o.d) AS y METRICS o.avg_value, o.n WHERE c.seg = 'a' AND o.d > '2024-01-01') AS q WHERE y > 1995 ORDER BY 1",
		"SELECT * FROM SEMANTIC_VIEW(db.s.sv DIMENSIONS c.name AS who, DATE_PART('year', o.d) AS y METRICS o.avg_value, o.n WHERE c.seg = 'b' AND o.d > '2024-01-01') AS q WHERE y > 1995 ORDER BY 1",
		"SELECT who, AGG(v) FROM SEMANTIC_VIEW(sv METRICS * DIMENSIONS c.*) GROUP BY who",
		"SELECT * FROM SEMANTIC_VIEW(sv DIMENSIONS region)",
	} {
		s := Parse(sql, Snowflake)
		if len(s.Notes) > 0 || s.Final() == nil {
			t.Errorf("%s: not read whole: %v", sql, s.Notes)
			continue
		}
		if _, why := s.Whole(); why != "" {
			t.Errorf("%s: %s", sql, why)
		}
		text := Format(s.Final())
		again := Parse(text, Snowflake)
		if len(again.Notes) > 0 || Format(again.Final()) != text {
			t.Errorf("%s\nis written %s\nand again %s %v", sql, text, Format(again.Final()), again.Notes)
		}
		if other := seen[text]; other != "" {
			t.Errorf("%s\nis the same as\n%s", sql, other)
		}
		seen[text] = sql
	}
	// Other calls are not parsed as semantic views.
	for _, sql := range []string{"SELECT * FROM SEMANTIC_VIEW(a, b)", "SELECT semantic_view FROM t", "SELECT metrics, dimensions FROM facts"} {
		if s := Parse(sql, Snowflake); len(s.Notes) > 0 {
			t.Errorf("%s: %v", sql, s.Notes)
		}
	}
	if s := Parse("SELECT * FROM SEMANTIC_VIEW(sv METRICS a nonsense b)", Snowflake); len(s.Notes) == 0 {
		t.Error("text that is not understood was passed over without a note")
	}
}
