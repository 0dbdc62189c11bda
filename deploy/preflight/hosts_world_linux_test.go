package preflight_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/deploy/preflight"
	"github.com/badger-eval/badger/internal/fake/network"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// program is the environment variable with the program under test. By default the test builds it.
const program = "BADGER_RESIDENCY_PROGRAM"

// build builds the program. The files of its package are examined, so that go test runs the test
// again when they change.
func build(t *testing.T) string {
	t.Helper()
	if path := os.Getenv(program); path != "" {
		return path
	}
	sources, err := filepath.Glob("../../cmd/badger/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("there are no sources of the program: %v", err)
	}
	for _, path := range sources {
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "badger")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/badger").CombinedOutput(); err != nil { //nolint:gosec // our own
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// Where things are in the world. The program may write below /data and /tmp, and nowhere else.
const (
	home    = "/home/user"
	secrets = "/run/badger-secrets"
	data    = "/data"
)

var calm = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TMPDIR=/tmp", "SSL_CERT_FILE=" + network.Authority, "JUDGE_KEY=a-key", "LANG=C.UTF-8"}

// warehouse is a simulator behind the names of the real one.
type warehouse struct {
	name  string
	url   string
	large string // a reference to a result that does not fit one answer
	stage string // the host that answers name for that
	make  func(t *testing.T, w *network.World)
}

// address is what is behind the scheme of a URL.
func address(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	return rest
}

var warehouses = []warehouse{
	{
		name: "snowflake", url: "snowflake://ME@acme-eu/DEMO/PUBLIC?warehouse=W&private_key_file=" + secrets + "/key.p8", large: "query:01b2c3d4-0000-0000-0000-000000000001", stage: "acme-stage.s3.eu-central-1.amazonaws.com",
		make: func(t *testing.T, w *network.World) {
			s := fakesnowflake.New(t)
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				t.Fatal(err)
			}
			s.PublicKey, s.Token = &key.PublicKey, "a-token"
			der, err := x509.MarshalPKCS8PrivateKey(key)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(secrets+"/key.p8", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
			w.TLS("acme-eu.snowflakecomputing.com", 443, address(s.URL))
			w.TLS("acme-stage.s3.eu-central-1.amazonaws.com", 443, address(s.URL))
			s.URL = "https://acme-stage.s3.eu-central-1.amazonaws.com"
			part := func(at int) (rows [][]fakesnowflake.Cell) {
				for i := range 10 {
					n := strconv.Itoa(at*10 + i)
					rows = append(rows, []fakesnowflake.Cell{&n})
				}
				return rows
			}
			s.Keep("01b2c3d4-0000-0000-0000-000000000001", fakesnowflake.Result{
				Columns: []fakesnowflake.Column{{Name: "N", Type: "fixed", Precision: 38}}, Rows: part(0), Chunks: 3, Chunk: func(i int) [][]fakesnowflake.Cell { return part(i + 1) },
			})
		},
	},
	{
		name: "bigquery", url: "bigquery://" + fakebigquery.Project + "/" + fakebigquery.Dataset + "?credentials_file=" + secrets + "/account.json", large: "table:big",
		make: func(t *testing.T, w *network.World) {
			s := fakebigquery.Start(t)
			if err := s.Exec("CREATE TABLE " + fakebigquery.Dataset + ".big AS SELECT range AS n FROM range(20000)"); err != nil {
				t.Fatal(err)
			}
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				t.Fatal(err)
			}
			der, err := x509.MarshalPKCS8PrivateKey(key)
			if err != nil {
				t.Fatal(err)
			}
			account, err := json.Marshal(map[string]string{
				"type": "service_account", "project_id": fakebigquery.Project, "private_key_id": "k", "client_email": "badger@test-project.iam.gserviceaccount.com", "client_id": "1",
				"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": "https://oauth2.googleapis.com/token",
			})
			if err != nil {
				t.Fatal(err)
			}
			w.Write(secrets+"/account.json", string(account))
			tokens := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", "application/json")
				fmt.Fprint(rw, `{"access_token": "a-token", "token_type": "Bearer", "expires_in": 3600}`)
			}))
			t.Cleanup(tokens.Close)
			w.TLS("oauth2.googleapis.com", 443, address(tokens.URL))
			machine := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Metadata-Flavor") != "Google" || r.URL.Path != "/computeMetadata/v1/instance/service-accounts/default/token" {
					http.NotFound(rw, r)
					return
				}
				rw.Header().Set("Metadata-Flavor", "Google")
				fmt.Fprint(rw, `{"access_token": "a-token", "token_type": "Bearer", "expires_in": 3600}`)
			}))
			t.Cleanup(machine.Close)
			w.Forward("169.254.169.254", 80, address(machine.URL))
			iam := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(rw, `{"accessToken": "a-token", "expireTime": %q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
			}))
			t.Cleanup(iam.Close)
			w.TLS("iamcredentials.googleapis.com", 443, address(iam.URL))
			w.TLS("bigquery.googleapis.com", 443, address(s.REST))
			w.TLS("bigquerystorage.googleapis.com", 443, s.Storage, "h2")
		},
	},
	{
		name: "databricks", url: "databricks://dbc-1.cloud.databricks.com?http_path=" + fakedatabricks.HTTPPath + "&token_file=" + secrets + "/token", large: "table:big", stage: "dbstorage.blob.core.windows.net",
		make: func(t *testing.T, w *network.World) {
			s := fakedatabricks.New(t)
			t.Cleanup(func() {
				if n := s.Count("other"); n > 0 {
					t.Errorf("the workspace was asked %d times for something that is no part of a statement, such as whether telemetry is wanted", n)
				}
			})
			s.Token, s.FileRows, s.PageRows = "a-token", 1000, 1000
			s.ClientID, s.ClientSecret = "an-id", "a-secret"
			w.Write(secrets+"/client", "a-secret\n")
			if err := s.Exec("CREATE TABLE big AS SELECT range AS n FROM range(20000)"); err != nil {
				t.Fatal(err)
			}
			w.Write(secrets+"/token", "a-token\n")
			w.TLS("dbc-1.cloud.databricks.com", 443, s.Address())
			w.TLS("dbstorage.blob.core.windows.net", 443, s.Address())
			s.Storage = "https://dbstorage.blob.core.windows.net"
		},
	},
	{
		name: "postgres", url: "postgres://owner@db.corp.test/postgres?sslmode=disable", large: "table:big",
		make: func(t *testing.T, w *network.World) {
			s, err := fakepostgres.Start(nil)
			if err != nil {
				t.Skipf("there is no PostgreSQL server to test with: %v", err)
			}
			t.Cleanup(s.Remove)
			if out, err := s.Program("psql", "-h", s.Dir, "-p", strconv.Itoa(s.Port), "-U", "owner", "postgres", "-c", "CREATE TABLE big AS SELECT n FROM generate_series(1, 20000) AS n").CombinedOutput(); err != nil {
				t.Skipf("psql: %v: %s", err, out)
			}
			w.Forward("db.corp.test", 5432, net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)))
		},
	},
	{
		name: "duckdb", url: "duckdb:" + data + "/w.duckdb", large: "table:badger.scores",
		make: func(*testing.T, *network.World) {},
	},
}

// cases are two that rules decide, and one for the judge.
func cases() string {
	var b bytes.Buffer
	for i := range 3 {
		fmt.Fprintf(&b, `{"case_id": "c%d", "question": "How many boats has harbour %d?", "gold": {"sql": "SELECT count(*) FROM boats WHERE harbour = %d", "result": {"columns": ["n"], "rows": [[%d]]}}, `+
			`"agent": {"name": "a", "version": "1", "sql": "SELECT sum(1) FROM boats WHERE harbour = %d", "result": {"columns": ["n"], "rows": [[%d]]}}}`+"\n", i, i, i, i, i, i)
	}
	return b.String()
}

// agrees is a judge that finds every answer right.
func agrees(c backendtest.Call) backendtest.Answer {
	if c.Prompt == "Answer with one word: yes." {
		return backendtest.Answer{Reply: "Yes."}
	}
	_, word, _ := strings.Cut(c.Prompt, "Set the field nonce of your answer to ")
	word, _, _ = strings.Cut(word, ";")
	word, _, _ = strings.Cut(strings.TrimRight(word, "."), " ")
	return backendtest.Answer{Reply: fmt.Sprintf(`{"analysis": "fine", "correct": true, "nonce": %q}`, strings.TrimRight(word, ".,;")), TokensIn: 400, TokensOut: 20}
}

// client calls the server under test as somebody else: its connections are not recorded.
var client = &http.Client{Transport: &http.Transport{DialContext: network.Dial, DisableKeepAlives: true}}

// scenario is a configuration and what is done with it.
type scenario struct {
	name    string
	url     string // of the warehouse; "" is the simulator's usual one
	options string // further options of the URL
	env     []string
	more    string // further lines of the configuration of badger serve
	judge   string // further keys of its judge
	silent  bool   // it cannot work, and contacts nobody
	learned []string
	config  func(c *preflight.HostsConfig)
}

// scenarios are those of each warehouse besides the usual one.
var scenarios = map[string][]scenario{
	"snowflake": {
		{name: "revocation lists", options: "revocation=crl", learned: []string{network.CRLs + ":80"}},
		{name: "a proxy", options: "proxy=http://" + proxy},
		{name: "a container of Snowflake's", url: "snowflake:///DEMO/PUBLIC?warehouse=W", env: []string{"SNOWFLAKE_ACCOUNT=acme-eu", "SNOWFLAKE_HOST=acme-eu.snowflakecomputing.com", "SNOWFLAKE_TOKEN_FILE_PATH=" + secrets + "/token"}},
		{name: "a token", url: "snowflake://acme-eu/DEMO/PUBLIC?warehouse=W&token_file=" + secrets + "/token"},
	},
	"bigquery": {
		{name: "the machine's account", url: "bigquery://" + fakebigquery.Project + "/" + fakebigquery.Dataset + "?credentials=metadata"},
		{name: "another account", options: "impersonate=other@test-project.iam.gserviceaccount.com"},
		{name: "a token", url: "bigquery://" + fakebigquery.Project + "/" + fakebigquery.Dataset + "?token_file=" + secrets + "/token"},
		{name: "without the Storage API", options: "storage=off"},
		{name: "a proxy", options: "proxy=http://" + proxy},
		{name: "no credentials", url: "bigquery://" + fakebigquery.Project + "/" + fakebigquery.Dataset, silent: true},
	},
	"databricks": {
		{name: "without cloud storage", options: "cloud_fetch=false"},
		{name: "a proxy", options: "proxy=http://" + proxy},
		{name: "a service principal", url: "databricks://dbc-1.cloud.databricks.com?http_path=" + fakedatabricks.HTTPPath + "&client_id=an-id&client_secret_file=" + secrets + "/client"},
	},
	"duckdb": {
		{name: "traces", more: "traces: {endpoint: 'https://" + collector + ":4318'}\n", config: func(c *preflight.HostsConfig) { c.Traces = "https://" + collector + ":4318" }},
		{name: "a judge behind a proxy", judge: ", proxy: 'http://" + proxy + "'", config: func(c *preflight.HostsConfig) { c.Judge.Proxy = "http://" + proxy }},
		{
			name: "an issuer", more: "auth: {http: {mode: oidc, issuer: 'https://" + issuer + "', audience: [badger], emails: ['*']}}\n", learned: []string{"keys.corp.test:443"},
			config: func(c *preflight.HostsConfig) {
				c.Issuers = []preflight.Issuer{{Key: "auth.http", URL: "https://" + issuer}}
			},
		},
		{
			name: "an issuer's keys", more: "auth: {http: {mode: oidc, issuer: 'https://" + issuer + "', keys: 'https://keys.corp.test/keys', audience: [badger], emails: ['*']}}\n",
			config: func(c *preflight.HostsConfig) {
				c.Issuers = []preflight.Issuer{{Key: "auth.http", URL: "https://" + issuer, Keys: "https://keys.corp.test/keys"}}
			},
		},
	},
}

// Whom badger contacts, looks up and where it writes, with every connector and its driver: whoever
// Hosts lists for the configuration, whatever the environment and the home directory say.
func TestOnlyNamedHosts(t *testing.T) {
	var variables []string
	if !network.Inside() {
		if os.Getenv("BADGER_RESIDENCY") == "" {
			t.Skip("it takes a minute: make residency sets BADGER_RESIDENCY")
		}
		variables = append(variables, program+"="+build(t))
	}
	if !network.Enter(t, variables...) {
		return
	}
	p := &prover{World: network.New(t)}
	p.badger = p.Program(os.Getenv(program))
	for _, dir := range []string{data, home, "/tmp"} {
		p.Dir(dir)
	}
	p.Write(data+"/cases.jsonl", cases())
	p.Write(secrets+"/token", "a-token\n")
	p.surround(t)
	t.Run("a stranger is seen", p.strangers)
	t.Run("commands", p.commands)
	full := append(calm[:len(calm):len(calm)], hostile(p.World)...)
	for _, h := range warehouses {
		t.Run(h.name, func(t *testing.T) {
			h.make(t, p.World)
			t.Run("usual, calm", func(t *testing.T) { p.prove(t, h, scenario{}, calm) })
			t.Run("deployment", func(t *testing.T) { p.deployment(t, h, full) })
			for _, s := range append([]scenario{{name: "usual"}}, scenarios[h.name]...) {
				t.Run(s.name, func(t *testing.T) { p.prove(t, h, s, full) })
			}
		})
	}
	t.Run("interception", p.interception)
}

// Hosts besides the warehouses.
const (
	judge     = "judge.corp.test"
	proxy     = "proxy.corp.test:3128"
	collector = "collector.corp.test"
	issuer    = "issuer.corp.test"
)

// prover runs the program.
type prover struct {
	*network.World
	badger    string
	questions int // that judges were asked: a new one each time, since answers are kept
}

// surround serves the hosts besides the warehouses.
func (p *prover) surround(t *testing.T) {
	p.TLS(judge, 443, backendtest.NewEndpoint(t, agrees).Host())
	serve := func(handle http.HandlerFunc) string {
		s := httptest.NewServer(handle)
		t.Cleanup(s.Close)
		return address(s.URL)
	}
	p.Forward("proxy.corp.test", 3128, serve(p.tunnel))
	p.TLS(collector, 4318, serve(func(http.ResponseWriter, *http.Request) {}))
	p.TLS(issuer, 443, serve(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer": "https://%s", "jwks_uri": "https://keys.corp.test/keys"}`, issuer)
	}))
	p.TLS("keys.corp.test", 443, serve(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys": []}`) }))
	list := p.RevocationList()
	p.Forward(network.CRLs, 80, serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(list) }))
}

