package databricks

import "github.com/badger-eval/badger/connectors/driver"

// identifiers are the rules for writing names and strings.
var identifiers = driver.Identifiers{Quote: '`', Backslash: true}

// definition returns the statement for the definition of a table.
func definition(name ...string) string {
	d := driver.Dialect{Identifiers: identifiers}
	return "SHOW CREATE TABLE " + d.Identifier(name...)
}
