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
	// Inferred reports that no schema was stated: tables, columns and their kinds come from the two queries.
	Inferred bool

	unsure bool                            // the queries do not show to which table a column belongs
	views  []sqlparts.Name                 // names of views, which no search reads
	stated map[*sqlparts.Table]*Table      // by their definitions
	tables map[*sqlparts.BoundTable]*Table // by the tables that queries read; only if the schema is inferred
	bad    string                          // what of the DDL is not understood, whatever the table
	// pairs of joined columns, one of which is unique; only if the schema is inferred
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
	fixed   bool            // its fields are those that the schema states
	semi    bool            // a column may be a structure
	dotted  bool            // the name of a column has a point
	read    bool            // by a query
	checked []sqlparts.Expr // the checks of used columns
	oneNull bool            // NULL is a value to its keys, as in T-SQL
	bad     string          // what of its definition is not understood
}

// refuse notes what of the definition is not understood.
func (t *Table) refuse(what string) {
	if t.bad == "" {
		t.bad = what
	}
}

// Column is one column.
type Column struct {
	Name     string
	Declared string // the type as the DDL has it, in lower case; empty if it is not known
	NotNull  bool
	Kind     Kind // its values in the engine
	Shape    shape

	affinity affinity // SQLite's
	bad      string   // why its values cannot be carried into the engine; empty if they can
	used     bool     // a query reads it, or a constraint between used columns does
	float    bool     // learned: its numbers have a fraction, as those of floats
	variant  bool     // semi-structured: queries determine its fields
	dateLike bool     // its kind was inferred only from a comparison with the string of a date
	limit    *limit   // of its type; nil for none
	domain   *domain  // the values it is drawn from
	table    *Table
	at       int // its place among the used columns of its table
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

// Table finds a table by name, whatever its case.
func (s *Schema) Table(name string) *Table {
	for _, t := range s.Tables {
		if strings.EqualFold(t.Name, name) {
			return t
		}
	}
	return nil
}

// meansTable reports whether a name that ends in a wildcard, as BigQuery has it, means a table of another name,
// or another wildcard some of the same tables.
func meansTable(wildcard, name string) bool {
	prefix, ok := strings.CutSuffix(wildcard, "*")
	return ok && len(prefix) > 0 && strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix)) &&
		!strings.EqualFold(wildcard, name)
}

// nameOf is a qualified name as a sentence has it.
func nameOf(n sqlparts.Name) string {
	parts := make([]string, len(n))
	for i, id := range n {
		parts[i] = id.Text
	}
	return strings.Join(parts, ".")
}

// Column finds a column by name, whatever its case.
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

// usedColumns are the columns that the small database has.
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

// variants reports whether a column is semi-structured.
func (s *Schema) variants() bool {
	return slices.ContainsFunc(s.Tables, func(t *Table) bool {
		return slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.variant })
	})
}

// typed sets what follows from the declared type in the dialect.
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

// exact reports whether the dialect computes with decimals exactly. The engine's doubles do not.
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
	first, last string // as dates are written
	single      bool   // numbers are floats of four bytes
}

// limitOf is the limit of a declared type; nil if it has none that is known, and in SQLite, which
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

// holds reports whether a value keeps the limit.
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