// tunnel is a proxy's answer to CONNECT.
func (p *prover) tunnel(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	n, err2 := strconv.Atoi(port)
	if r.Method != http.MethodConnect || err != nil || err2 != nil {
		http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
		return
	}
	to, err := network.Dial(r.Context(), "tcp", p.Address(host, n))
	if err != nil {
		http.Error(w, "nobody there", http.StatusBadGateway)
		return
	}
	defer to.Close()
	w.WriteHeader(http.StatusOK)
	from, rest, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer from.Close()
	go func() {
		_, _ = io.Copy(to, rest)
		_ = to.(*net.TCPConn).CloseWrite() //nolint:forcetypeassert // what Dial makes
	}()
	_, _ = io.Copy(from, to)
}

// prove runs badger in each of its ways and compares what it did with what Hosts lists.
func (p *prover) prove(t *testing.T, h warehouse, s scenario, env []string) {
	where := h.url
	if s.url != "" {
		where = s.url
	}
	if s.options != "" {
		where += "&" + s.options
	}
	env = append(env[:len(env):len(env)], s.env...)
	hosts := p.hosts(t, where, env, s)
	learned := s.learned
	if h.stage != "" {
		learned = append(learned[:len(learned):len(learned)], h.stage+":443")
	}
	want := 0
	if s.silent {
		hosts, want = nil, -1
	}
	check := func(t *testing.T, r *network.Running) map[string]bool {
		t.Helper()
		if code := r.Wait(); code != want && (want == 0 || code == 0) {
			t.Errorf("exit code %d\n%s%s", code, &r.Stdout, &r.Stderr)
		}
		did := p.Record()
		for _, wrong := range strange(did, hosts, learned) {
			t.Errorf("%s\n%s", wrong, &r.Stderr)
		}
		contacted := map[string]bool{}
		for _, c := range did.Contacts {
			contacted[net.JoinHostPort(c.Host, strconv.Itoa(c.Port))] = true
		}
		return contacted
	}
	contacted := map[string]bool{}
	t.Run("run", func(t *testing.T) {
		maps.Copy(contacted, check(t, p.Start(data, env, p.badger, "run", "--cases", "cases.jsonl", "--to", where, "--metrics", "hybrid_ex,flex", "--quiet", "--judge", "openai:gpt-4o", "--judge-url", "https://"+judge+"/v1", "--judge-key-env", "JUDGE_KEY")))
	})
	t.Run("doctor", func(t *testing.T) {
		maps.Copy(contacted, check(t, p.Start(data, env, p.badger, "doctor", "--source", where)))
	})
	t.Run("serve", func(t *testing.T) {
		p.Write("/etc/badger.yaml", "results: {warehouse: '"+where+"'}\njudge: {backend: 'openai:gpt-4o', base_url: 'https://"+judge+"/v1', key_env: JUDGE_KEY"+s.judge+"}\nreload: 1s\n"+s.more)
		r := p.Start(data, env, p.badger, "serve", "--config", "/etc/badger.yaml")
		if !s.silent {
			p.questions++
			call(t, r, "hybrid_ex_json", `{"rows":[["`+h.large+`","`+h.large+`"]]}`, s.more)
			call(t, r, "flex_json", `{"rows":[["How many boats had harbour `+strconv.Itoa(p.questions)+`?","SELECT 1","SELECT 2","{\"columns\":[\"n\"],\"rows\":[[1]]}","{\"columns\":[\"n\"],\"rows\":[[2]]}"]]}`, s.more)
			if err := r.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		}
		maps.Copy(contacted, check(t, r))
	})
	for _, c := range hosts { // the list claims no host that is not needed
		if name := net.JoinHostPort(c.Host, strconv.Itoa(c.Port)); c.When == "" && c.Via == "" && c.Host != "" && !contacted[name] {
			t.Errorf("%s is listed (%s), and was not contacted", name, c.Why)
		}
	}
}

