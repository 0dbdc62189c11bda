package driver_test

import (
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
)

func TestAllowed(t *testing.T) {
	for _, tc := range []struct {
		pattern, ref string
		want         bool
	}{
		{"gold.*", "table:gold.one", true},
		{"gold.*", "table:GOLD.One", true},
		{"gold.*", `table:gold."One two"`, true},
		{"gold.*", "table:gold.one@12", true},
		{"gold.*", "table:golden.one", false},
		{"gold.*", "table:one", false},
		{"gold.*", "table:other.gold.one", false},
		{"gold.*", `table:"gold".one`, false}, // another schema, where names without quotes mean GOLD
		{`"Gold".*`, `table:"Gold".one`, true},
		{`"Gold".*`, `table:"gold".one`, false},
		{`"Gold".*`, "table:gold.one", false},
		{"lake.gold.*", "table:lake.gold.one", true},
		{"lake.gold.*", "table:gold.one", false},
		{"gold.one", "table:gold.one", true},
		{"gold.one", "table:gold.two", false},
		{"one", "table:one", true},
		{"one", `table:"one"`, false}, // a name that DuckDB could take for a file has quotes
		{"*", "table:one", true},
		{"*", "table:gold.one", false},
		{"gold.*", "query:gold.one", false},
	} {
		a, err := driver.ParseAllowed([]string{"never.this", tc.pattern})
		if err != nil {
			t.Fatalf("%s: %v", tc.pattern, err)
		}
		r, err := driver.ParseRef(tc.ref)
		if err != nil {
			t.Fatalf("%s: %v", tc.ref, err)
		}
		if got := a.Allows(r); got != tc.want {
			t.Errorf("%s allows %s: %v, want %v", tc.pattern, tc.ref, got, tc.want)
		}
	}
	for _, wrong := range []string{"", "gold.", "gold.x*", "g*.x", "*.x", "a.b.c.d", "gold.*; DROP", `"gold.*`, "**"} {
		if a, err := driver.ParseAllowed([]string{wrong}); err == nil {
			t.Errorf("%q is %v, want an error", wrong, a)
		}
	}
}
