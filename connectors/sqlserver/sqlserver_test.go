package sqlserver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fake "github.com/badger-eval/badger/connectors/fake/sqlserver"
	"github.com/badger-eval/badger/connectors/sqlserver"
	"github.com/badger-eval/badger/internal/errcode"
)

// What is not one query is never sent, and a query runs in a transaction that nothing commits.
func TestNothingWrites(t *testing.T) {
	server := fake.Start(t)
	c := open(t, "sqlserver://reader@"+server.Addr+"/shop", driver.Options{})
	before := len(server.Seen())
	for query, want := range map[string]errcode.Code{
		"INSERT INTO t VALUES (1)": errcode.PermissionDenied, "SELECT 1 DELETE FROM t": errcode.PermissionDenied, "SELECT 1; COMMIT": errcode.PermissionDenied,
		"SELECT a INTO b FROM t": errcode.PermissionDenied, "EXEC sp_who": errcode.PermissionDenied, "sp_who": errcode.InvalidArgument, "WAITFOR DELAY '1:00'": errcode.PermissionDenied,
		"SELECT NEXT VALUE FOR s": errcode.PermissionDenied, "COMMIT": errcode.PermissionDenied, "/* SELECT 1 */ DROP TABLE t": errcode.PermissionDenied, "": errcode.InvalidArgument,
		"SELECT 1 -- x\rDELETE FROM t":            errcode.PermissionDenied, // to a server that ends a comment there
		"WITH a AS (SELECT 1 AS b) DELETE FROM a": errcode.PermissionDenied, "SET LOCK_TIMEOUT 5": errcode.PermissionDenied,
	} {
		if err := c.Exec(t.Context(), query); errcode.Of(err) != want {
			t.Errorf("%s: %v (%v), want %v", query, err, errcode.Of(err), want)
		}
	}
	if seen := server.Seen()[before:]; len(seen) > 0 {
		t.Errorf("the server was sent %q", seen)
	}
	if _, err := drivertest.Read(t.Context(), c, "SELECT 7"); err != nil {
		t.Fatal(err)
	}
	if seen := server.Seen()[before:]; !slices.Equal(seen, []string{"sign-in reader/shop", "begin", "SELECT 7"}) {
		t.Errorf("the server was sent %q", seen)
	}
	if _, _, err := sqlserver.Open(t.Context(), "sqlserver://reader@"+server.Addr+"/shop", driver.Options{}); errcode.Of(err) != errcode.PermissionDenied ||
		!strings.Contains(err.Error(), "does not write to it") {
		t.Errorf("opened for writing: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	server := fake.Start(t)
	c := open(t, "sqlserver://reader@"+server.Addr+"/shop", driver.Options{})
	running := func() bool { return server.Running() > 0 }
	stopped := func() bool { return server.Running() == 0 }
	for _, deaf := range []bool{false, true} {
		server.Deaf.Store(deaf)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := drivertest.Read(ctx, c, "SELECT COUNT(*) FROM ("+slow+") AS t"); done <- err }()
		drivertest.Until(t, "it runs", running)
		cancel()
		if err := <-done; errcode.Of(err) != errcode.Cancelled {
			t.Errorf("%v, want cancelled", err)
		}
		drivertest.Until(t, "it ends", stopped)
	}
	server.Deaf.Store(false)
	r, err := c.Query(t.Context(), slow)
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	r.Release()
	drivertest.Until(t, "it ends when it is left", stopped)

	var readers []interface{ Release() }
	for range 8 {
		r, err := c.Query(t.Context(), slow)
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, r)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := drivertest.Read(ctx, c, "SELECT 1"); errcode.Of(err) != errcode.DeadlineExceeded {
		t.Errorf("%v, want deadline_exceeded", err)
	}
	for _, r := range readers {
		r.Release()
	}
	if _, err := drivertest.Read(t.Context(), c, "SELECT 1"); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	server := fake.Start(t)
	c := open(t, "sqlserver://reader@"+server.Addr+"/shop", driver.Options{})
	for i, tc := range []struct {
		number int32
		class  byte
		says   string
		want   errcode.Code
		names  string
	}{
		{229, 14, "The SELECT permission was denied on the object 'price', database 'shop', schema 'dbo'.", errcode.PermissionDenied, "price"},
		{245, 16, "Conversion failed when converting the varchar value 'hunter2' to data type int.", errcode.InvalidArgument, "converted"},
		{1205, 13, "Transaction (Process ID 52) was deadlocked on lock resources with another process.", errcode.Unavailable, "transaction"},
		{40613, 17, "Database 'shop' on server 's' is not currently available.", errcode.Unavailable, "not available"},
		{8115, 16, "Arithmetic overflow error converting expression to data type int.", errcode.InvalidArgument, "8115"},
		{297, 14, "The user does not have permission to perform this action.", errcode.PermissionDenied, "permission"},
		{9002, 17, "The transaction log for database 'shop' is full.", errcode.Unavailable, "9002"},
		{4121, 16, `Cannot find either column "dbo" or the user-defined function or aggregate "dbo.f", or the name is ambiguous.`, errcode.NotFound, "dbo"},
	} {
		query := fmt.Sprintf("SELECT %d", i+100)
		server.Answer(query, fake.Answer{Error: &fake.Error{Number: tc.number, Class: tc.class, Message: tc.says}})
		_, err := drivertest.Read(t.Context(), c, query)
		if errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.names) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%d: %v (%v), want %v", tc.number, err, errcode.Of(err), tc.want)
		}
	}
	// The type of a value of sql_variant is in the value.
	answer(t, server, "SELECT 200", "62491f0000 00000000")
	if _, err := drivertest.Read(t.Context(), c, "SELECT 200"); !errcode.IsUnread(err) || !strings.Contains(err.Error(), "sql_variant") {
		t.Errorf("sql_variant: %v", err)
	}
	// 9999-12-31 is beyond nanoseconds, and has 100 of them.
	answer(t, server, "SELECT 201", "2a07 080100000000dab937")
	if _, err := drivertest.Read(t.Context(), c, "SELECT 201"); !errcode.IsUnread(err) || !strings.Contains(err.Error(), "datetime2(6)") {
		t.Errorf("a far time of seven decimals: %v", err)
	}
	server.Lost.Store(true)
	if _, err := drivertest.Read(t.Context(), c, "SELECT 1"); errcode.Of(err) != errcode.Unavailable {
		t.Errorf("a lost connection: %v (%v)", err, errcode.Of(err))
	}
}