// hosts are those that the configuration of a scenario names. The program's environment counts.
func (p *prover) hosts(t *testing.T, where string, env []string, s scenario) []preflight.Contact {
	t.Helper()
	for _, v := range env {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "SNOWFLAKE_") || strings.HasPrefix(name, "PG") {
			t.Setenv(name, value)
		}
	}
	c := preflight.HostsConfig{Warehouses: []preflight.Named{{Key: "results.warehouse", URL: strings.ReplaceAll(where, secrets, p.Path(secrets))}}, Judge: preflight.Judge{Backend: "openai:gpt-4o", BaseURL: "https://" + judge + "/v1"}}
	if s.config != nil {
		s.config(&c)
	}
	if s.silent {
		return nil
	}
	hosts, err := preflight.Hosts(c, connectors, providers)
	if err != nil {
		t.Fatal(err)
	}
	return hosts
}

// strange is what a program did that its configuration does not allow.
func strange(did network.Record, hosts []preflight.Contact, learned []string) (wrong []string) {
	mayConnect, mayLookUp := map[string]bool{}, map[string]bool{}
	allow := func(host string, port int) {
		mayConnect["tcp "+net.JoinHostPort(host, strconv.Itoa(port))], mayLookUp[host] = true, true
	}
	for _, c := range hosts {
		switch {
		case c.Via != "": // somebody else connects
		case c.Host != "":
			allow(c.Host, c.Port)
		default:
			for _, l := range learned {
				if host, port, _ := strings.Cut(l, ":"); port == strconv.Itoa(c.Port) {
					allow(host, c.Port)
				}
			}
		}
	}
	for _, c := range did.Contacts {
		if !mayConnect[c.String()] {
			wrong = append(wrong, "contacted "+c.String())
		}
	}
	for _, name := range did.Lookups {
		if !mayLookUp[name] {
			wrong = append(wrong, "looked up "+name)
		}
	}
	for _, path := range did.Written {
		if !strings.HasPrefix(path, data+"/") {
			wrong = append(wrong, "wrote "+path)
		}
	}
	return wrong
}

