package store

import (
	"bytes"
	"encoding/json"

	"github.com/badger-eval/badger/connectors/driver"
)

// jsonMember returns an expression for a member of a JSON object in a column of badger's tables, as text: such as true
// or a number's digits; NULL if missing.
func jsonMember(d driver.Dialect, column, member string) string {
	if d.Member == nil {
		return "json_extract_string(" + column + ", '$." + member + "')"
	}
	return d.Member(column, member)
}

// jsonPart returns an expression for a member that is an array or an object, as JSON text, whose white space depends on
// the warehouse; NULL if missing.
func jsonPart(d driver.Dialect, column, member string) string {
	if d.Part == nil {
		return jsonMember(d, column, member)
	}
	return d.Part(column, member)
}

// day returns an expression for the day of an instant in UTC.
func day(d driver.Dialect, instant string) string {
	if d.Day == nil {
		return "CAST((" + instant + " AT TIME ZONE 'UTC') AS DATE)"
	}
	return d.Day(instant)
}

// contains returns a condition that a string contains another, by bytes.
func contains(d driver.Dialect, text, part string) string {
	if d.Contains == nil {
		return "POSITION(" + part + " IN " + text + ") > 0"
	}
	return d.Contains(text, part)
}

// jsonString returns a string as JSON.
func jsonString(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can always be encoded
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
