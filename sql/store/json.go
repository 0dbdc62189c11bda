package store

import (
	"bytes"
	"encoding/json"

	"github.com/badger-eval/badger/connectors/driver"
)

// jsonMember is a member of a JSON object in a column of badger's tables, as text: a number's digits,
// true or false. It is NULL if there is none.
func jsonMember(d driver.Dialect, column, member string) string {
	if d.Member == nil {
		return "json_extract_string(" + column + ", '$." + member + "')"
	}
	return d.Member(column, member)
}

// jsonPart is a member of a JSON object that is an array or an object, as JSON text. Warehouses
// differ in its white space. It is NULL if there is none.
func jsonPart(d driver.Dialect, column, member string) string {
	if d.Part == nil {
		return jsonMember(d, column, member)
	}
	return d.Part(column, member)
}

// day is the day of an instant, in UTC.
func day(d driver.Dialect, instant string) string {
	if d.Day == nil {
		return "CAST((" + instant + " AT TIME ZONE 'UTC') AS DATE)"
	}
	return d.Day(instant)
}

// contains is an expression for whether a string contains another, by its bytes.
func contains(d driver.Dialect, text, part string) string {
	if d.Contains == nil {
		return "POSITION(" + part + " IN " + text + ") > 0"
	}
	return d.Contains(text, part)
}

// jsonString returns a string as it is in JSON.
func jsonString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text always can be
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