// call calls a function of the server until it listens. Where callers need a token, this one has a
// token of an unknown key, so that the server looks for it.
func call(t *testing.T, server *network.Running, function, body, config string) {
	t.Helper()
	for {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:7434/v1/functions/"+function, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		wantStatus := http.StatusOK
		if strings.Contains(config, "oidc") {
			r.Header.Set("Authorization", "Bearer "+token)
			wantStatus = http.StatusServiceUnavailable
		}
		resp, err := client.Do(r)
		if err != nil {
			select {
			case <-server.Ended():
				t.Errorf("%s: the server has ended: %v", function, err)
				return
			case <-time.After(20 * time.Millisecond): // it does not listen yet
				continue
			}
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != wantStatus || wantStatus == http.StatusOK && bytes.Contains(text, []byte(`"failed"`)) {
			t.Errorf("%s: %s %.500s", function, resp.Status, text)
		}
		return
	}
}

// token is a JSON Web Token with a signature that nobody can verify.
var token = strings.Join([]string{
	base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"k","typ":"JWT"}`)),
	base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"https://` + issuer + `","aud":"badger","exp":4102444800,"email":"a@b","email_verified":true}`)),
	base64.RawURLEncoding.EncodeToString(make([]byte, 256)),
}, ".")

// commands that name nobody contact nobody, also those that are made to mislead the engine.
func (p *prover) commands(t *testing.T) {
	env := append(calm[:len(calm):len(calm)], hostile(p.World)...)
	p.Write(data+"/gold.csv", "n\n1\n")
	p.Write(data+"/evil.jsonl", `{"case_id": "c", "gold": {"result": "table:https://stranger.test/x.parquet"}, "agent": {"name": "a", "version": "1", "result": {"columns": ["n"], "rows": [[1]]}}}`+"\n")
	for _, tc := range []struct {
		args  string
		fails bool
	}{
		{args: "--version"},
		{args: "functions"},
		{args: "demo"},
		{args: "score --gold gold.csv --pred gold.csv"},
		{args: "install --warehouse duckdb --print"},
		{args: "sql --db sql.duckdb --write CREATE|TABLE|t|AS|SELECT|1|AS|a"},
		{args: "run --cases cases.jsonl --metrics hybrid_ex --quiet"},
		{args: "run --cases evil.jsonl --to duckdb:evil.duckdb --metrics hybrid_ex --quiet", fails: true},
		{args: "doctor --source duckdb:https://stranger.test/x.duckdb", fails: true},
		{args: "doctor --source duckdb:s3://stranger/x.duckdb", fails: true},
		{args: "doctor --source duckdb:md:stranger", fails: true},
		{args: "doctor --execute sqlite:https://stranger.test/x.sqlite", fails: true},
		{args: "run --cases cases.jsonl --execute sqlite:////stranger.test/x.sqlite --no-to", fails: true},
		{args: "sql --db sql.duckdb SELECT|*|FROM|'https://stranger.test/x.parquet'", fails: true},
		{args: "sql --db sql.duckdb SELECT|*|FROM|read_csv('s3://stranger/x.csv')", fails: true},
		{args: "sql --db sql.duckdb ATTACH|'postgres:host=stranger.test'|AS|p", fails: true},
	} {
		args := strings.Fields(tc.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "|", " ")
		}
		r := p.Start(data, env, p.badger, args...)
		code := r.Wait()
		for _, wrong := range strange(p.Record(), nil, nil) {
			t.Errorf("%s: %s\n%s", tc.args, wrong, &r.Stderr)
		}
		if (code != 0) != tc.fails {
			t.Errorf("%s: exit code %d, want that it fails: %v\n%s%s", tc.args, code, tc.fails, &r.Stdout, &r.Stderr)
		}
	}
}

