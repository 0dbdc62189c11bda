package duckdb

import "github.com/badger-eval/badger/connectors/driver"

// contacts returns no hosts; it is a [driver.Contacts]. The engine only reads and writes files. It installs and loads
// no extensions by itself, and no extension that uses the network is linked in.
func contacts(rawURL string) ([]driver.Contact, error) {
	_, _, err := ParseURL(rawURL)
	return nil, err
}