func TestSignIn(t *testing.T) {
	server := fake.Start(t)
	server.Password, server.Token = "hunter2", "token of Entra"
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("SQLCMDPASSWORD", "hunter2")
	for url, want := range map[string]errcode.Code{
		"sqlserver://reader@" + server.Addr + "/shop":                                  errcode.OK,
		"sqlserver://reader@" + server.Addr + "/shop?password_file=" + file("hunter2"): errcode.OK,
		"sqlserver://reader@" + server.Addr + "/shop?password_file=" + file("other"):   errcode.Unauthenticated,
		"sqlserver://" + server.Addr + "/shop?token_file=" + file("token of Entra"):    errcode.OK,
		"sqlserver://" + server.Addr + "/shop?token_command=echo+token+of+Entra":       errcode.OK,
		"sqlserver://" + server.Addr + "/shop?token_file=" + file("expired"):           errcode.Unauthenticated,
		"sqlserver://" + server.Addr + "/shop?token_env=NOT_SET_HERE":                  errcode.Unauthenticated,
		"sqlserver://reader@" + server.Addr + "/absent":                                errcode.NotFound,
		"sqlserver://reader@" + server.Addr + "/shop?tls=verify":                       errcode.Unauthenticated, // the server has none
	} {
		c, _, err := sqlserver.Open(t.Context(), url, driver.Options{ReadOnly: true})
		if errcode.Of(err) != want || err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "Entra")) {
			t.Errorf("%s: %v (%v), want %v", url, err, errcode.Of(err), want)
		}
		if err == nil {
			if facts, err := c.(driver.Describer).Describe(t.Context()); err != nil || len(facts) != 2 {
				t.Errorf("%v, %v", facts, err)
			}
			c.Close()
		}
	}
}

