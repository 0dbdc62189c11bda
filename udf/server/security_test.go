package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/udfpb"
)

const testToken = "a-token-of-some-length"

var withToken = identity.Config{Tokens: map[string]string{"nightly": testToken}}

// A listener that others can reach needs authentication, and TLS or the explicit word that none is
// needed.
func TestListenersBeyondLoopback(t *testing.T) {
	pki := newPKI(t)
	for _, tc := range []struct {
		why  string
		addr string
		o    Options
		want string // part of the refusal; empty: serves
	}{
		{"loopback needs nothing", "127.0.0.1:0", Options{}, ""},
		{"nothing", "0.0.0.0:0", Options{}, "configure authentication"},
		{"plaintext allowed, no authentication", "0.0.0.0:0", Options{AllowPlaintext: true}, "configure authentication"},
		{"TLS, no authentication", "0.0.0.0:0", Options{TLS: TLS{CertFile: pki.cert, KeyFile: pki.key}}, "configure authentication"},
		{"a token, in the clear", "0.0.0.0:0", Options{GRPC: withToken, HTTP: withToken}, "configure TLS"},
		{"a token and TLS", "0.0.0.0:0", Options{GRPC: withToken, HTTP: withToken, TLS: TLS{CertFile: pki.cert, KeyFile: pki.key}}, ""},
		{"a token, plaintext allowed", "0.0.0.0:0", Options{GRPC: withToken, HTTP: withToken, AllowPlaintext: true}, ""},
		{"client certificates", "0.0.0.0:0", Options{TLS: TLS{CertFile: pki.cert, KeyFile: pki.key}, GRPC: identity.Config{ClientCAFile: pki.ca}, HTTP: identity.Config{ClientCAFile: pki.ca}}, ""},
	} {
		for _, port := range []string{"gRPC", "HTTP"} {
			s, err := New(newCatalogue(t), &tc.o)
			if err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("tcp", tc.addr)
			if err != nil {
				t.Fatal(err)
			}
			other := listen(t)
			ctx, cancel := context.WithCancel(context.Background())
			if tc.want == "" {
				cancel() // serves, and stops at once
			}
			if port == "gRPC" {
				err = s.Serve(ctx, l, other)
			} else {
				err = s.Serve(ctx, other, l)
			}
			cancel()
			if tc.want == "" && err != nil || tc.want != "" && (errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s, %s: %v, want %q", tc.why, port, err, tc.want)
			}
			if _, err := net.Dial("tcp", other.Addr().String()); err == nil {
				t.Errorf("%s, %s: the other listener is still open", tc.why, port)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("# callers\n\nwarehouse: another-token-of-length\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log lines
	auth := withToken
	auth.TokenFile = file
	s := start(t, newCatalogue(t), &Options{HTTP: auth, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	const body = `{"rows":[[]]}`
	for _, tc := range []struct {
		why    string
		header []string
		caller string // empty: refused
	}{
		{"none", nil, ""},
		{"bearer", []string{"Authorization", "Bearer " + testToken}, "nightly"},
		{"bearer in small letters", []string{"Authorization", "bearer  " + testToken}, "nightly"},
		{"from the file", []string{"Authorization", "Bearer another-token-of-length"}, "warehouse"},
		{"own header", []string{"X-Badger-Token", testToken}, "nightly"},
		{"basic, as a password", []string{"Authorization", "Basic YW55b25lOmEtdG9rZW4tb2Ytc29tZS1sZW5ndGg="}, "nightly"},
		{"wrong", []string{"Authorization", "Bearer " + testToken + "x"}, ""},
		{"a prefix", []string{"Authorization", "Bearer " + testToken[:10]}, ""},
		{"empty", []string{"Authorization", "Bearer "}, ""},
		{"without its scheme", []string{"Authorization", testToken}, ""},
		{"the name", []string{"Authorization", "Bearer nightly"}, ""},
		{"basic that is not base64", []string{"Authorization", "Basic %%%"}, ""},
		{"an identity that the caller claims", []string{"Sf-Context-Current-User", "ADMIN", "X-Forwarded-User", "admin"}, ""}, // G-15
	} {
		status, reply, h := post(t, s.url+"/v1/functions/badger_whoami", body, tc.header...)
		if tc.caller == "" {
			if status != 401 || !strings.Contains(h.Get("WWW-Authenticate"), "Bearer") || strings.Contains(reply, "results") {
				t.Errorf("%s: %d %s", tc.why, status, reply)
			}
		} else if status != 200 || reply != `{"results":["`+tc.caller+`"]}` {
			t.Errorf("%s: %d %s", tc.why, status, reply)
		}
	}
	// DBX-2: also without a token the text is one that SQL can read.
	if status, reply, _ := post(t, s.url+"/v1/databricks/same_text", `{}`); status != 401 || !strings.HasPrefix(reply, `{"status":"failed","value":null,"code":"unauthenticated"`) {
		t.Errorf("Databricks without a token: %d %s", status, reply)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/v1/functions": 401, "/": 401, "/v1/nope": 401} {
		resp, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s without a token: %d, want %d", path, resp.StatusCode, want)
		}
	}

	// SFC-10: a rotated file is read without a restart.
	if err := os.WriteFile(file, []byte("warehouse:a-rotated-token-of-length\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // it is examined once a second
	if status, _, _ := post(t, s.url+"/v1/functions/badger_whoami", body, "Authorization", "Bearer another-token-of-length"); status != 401 {
		t.Errorf("the token from before the rotation: %d", status)
	}
	if status, _, _ := post(t, s.url+"/v1/functions/badger_whoami", body, "Authorization", "Bearer a-rotated-token-of-length"); status != 200 {
		t.Errorf("the token from after the rotation: %d", status)
	}

	if text := log.String(); !strings.Contains(text, "caller=nightly") || strings.Contains(text, testToken) || strings.Contains(text, "rotated") {
		t.Errorf("the log:\n%s", text)
	}
}

func TestBadTokens(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		f, _ := os.CreateTemp(dir, "t")
		_, _ = f.WriteString(text)
		_ = f.Close()
		return f.Name()
	}
	for why, a := range map[string]identity.Config{
		"short":                   {Tokens: map[string]string{"a": "short"}},
		"no name":                 {Tokens: map[string]string{"": testToken}},
		"a name with a blank":     {Tokens: map[string]string{"a b": testToken}},
		"no such file":            {TokenFile: filepath.Join(dir, "nope")},
		"a line without a name":   {TokenFile: write("abc\n")},
		"a line with a short one": {TokenFile: write("ok:" + testToken + "\na:b\n")},
		"an empty file":           {TokenFile: write("# nothing\n")},
	} {
		_, err := New(newCatalogue(t), &Options{HTTP: a})
		if err == nil || strings.Contains(err.Error(), testToken) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// DB-4: a wrong token is refused before any data is read, already when the function is created.
func TestTokensOverGRPC(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{GRPC: withToken, HTTP: withToken})
	conn := dial(t, s.addr)
	client := flight.NewClientFromConn(conn, nil)
	scoring := udfpb.NewScoringClient(conn)
	path := &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"badger_whoami"}}
	for _, tc := range []struct {
		why  string
		md   []string
		want codes.Code
	}{
		{"none", nil, codes.Unauthenticated},
		{"wrong", []string{"x-badger-token", "another-token-of-length"}, codes.Unauthenticated},
		{"own metadata, as Databend's HEADERS", []string{"x-badger-token", testToken}, codes.OK},
		{"bearer", []string{"authorization", "Bearer " + testToken}, codes.OK},
	} {
		ctx := metadata.AppendToOutgoingContext(context.Background(), tc.md...)
		if _, err := client.GetFlightInfo(ctx, path); status.Code(err) != tc.want {
			t.Errorf("%s: info: %v", tc.why, err)
		}
		if _, err := client.ListFlights(ctx, &flight.Criteria{}); err != nil {
			t.Error(err)
		}
		_, _, err := tryExchange(ctx, client, "badger_echo", textRecord([]string{"a"}))
		if status.Code(err) != tc.want {
			t.Errorf("%s: exchange: %v", tc.why, err)
		}
		resp, err := scoring.Call(ctx, &udfpb.CallRequest{Function: "badger_whoami", Rows: 1})
		if status.Code(err) != tc.want || err == nil && resp.GetResult().GetTexts().GetValues()[0] != "nightly" {
			t.Errorf("%s: call: %v %v", tc.why, resp, err)
		}
	}
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Errorf("health needs no token: %v", err)
	}
}

// A page that a browser on this machine shows must not reach a server without tokens: neither under
// a name that was pointed at loopback, nor from another origin.
func TestLoopbackWithoutTokensIsForThisMachine(t *testing.T) {
	s := start(t, newCatalogue(t), nil)
	for _, tc := range []struct {
		why, host, origin string
		want              int
	}{
		{"by address", "127.0.0.1:80", "", 200},
		{"by name", "localhost:8080", "", 200},
		{"by name, IPv6", "[::1]:8080", "", 200},
		{"under another name", "evil.example:80", "", 403},
		{"from a page elsewhere", "localhost", "https://evil.example", 403},
		{"from a page of this machine", "localhost", "http://localhost:3000", 200},
		{"from a page in a sandbox", "localhost", "null", 403},
	} {
		req, _ := http.NewRequest(http.MethodPost, s.url+"/v1/functions/badger_version", strings.NewReader(`{"rows":[]}`))
		req.Host = tc.host
		if tc.origin != "" {
			req.Header.Set("Origin", tc.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s: %d, want %d", tc.why, resp.StatusCode, tc.want)
		}
	}
}

// A browser that has a caller's credentials sends them with what pages of other sites post, too.
func TestPagesOfOtherSitesAreRefused(t *testing.T) {
	s := start(t, newCatalogue(t), &Options{HTTP: identity.Config{Tokens: map[string]string{"ana": "a-long-secret-of-ana-for-tests"}}})
	for by, want := range map[[3]string]int{ // Sec-Fetch-Site, Origin, Host
		{}: 200, {"none"}: 200, {"same-origin"}: 200, {"cross-site"}: 403, {"same-site"}: 403, {"Cross-Site"}: 403, {"something-new"}: 403,
		{"", "https://other.example", "badger.example:7434"}: 403, {"", "null", "badger.example:7434"}: 403, {"", "https://badger.example", "badger.example:7434"}: 403,
		{"", "http://badger.example:7434", "badger.example:7434"}: 200, {"same-origin", "https://badger.example", "badger.example:7434"}: 200,
		{"", "http://localhost:3000", "badger.example:7434"}: 403,
	} {
		site := by[0]
		req, _ := http.NewRequest(http.MethodPost, s.url+"/v1/functions/badger_version", strings.NewReader(`{"rows":[]}`))
		req.SetBasicAuth("ana", "a-long-secret-of-ana-for-tests")
		if site != "" {
			req.Header.Set("Sec-Fetch-Site", site)
		}
		if by[1] != "" {
			req.Header.Set("Origin", by[1])
			req.Host = by[2]
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Sec-Fetch-Site, Origin, Host: %q: %d, want %d", by, resp.StatusCode, want)
		}
	}
}

func TestTLSAndClientCertificates(t *testing.T) {
	pki := newPKI(t)
	s := start(t, newCatalogue(t), &Options{TLS: TLS{CertFile: pki.cert, KeyFile: pki.key}, GRPC: identity.Config{ClientCAFile: pki.ca}, HTTP: identity.Config{ClientCAFile: pki.ca}})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pki.caPEM)
	with := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pki.client}, MinVersion: tls.VersionTLS12}
	without := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	url := strings.Replace(s.url, "http://", "https://", 1)

	for _, h2 := range []bool{false, true} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: with.Clone(), ForceAttemptHTTP2: h2}}
		resp, err := client.Post(url+"/v1/functions/badger_whoami", "application/json", strings.NewReader(`{"rows":[[]]}`))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if string(b) != `{"results":["warehouse-7"]}` || (resp.ProtoMajor == 2) != h2 {
			t.Errorf("HTTP/%d: %s", resp.ProtoMajor, b)
		}
	}
	if _, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: without}}).Get(url + "/healthz"); err == nil {
		t.Error("HTTP without a certificate was answered")
	}
	if resp, err := http.Get(s.url + "/healthz"); err == nil && resp.StatusCode == http.StatusOK {
		t.Error("HTTP in the clear was answered")
	}

	conn := dial(t, s.addr, grpc.WithTransportCredentials(credentials.NewTLS(with)))
	resp, err := udfpb.NewScoringClient(conn).Call(context.Background(), &udfpb.CallRequest{Function: "badger_whoami", Rows: 1})
	if err != nil || resp.GetResult().GetTexts().GetValues()[0] != "warehouse-7" {
		t.Errorf("gRPC: %v %v", resp, err)
	}
	conn = dial(t, s.addr, grpc.WithTransportCredentials(credentials.NewTLS(without)))
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err == nil {
		t.Error("gRPC without a certificate was answered")
	}
}

