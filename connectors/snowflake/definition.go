package snowflake

import "github.com/badger-eval/badger/connectors/driver"

// identifiers are the rules for writing names and strings.
var identifiers = driver.Identifiers{Quote: '"', Upper: true, Backslash: true}

// definition returns the query for the definition of a table.
func definition(name ...string) string {
	d := driver.Dialect{Identifiers: identifiers}
	return "SELECT GET_DDL('TABLE', " + d.Literal(d.Identifier(name...)) + ") AS definition"
}
