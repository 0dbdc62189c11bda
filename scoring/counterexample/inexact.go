package counterexample

import (
	"math"
	"strconv"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Dialects compute quotients and averages to different digits: as doubles, or as decimals of four digits and more.
// Sums of doubles depend on their order. If such a number is close to a bound, it may be on either side: the two
// variants take opposite sides.

// digits is how close a number has to be to another one, relative to that, so that the dialect may
// tell otherwise how they compare, and of what numbers are multiples that are sure.
func (c *carrier) digits() (close, grid string) {
	if c.dialect == sqlparts.SQLite || c.dialect == sqlparts.DuckDB {
		return "1e-9", "1024"
	}
	return "1e-4", "10000"
}

// compareNumbers compares two numbers.
func (c *carrier) compareNumbers(op string, l, r expr) string {
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

// nudged is a double that is rounded down or up: a little more or less than it is, unless it is sure.
func (c *carrier) nudged(x string) string {
	c.open = true
	near, grid := c.digits()
	sign := [2]string{" + ", " - "}[c.variant]
	return "(CASE WHEN " + x + " * " + grid + " = floor(" + x + " * " + grid + ") THEN " + x + " ELSE " + x + sign + near +
		" * (1 + abs(" + x + ")) END)"
}

// round rounds to the given number of decimal digits. Values in the middle are rounded away from zero, if a double
// can be exactly in the middle and the dialect is known to do so. In Postgres and MySQL it depends on the type, and
// for other doubles on how the dialect multiplies: both are left open.
func (c *carrier) round(x expr, n int) string {
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

// wholeAverage returns the average of whole numbers where a dialect truncates it to one: in T-SQL and in Redshift,
// unless a column of an inferred schema may hold fractions. ok is false if it is a fraction.
func (c *carrier) wholeAverage(x expr, distinct, tail string) (sql string, ok bool) {
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
