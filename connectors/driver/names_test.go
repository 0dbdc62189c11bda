package driver_test

import (
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
)

func TestIdentifiersAndLiterals(t *testing.T) {
	for _, tc := range []struct {
		why         string
		identifiers driver.Identifiers
		names       []string
		want        string
	}{
		{"a plain name", driver.Identifiers{}, []string{"badger"}, "badger"},
		{"joined", driver.Identifiers{}, []string{"a", "b_1", "_c"}, "a.b_1._c"},
		{"a reserved word", driver.Identifiers{}, []string{"select"}, `"select"`},
		{"capitals, where plain names are lower case", driver.Identifiers{}, []string{"Badger", "BADGER"}, `"Badger"."BADGER"`},
		{"capitals, where plain names are upper case", driver.Identifiers{Upper: true}, []string{"Badger", "BADGER", "badger"}, `"Badger".BADGER.badger`},
		{"a digit first", driver.Identifiers{}, []string{"1a"}, `"1a"`},
		{"nothing", driver.Identifiers{}, []string{""}, `""`},
		{"quotes", driver.Identifiers{}, []string{`a"b`}, `"a""b"`},
		{"backquotes", driver.Identifiers{Quote: '`'}, []string{"a`b", `a"b`}, "`a``b`.`a\"b`"},
		{"escaped backquotes", driver.Identifiers{Quote: '`', Escape: true}, []string{"a`b\\"}, "`a\\`b\\\\`"},
		{"a point and a letter beyond ASCII", driver.Identifiers{}, []string{"a.b", "ü"}, `"a.b"."ü"`},
	} {
		if got := (driver.Dialect{Identifiers: tc.identifiers}).Identifier(tc.names...); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
		}
	}
	for _, tc := range []struct {
		backslash  bool
		text, want string
	}{
		{false, `it's a \n`, `'it''s a \n'`},
		{true, `it's a \n`, `'it\'s a \\n'`},
		{true, "a\nb\r", `'a\nb\r'`},
		{true, "", `''`},
	} {
		if got := (driver.Dialect{Identifiers: driver.Identifiers{Backslash: tc.backslash}}).Literal(tc.text); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.text, got, tc.want)
		}
	}
}

func TestStored(t *testing.T) {
	for _, tc := range []struct {
		upper      bool
		name, want string
	}{
		{true, "badger", "BADGER"},
		{true, "Badger", "Badger"}, // quoted, so exact
		{true, "order", "order"},   // a reserved word is quoted
		{false, "badger", "badger"},
	} {
		if got := (driver.Dialect{Identifiers: driver.Identifiers{Upper: tc.upper}}).Stored(tc.name); got != tc.want {
			t.Errorf("upper %v, %s: %s, want %s", tc.upper, tc.name, got, tc.want)
		}
	}
}
