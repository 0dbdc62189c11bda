package sqlite

import "github.com/badger-eval/badger/connectors/driver"

// Connector is the connector of SQLite's database files.
var Connector = driver.Connector{
	Name: "sqlite", Schemes: []string{Scheme}, Open: Open, Contacts: Contacts,
	Examples: []driver.Example{
		{Title: "SQLite", Key: "`sqlite:FILE`", URL: "sqlite:FILE"},
	},
	Place: 11,
}

// Contacts lists no hosts; it is a [driver.Contacts]. The engine reads files and has no code that reaches a network.
func Contacts(rawURL string) ([]driver.Contact, error) {
	_, err := ParseURL(rawURL)
	return nil, err
}
