package driver

import "testing"

func TestHoldsSecret(t *testing.T) {
	for text, want := range map[string]bool{
		"postgres://u:pw@db.example.com/d":                                     true,
		"postgres://u:p/w@db.example.com/d":                                    true,
		"postgres://db.example.com/d?password=pw":                              true,
		"postgres://db.example.com/d?p%61ssword=pw":                            true,
		"databricks://token:dapi123@dbc.cloud.databricks.com/c":                true,
		"databricks://dapi123@dbc.cloud.databricks.com/c":                      true,
		"snowflake://u:pw@org-account/db":                                      true,
		"snowflake:///db?password=pw":                                          true,
		"snowflake:///db?proxy=http%3A%2F%2Fu%3Apw%40proxy%3A3128":             true,
		"bigquery://u:pw@project/dataset":                                      true,
		"https://key@models.example.com/v1":                                    true,
		"https://models.example.com/v1?api_key=k":                              true,
		"duckdb:file.db?motherduck_token=t":                                    true,
		"HTTPS://u:pw@models.example.com":                                      true,
		"":                                                                     false,
		"badger":                                                               false,
		"postgres://u@db.example.com:5432/d?sslmode=verify-full&passfile=/a/b": false,
		"postgres://u@db.example.com/d?sslkey=/a/key.pem&sslcert=/a/cert.pem":  false,
		"snowflake://u@org-account/db?private_key_file=/a/key&auth=keypair":    false,
		"snowflake:///db?password_env=PW&role=KEEPER":                          false,
		"postgres://u@h/db?password_command=tool+--for+h":                      false,
		"bigquery://project/dataset?credentials=metadata":                      false,
		"databricks://dbc.cloud.databricks.com/c?client_id=i&token_file=/a/t":  false,
		"https://models.example.com/v1/@cf/model:8":                            false,
		"arn:aws:iam::123456789012:role/badger":                                false,
	} {
		if got := HoldsSecret(text); got != want {
			t.Errorf("HoldsSecret(%q) = %v", text, got)
		}
	}
}
