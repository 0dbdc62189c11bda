package mysql_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/fake/mariadb"
	"github.com/badger-eval/badger/connectors/mysql"
	"github.com/badger-eval/badger/internal/errcode"
)

// value returns the single value of a query as text.
func value(t *testing.T, c driver.Conn, query string) string {
	t.Helper()
	table, err := drivertest.Read(t.Context(), c, query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return table.Columns[0].Value(0).String()
}

func TestSessions(t *testing.T) {
	server := mariadb.Start(t, "--local-infile=ON", "--max-connections=40")
	server.Exec(t, "CREATE DATABASE shop", "USE shop", "CREATE TABLE present AS SELECT 1 AS a", "CREATE TABLE old (a INT) ENGINE=MyISAM",
		"CREATE TABLE flags (b6 BIT(6), b1 BIT(1))", "INSERT INTO flags VALUES (b'110001', b'1')",
		"CREATE PROCEDURE writes() BEGIN COMMIT; INSERT INTO present VALUES (2); END",
		"CREATE FUNCTION adds() RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO present VALUES (3); RETURN 1; END")
	c := open(t, server.TCP("root", "shop"), driver.Options{})
	defer c.Close() //nolint:errcheck // read only
	// running counts the statements of other sessions.
	running := func() int64 {
		return server.Number(t, "SELECT COUNT(*) FROM information_schema.processlist WHERE command IN ('Query', 'Execute') AND id <> CONNECTION_ID()")
	}

	t.Run("nothing writes", func(t *testing.T) {
		secret := filepath.Join(server.Dir, "secret")
		if err := os.WriteFile(secret, []byte("9\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{
			"INSERT INTO present VALUES (2)", "INSERT INTO old VALUES (2)", "UPDATE present SET a = 2", "TRUNCATE present", "CALL writes()", "SELECT adds()",
			"ALTER TABLE present ADD b INT", "CREATE DATABASE other", "GRANT ALL ON *.* TO root@localhost", "SELECT 1; INSERT INTO present VALUES (2)",
			"LOAD DATA LOCAL INFILE '" + secret + "' INTO TABLE present", "BEGIN NOT ATOMIC COMMIT; INSERT INTO present VALUES (2); END",
		} {
			if err := c.Exec(t.Context(), query); err == nil || errcode.Of(err) == errcode.Unavailable {
				t.Errorf("%s: %v", query, err)
			}
		}
		if n := server.Number(t, "SELECT SUM(a) FROM shop.present"); n != 1 {
			t.Errorf("the sum of the table became %d", n)
		}
		if _, _, err := mysql.Open(t.Context(), server.URL("root", "shop"), driver.Options{}); errcode.Of(err) != errcode.PermissionDenied || !strings.Contains(err.Error(), "does not write to them") {
			t.Errorf("opened for writing: %v", err)
		}
	})

	t.Run("nothing is left to the next statement", func(t *testing.T) {
		for _, query := range []string{"SELECT @x := 5", "SET @x = 5", "SELECT GET_LOCK('l', 0)", "SET SESSION sql_mode = 'ANSI_QUOTES'", "USE mysql"} {
			if err := c.Exec(t.Context(), query); err != nil && errcode.Of(err) != errcode.Unimplemented {
				t.Errorf("%s: %v", query, err)
			}
		}
		if got := value(t, c, "SELECT CONCAT_WS(' ', @x IS NULL, DATABASE(), \"text\", @@tx_read_only + 0, CONVERT(@@time_zone USING utf8mb4))"); got != "1 shop text 1 +00:00" {
			t.Errorf("found %q", got)
		}
		drivertest.Until(t, "the lock is free", func() bool { return server.Number(t, "SELECT IS_FREE_LOCK('l')") == 1 })
	})

	t.Run("a statement is killed with its call", func(t *testing.T) {
		const waits = "SELECT COUNT(*) FROM seq_1_to_1000000 AS a, seq_1_to_1000000 AS b WHERE a.seq * b.seq = 7.5"
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := drivertest.Read(ctx, c, waits); done <- err }()
		drivertest.Until(t, "it runs", func() bool { return running() > 0 })
		cancel()
		if err := <-done; errcode.Of(err) != errcode.Cancelled {
			t.Errorf("%v, want cancelled", err)
		}
		drivertest.Until(t, "it ends", func() bool { return running() == 0 })

		ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := drivertest.Read(ctx, c, waits); errcode.Of(err) != errcode.DeadlineExceeded {
			t.Errorf("%v, want deadline_exceeded", err)
		}
		drivertest.Until(t, "it ends after its time", func() bool { return running() == 0 })

		r, err := c.Query(t.Context(), slow)
		if err != nil || !r.Next() {
			t.Fatal(err)
		}
		r.Release()
		drivertest.Until(t, "it ends when it is left", func() bool { return running() == 0 })
	})

	t.Run("the server's limit of time", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		table, err := drivertest.Read(ctx, c, "SELECT @@max_statement_time")
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Columns[0].Value(0).String(); got != "65" && got != "65.000000" { // the minute and five seconds
			t.Errorf("%s", got)
		}
		server.Exec(t, "SET GLOBAL max_statement_time = 0.2")
		defer server.Exec(t, "SET GLOBAL max_statement_time = 0")
		_, err = drivertest.Read(ctx, c, "SELECT SLEEP(5), COUNT(*) FROM seq_1_to_1000000 AS a, seq_1_to_1000000 AS b WHERE a.seq * b.seq = 7.5")
		if errcode.Of(err) != errcode.DeadlineExceeded || ctx.Err() != nil || !strings.Contains(err.Error(), "max_statement_time") {
			t.Errorf("%v", err)
		}
	})

	t.Run("what waits for a session", func(t *testing.T) {
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
			t.Errorf("%v", err)
		}
		for _, r := range readers {
			r.Release()
		}
		if got := value(t, c, "SELECT 1"); got != "1" {
			t.Errorf("found %s", got)
		}
		server.Exec(t, "CREATE USER few", "GRANT SELECT ON shop.* TO few WITH MAX_USER_CONNECTIONS 1")
		few := open(t, server.URL("few", "shop"), driver.Options{})
		defer few.Close() //nolint:errcheck // read only
		r, err := few.Query(t.Context(), slow)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(300*time.Millisecond, r.Release)
		if got := value(t, few, "SELECT 1"); got != "1" {
			t.Errorf("found %s", got)
		}
	})

	t.Run("errors", func(t *testing.T) {
		server.Exec(t, "CREATE USER reader", "GRANT SELECT ON shop.present TO reader", "GRANT EXECUTE ON shop.* TO reader", "CREATE USER guarded IDENTIFIED BY 'hunter2'")
		reader := open(t, server.URL("reader", "shop"), driver.Options{})
		defer reader.Close() //nolint:errcheck // read only
		for query, want := range map[string]struct {
			code  errcode.Code
			names string
		}{
			"SELECT * FROM old":                                  {errcode.PermissionDenied, "old"},
			"SELECT * FROM mysql.user":                           {errcode.PermissionDenied, "mysql"},
			"SELECT a FROM present AS p JOIN present AS q":       {errcode.InvalidArgument, "a"},
			"SELECT shop.nope(a) FROM present":                   {errcode.NotFound, "nope"},
			"SELECT 1 FROM present GROUP BY nope":                {errcode.InvalidArgument, "nope"},
			"SELECT (SELECT 1 UNION SELECT 2)":                   {errcode.InvalidArgument, "1242"},
			"SELECT JSON_VALUE('hunter2', '$.a'), nope('x')":     {errcode.NotFound, "nope"},
			"SELECT 18446744073709551615 + 18446744073709551615": {errcode.InvalidArgument, "1690"},
			"SELECT SUM(a, 1) FROM present":                      {errcode.InvalidArgument, "1064"},
		} {
			_, err := drivertest.Read(t.Context(), reader, query)
			if errcode.Of(err) != want.code || !strings.Contains(err.Error(), want.names) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v (%v)", query, err, errcode.Of(err))
			}
		}
		for url, want := range map[string]errcode.Code{
			server.URL("nobody", "shop"):                        errcode.Unauthenticated,
			server.URL("root", "absent"):                        errcode.NotFound,
			server.URL("guarded", "shop"):                       errcode.Unauthenticated,
			"mysql://root@/shop?socket=" + server.Dir + "/none": errcode.Unavailable,
			server.TCP("root", "shop") + "?tls=verify":          errcode.Unauthenticated, // the server has no certificate
		} {
			if _, _, err := mysql.Open(t.Context(), url, driver.Options{ReadOnly: true}); errcode.Of(err) != want || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v (%v), want %v", url, err, errcode.Of(err), want)
			}
		}
		t.Setenv("MYSQL_PWD", "hunter2")
		server.Exec(t, "GRANT SELECT ON shop.* TO guarded")
		open(t, server.URL("guarded", "shop"), driver.Options{}).Close()
		file := filepath.Join(server.Dir, "password")
		if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("MYSQL_PWD", "wrong")
		open(t, server.URL("guarded", "shop")+"&password_file="+file, driver.Options{}).Close()
	})

	t.Run("what the role may do", func(t *testing.T) {
		server.Exec(t, "CREATE USER plain", "GRANT SELECT ON shop.* TO plain", "CREATE USER files", "GRANT FILE, SELECT ON *.* TO files",
			"CREATE USER writer", "GRANT SELECT, INSERT, DROP ON shop.* TO writer", "GRANT UPDATE ON shop.present TO writer",
			"CREATE ROLE dumps", "GRANT FILE ON *.* TO dumps", "CREATE USER `a@b`@`%`", "GRANT dumps TO `a@b`", "SET DEFAULT ROLE dumps FOR `a@b`", "GRANT ALTER ON shop.* TO `a@b`")
		for user, want := range map[string]string{
			"plain": "[] []", "files": "[has the privilege FILE] []", "writer": "[] [may drop, insert in the database shop may write to 1 tables]",
			"a%40b": "[] [may alter in the database shop has the role dumps, whose privileges SHOW GRANTS lists]",
		} {
			conn := open(t, server.URL(user, "shop"), driver.Options{})
			p, err := connectors.New(conn, mysql.Dialect).Powers(t.Context())
			conn.Close()
			if got := fmt.Sprint(p.Refused, p.Named); err != nil || !p.Known || got != want {
				t.Errorf("%s: %s, %v; want %s", user, got, err, want)
			}
		}
		p, err := connectors.New(c, mysql.Dialect).Powers(t.Context())
		if err != nil || !strings.Contains(fmt.Sprint(p.Refused), "has the privilege SUPER") {
			t.Errorf("root: %v, %v", p, err)
		}
	})

	t.Run("a computed BIT", func(t *testing.T) {
		if got := value(t, c, "SELECT MAX(b1) FROM flags"); got != "1" {
			t.Errorf("found %s", got)
		}
		if got := value(t, c, "SELECT MAX(b6) FROM flags"); got != "49" {
			t.Errorf("found %s", got)
		}
		// 1 may be the digit or the bits of 49.
		if _, err := drivertest.Read(t.Context(), c, "SELECT MAX(b6) - 48 + 0, COALESCE(b6 & 1, b6), IF(b6 = 1, b6, b'000001') FROM flags"); err != nil && !errcode.IsUnread(err) {
			t.Errorf("%v", err)
		}
	})

	t.Run("a snapshot by its quoted name", func(t *testing.T) {
		server.Exec(t, "CREATE TABLE shop.`My table` AS SELECT 7 AS a")
		table, err := connectors.New(open(t, server.URL("root", "shop"), driver.Options{}), mysql.Dialect).ReadSnapshot(t.Context(), `table:shop."My table"`)
		if err != nil || table.Columns[0].Value(0).String() != "7" {
			t.Errorf("%v", err)
		}
	})
}

