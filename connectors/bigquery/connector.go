package bigquery

import "github.com/badger-eval/badger/connectors/driver"

const exampleURL = "bigquery://PROJECT/DATASET?"

// Connector is the connector of Google BigQuery.
var Connector = driver.Connector{
	Name: "bigquery", Schemes: []string{Scheme}, Open: Open, Contacts: Contacts, Dialects: []driver.Dialect{Dialect},
	Examples: []driver.Example{
		{Title: "BigQuery, a token that something else renews", Key: "`token_file=FILE`",
			URL: exampleURL + "token_file=/run/secrets/token"},
		{Title: "BigQuery, a credentials file", Key: "`credentials_file=FILE`",
			URL: exampleURL + "credentials_file=/no/such/file"},
		{Title: "BigQuery, the machine's service account", Key: "`credentials=metadata`",
			URL: exampleURL + "credentials=metadata"},
		{Title: "BigQuery, acting as another account", Key: "`impersonate=ACCOUNT`",
			URL: exampleURL + "token_file=/run/secrets/token&impersonate=ACCOUNT"},
		{Title: "BigQuery, without the Storage API", Key: "`storage=off`",
			URL: exampleURL + "token_file=/run/secrets/token&storage=off"},
	},
	Place: 40,
}
