package counterexample

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Schema holds the known tables of a database.
type Schema struct {
	Tables []*Table
	// Inferred reports whether no schema was stated, so that tables, columns and kinds are inferred from the two
	// queries.
	Inferred bool

	unsure bool                            // it was uncertain to which table a column belongs
	views  []sqlparts.Name                 // names of views; queries of them are refused
	stated map[*sqlparts.Table]*Table      // tables by their definitions
	tables map[*sqlparts.BoundTable]*Table // tables by the tables that queries read; only if the schema is inferred
	bad    string                          // unsupported DDL that may affect any table; else empty
	// pairs of joined columns: one column of each is unique in each database; only if the schema is inferred
	either [][2]*Column
}

// Table is one table with its constraints.
type Table struct {
	Name    string
	Columns []*Column
	Unique  [][]*Column // the primary key first; its columns are not NULL
	Foreign []Foreign
	Checks  []sqlparts.Expr

	arrays  []array         // the nested arrays of its rows
	element bool            // its rows are the elements of an array
	fixed   bool            // the schema declares all its fields
	semi    bool            // a column may be a structure
	dotted  bool            // a column name contains a point
	read    bool            // a query reads it
	checked []sqlparts.Expr // the checks of used columns
	oneNull bool            // a unique key may contain NULL only once, as in T-SQL
	bad     string          // description of a part of its definition that is not understood; else empty
}

// refuse records the first part of the definition that is not understood.
func (t *Table) refuse(what string) {
	if t.bad == "" {
		t.bad = what
	}
}

// Column is one column.
type Column struct {
	Name     string
	Declared string // the declared type in lower case; empty if it is not known
	NotNull  bool
	Kind     Kind // kind of its values in the engine
	Shape    shape

	affinity affinity // SQLite's type affinity
	bad      string   // why the engine cannot store its values; empty if they can
	used     bool     // a query or a constraint between used columns reads it
	float    bool     // inferred: its numbers have a fraction, as floats do
	variant  bool     // semi-structured: queries determine its fields
	dateLike bool     // its kind was inferred only from a comparison with the string of a date
	limit    *limit   // limits of its type; nil for none
	domain   *domain  // the values from which it is generated
	table    *Table
	at       int // index among the used columns of its table
}

// Foreign is a foreign key.
type Foreign struct {
	Columns []*Column
	To      *Table
	Target  []*Column
}

// shape is the form of the strings of a column.
type shape uint8

const (
	anyText shape = iota
	dateText
	timestampText
	timeText_
	numberText
)

// affinity is SQLite's type affinity.
type affinity uint8

const (
	noAffinity affinity = iota
	textAffinity
	numericAffinity // also INTEGER and REAL
)

// Table returns the table with a name, ignoring letter case, or nil.
func (s *Schema) Table(name string) *Table {
	for _, t := range s.Tables {
		if strings.EqualFold(t.Name, name) {
			return t
		}
	}
	return nil
}

// meansTable reports whether a wildcard table name of BigQuery, such as events_*, includes the table name, or the
// tables of another wildcard name.
func meansTable(wildcard, name string) bool {
	prefix, ok := strings.CutSuffix(wildcard, "*")
	return ok && len(prefix) > 0 && strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix)) &&
		!strings.EqualFold(wildcard, name)
}

// nameOf returns a qualified name with points between its parts.
func nameOf(n sqlparts.Name) string {
	parts := make([]string, len(n))
	for i, id := range n {
		parts[i] = id.Text
	}
	return strings.Join(parts, ".")
}

// Column returns the column with a name, ignoring letter case, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// key reports whether the column alone is a key of its table.
func (c *Column) key() bool {
	return slices.ContainsFunc(c.table.Unique, func(u []*Column) bool { return len(u) == 1 && u[0] == c })
}