// deployment runs badger doctor --deployment, which besides the hosts of the configuration tries
// addresses and a name that nobody has.
func (p *prover) deployment(t *testing.T, h warehouse, env []string) {
	p.Write("/etc/badger.yaml", "results: {warehouse: '"+h.url+"'}\njudge: {backend: 'openai:gpt-4o', base_url: 'https://"+judge+"/v1', key_env: JUDGE_KEY}\n")
	hosts := p.hosts(t, h.url, env, scenario{})
	examine := func(args ...string) (found map[string]doctor.Check, listed []preflight.Contact, code int, did network.Record) {
		r := p.Start(data, env, p.badger, append([]string{"doctor", "--deployment", "--config", "/etc/badger.yaml", "--json"}, args...)...)
		code = r.Wait()
		var report struct {
			doctor.Report
			Contacts []preflight.Contact
		}
		if err := json.Unmarshal(r.Stdout.Bytes(), &report); err != nil {
			t.Fatalf("%v\n%s%s", err, &r.Stdout, &r.Stderr)
		}
		found = map[string]doctor.Check{}
		for _, c := range report.Checks {
			found[c.Name] = c
		}
		return found, report.Contacts, code, p.Record()
	}
	found, listed, code, did := examine()
	want := map[string]doctor.Status{
		"identity: gRPC": doctor.OK, "identity: HTTP": doctor.OK, "warehouse: reachable": doctor.OK, "warehouse: clock": doctor.OK, "warehouse: writing to them": doctor.OK, "ledger": doctor.OK,
		"judge": doctor.OK, "clock: judge": doctor.OK, "egress": doctor.OK, "egress: proxies": doctor.Warning, "temporary folder": doctor.OK,
	}
	for name, status := range want {
		if found[name].Status != status {
			t.Errorf("%s: %+v, want %s", name, found[name], status)
		}
	}
	if code != 0 || !strings.Contains(found["egress"].Detail, "4 refused immediately") || !strings.Contains(found["egress"].Detail, ".invalid does not exist") {
		t.Errorf("exit code %d, %+v", code, found["egress"])
	}
	if len(listed) != len(hosts) {
		t.Errorf("lists %+v, want %+v", listed, hosts)
	}
	for _, wrong := range strange(did, hosts, []string{h.stage + ":443"}) {
		if !slices.Contains([]string{
			"contacted tcp 192.0.2.1:443", "contacted tcp 198.51.100.1:80", "contacted tcp 203.0.113.1:53", "contacted tcp [2001:db8::1]:443", "looked up badger-doctor.invalid",
		}, wrong) && !strings.HasPrefix(wrong, "wrote /tmp") { // a file of the check is removed again
			t.Error(wrong)
		}
	}
	if found, _, _, _ := examine("--read-only"); found["ledger"].Status != doctor.Skipped || found["temporary folder"].Status != doctor.Skipped {
		t.Errorf("--read-only: %+v, %+v", found["ledger"], found["temporary folder"])
	}
}

