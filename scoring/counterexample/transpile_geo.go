package counterexample

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Geographies are points in a small database: for points, every function returns the same in all dialects. So
// nothing is found that only shapes with an area show.

// places are the points of generated geography columns, in the engine's text form.
var places = []string{"POINT(10.25 50.5)", "POINT(10.5 50.5)", "POINT(-73.98 40.75)", "POINT(-73.5 40.5)",
	"POINT(0.0 0.0)"}

// earth is the earth's radius for distances, in meters. The radii of the dialects differ by less than the tolerance
// of comparing results.
const earth = "6371009.4"

// place converts a value to a geography.
func (c *transpiler) place(x expr) expr {
	if c.learn {
		c.learnKind(x, Geo)
		return expr{sql: "''", kind: Geo, near: x.near}
	}
	switch x.kind {
	case Geo:
		return x
	case Null:
		return expr{sql: "CAST(NULL AS VARCHAR)", kind: Geo}
	}
	refuse("a geography made of what is none in a small database")
	return x
}

func longitude(x expr) string {
	return "CAST(split_part(substr(" + x.sql + ", 7), ' ', 1) AS DOUBLE)"
}

func latitude(x expr) string {
	return "CAST(rtrim(split_part(" + x.sql + ", ' ', 2), ')') AS DOUBLE)"
}

// pointAt returns the point at a longitude x and a latitude y. If they are out of range, evaluation fails, since
// dialects differ.
func (c *transpiler) pointAt(x, y expr) expr {
	if c.learn {
		for _, at := range []expr{x, y} {
			c.learnKind(at, Real)
			if at.column != nil {
				at.column.float = true
			}
		}
	}
	lon, lat := c.doubled(x), c.doubled(y)
	c.suggest(x, "10.25", "10.5", "-73.5")
	c.suggest(y, "50.5", "40.5")
	return expr{
		sql: "(CASE WHEN " + lon + " IS NULL OR " + lat + " IS NULL THEN NULL WHEN abs(" + lon + ") > 180 OR abs(" + lat +
			") > 90 THEN error('no place on the earth') ELSE 'POINT(' || CAST(" + lon +
			" AS VARCHAR) || ' ' || CAST(" + lat + " AS VARCHAR) || ')' END)",
		kind: Geo, near: both(x, y), coords: [2]coord{coordOf(x), coordOf(y)},
	}
}

// coord is a longitude or a latitude: a literal, or the columns that it is computed from.
type coord struct {
	literal string
	columns []*Column
}

func coordOf(x expr) coord {
	if x.literal != nil {
		return coord{literal: x.literal.Text}
	}
	return coord{columns: x.near}
}

// suggest records numbers as candidates for the values of the columns in x.
func (c *transpiler) suggest(x expr, numbers ...string) {
	for _, col := range x.near {
		for _, n := range numbers {
			c.values.hint(col, sqlparts.Literal{Kind: sqlparts.Number, Text: n})
		}
	}
}

// distance returns the distance of two points on a sphere, in meters.
func (c *transpiler) distance(x, y expr) expr {
	c.meet(x, y)
	x, y = c.place(x), c.place(y)
	lon, lat := "radians("+longitude(y)+" - "+longitude(x)+")", "radians("+latitude(y)+" - "+latitude(x)+")"
	sql := "(2 * " + earth + " * asin(least(1.0, sqrt(pow(sin(" + lat + " / 2), 2) + cos(radians(" + latitude(x) +
		")) * cos(radians(" + latitude(y) + ")) * pow(sin(" + lon + " / 2), 2)))))"
	if c.learn {
		sql = "0"
	}
	return expr{sql: sql, kind: Real, inexact: true, near: both(x, y)}
}

// meet records that two points are compared, so that generated values make them equal in some rows.
func (c *transpiler) meet(x, y expr) {
	for _, p := range [][2]expr{{x, y}, {y, x}} {
		for i, at := range p[0].coords {
			for _, col := range at.columns {
				if text := p[1].coords[i].literal; text != "" {
					c.values.hint(col, sqlparts.Literal{Kind: sqlparts.Number, Text: text})
					c.values.test(col, "=", text)
				}
			}
		}
	}
	if x.column != nil && y.column != nil && x.column.Kind == y.column.Kind {
		c.values.join(x.column, y.column)
	}
}

// geoFunctions returns the translators of geography functions of BigQuery and Snowflake, by name.
func geoFunctions() map[string]func(c *transpiler, args []expr) expr {
	of := func(n int, f func(c *transpiler, args []expr) expr) func(c *transpiler, args []expr) expr {
		return func(c *transpiler, args []expr) expr {
			if len(args) != n || c.dialect != sqlparts.BigQuery && c.dialect != sqlparts.Snowflake {
				return expr{}
			}
			return f(c, args)
		}
	}
	point := of(2, func(c *transpiler, args []expr) expr { return c.pointAt(args[0], args[1]) })
	same := of(2, func(c *transpiler, args []expr) expr { // for points, all these relations are equality
		c.meet(args[0], args[1])
		return expr{sql: "(" + c.place(args[0]).sql + " = " + c.place(args[1]).sql + ")", kind: Bool}
	})
	self := of(1, func(c *transpiler, args []expr) expr { return c.place(args[0]) })
	zero := of(1, func(c *transpiler, args []expr) expr {
		return expr{sql: "(CASE WHEN " + c.place(args[0]).sql + " IS NOT NULL THEN 0.0::DOUBLE END)", kind: Real}
	})
	return map[string]func(c *transpiler, args []expr) expr{
		"st_geogpoint": point, "st_point": point, "st_makepoint": point,
		"st_distance": of(2, func(c *transpiler, args []expr) expr { return c.distance(args[0], args[1]) }),
		"st_dwithin": of(3, func(c *transpiler, args []expr) expr {
			return expr{sql: c.compareNumbers("<=", c.distance(args[0], args[1]), c.numeric(args[2])), kind: Bool}
		}),
		"st_within": same, "st_contains": same, "st_intersects": same, "st_covers": same, "st_coveredby": same,
		"st_equals": same,
		"st_disjoint": of(2,
			func(c *transpiler, args []expr) expr { return expr{sql: "(NOT " + same(c, args).sql + ")", kind: Bool} }),
		"st_x": of(1,
			func(c *transpiler, args []expr) expr { return expr{sql: longitude(c.place(args[0])), kind: Real} }),
		"st_y":    of(1, func(c *transpiler, args []expr) expr { return expr{sql: latitude(c.place(args[0])), kind: Real} }),
		"st_area": zero, "st_length": zero, "st_perimeter": zero,
		"st_centroid": self, "st_geogfromwkb": self, "st_geographyfromwkb": self, "to_geography": self,
		"try_to_geography": self, "st_geogfromtext": self, "st_geogfromgeojson": self,
		"st_geographyfromtext": self, "st_geographyfromwkt": self,
		"st_intersection": of(2, func(c *transpiler, args []expr) expr {
			x, y := c.place(args[0]), c.place(args[1])
			return expr{
				sql: "(CASE WHEN " + x.sql + " = " + y.sql + " THEN " + x.sql + " WHEN " + x.sql + " IS NOT NULL AND " + y.sql +
					" IS NOT NULL THEN error('no place') END)", kind: Geo}
		}),
	}
}

// geography reports whether a declared type is GEOGRAPHY in a dialect that has it.
func geography(base string, d sqlparts.Dialect) bool {
	return strings.TrimSpace(base) == "geography" && (d == sqlparts.BigQuery || d == sqlparts.Snowflake)
}
