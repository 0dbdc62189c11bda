package postgres_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
)

// certify gives the server a certificate, signed by itself.
func certify(s *fakepostgres.Server) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{"server.crt": {Type: "CERTIFICATE", Bytes: cert}, "server.key": {Type: "PRIVATE KEY", Bytes: secret}} {
		path := filepath.Join(s.Data(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
		if err := s.Own(path); err != nil {
			return err
		}
	}
	return nil
}

func TestEncryptedConnections(t *testing.T) {
	s := running(t)
	cert, err := os.ReadFile(filepath.Join(s.Data(), "server.crt"))
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "root.crt")
	if err := os.WriteFile(root, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	password := filepath.Join(t.TempDir(), "pgpass")
	if err := os.WriteFile(password, []byte("127.0.0.1:*:*:guarded:right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	owner := s.open(t, "postgres", driver.Options{})
	defer owner.Close()
	mustExec(t, owner, "DROP ROLE IF EXISTS guarded")
	mustExec(t, owner, "CREATE ROLE guarded LOGIN PASSWORD 'right'")
	url := func(settings string) string {
		return strings.Replace(s.URL("postgres", s.Port), "sslmode=disable", settings, 1)
	}
	guarded := func(settings string) string { return strings.Replace(url(settings), "owner", "guarded", 1) }
	t.Setenv("PGPASSFILE", filepath.Join(t.TempDir(), "none"))
	for _, tc := range []struct {
		why, url, password string
		want               errcode.Code
	}{
		{"encrypted, whoever answers", url("sslmode=require"), "", errcode.OK},
		{"its certificate is known", url("sslmode=verify-full&sslrootcert=" + root), "", errcode.OK},
		{"its certificate is not", url("sslmode=verify-full"), "", errcode.Unauthenticated},
		{"its name is another", strings.Replace(url("sslmode=verify-full&sslrootcert="+root), "127.0.0.1", "localhost", 1), "", errcode.Unauthenticated},
		{"a password file", guarded("sslmode=require&passfile=" + password), "", errcode.OK},
		{"a password in the environment", guarded("sslmode=require"), "right", errcode.OK},
		{"a wrong password", guarded("sslmode=require"), "hunter2", errcode.Unauthenticated},
		{"no password", guarded("sslmode=require"), "", errcode.Unauthenticated},
	} {
		t.Setenv("PGPASSWORD", tc.password)
		c, _, err := postgres.Open(context.Background(), tc.url, driver.Options{})
		if code := errcode.Of(err); code != tc.want {
			t.Errorf("%s: %v (%v), want %v", tc.why, err, code, tc.want)
		}
		if err == nil {
			if tc.want == errcode.OK && one(t, c, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") != "true" {
				t.Errorf("%s: the connection is not encrypted", tc.why)
			}
			c.Close()
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
}
