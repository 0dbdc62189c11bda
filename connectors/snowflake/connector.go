package snowflake

import "github.com/badger-eval/badger/connectors/driver"

const exampleURL = "snowflake://ME@ACCOUNT/DATABASE/SCHEMA?warehouse=W&private_key_file=/run/secrets/key.p8"

// Connector is the connector of Snowflake.
var Connector = driver.Connector{
	Name: "snowflake", Schemes: []string{scheme}, Open: Open, Contacts: Contacts, Dialects: []driver.Dialect{Dialect},
	Examples: []driver.Example{
		{Title: "Snowflake", Key: "`snowflake://USER@ACCOUNT/…`", URL: exampleURL},
		{Title: "Snowflake, certificates looked up", Key: "`revocation=crl`", URL: exampleURL + "&revocation=crl"},
		{Title: "Snowflake, private link", Key: "`host=HOST`",
			URL: exampleURL + "&host=ACCOUNT.privatelink.snowflakecomputing.com"},
		{Title: "Snowflake, behind a proxy", Key: "`proxy=http://PROXY:3128`", URL: exampleURL + "&proxy=http://PROXY:3128"},
	},
	Place: 30,
}
