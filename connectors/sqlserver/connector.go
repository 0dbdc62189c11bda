package sqlserver

import (
	"github.com/badger-eval/badger/connectors/driver"
)

// Connector is the connector of SQL Server, Azure SQL and warehouses of Microsoft Fabric.
var Connector = driver.Connector{
	Name: "sqlserver", Schemes: []string{scheme}, Open: Open, Contacts: contacts,
	Examples: []driver.Example{
		{Title: "SQL Server, Azure SQL", Key: "`sqlserver://USER@HOST/DATABASE`", URL: "sqlserver://USER@HOST/DATABASE"},
		{Title: "Microsoft Fabric", Key: "`token_file=FILE`",
			URL: "sqlserver://NAME.datawarehouse.fabric.microsoft.com/WAREHOUSE?token_file=FILE"},
	},
	Place: 31,
}

// contacts lists the server; it is a [driver.Contacts].
func contacts(rawURL string) ([]driver.Contact, error) {
	a, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	out := []driver.Contact{{Host: a.host, Port: a.port, Why: "the SQL Server: sign-in and statements"}}
	if !driver.Loopback(a.host) {
		out = append(out, driver.Contact{Port: a.port, Why: "the server that the first one names", When: "if it redirects, such as Azure SQL with the connection policy Redirect, and Fabric",
			Learn: "the reply of the first one names it; Azure SQL uses the ports 11000 to 11999 instead, and its documentation lists the addresses of a region"})
	}
	return out, nil
}
