package sql

import (
	"bytes"
	"encoding/json"

	"github.com/badger-eval/badger/connectors/driver"
)

// jsonMember is a member of a JSON object in a column of badger's tables, as text: a number's digits,
// true or false. It is NULL where there is none.
func jsonMember(d driver.Dialect, column, member string) string {
	switch d.Name {
	case "postgres":
		return "(" + column + " ->> '" + member + "')"
	case "snowflake":
		return "CAST(GET(" + column + ", '" + member + "') AS VARCHAR)"
	case "bigquery":
		return "JSON_VALUE(" + column + ", '$." + member + "')"
	case "databricks":
		return "get_json_object(" + column + ", '$." + member + "')"
	case "redshift":
		return "JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(" + column + "), '" + member + "')"
	}
	return "json_extract_string(" + column + ", '$." + member + "')"
}

// jsonPart is a member of a JSON object that is an array or an object, as JSON text. Warehouses
// differ in its white space. It is NULL where there is none.
func jsonPart(d driver.Dialect, column, member string) string {
	switch d.Name {
	case "snowflake":
		return "TO_JSON(GET(" + column + ", '" + member + "'))"
	case "bigquery":
		return "JSON_QUERY(" + column + ", '$." + member + "')"
	}
	return jsonMember(d, column, member)
}

// day is the day of an instant, in UTC.
func day(d driver.Dialect, column string) string {
	switch d.Name {
	case "snowflake":
		return "CAST(CONVERT_TIMEZONE('UTC', " + column + ") AS DATE)"
	case "bigquery", "databricks": // BigQuery takes UTC, Databricks the session's time zone, which is UTC unless it was set
		return "CAST(" + column + " AS DATE)"
	}
	return "CAST((" + column + " AT TIME ZONE 'UTC') AS DATE)"
}

// jsonString is a text as it stands in JSON.
func jsonString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text always can be
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
