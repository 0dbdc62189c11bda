package mysql

import (
	"github.com/badger-eval/badger/connectors/driver"
)

// Connector is the connector of MySQL and MariaDB.
var Connector = driver.Connector{
	Name: "mysql", Schemes: []string{scheme, schemeMariaDB}, Open: Open, Contacts: contacts,
	Examples: []driver.Example{
		{Title: "MySQL, MariaDB", Key: "`mysql://USER@HOST/DATABASE`", URL: "mysql://USER@HOST/DATABASE"},
	},
	Place: 29,
}

// contacts lists the server; it is a [driver.Contacts]. A Unix socket is not listed.
func contacts(rawURL string) ([]driver.Contact, error) {
	a, err := parseURL(rawURL)
	if err != nil || a.socket != "" {
		return nil, err
	}
	return []driver.Contact{
		{Host: a.host, Port: a.port, Why: "the MySQL or MariaDB server: sign-in and statements"},
	}, nil
}
