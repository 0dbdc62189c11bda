package driver

import (
	"strings"

	"github.com/badger-eval/badger/internal/columnar"
)

// Identifiers are the rules for writing names and strings in a warehouse's SQL.
type Identifiers struct {
	Quote     byte // encloses a quoted name: '"' or '`'; 0 is '"'
	Upper     bool // a name without quotes means its upper-case form
	Backslash bool // a backslash escapes the next character of a string literal
	Escape    bool // a backslash escapes the next character of a quoted name; otherwise a quote in it is doubled
}

// Identifier returns the parts joined by dots. A plain name is unchanged and matches in any case. Other names are
// quoted and exact: reserved words, and names with capitals (with Upper, with both cases), blanks, dots, quotes or
// letters beyond ASCII.
func (d Dialect) Identifier(parts ...string) string {
	out := make([]string, len(parts))
	for i, name := range parts {
		if out[i] = name; !d.Identifiers.plain(name) {
			out[i] = d.Identifiers.Quoted(name)
		}
	}
	return strings.Join(out, ".")
}

// Literal returns s as a string literal.
func (d Dialect) Literal(s string) string { return d.Identifiers.Literal(s) }

// Stored returns the form of a name in the warehouse's catalog: in upper case if names without quotes are.
func (d Dialect) Stored(name string) string {
	if d.Identifiers.Upper && d.Identifier(name) == name {
		return strings.ToUpper(name)
	}
	return name
}

// Quoted returns the name in quotes.
func (i Identifiers) Quoted(name string) string {
	q := i.quote()
	if i.Escape {
		return q + strings.NewReplacer(`\`, `\\`, q, `\`+q).Replace(name) + q
	}
	return q + strings.ReplaceAll(name, q, q+q) + q
}

// Literal returns s as a string literal.
func (i Identifiers) Literal(s string) string {
	if i.Backslash {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func (i Identifiers) quote() string {
	if i.Quote == 0 {
		return `"`
	}
	return string(i.Quote)
}

// plain reports whether name can be written without quotes and still means the same name.
func (i Identifiers) plain(name string) bool {
	if name == "" || reserved[strings.ToLower(name)] {
		return false
	}
	lower, upper := true, i.Upper
	for k := range len(name) {
		switch c := name[k]; {
		case c >= 'a' && c <= 'z':
			upper = false
		case c >= 'A' && c <= 'Z':
			lower = false
		case c == '_', c >= '0' && c <= '9' && k > 0:
		default:
			return false
		}
	}
	return lower || upper
}

// reserved are the words that at least one of the warehouses reserves, so that they need quotes as names.
var reserved = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
account aes128 aes256 all allowoverwrite alter analyse analyze and anti any array as asc assert_rows_modified asymmetric at authorization
backup between binary blanksasnull both by bytedict
case cast check collate collation column concurrently connect connection constraint contains create credentials cross cube current current_catalog
current_date current_role current_schema current_time current_timestamp current_user current_user_id
database default deferrable deflate define delete delta desc describe disable distinct do drop
else emptyasnull enable encode encrypt encryption end enum escape except exclude exists explain explicit extract
false fetch filter following for foreign freeze from full fulltext function
global globaldict256 globaldict64k grant group grouping groups gscluster gzip
hash having identity if ignore ilike in increment index initially inner insert intersect interval into is isnull issue
join key lambda language lateral leading left like limit localtime localtimestamp lookup lun luns lzo lzop
merge minus mod mostly16 mostly32 mostly8
natural new no not notnull null nullif nulls
of off offline offset oid old on online only open or order organization outer over overlaps
parallel partition percent permissions pivot placing preceding primary procedure proto
qualify range raw readratio recover recursive references regexp resort respect restore returning revoke right rlike rollup row rows
sample schema select semi session_user set similar snapshot some start struct symmetric sysdate system
table tablesample tag tdes text255 text32k then timestamp to top trailing treat trigger true truncatecolumns try_cast
unbounded union unique unnest unpivot update user using
values variadic verbose view wallet when whenever where window with within without`) {
		set[w] = true
	}
	return set
}()

// ArgumentType returns the SQL type of a function's argument.
func (d Dialect) ArgumentType(t columnar.Type) string { return typeOf(d.Arguments, d.Types, t) }

// ResultType returns the SQL type of a function's result.
func (d Dialect) ResultType(t columnar.Type) string { return typeOf(d.Results, d.Types, t) }

// inTables maps the types of functions' arguments and results to types of tables.
var inTables = [...]Type{columnar.VARCHAR: Text, columnar.JSON: JSON, columnar.DOUBLE: Double, columnar.BIGINT: BigInt,
	columnar.BOOLEAN: Boolean}

func typeOf(special, types map[Type]string, t columnar.Type) string {
	if s, ok := special[inTables[t]]; ok {
		return s
	}
	return types[inTables[t]]
}