// Somebody who answers for addresses that nobody has is found out, and a judge that is away.
func (p *prover) interception(t *testing.T) {
	p.Forward("192.0.2.1", 443, "127.0.0.1:1")
	p.Write("/etc/badger.yaml", "judge: {backend: 'openai:gpt-4o', base_url: 'https://away.corp.test/v1', key_env: JUDGE_KEY}\nauth: {http: {mode: platform, platform: spcs}}\n")
	r := p.Start(data, calm, p.badger, "doctor", "--deployment", "--config", "/etc/badger.yaml")
	code := r.Wait()
	for _, line := range []string{
		`(?m)^failed +identity: HTTP +platform spcs: this is not that platform`, `(?m)^skipped +warehouse +no warehouse configured`, `(?m)^failed +judge +.*away.corp.test`,
		`(?m)^warning +egress +of 4 addresses .* 3 refused immediately, 0 did not answer, 1 answered`, `(?m)^contacts away.corp.test:443: the judge`,
	} {
		if !regexp.MustCompile(line).Match(r.Stdout.Bytes()) || code != 1 {
			t.Errorf("exit code %d, want 1 and %s in\n%s%s", code, line, &r.Stdout, &r.Stderr)
		}
	}
}

// strangers shows that the test sees whom the configuration does not name: by name, by an address,
// over IPv6, and a file. What is seen here would fail the test elsewhere.
func (p *prover) strangers(t *testing.T) {
	for where, want := range map[string]string{
		"postgres://me@stranger.invalid/db?sslmode=disable":                            "looked up stranger.invalid",
		"postgres://me@169.254.169.254:80/db?sslmode=disable":                          "contacted tcp 169.254.169.254:80",
		"postgres://me@192.0.2.1/db?sslmode=disable":                                   "contacted tcp 192.0.2.1:5432",
		"postgres://me@[2001:db8::1]:5433/db?sslmode=disable":                          "contacted tcp [2001:db8::1]:5433",
		"duckdb:" + home + "/elsewhere.duckdb":                                         "wrote " + home + "/elsewhere.duckdb",
		"snowflake://me@stranger/DB?password_env=JUDGE_KEY&retries=1&login_timeout=1s": "looked up stranger.snowflakecomputing.com",
	} {
		r := p.Start(data, calm, p.badger, "run", "--cases", "cases.jsonl", "--to", where, "--metrics", "hybrid_ex", "--quiet")
		r.Wait()
		if got := strange(p.Record(), nil, nil); !slices.Contains(got, want) {
			t.Errorf("%s: seen %q, want %q\n%s", where, got, want, &r.Stderr)
		}
	}
}

