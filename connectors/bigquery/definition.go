package bigquery

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
)

// identifiers are the rules for writing names and strings.
var identifiers = driver.Identifiers{Quote: '`', Backslash: true, Escape: true}

// definition returns the query for the definition of a table. A table without a dataset is in the default dataset.
func definition(name ...string) string {
	d := driver.Dialect{Identifiers: identifiers}
	n := len(name) - 1
	return "SELECT ddl AS definition FROM " + strings.TrimPrefix(d.Identifier(name[:n]...)+".", ".") +
		"INFORMATION_SCHEMA.TABLES WHERE table_name = " + d.Literal(name[n])
}