// usedColumns returns the columns that the small database has, and sets their indexes.
func (t *Table) usedColumns() []*Column {
	var out []*Column
	for _, c := range t.Columns {
		if c.used {
			c.at = len(out)
			out = append(out, c)
		}
	}
	return out
}

// variants reports whether the schema has a semi-structured column.
func (s *Schema) variants() bool {
	return slices.ContainsFunc(s.Tables, func(t *Table) bool {
		return slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.variant })
	})
}

// typed sets the kind, limits and other properties that the declared type implies in the dialect.
func (c *Column) typed(d sqlparts.Dialect) {
	c.limit = limitOf(c.Declared, d)
	base, _, _ := strings.Cut(c.Declared, "(")
	base = strings.TrimSpace(base)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(base, w) })
	}
	temporal := func() bool {
		switch {
		case has("datetime", "timestamp"):
			c.Kind, c.Shape = Timestamp, timestampText
		case has("date"):
			c.Kind, c.Shape = Date, dateText
		default:
			return false
		}
		return true
	}
	if d == sqlparts.SQLite {
		switch {
		case has("int"):
			c.Kind, c.affinity = Int, numericAffinity
		case has("char", "clob", "text"):
			c.Kind, c.affinity = Text, textAffinity
		case has("blob") || base == "":
			c.Kind, c.affinity = Text, noAffinity
		case has("real", "floa", "double"):
			c.Kind, c.affinity = Real, numericAffinity
		case temporal():
			c.Kind, c.affinity = Text, numericAffinity // strings that are not numbers stay strings
		case base == "time":
			c.Kind, c.Shape, c.affinity = Text, timeText_, numericAffinity
		case has("bool", "bit"):
			c.Kind, c.affinity = Int, numericAffinity
		default:
			c.Kind, c.affinity = Real, numericAffinity
			if wholeNumber(c.Declared) {
				c.Kind = Int
			}
		}
		return
	}
	switch {
	case d == sqlparts.Snowflake && (base == "variant" || base == "object" || base == "array"):
		c.variant, c.table.semi = true, true
	case geography(base, d):
		c.Kind = Geo
	case has("interval", "point", "geography", "geometry", "variant", "json", "array", "struct", "map", "object", "blob",
		"bytea", "binary", "bytes", "vector", "tsvector", "enum", "<"):
		c.Kind, c.bad = Text, "values of type "+base
	case has("timestamptz", "timestamp_tz", "timestamp_ltz", "with time zone", "datetimeoffset"):
		c.Kind, c.bad = Timestamp, "timestamps with a time zone"
	case temporal():
	case base == "time" || strings.HasPrefix(base, "time "):
		c.Kind, c.bad = Text, "values of type time"
	case has("bool"):
		c.Kind = Bool
	case has("number", "numeric", "decimal", "dec"):
		c.Kind = Real
		if base == "number" && c.Declared == base || wholeNumber(c.Declared) {
			c.Kind = Int
		}
	case has("int", "serial", "year"):
		c.Kind = Int
	case has("real", "float", "double", "money"):
		c.Kind = Real
	case (base == "char" || base == "character" || base == "bpchar") &&
		(d == sqlparts.Postgres || d == sqlparts.Redshift || d == sqlparts.Databricks):
		c.Kind, c.bad = Text, "values of type "+base+", whose blanks at the end do not count"
	case has("char", "text", "string", "uuid", "enum", "clob", "name"), base == "":
		c.Kind = Text
	default:
		c.Kind, c.bad = Text, "values of type "+base
	}
}

// exact reports whether the dialect computes exactly with decimals, unlike the doubles of the engine.
func exact(d sqlparts.Dialect) bool {
	switch d {
	case sqlparts.Postgres, sqlparts.MySQL, sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.Databricks, sqlparts.TSQL:
		return true
	}
	return false
}

// limit holds the limits of a type's values: numbers from low to high, strings of a length, and dates from one to
// another.
type limit struct {
	low, high   float64
	length      int // in characters
	whole       bool
	first, last string // first and last date, as text
	single      bool   // numbers are single-precision floats
}

