package snowflake_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/drivertest"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
)

// Values are sent as TYPE PRECISION SCALE CELL, see [fakesnowflake.Column].
func TestValuesOfSnowflake(t *testing.T) {
	s := fakesnowflake.New(t)
	drivertest.TestValues(t, "snowflake", opened(t, s), func(t *testing.T, query string, v drivertest.Value) {
		parts := strings.SplitN(v.Sent, " ", 4)
		precision, err1 := strconv.Atoi(parts[1])
		scale, err2 := strconv.Atoi(parts[2])
		if err1 != nil || err2 != nil {
			t.Fatalf("%s is no type, precision, scale and cell", v.Sent)
		}
		s.Answer(regexp.QuoteMeta(query), column(parts[0], precision, scale, []string{parts[3]}))
	}, nil)
}
