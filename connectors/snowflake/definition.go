package snowflake

import "github.com/badger-eval/badger/connectors/driver"

// identifiers is how names and texts are written.
var identifiers = driver.Identifiers{Quote: '"', Upper: true, Backslash: true}

// definition returns the statement that writes the definition of a table.
func definition(name ...string) string {
	d := driver.Dialect{Identifiers: identifiers}
	return "SELECT GET_DDL('TABLE', " + d.Literal(d.Identifier(name...)) + ") AS definition"
}