func hostile(w *network.World) []string {
	w.Write(home+"/sf_client_config.json", `{"common": {"log_level": "TRACE", "log_path": "`+home+`/logs"}}`)
	w.Dir(home + "/logs")
	w.Write(home+"/.snowflake/connections.toml", "[default]\naccount = \"evil\"\nhost = \"evil-account.test\"\n")
	w.Write(home+"/.databrickscfg", "[DEFAULT]\nhost = https://evil-databricks.test\ntoken = x\n")
	w.Write(home+"/.config/gcloud/application_default_credentials.json", `{"type": "authorized_user", "client_id": "x", "client_secret": "x", "refresh_token": "x", "token_uri": "https://evil-gcloud.test/token"}`)
	w.Write(home+"/.aws/config", "[default]\nregion = eu-central-1\n")
	w.Write(home+"/.pg_service.conf", "[evil]\nhost=evil-service.test\n")
	w.Write(home+"/.duckdbrc", "INSTALL httpfs;\n")
	return strings.Fields(`HTTP_PROXY=http://evil-proxy.test:3128 HTTPS_PROXY=http://evil-proxy.test:3128 ALL_PROXY=socks5://evil-proxy.test:1080 http_proxy=http://evil-proxy.test:3128 https_proxy=http://evil-proxy.test:3128 all_proxy=socks5://evil-proxy.test:1080
		SNOWFLAKE_HOST=evil-snowflake.test SNOWFLAKE_DISABLE_PLATFORM_DETECTION=false SF_DISABLE_MINICORE=false SF_OCSP_RESPONSE_CACHE_SERVER_URL=http://evil-ocsp.test/cache SF_OCSP_TEST_RESPONDER_URL=http://evil-ocsp.test SNOWFLAKE_HOME=/home/user/.snowflake SNOWFLAKE_DEFAULT_CONNECTION_NAME=default
		GOOGLE_CLOUD_UNIVERSE_DOMAIN=evil-universe.test GOOGLE_API_USE_MTLS_ENDPOINT=always GOOGLE_API_USE_CLIENT_CERTIFICATE=true GCE_METADATA_HOST=evil-metadata.test GOOGLE_CLOUD_PROJECT=evil GOOGLE_APPLICATION_CREDENTIALS=/home/user/.config/gcloud/application_default_credentials.json EXPERIMENTAL_GOOGLE_API_USE_S2A=true GOOGLE_AUTH_TRUST_BOUNDARY_ENABLED=true GOOGLE_SDK_GO_LOGGING_LEVEL=debug BIGQUERY_EMULATOR_HOST=http://evil-bigquery.test STORAGE_EMULATOR_HOST=evil-storage.test GRPC_XDS_BOOTSTRAP=/home/user/xds.json
		DATABRICKS_HOST=https://evil-databricks.test DATABRICKS_TOKEN=x DATABRICKS_CONFIG_FILE=/home/user/.databrickscfg
		AWS_REGION=eu-central-1 AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_ENDPOINT_URL=http://evil-aws.test AWS_EC2_METADATA_SERVICE_ENDPOINT=http://evil-imds.test AWS_CONTAINER_CREDENTIALS_FULL_URI=http://evil-ecs.test IDENTITY_ENDPOINT=http://evil-identity.test IDENTITY_HEADER=x
		PGHOST=evil-pg.test PGSERVICE= PGSERVICEFILE=/home/user/.pg_service.conf PGPORT=5432
		OPENAI_BASE_URL=https://evil-openai.test/v1 OPENAI_API_KEY=x OPENAI_ORG_ID=evil ANTHROPIC_BASE_URL=https://evil-anthropic.test ANTHROPIC_API_KEY=x
		OTEL_EXPORTER_OTLP_ENDPOINT=http://evil-otel.test:4318 OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://evil-otel.test:4318/v1/traces OTEL_RESOURCE_ATTRIBUTES=a=b
		GOPROXY=https://evil-goproxy.test GOTELEMETRY=on K_SERVICE=x K_REVISION=x K_CONFIGURATION=x KUBERNETES_SERVICE_HOST=10.99.0.1`)
}
