package snowflake

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
)

// A statement that is let through on a connection that only reads begins with a word that reads,
// whatever is before it.
func FuzzReadOnly(f *testing.F) {
	for _, sql := range []string{"SELECT 1", "-- x\nDROP TABLE t", "/* SELECT */ DELETE FROM t", "(((SELECT 1)))", ";;CALL p()", "WITH a AS (SELECT 1) SELECT 1", "SHOW TABLES ->> DROP TABLE t", "//\nUPDATE t SET a = 1", "/*/ SELECT */ DROP", "\ufeffDROP TABLE t", "-- \rDROP TABLE t\nSELECT 1"} {
		f.Add(sql)
	}
	c := &Conn{readOnly: true}
	f.Fuzz(func(t *testing.T, sql string) {
		if c.check(sql) != nil {
			return
		}
		rest := sql
		for {
			trimmed := strings.TrimLeft(rest, " \t\r\n(;")
			if strings.HasPrefix(trimmed, "--") || strings.HasPrefix(trimmed, "//") {
				_, trimmed, _ = strings.Cut(trimmed, "\n")
			} else if strings.HasPrefix(trimmed, "/*") {
				_, trimmed, _ = strings.Cut(trimmed[2:], "*/")
			}
			if trimmed == rest {
				break
			}
			rest = trimmed
		}
		for _, word := range []string{"SELECT", "WITH", "SHOW", "DESC", "EXPLAIN", "VALUES", "LIST", "LS"} {
			if len(rest) >= len(word) && strings.EqualFold(rest[:len(word)], word) {
				return
			}
		}
		t.Errorf("%q would be run", sql)
	})
}

// An error about a URL repeats no value of an option.
func FuzzParseURL(f *testing.F) {
	for _, u := range []string{"snowflake://me@acme/db/s?warehouse=W", "snowflake://a:b@c", "snowflake://a?auth=x", "snowflake:x", "snowflake://%zz", "snowflake://a?port=99999999999999999999"} {
		f.Add(u, "password", "hunter2")
	}
	f.Fuzz(func(t *testing.T, raw, key, value string) {
		const secret = "s3cr3t-and-long"
		_, err := parseURL(raw+"&"+key+"="+secret, func(string) string { return "" })
		if err == nil {
			return
		}
		if errcode.Of(err) != errcode.InvalidArgument || strings.Contains(err.Error(), secret) && !strings.Contains(raw+key, secret) {
			t.Errorf("%v (%v)", err, errcode.Of(err))
		}
	})
}
