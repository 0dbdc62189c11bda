package sqlparts

import (
	"fmt"
	"slices"
	"testing"
)

// sized are components with sets of the given sizes.
func sized(sel, where, group, order, tables, having int, keywords ...string) Components {
	texts := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("x", i))
		}
		return out
	}
	conditions := func(n int) (out []Condition) {
		for i := range n {
			out = append(out, Condition{fmt.Sprint("x", i), "=", "1"})
		}
		return out
	}
	return Components{Select: texts(sel), Where: conditions(where), GroupBy: texts(group), OrderBy: texts(order),
		Tables: texts(tables), Having: conditions(having), Keywords: keywords}
}

// nested replaces the value of the first condition by a subquery.
func nested(c Components) Components {
	c.Where[0].Value = "subquery"
	return c
}

// TestComplexity goes along the boundaries of every line of Algorithm 1.
func TestComplexity(t *testing.T) {
	for _, c := range []struct {
		why   string
		c     Components
		tier  Tier
		fired []string
	}{
		{"nothing at all passes the first gate", Components{}, Easy, nil},
		{"line 6: every size at its limit", sized(1, 1, 0, 0, 1, 0), Easy, nil},
		{"line 6 does not look at HAVING", sized(1, 1, 0, 0, 1, 1), Easy, []string{"having"}},
		{"line 6 does not look at WITH", sized(1, 1, 0, 0, 1, 0, "WITH"), Easy, []string{"cte"}},
		{"line 6: two columns are too many", sized(2, 1, 0, 0, 1, 0), Medium, nil},
		{"line 6: two conditions are too many", sized(1, 2, 0, 0, 1, 0), Medium, nil},
		{"line 6: an order is too much", sized(1, 1, 0, 1, 1, 0), Medium, nil},
		{"line 6: two tables are a join", sized(1, 1, 0, 0, 2, 0), Medium, nil},
		{"line 6: JOIN alone is a join", sized(1, 0, 0, 0, 1, 0, "JOIN"), Medium, nil},
		{"line 2: LEFT alone is a join too", sized(1, 0, 0, 0, 1, 0, "LEFT"), Medium, nil},
		{"line 2: CROSS is none", sized(1, 0, 0, 0, 1, 0, "CROSS"), Easy, nil},
		{"line 9: every size at its limit", sized(3, 2, 0, 9, 9, 0, "JOIN"), Medium, []string{"tables>3"}},
		{"line 9: a fourth column leaves one indicator", sized(4, 2, 0, 0, 1, 0), Hard, []string{"select>3"}},
		{"line 9: a third condition is hard by line 15", sized(3, 3, 0, 0, 1, 0), Hard, nil},
		{"line 9: a group of one alone ends in line 18", sized(2, 2, 1, 0, 1, 0), Medium, nil},
		{"line 15: three columns in a group of one", sized(3, 2, 1, 0, 1, 0), Hard, nil},
		{"line 15: a group of two", sized(2, 2, 2, 0, 1, 0), Hard, nil},
		{"line 15: WITH", sized(2, 0, 0, 0, 1, 0, "WITH"), Hard, []string{"cte"}},
		{"line 15: a set operation", sized(1, 0, 0, 0, 1, 0, "EXCEPT"), Hard, []string{"set_op"}},
		{"line 15: a nested condition", nested(sized(1, 1, 0, 0, 1, 0)), Hard, []string{"nested"}},
		{"line 15 does not look at HAVING: a group of one with it", sized(2, 0, 1, 0, 1, 1), Medium, []string{"having"}},
		{"line 13: a group of three and HAVING", sized(1, 0, 3, 0, 1, 1), ExtraHard, []string{"group_by>2", "having"}},
		{"line 13: four columns and WITH", sized(4, 0, 0, 0, 1, 0, "WITH"), ExtraHard, []string{"select>3", "cte"}},
		{"line 13: four conditions, one nested", nested(sized(1, 4, 0, 0, 1, 0)), ExtraHard, []string{"where>3", "nested"}},
		{"line 13: four tables and a set operation", sized(1, 0, 0, 0, 4, 0, "UNION"), ExtraHard, []string{"set_op", "tables>3"}},
		{"line 12: all of them", nested(sized(4, 4, 3, 1, 4, 1, "INTERSECT", "WITH")), ExtraHard,
			[]string{"select>3", "where>3", "group_by>2", "nested", "set_op", "having", "cte", "tables>3"}},
	} {
		tier, signals := Complexity(c.c)
		if tier != c.tier || !slices.Equal(signals.Fired, c.fired) {
			t.Errorf("%s: %s %v, want %s %v", c.why, tier, signals.Fired, c.tier, c.fired)
		}
	}
}