// limitOf returns the limits of a declared type. It returns nil for a type without known limits, and in SQLite, which
// enforces none.
func limitOf(declared string, d sqlparts.Dialect) *limit {
	if d == sqlparts.SQLite {
		return nil
	}
	base, args, _ := strings.Cut(strings.ReplaceAll(declared, " ", ""), "(")
	args, after, _ := strings.Cut(args, ")")
	base += after
	first, second, _ := strings.Cut(args, ",")
	digits, err := strconv.Atoi(first)
	scale, _ := strconv.Atoi(second)
	l := &limit{low: math.Inf(-1), high: math.Inf(1), length: math.MaxInt, first: "0001-01-01", last: "9999-12-31"}
	has := func(word string) bool { return strings.Contains(base, word) }
	bits := 0
	switch {
	case has("numeric"), has("decimal"), has("number"), base == "dec":
		l.whole = exact(d)
		if err == nil {
			l.high = math.Pow10(max(0, digits-scale)) - 1
			l.low = -l.high
		}
	case has("char"), has("string"), has("text"):
		if err == nil {
			l.length = digits
		} else if base == "char" || base == "character" || base == "nchar" {
			l.length = 1
		}
	case has("tinyint"):
		bits = 8
	case has("smallint"), has("smallserial"), has("int2"):
		bits = 16
	case has("mediumint"):
		bits = 24
	case has("bigint"), has("bigserial"), has("int8"):
		bits = 63
	case has("int"), has("serial"):
		if bits = 32; d == sqlparts.BigQuery || d == sqlparts.Snowflake {
			bits = 63
		}
	case has("float4"), base == "real",
		base == "float" &&
			(d == sqlparts.MySQL || d == sqlparts.Databricks || d == sqlparts.DuckDB || err == nil && digits <= 24):
		l.single = true
	case has("year"):
		l.low, l.high = 1901, 2155
	case has("smallmoney"):
		l.low, l.high = -214_748, 214_748
	case has("money"):
		l.low, l.high = -9e14, 9e14
	case d == sqlparts.TSQL && has("smalldatetime"):
		l.first, l.last = "1900-01-01", "2079-06-06"
	case d == sqlparts.TSQL && base == "datetime":
		l.first = "1753-01-01"
	case d == sqlparts.MySQL && has("timestamp"):
		l.first, l.last = "1970-01-02", "2038-01-19"
	case d == sqlparts.MySQL:
		l.first = "1000-01-01"
	}
	if bits > 0 {
		l.high = math.Pow(2, float64(bits-1)) - 1
		l.low = -l.high - 1
		if has("tinyint") && d == sqlparts.TSQL {
			l.low, l.high = 0, 255
		}
	}
	if has("unsigned") || has("zerofill") || strings.HasPrefix(base, "u") && bits > 0 {
		l.low = 0
	}
	return l
}

// holds reports whether a value is within the limits. A nil limit allows every value.
func (l *limit) holds(v Value) bool {
	switch {
	case l == nil:
		return true
	case v.Kind == Int:
		return float64(v.Int) >= l.low && float64(v.Int) <= l.high
	case v.Kind == Real:
		return v.Real >= l.low && v.Real <= l.high && (!l.whole || v.Real == math.Trunc(v.Real)) &&
			(!l.single || float64(float32(v.Real)) == v.Real)
	case v.Kind == Text:
		return utf8.RuneCountInString(v.Text) <= l.length
	case v.Kind == Date, v.Kind == Timestamp:
		return v.Text >= l.first && v.Text < l.last
	}
	return true
}

// wholeNumber reports whether a decimal type has a precision and no decimal digits.
func wholeNumber(declared string) bool {
	_, args, ok := strings.Cut(strings.ReplaceAll(declared, " ", ""), "(")
	return ok && (!strings.Contains(args, ",") || strings.HasSuffix(args, ",0)"))
}