func TestBadTLSFiles(t *testing.T) {
	pki := newPKI(t)
	whole := TLS{CertFile: pki.cert, KeyFile: pki.key}
	for why, o := range map[string]Options{
		"a certificate without its key": {TLS: TLS{CertFile: pki.cert}},
		"authorities alone":             {GRPC: identity.Config{ClientCAFile: pki.ca}},
		"no such file":                  {TLS: TLS{CertFile: pki.cert + "x", KeyFile: pki.key}},
		"a key for a certificate":       {TLS: TLS{CertFile: pki.key, KeyFile: pki.key}},
		"authorities that are none":     {TLS: whole, HTTP: identity.Config{ClientCAFile: pki.key}},
	} {
		if _, err := New(newCatalogue(t), &o); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// pki is a certificate authority, a server's certificate for loopback, and a client's.
type pki struct {
	ca, cert, key string
	caPEM         []byte
	client        tls.Certificate
}

func newPKI(t *testing.T) *pki {
	t.Helper()
	dir := t.TempDir()
	file := func(name, kind string, der []byte) (string, []byte) {
		b := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path, b
	}
	serial := int64(0)
	issue := func(name string, ca bool, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		serial++
		tmpl := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IsCA: ca, BasicConstraintsValid: ca, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		}
		if parent == nil {
			parent, parentKey = tmpl, key
		}
		der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, parentKey)
		if err != nil {
			t.Fatal(err)
		}
		return tmpl, key, der
	}
	p := &pki{}
	caCert, caKey, caDER := issue("authority", true, nil, nil)
	p.ca, p.caPEM = file("ca.pem", "CERTIFICATE", caDER)
	_, key, der := issue("server", false, caCert, caKey)
	p.cert, _ = file("cert.pem", "CERTIFICATE", der)
	keyDER, _ := x509.MarshalPKCS8PrivateKey(key)
	p.key, _ = file("key.pem", "PRIVATE KEY", keyDER)
	_, clientKey, clientDER := issue("warehouse-7", false, caCert, caKey)
	p.client = tls.Certificate{Certificate: [][]byte{clientDER}, PrivateKey: clientKey}
	return p
}
