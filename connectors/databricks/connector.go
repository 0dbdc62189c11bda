package databricks

import "github.com/badger-eval/badger/connectors/driver"

const exampleURL = "databricks://WORKSPACE.cloud.databricks.com?http_path=/sql/1.0/warehouses/ID&"

// Connector is the connector of Databricks SQL warehouses.
var Connector = driver.Connector{
	Name: "databricks", Schemes: []string{scheme}, Open: Open, Contacts: Contacts, Dialects: []driver.Dialect{Dialect},
	Examples: []driver.Example{
		{Title: "Databricks, a token", Key: "`token_file=FILE`", URL: exampleURL + "token_file=/run/secrets/token"},
		{Title: "Databricks, a service principal", Key: "`client_id=ID`",
			URL: exampleURL + "client_id=ID&client_secret_file=/run/secrets/secret"},
		{Title: "Databricks, without cloud storage", Key: "`cloud_fetch=false`",
			URL: exampleURL + "token_file=/run/secrets/token&cloud_fetch=false"},
	},
	Place: 50,
}
