package metric

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// The lists of functions: one file of harmless ones a dialect, common.txt for all, and dangers.txt.
// The names are those of the vendors' function references and of the engines' own catalogues.
//
//go:embed sql_functions
var functionFiles embed.FS

// functionLists classify the functions of one dialect, by lower-case name.
type functionLists struct {
	dialect  sqlparts.Dialect
	harmless map[string]bool   // functions that compute, or read what the user may see anyway
	dangers  map[string]string // label of a function's effect other than computing
}

// relatives are the dialects whose harmless functions another dialect also has.
var relatives = map[sqlparts.Dialect][]sqlparts.Dialect{
	sqlparts.Redshift: {sqlparts.Postgres},
	sqlparts.Generic: {
		sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.Databricks, sqlparts.Redshift, sqlparts.Postgres, sqlparts.DuckDB,
		sqlparts.SQLite,
		sqlparts.MySQL, sqlparts.TSQL,
	},
}

var functionsByDialect = sync.OnceValue(func() map[sqlparts.Dialect]*functionLists {
	all := map[sqlparts.Dialect]*functionLists{}
	for d := sqlparts.Generic; d <= sqlparts.TSQL; d++ {
		f := &functionLists{dialect: d, harmless: map[string]bool{}, dangers: map[string]string{}}
		own := f.add(d.String())
		for _, r := range relatives[d] {
			f.add(r.String())
		}
		f.add("common")
		eachLine("absent", func(line string) {
			for i, name := range strings.Fields(line) {
				if i == 0 && name != d.String() {
					return
				}
				if !own[name] {
					delete(f.harmless, name)
				}
			}
		})
		eachLine("dangers", func(line string) {
			fields := strings.Fields(line)
			label, dialects := fields[0], strings.Split(fields[1], ",")
			for _, name := range fields[2:] {
				if dialects[0] != "*" && !slices.Contains(dialects, d.String()) || dialects[0] == "*" && own[name] {
					continue
				}
				f.dangers[name] = label
			}
		})
		all[d] = f
	}
	return all
})

// add adds the harmless functions in a file to the list and returns their names. It returns none for a dialect
// without a file.
func (f *functionLists) add(file string) map[string]bool {
	own := map[string]bool{}
	eachLine(file, func(line string) {
		for name := range strings.FieldsSeq(line) {
			own[name], f.harmless[name] = true, true
		}
	})
	return own
}

// eachLine calls f with each line of a list, except for blank lines and comments.
func eachLine(file string, f func(line string)) {
	text, err := functionFiles.ReadFile(path.Join("sql_functions", file+".txt"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			f(line)
		}
	}
}

// builtinSchemas are prefixes of built-in functions, which are looked up by the name after them.
var builtinSchemas = []string{"pg_catalog.", "safe.", "builtin.", "system.builtin.", "information_schema.", "sys.",
	"main."}

// rowsFrom is the function name in the tree of PostgreSQL's ROWS FROM (f(x), …).
const rowsFrom = "rows from"

// function returns the effect of calling a function: safe, a danger, or dangerUnknown if it is on no list.
func (f *functionLists) function(name sqlparts.Name) string {
	full, last := functionName(name), strings.ToLower(name.Last().Text)
	if f.another(name) {
		return cmp.Or(f.dangers[full], f.dangers[last], dangerUnknown)
	}
	if d := cmp.Or(f.dangers[full], f.dangers[last]); d != "" {
		return d
	}
	if full == rowsFrom || f.harmless[full] || len(name) > 1 && f.harmless["."+last] {
		return safe
	}
	for _, schema := range builtinSchemas {
		if rest, ok := strings.CutPrefix(full, schema); ok && f.harmless[rest] {
			return safe
		}
	}
	return dangerUnknown
}

// grammarNames are the names that PostgreSQL's grammar treats specially and that, if quoted, are names of other
// functions.
var grammarNames = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	eachLine("keywords", func(line string) {
		for name := range strings.FieldsSeq(line) {
			m[name] = true
		}
	})
	return m
})

// another reports whether a quoted name differs from the built-in function that it would be without quotes, because
// of its letter case or because the unquoted name is one of grammarNames.
func (f *functionLists) another(name sqlparts.Name) bool {
	for _, part := range name {
		lower, upper := strings.ToLower(part.Text) == part.Text, strings.ToUpper(part.Text) == part.Text
		switch f.dialect {
		case sqlparts.Postgres, sqlparts.Redshift:
			if part.Quoted && (!lower || grammarNames()[part.Text]) {
				return true
			}
		case sqlparts.Snowflake:
			if part.Quoted && !upper {
				return true
			}
		case sqlparts.Generic:
			if part.Quoted && !lower {
				return true
			}
		}
	}
	return false
}

func functionName(name sqlparts.Name) string {
	parts := make([]string, len(name))
	for i, p := range name {
		parts[i] = strings.ToLower(p.Text)
	}
	return strings.Join(parts, ".")
}
