package duckdb

import "github.com/badger-eval/badger/connectors/driver"

// contacts lists no hosts; it is a [driver.Contacts]. The engine reads and writes files. It installs
// and loads no extension by itself, and those that reach the network are not among the ones that are
// linked in.
func contacts(rawURL string) ([]driver.Contact, error) {
	_, _, err := ParseURL(rawURL)
	return nil, err
}
