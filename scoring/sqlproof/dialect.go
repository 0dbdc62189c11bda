package sqlproof

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// rules provides the facts that differ by dialect.
type rules struct {
	sqlparts.Dialect
}

// fold returns [sqlparts.Dialect.Fold] of an identifier. table reports whether it names a table.
func (r rules) fold(id sqlparts.Ident, table bool) string { return r.Fold(id, table) }

// nulls returns the position of NULLs in an order if the query does not state it: first, last, or "" if unknown.
func (r rules) nulls(desc bool) string {
	switch r.Dialect {
	case sqlparts.Postgres, sqlparts.Redshift, sqlparts.Snowflake:
		if desc {
			return "first"
		}
		return "last"
	case sqlparts.DuckDB:
		return "last"
	case sqlparts.SQLite, sqlparts.MySQL, sqlparts.BigQuery, sqlparts.TSQL, sqlparts.Databricks:
		if desc {
			return "last"
		}
		return "first"
	}
	return ""
}

// total reports whether of any two values that are not NULL one is less or both are equal. With IEEE comparison of NaN
// this is false.
func (r rules) total() bool { return r.Dialect != sqlparts.BigQuery && r.Dialect != sqlparts.Generic }

// adds reports whether + is only addition. In T-SQL it also concatenates strings.
func (r rules) adds() bool { return r.Dialect != sqlparts.TSQL && r.Dialect != sqlparts.Generic }

// typeName returns one name for all names of a type in the dialect, with its size.
func (r rules) typeName(t string) string {
	base, args, _ := strings.Cut(strings.ToLower(strings.TrimSpace(t)), "(")
	base = strings.TrimSpace(base)
	rest := ""
	if args != "" {
		inside, after, _ := strings.Cut(args, ")")
		args = "(" + strings.ReplaceAll(inside, " ", "") + ")"
		rest = strings.TrimSpace(after)
	}
	if rest != "" {
		base += " " + rest
	}
	switch base {
	case "int", "integer":
		base = "int"
	case "dec", "decimal", "numeric":
		base = "decimal"
	case "boolean", "bool":
		base = "bool"
	case "character varying", "char varying":
		base = "varchar"
	case "character":
		base = "char"
	case "timestamp without time zone":
		base = "timestamp"
	case "timestamp with time zone":
		base = "timestamptz"
	case "time without time zone":
		base = "time"
	}
	switch r.Dialect {
	case sqlparts.Postgres, sqlparts.Redshift, sqlparts.DuckDB:
		switch base {
		case "int4":
			base = "int"
		case "int8":
			base = "bigint"
		case "int2":
			base = "smallint"
		case "double precision", "float8":
			base = "double"
		case "float4":
			base = "real"
		case "text", "string":
			if args == "" {
				base = "varchar"
			}
		}
	case sqlparts.Snowflake:
		switch base {
		case "number":
			base = "decimal"
		case "text", "string":
			base = "varchar"
		case "double precision", "float8", "float4", "float", "real":
			base = "double"
		}
		if base == "decimal" && args == "(38,0)" || base == "decimal" && args == "(38)" {
			args = ""
		}
	case sqlparts.SQLite:
		args = "" // SQLite casts to one of five affinities
		switch {
		case strings.Contains(base, "int"):
			base = "int"
		case strings.Contains(base, "char"), strings.Contains(base, "clob"), strings.Contains(base, "text"):
			base = "text"
		case strings.Contains(base, "blob"):
			base = "blob"
		case strings.Contains(base, "real"), strings.Contains(base, "floa"), strings.Contains(base, "double"):
			base = "real"
		default:
			base = "decimal"
		}
	case sqlparts.BigQuery:
		switch base {
		case "int":
			base = "int64"
		case "float":
			base = "float64"
		}
	case sqlparts.Databricks:
		switch base {
		case "varchar":
		case "long":
			base = "bigint"
		}
	}
	return base + args
}

// volatileWords are parts of names of functions that may return a different value with each call.
var volatileWords = []string{"rand", "uuid", "newid", "nextval", "lastval", "currval", "newsequentialid",
	"clock_timestamp", "timeofday", "sysdate", "setseed", "sleep", "last_insert"}

// volatile reports whether a function may return a different value with each call, judged by its name.
func volatile(name string) bool {
	for _, w := range volatileWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return strings.HasPrefix(name, "seq")
}

// namesColumns are functions whose string or pattern argument selects columns to read.
var namesColumns = map[string]bool{"identifier": true, "columns": true, "unpack": true, "exclude": true}

// orderFree are aggregates whose value does not depend on the order of the rows.
var orderFree = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`sum count avg min max mean median stddev stddev_pop stddev_samp stdev stdevp std variance var_pop var_samp varp var bool_and bool_or every some
		logical_and logical_or booland_agg boolor_agg bit_and bit_or bit_xor countif count_if count_big approx_count_distinct approx_distinct hll percentile_cont percentile_disc
		quantile_cont quantile_disc corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count grouping grouping_id try_sum try_avg sum_distinct`) {
		m[n] = true
	}
	return m
}()

// ordered reports whether the value of a function call may depend on the order of rows. It is true for any unknown
// function.
func (r rules) ordered(x *expr) bool {
	return x.op == opCall && !orderFree[x.text] && !scalar(x.text, r.Dialect)
}

// frameless are window functions that read their whole partition regardless of their frame.
var frameless = map[string]bool{"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true,
	"cume_dist": true, "ntile": true, "lag": true, "lead": true}

// frame returns the frame of a window function, or "" if it has the same effect as the default frame. ordered reports
// whether the window has ORDER BY.
func (r rules) frame(function, frame string, ordered bool) string {
	if frame == "" {
		return ""
	}
	if own := r.DefaultFrame(function); own != "" {
		if frame == own {
			return ""
		}
		return frame
	}
	if frameless[function] && r.Dialect != sqlparts.DuckDB { // DuckDB lets a frame limit some of them
		return ""
	}
	if ordered && frame == "range between unbounded preceding and current row" ||
		!ordered && frame == "rows between unbounded preceding and unbounded following" {
		return ""
	}
	return frame
}
