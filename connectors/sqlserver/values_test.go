package sqlserver_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fake "github.com/badger-eval/badger/connectors/fake/sqlserver"
)

// answer makes the server send a value: the type and the value, in hexadecimal, as MS-TDS describes them.
func answer(t *testing.T, server *fake.Server, query, sent string) {
	t.Helper()
	info, value, _ := strings.Cut(sent, " ")
	a := fake.Answer{}
	var err error
	if a.Type, err = hex.DecodeString(info); err != nil {
		t.Fatal(err)
	}
	if a.Value, err = hex.DecodeString(value); err != nil {
		t.Fatal(err)
	}
	server.Answer(query, a)
}

func TestValues(t *testing.T) {
	server := fake.Start(t)
	c := open(t, "sqlserver://reader@"+server.Addr+"/shop", driver.Options{})
	drivertest.TestValues(t, "sqlserver", c, func(t *testing.T, query string, v drivertest.Value) { answer(t, server, query, v.Sent) }, nil)
}
