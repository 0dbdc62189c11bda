//go:build !no_duckdb && !no_postgres

package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A value of --set holds whatever a name may hold, and the choices fit a terminal.
func TestInstallValues(t *testing.T) {
	out, _ := must(t, "install", "--warehouse", "databend", "--set", "endpoint=https://badger.example.com", "--set", "roles.caller=a;b=c", "--print")
	if !strings.Contains(out, "CREATE ROLE IF NOT EXISTS `a;b=c`") && !strings.Contains(out, `CREATE ROLE IF NOT EXISTS "a;b=c"`) {
		t.Errorf("no statement creates the role a;b=c:\n%.300s", out)
	}
	// badger prints a file for these engines, and does nothing else.
	for _, args := range [][]string{nil, {"--drop"}, {"--apply", "duckdb:x"}, {"--print", "--diff", "duckdb:x"}} {
		code, out, err := badger(t, append([]string{"install", "--warehouse", "clickhouse", "--set", "endpoint=https://badger.example.com"}, args...)...)
		if code != 2 || out != "" || !strings.Contains(err, "--print writes the file badger_function.xml") {
			t.Errorf("%q: exit %d, %s%s", args, code, out, err)
		}
	}
	choices, _ := must(t, "install")
	for line := range strings.SplitSeq(choices, "\n") {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}