// Sessions are encrypted, and the server's certificate is checked.
func TestEncryption(t *testing.T) {
	dir := t.TempDir()
	authority, certificate, key := certificates(t, dir)
	server := mariadb.Start(t, "--ssl-cert="+certificate, "--ssl-key="+key)
	server.Exec(t, "CREATE DATABASE shop", "CREATE USER tls REQUIRE SSL", "GRANT SELECT ON shop.* TO tls")
	for options, want := range map[string]errcode.Code{
		"?tls=verify":                         errcode.Unauthenticated, // the authority is unknown
		"?tls=verify&tls_ca=" + authority:     errcode.OK,
		"?tls=verify&tls_ca=" + key:           errcode.Unauthenticated,
		"?tls=require":                        errcode.OK,
		"?tls=off":                            errcode.Unauthenticated, // the user may not
		"":                                    errcode.Unauthenticated,
		"?tls=verify&tls_ca=" + dir + "/none": errcode.Unauthenticated,
	} {
		c, _, err := mysql.Open(t.Context(), server.TCP("tls", "shop")+options, driver.Options{ReadOnly: true})
		if errcode.Of(err) != want {
			t.Errorf("%s: %v (%v), want %v", options, err, errcode.Of(err), want)
		}
		if err != nil {
			continue
		}
		if got := value(t, c, "SELECT variable_value <> '' FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'"); got != "1" {
			t.Errorf("%s: no cipher", options)
		}
		facts, err := c.(driver.Describer).Describe(t.Context())
		if err != nil || !strings.Contains(fmt.Sprint(facts), "MariaDB") || !strings.Contains(fmt.Sprint(facts), " encrypted") {
			t.Errorf("%v, %v", facts, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// certificates writes an authority's certificate, and one of 127.0.0.1 with its key.
func certificates(t *testing.T, dir string) (authority, certificate, key string) {
	t.Helper()
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ownKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := func(name string, ca bool) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IsCA: ca, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			KeyUsage: map[bool]x509.KeyUsage{true: x509.KeyUsageCertSign, false: x509.KeyUsageDigitalSignature}[ca],
		}
	}
	ca := template("authority", true)
	file := func(name, kind string, der []byte, err error) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	authority = file("ca.pem", "CERTIFICATE", der, err)
	der, err = x509.CreateCertificate(rand.Reader, template("server", false), ca, &ownKey.PublicKey, caKey)
	certificate = file("cert.pem", "CERTIFICATE", der, err)
	der, err = x509.MarshalECPrivateKey(ownKey)
	return authority, certificate, file("key.pem", "EC PRIVATE KEY", der, err)
}

// A server that asks for a file of this machine gets none.
func TestServerAsksForFile(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // of the test
	sent := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // of the test
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		packet := func(seq byte, payload string) {
			_, _ = conn.Write(append([]byte{byte(len(payload)), 0, 0, seq}, payload...))
		}
		buffer := make([]byte, 4096)
		packet(0, "\x0a8.4.0\x00\x01\x00\x00\x0012345678\x00\xff\xff\x21\x02\x00\xff\xdf\x15"+strings.Repeat("\x00", 10)+"123456789012\x00mysql_native_password\x00")
		_, _ = conn.Read(buffer) // the sign-in
		packet(2, "\x00\x00\x00\x02\x00\x00\x00")
		_, _ = conn.Read(buffer) // the first statement
		packet(1, "\xfb"+secret)
		rest, _ := io.ReadAll(conn)
		sent <- string(rest)
	}()
	_, _, err = mysql.Open(t.Context(), "mysql://root@"+listener.Addr().String()+"/shop", driver.Options{ReadOnly: true})
	if err == nil {
		t.Error("the server was believed")
	}
	if got := <-sent; strings.Contains(got, "hunter2") {
		t.Errorf("the file was sent: %q", got)
	}
}

func TestURLs(t *testing.T) {
	check := func(url string) error {
		_, _, err := mysql.Open(t.Context(), url, driver.Options{ReadOnly: true, URLOnly: true})
		return err
	}
	for _, url := range []string{
		"mysql://reader@db.example.com/shop", "mariadb://reader@db.example.com:3307/shop?tls=require", "mysql://reader@/shop?socket=/run/s", "mysql://reader@[::1]/shop",
		"mysql://a%40b@localhost", "mysql://r@h/d?tls_ca=ca.pem&password_command=tool+x", "mysql://r@h/d?tls=off&password_env=P",
	} {
		if err := check(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for url, says := range map[string]string{
		"mysql:shop": "malformed", "mysql://db.example.com/shop": "no user", "mysql://reader@/shop": "no host", "mysql://reader:hunter2@h/shop": "must not contain a password",
		"mysql://r@h/shop?password=hunter2": "must not contain password", "mysql://r@h:0/shop": "port", "mysql://r@h/shop?socket=/s": "one of them", "mysql://r@h/a/b": "malformed",
		"mysql://r@h/shop?tls=maybe": "verify, require or off", "mysql://r@h/d?password_env=A&password_file=b": "more than one", "mysql://r@h/d?tls=require&tls_ca=x": "tls_ca",
		"mysql://r@h/d?parseTime=true": "unknown option",
	} {
		if err := check(url); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", url, err, says)
		}
	}
	got, err := mysql.Connector.Contacts("mariadb://reader@DB.example.com/shop")
	if err != nil || len(got) != 1 || got[0].Host != "db.example.com" || got[0].Port != 3306 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := mysql.Connector.Contacts("mysql://reader@/shop?socket=/run/s"); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
