package engine_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/fake/engine"
)

func TestTranslate(t *testing.T) {
	rules := []engine.Rule{{From: regexp.MustCompile(`(?i)\bnumber\b`), To: "DECIMAL"}, {From: regexp.MustCompile(`\bx\.r\[(\d+)\]`), To: "(x.r->>$1)"}}
	plain := &engine.Dialect{Rules: rules}
	escaped := &engine.Dialect{Rules: rules, Backslash: true, Phrases: strings.NewReplacer("COMMENT 'x'", "")}
	for _, tc := range []struct {
		dialect    *engine.Dialect
		sql, want  string
		parameters int
	}{
		{plain, "CAST(x.r[10] AS NUMBER)", "CAST((x.r->>10) AS DECIMAL)", 0},
		{plain, `SELECT 'number ?', "number", ? AS number`, `SELECT 'number ?', "number", ? AS DECIMAL`, 1},
		{plain, `SELECT 'it''s a number', 'a\', ?, number`, `SELECT 'it''s a number', 'a\', ?, DECIMAL`, 1},
		{escaped, "SELECT 'it\\'s a number ?', `a``b\"number`, number COMMENT 'x'", `SELECT 'it\'s a number ?', "a` + "`" + `b""number", DECIMAL `, 0},
		{plain, "SELECT 'never ends number", "SELECT 'never ends DECIMAL", 0},
		{plain, "", "", 0},
		{plain, "a NUL byte \x00 number", "a NUL byte \x00 number", 0},
	} {
		if got := tc.dialect.Translate(tc.sql); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.sql, got, tc.want)
		}
		if got := tc.dialect.Parameters(tc.sql); got != tc.parameters {
			t.Errorf("%s: %d parameters, want %d", tc.sql, got, tc.parameters)
		}
	}
}

func TestExplain(t *testing.T) {
	ctx := context.Background()
	c, err := engine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // nothing was written
	if err := c.Exec(ctx, "CREATE TABLE t (a INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]engine.Failure{
		"SELECT * FROM nothing":             {Kind: engine.NoTable, Name: "nothing"},
		"SELECT * FROM 'nothing.csv'":       {Kind: engine.NoTable, Name: "it"},
		"CREATE TABLE nothing.t (a BIGINT)": {Kind: engine.NoSchema, Name: "nothing"},
		"SELECT nothing(1)":                 {Kind: engine.NoFunction, Name: "nothing"},
		"SELECT nothing FROM t":             {Kind: engine.NoColumn, Name: "nothing"},
		"INSERT INTO t VALUES ('secret')":   {Kind: engine.BadValue},
		"CREATE TABLE t (b INTEGER)":        {Kind: engine.Exists},
		"SELEC 1":                           {Kind: engine.Syntax},
	} {
		err := c.Exec(ctx, sql)
		if err == nil {
			t.Errorf("%s: no error", sql)
			continue
		}
		if got := engine.Explain(err); got.Kind != want.Kind || got.Name != want.Name {
			t.Errorf("%s: %+v, want %+v", sql, got, want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Exec(cancelled, "SELECT 1"); engine.Explain(err).Kind != engine.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}
