package counterexample

import (
	"math"
	"strconv"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Dialects compute quotients and averages to different digits: as doubles, or as decimals of four digits and more.
// Sums of doubles depend on their order. If such a number is close to a bound, it may be on either side: the two
// variants take opposite sides.

// digits returns the tolerance of comparisons of inexact numbers and a factor. If two numbers differ relatively by at
// most close, the dialect may compare them differently, unless they are multiples of 1/grid, which are exact in every
// dialect.
func (c *transpiler) digits() (close, grid string) {
	if c.dialect == sqlparts.SQLite || c.dialect == sqlparts.DuckDB {
		return "1e-9", "1024"
	}
	return "1e-4", "10000"
}

// compareNumbers returns SQL for a comparison of two numbers. If one is inexact and they are close, the two variants
// return true and false.
func (c *transpiler) compareNumbers(op string, l, r expr) string {
	plain := "(" + l.sql + " " + op + " " + r.sql + ")"
	if !l.inexact && !r.inexact || c.learn || op == "IS NOT DISTINCT FROM" {
		return plain
	}
	c.open = true
	if !l.inexact {
		l, r, op = r, l, mirrored(op)
	}
	near, grid := c.digits()
	off := func(x expr) string { return x.sql + " * " + grid + " <> floor(" + x.sql + " * " + grid + ")" }
	unsure := off(l)
	if r.inexact {
		unsure = "(" + unsure + " OR " + off(r) + ")"
	}
	side := [2]string{"TRUE", "FALSE"}[c.variant]
	return "(CASE WHEN abs(" + l.sql + " - " + r.sql + ") <= " + near + " * (1 + abs(" + r.sql + ")) AND " + unsure +
		" THEN " + side + " ELSE " + l.sql + " " + op + " " + r.sql + " END)"
}

// nudged returns SQL for a double that is then truncated: a little larger in one variant and a little smaller in the
// other, unless it is a multiple of 1/grid, which is exact.
func (c *transpiler) nudged(x string) string {
	c.open = true
	near, grid := c.digits()
	sign := [2]string{" + ", " - "}[c.variant]
	return "(CASE WHEN " + x + " * " + grid + " = floor(" + x + " * " + grid + ") THEN " + x + " ELSE " + x + sign + near +
		" * (1 + abs(" + x + ")) END)"
}

// round returns SQL that rounds x to n decimal digits. Values exactly in the middle are rounded away from zero, if
// the dialect is known to do so and a double can represent them exactly. In other cases the two variants round them
// in opposite directions.
func (c *transpiler) round(x expr, n int) string {
	double := "CAST(" + x.sql + " AS DOUBLE)"
	plain := "round(" + double + ", " + strconv.Itoa(n) + ")"
	if c.dialect == sqlparts.DuckDB || c.learn || x.kind == Int {
		return plain
	}
	c.open = true
	power := strconv.FormatFloat(math.Pow10(n), 'f', 1, 64) + "::DOUBLE"
	shifted := "abs(" + double + ") * " + power
	middle := "abs(" + shifted + " - floor(" + shifted + ") - 0.5) < 1e-6"
	switch c.dialect {
	case sqlparts.SQLite, sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.Databricks, sqlparts.TSQL:
		exact := double + " * " + strconv.FormatFloat(math.Pow(2, float64(n+1)), 'f', 1, 64) + "::DOUBLE"
		if !x.inexact || c.dialect == sqlparts.SQLite {
			middle += " AND " + exact + " <> floor(" + exact + ")"
		}
	}
	up := [2]string{" + 1", ""}[c.variant]
	return "(CASE WHEN " + middle + " THEN sign(" + double + ") * (floor(" + shifted + ")" + up + ") / " + power +
		" ELSE " + plain + " END)"
}

// wholeAverage returns SQL for the average of integers truncated to an integer, as T-SQL and Redshift compute it. ok
// is false if the dialect, or this variant if that is uncertain, does not truncate.
func (c *transpiler) wholeAverage(x expr, distinct, tail string) (sql string, ok bool) {
	switch {
	case c.learn:
		return "", false
	case (c.dialect == sqlparts.TSQL || c.dialect == sqlparts.Redshift) && c.schema.Inferred && !x.counted &&
		len(x.near) > 0, c.dialect == sqlparts.Generic:
		c.open = true
		if c.variant == 0 {
			return "", false
		}
	case c.dialect != sqlparts.TSQL && c.dialect != sqlparts.Redshift:
		return "", false
	}
	return "CAST(trunc(CAST(sum(" + distinct + x.sql + ")" + tail + " AS DOUBLE) / nullif(count(" + distinct + x.sql +
		")" + tail + ", 0)) AS BIGINT)", true
}
