package databricks_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/drivertest"
)

// Values are sent as a type, whose blanks are written _, and a text; those of simple types are computed by
// the embedded engine.
func TestValuesOfDatabricks(t *testing.T) {
	s := start(t)
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	drivertest.TestValues(t, "databricks", c, func(_ *testing.T, query string, v drivertest.Value) {
		if typ, cell, ok := strings.Cut(v.Sent, " "); ok {
			s.Answer(regexp.QuoteMeta(query), text([]string{"v"}, []string{strings.ReplaceAll(typ, "_", " ")}, cell))
		} else if typ == "VOID" {
			s.Answer(regexp.QuoteMeta(query), void("v"))
		}
	})
}
