package install_test

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/sql/install"
)

// The check of the endpoint uses the authorities that the functions use.
func TestEndpointWithAPrivateAuthority(t *testing.T) {
	stub := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer stub.Close()
	stub.Config.ErrorLog = log.New(io.Discard, "", 0) // of the refused handshake
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: stub.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for ca, want := range map[string]doctor.Status{file: doctor.OK, "": doctor.Warning} {
		v := plain("postgres", "http")
		v.Endpoint, v.CAFile = stub.URL, ca
		checks := plan(t, v, few).Examine(t.Context(), func() (install.Database, func(), error) { return nil, nil, errors.New("no database") })
		if c := checks[0]; c.Name != "endpoint" || c.Status != want {
			t.Errorf("ca_file %q: %+v, want %v", ca, c, want)
		}
	}
}