// Sessions are encrypted, and the server's certificate is checked.
func TestEncryption(t *testing.T) {
	authority, pair := certificates(t)
	server := fake.Start(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	for options, want := range map[string]errcode.Code{
		"?tls=verify": errcode.Unauthenticated, "?tls=verify&tls_ca=" + authority: errcode.OK, "?tls=require": errcode.OK,
	} {
		c, _, err := sqlserver.Open(t.Context(), "sqlserver://reader@"+server.Addr+"/shop"+options, driver.Options{ReadOnly: true})
		if errcode.Of(err) != want {
			t.Errorf("%s: %v (%v), want %v", options, err, errcode.Of(err), want)
		}
		if err == nil {
			if _, err := drivertest.Read(t.Context(), c, "SELECT "+"'"+strings.Repeat("x", 20000)+"' AS a, @p1 AS b", "y"); err != nil {
				t.Errorf("%s: %v", options, err)
			}
		}
	}
}

// certificates returns the file of an authority's certificate, and one of 127.0.0.1 with its key.
func certificates(t *testing.T) (string, tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "server"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestRole(t *testing.T) {
	server := fake.Start(t)
	c := open(t, "sqlserver://reader@"+server.Addr+"/shop", driver.Options{})
	server.Answer(sqlserver.Dialect.RoleQuery, fake.Answer{Query: "SELECT * FROM (VALUES ('has the permission CONTROL SERVER', true)) AS t (what, refused)"})
	p, err := connectors.New(c, sqlserver.Dialect).Powers(t.Context())
	if err != nil || !p.Known || !slices.Equal(p.Refused, []string{"has the permission CONTROL SERVER"}) {
		t.Errorf("%v, %v", p, err)
	}
	table, err := connectors.New(c, sqlserver.Dialect).ReadSnapshot(t.Context(), `table:"a b"`)
	if errcode.Of(err) != errcode.NotFound || !strings.Contains(err.Error(), "a b") {
		t.Errorf("%v, %v", table, err)
	}
}

func TestURLs(t *testing.T) {
	check := func(url string) error {
		_, _, err := sqlserver.Open(t.Context(), url, driver.Options{ReadOnly: true, URLOnly: true})
		return err
	}
	for _, url := range []string{
		"sqlserver://reader@db.example.com/shop", "sqlserver://reader@db.example.com:14330/shop?tls=strict", "sqlserver://n.datawarehouse.fabric.microsoft.com/w?token_command=tool+x",
		"sqlserver://r@h/d?tls=off&password_env=P", "sqlserver://r@h/d?tls_ca=ca.pem",
	} {
		if err := check(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for url, says := range map[string]string{
		"sqlserver:shop": "malformed", "sqlserver://db.example.com/shop": "no user", "sqlserver://reader@/shop": "no host", "sqlserver://reader@h": "no database",
		"sqlserver://reader:hunter2@h/shop": "must not contain a password", "sqlserver://r@h:0/shop": "port", "sqlserver://r@h/d?token_file=x": "a token and a user",
		"sqlserver://h/d?token_file=x&tls=off": "a token is only sent", "sqlserver://h/d?token_file=x&token_env=y": "more than one of token_file",
		"sqlserver://r@h/d?tls=require&tls_ca=x": "tls_ca", "sqlserver://r@h/d?encrypt=true": "unknown option", "sqlserver://r@h/a/b": "malformed",
	} {
		if err := check(url); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", url, err, says)
		}
	}
	got, err := sqlserver.Connector.Contacts("sqlserver://reader@DB.example.com/shop")
	if err != nil || len(got) != 2 || got[0].Host != "db.example.com" || got[0].Port != 1433 || got[1].Host != "" {
		t.Errorf("%v, %v", got, err)
	}
}
