package snowflake_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/internal/errcode"
)

const secretWord = "hunter2"

// clearEnvironment takes away what a developer's machine may have set.
func clearEnvironment(t *testing.T) {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "SNOWFLAKE_") && name != "SNOWFLAKE_DISABLE_PLATFORM_DETECTION" {
			t.Setenv(name, value)
			os.Unsetenv(name)
		}
	}
}

func TestParseURL(t *testing.T) {
	clearEnvironment(t)
	c, err := snowflake.ParseURL("snowflake://ada@my-org/db/my%20schema?warehouse=W&role=R&private_key_file=/k.p8&query_tag=t&statement_timeout=90s&retries=3&param.LOCK_TIMEOUT=5")
	if err != nil {
		t.Fatal(err)
	}
	if c.User != "ada" || c.Account != "my-org" || c.Database != "db" || c.Schema != "my schema" || c.Warehouse != "W" || c.Role != "R" || c.Auth != snowflake.KeyPair ||
		c.Secret.PrivateKeyFile != "/k.p8" || c.StatementTimeout.Seconds() != 90 || c.Retries != 3 || c.Params["LOCK_TIMEOUT"] != "5" {
		t.Errorf("%+v", c)
	}
	t.Setenv("SNOWFLAKE_ACCOUNT", "acme")
	t.Setenv("SNOWFLAKE_USER", "env")
	t.Setenv("SNOWFLAKE_TOKEN_FILE_PATH", "/token")
	if c, err = snowflake.ParseURL("snowflake://"); err != nil || c.Account != "acme" || c.User != "env" || c.Auth != snowflake.OAuth || c.Secret.TokenFile != "/token" {
		t.Errorf("from the environment: %+v, %v", c, err)
	}
	if c, err = snowflake.ParseURL("snowflake://me@other/?auth=pat"); err != nil || c.Account != "other" || c.User != "me" || c.Auth != snowflake.PAT {
		t.Errorf("the URL goes before the environment: %+v, %v", c, err)
	}
	if c, err = snowflake.ParseURL("snowflake://me@acme/?host=evil.example.com"); err != nil || c.Secret != (snowflake.Secret{}) {
		t.Errorf("a secret that nobody named would go to another host: %+v, %v", c, err)
	}
}

// What cannot work says what is missing before anything is sent, and repeats no secret.
func TestOpenRefuses(t *testing.T) {
	clearEnvironment(t)
	t.Setenv("A_SECRET", secretWord)
	for _, tc := range []struct {
		why, url string
		want     errcode.Code
		words    string
	}{
		{"no account", "snowflake://?password_env=A_SECRET", errcode.InvalidArgument, "SNOWFLAKE_ACCOUNT"},
		{"nothing to sign in with", "snowflake://me@acme/db", errcode.InvalidArgument, "private_key_file"},
		{"nothing for another host", "snowflake://me@acme/db?host=localhost", errcode.InvalidArgument, "in the URL"},
		{"no user", "snowflake://acme/db?password_env=A_SECRET", errcode.InvalidArgument, "USER"},
		{"a password in the URL", "snowflake://me:" + secretWord + "@acme/db", errcode.InvalidArgument, "password_file"},
		{"a password as an option", "snowflake://me@acme/db?password=" + secretWord, errcode.InvalidArgument, "environment variable"},
		{"a token as an option", "snowflake://me@acme/db?token=" + secretWord, errcode.InvalidArgument, "environment variable"},
		{"a password for the name of a variable", "snowflake://me@acme/db?password_env=" + secretWord + "!", errcode.InvalidArgument, "name of an environment variable"},
		{"two secrets", "snowflake://me@acme/db?password_env=A_SECRET&token_env=A_SECRET", errcode.InvalidArgument, "more than one"},
		{"another secret than the way in needs", "snowflake://me@acme/db?password_env=A_SECRET&auth=keypair", errcode.InvalidArgument, "private_key_file"},
		{"no such way in", "snowflake://me@acme/db?auth=magic", errcode.InvalidArgument, "keypair"},
		{"an unknown option", "snowflake://me@acme/db?warehause=W", errcode.InvalidArgument, "warehause"},
		{"a host for an account", "snowflake://me@acme.snowflakecomputing.com/db?password_env=A_SECRET", errcode.InvalidArgument, "name of an account"},
		{"a port of the account", "snowflake://me@acme:443/db?password_env=A_SECRET", errcode.InvalidArgument, "port"},
		{"too long a path", "snowflake://me@acme/a/b/c?password_env=A_SECRET", errcode.InvalidArgument, "/DATABASE/SCHEMA"},
		{"plain http beyond this machine", "snowflake://me@acme/db?password_env=A_SECRET&protocol=http&host=10.0.0.1", errcode.InvalidArgument, "http"},
		{"a name that begins like this machine's", "snowflake://me@acme/db?password_env=A_SECRET&protocol=http&host=127.0.0.1.example.com", errcode.InvalidArgument, "http"},
		{"no port", "snowflake://me@acme/db?port=x", errcode.InvalidArgument, "port"},
		{"no duration", "snowflake://me@acme/db?statement_timeout=5", errcode.InvalidArgument, "duration"},
		{"a container's token without its host", "snowflake://acme/db?auth=container", errcode.InvalidArgument, "SNOWFLAKE_HOST"},
		{"an empty variable", "snowflake://me@acme/db?password_env=NOT_SET_ANYWHERE", errcode.Unauthenticated, "NOT_SET_ANYWHERE"},
		{"no key file", "snowflake://me@acme/db?private_key_file=/no/such/key.p8", errcode.Unauthenticated, "key.p8"},
	} {
		c, _, err := snowflake.Open(t.Context(), tc.url, driver.Options{})
		if c != nil || errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.words) || strings.Contains(err.Error(), secretWord) || strings.Contains(err.Error(), "/no/such/") {
			t.Errorf("%s: %v (%v), want %v with the words %q", tc.why, err, errcode.Of(err), tc.want, tc.words)
		}
	}
}

