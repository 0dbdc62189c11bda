package sqlite

import "github.com/badger-eval/badger/connectors/driver"

// Connector is the connector of SQLite's database files.
var Connector = driver.Connector{
	Name: "sqlite", Schemes: []string{scheme}, Open: Open, Contacts: contacts,
	Examples: []driver.Example{
		{Title: "SQLite", Key: "`sqlite:FILE`", URL: "sqlite:FILE"},
	},
	Place: 11,
}

// contacts lists no hosts; it is a [driver.Contacts]. The engine only reads files, and contains no network code.
func contacts(rawURL string) ([]driver.Contact, error) {
	_, err := parseURL(rawURL)
	return nil, err
}