func TestSigningIn(t *testing.T) {
	clearEnvironment(t)
	file, err := os.ReadFile("testdata/keys/plain.p8")
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(file)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("RIGHT", "swordfish")
	t.Setenv("WRONG", secretWord)
	token := write("token", "a-token\n")
	for _, tc := range []struct {
		why, user, options string
		want               errcode.Code
		words              string
	}{
		{"a key", "me@", "private_key_file=testdata/keys/plain.p8", errcode.OK, ""},
		{"a key of the older form", "me@", "private_key_file=testdata/keys/pkcs1.pem", errcode.OK, ""},
		{"a key encrypted with AES-256 and SHA-256", "me@", "private_key_file=testdata/keys/aes256_sha256.p8&private_key_passphrase_env=RIGHT", errcode.OK, ""},
		{"a key encrypted with AES-128 and SHA-512", "me@", "private_key_file=testdata/keys/aes128_sha512.p8&private_key_passphrase_env=RIGHT", errcode.OK, ""},
		{"a key encrypted with triple DES and SHA-1", "me@", "private_key_file=testdata/keys/des3_sha1.p8&private_key_passphrase_file=" + write("phrase", "swordfish\n"), errcode.OK, ""},
		{"the wrong passphrase", "me@", "private_key_file=testdata/keys/aes256_sha256.p8&private_key_passphrase_env=WRONG", errcode.Unauthenticated, "passphrase"},
		{"no passphrase", "me@", "private_key_file=testdata/keys/aes256_sha256.p8", errcode.Unauthenticated, "private_key_passphrase_env"},
		{"a key derived in a way that is not read", "me@", "private_key_file=testdata/keys/scrypt.p8&private_key_passphrase_env=RIGHT", errcode.Unauthenticated, "openssl"},
		{"a key that is not RSA", "me@", "private_key_file=testdata/keys/elliptic.p8", errcode.Unauthenticated, "RSA"},
		{"a file that is no key", "me@", "private_key_file=open_test.go", errcode.Unauthenticated, "PEM"},
		{"a password", "me@", "password_env=RIGHT", errcode.OK, ""},
		{"a wrong password", "me@", "password_env=WRONG", errcode.Unauthenticated, "user me"},
		{"an OAuth token", "", "token_file=" + token, errcode.OK, ""},
		{"a wrong token", "", "token_env=WRONG", errcode.Unauthenticated, "OAuth"},
		{"a programmatic access token", "me@", "auth=pat&token_file=" + token, errcode.OK, ""},
		{"a wrong one", "me@", "auth=pat&token_env=WRONG", errcode.Unauthenticated, "programmatic"},
		{"a container's token", "", "auth=container&token_file=" + token, errcode.OK, ""},
		{"a warehouse that is not there", "me@", "password_env=RIGHT&warehouse=NOWHERE", errcode.NotFound, "NOWHERE"},
	} {
		s := fakesnowflake.New(t)
		s.Token, s.PublicKey = "a-token", &key.(*rsa.PrivateKey).PublicKey
		c, _, err := snowflake.Open(t.Context(), "snowflake://"+tc.user+"acme/DEMO?"+tc.options+"&"+s.Options(), driver.Options{})
		if errcode.Of(err) != tc.want || err != nil && (!strings.Contains(err.Error(), tc.words) || strings.Contains(err.Error(), secretWord) || strings.Contains(err.Error(), "swordfish")) {
			t.Errorf("%s: %v (%v), want %v with the words %q", tc.why, err, errcode.Of(err), tc.want, tc.words)
		}
		if err == nil {
			if err := c.Close(); err != nil {
				t.Errorf("%s: closing: %v", tc.why, err)
			}
		}
	}
}

// A secret that is replaced takes effect at the next sign-in, in the same program.
func TestSecretsAreReadAgain(t *testing.T) {
	clearEnvironment(t)
	s := fakesnowflake.New(t)
	s.Token = "first"
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := snowflake.Open(t.Context(), "snowflake://acme/DEMO?token_file="+token+"&"+s.Options(), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s.Token = "second"
	s.ForgetSessions()
	if err := c.Exec(ctx, "SELECT 1"); errcode.Of(err) != errcode.Unauthenticated {
		t.Errorf("with the old token: %v, want unauthenticated", err)
	}
	if err := os.WriteFile(token, []byte("second"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(ctx, "SELECT 1"); err != nil {
		t.Errorf("with the new token: %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Setenv("RIGHT", "swordfish")
	_, _, err := snowflake.Open(t.Context(), "snowflake://me@acme/DEMO?password_env=RIGHT&retries=1&login_timeout=1s&protocol=http&host=127.0.0.1&port=1", driver.Options{})
	if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("%v (%v), want unavailable, and where", err, errcode.Of(err))
	}
}
