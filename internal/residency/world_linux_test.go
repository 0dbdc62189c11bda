package residency_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/bigquery/bigquerytest"
	"github.com/badger-eval/badger/connectors/databricks/databrickstest"
	"github.com/badger-eval/badger/connectors/postgres/postgrestest"
	"github.com/badger-eval/badger/connectors/snowflake/snowflaketest"
	"github.com/badger-eval/badger/internal/residency/residencytest"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// program is the environment variable with the program under test. By default the test builds it.
const program = "BADGER_RESIDENCY_PROGRAM"

// build builds the program. The files of its package are looked at, so that go test runs the test
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
	judge   = "judge.corp.test"
)

var calm = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TMPDIR=/tmp", "SSL_CERT_FILE=" + residencytest.Authority, "JUDGE_KEY=a-key", "LANG=C.UTF-8"}

type warehouse struct {
	name  string
	url   string
	large string // a reference to a result that does not fit one answer
	make  func(t *testing.T, w *residencytest.World)
}

func address(t *testing.T, url string) string {
	t.Helper()
	_, rest, _ := strings.Cut(url, "://")
	return rest
}

var warehouses = []warehouse{
	{
		name: "snowflake", url: "snowflake://ME@acme-eu/DEMO/PUBLIC?warehouse=W&private_key_file=" + secrets + "/key.p8", large: "query:01b2c3d4-0000-0000-0000-000000000001",
		make: func(t *testing.T, w *residencytest.World) {
			s := snowflaketest.New(t)
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			if err != nil {
				t.Fatal(err)
			}
			s.PublicKey = &key.PublicKey
			der, err := x509.MarshalPKCS8PrivateKey(key)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(secrets+"/key.p8", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
			w.TLS("acme-eu.snowflakecomputing.com", 443, address(t, s.URL))
			w.TLS("acme-stage.s3.eu-central-1.amazonaws.com", 443, address(t, s.URL))
			s.URL = "https://acme-stage.s3.eu-central-1.amazonaws.com"
			part := func(at int) (rows [][]snowflaketest.Cell) {
				for i := range 10 {
					n := strconv.Itoa(at*10 + i)
					rows = append(rows, []snowflaketest.Cell{&n})
				}
				return rows
			}
			s.Keep("01b2c3d4-0000-0000-0000-000000000001", snowflaketest.Result{
				Columns: []snowflaketest.Column{{Name: "N", Type: "fixed", Precision: 38}}, Rows: part(0), Chunks: 3, Chunk: func(i int) [][]snowflaketest.Cell { return part(i + 1) },
			})
		},
	},
	{
		name: "bigquery", url: "bigquery://" + bigquerytest.Project + "/" + bigquerytest.Dataset + "?credentials_file=" + secrets + "/account.json", large: "table:big",
		make: func(t *testing.T, w *residencytest.World) {
			s := bigquerytest.Start(t)
			if err := s.Exec("CREATE TABLE " + bigquerytest.Dataset + ".big AS SELECT range AS n FROM range(20000)"); err != nil {
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
				"type": "service_account", "project_id": bigquerytest.Project, "private_key_id": "k", "client_email": "badger@test-project.iam.gserviceaccount.com", "client_id": "1",
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
			w.TLS("oauth2.googleapis.com", 443, address(t, tokens.URL))
			w.TLS("bigquery.googleapis.com", 443, address(t, s.REST))
			w.TLS("bigquerystorage.googleapis.com", 443, s.Storage, "h2")
		},
	},
	{
		name: "databricks", url: "databricks://dbc-1.cloud.databricks.com?http_path=" + databrickstest.HTTPPath + "&token_file=" + secrets + "/token", large: "table:big",
		make: func(t *testing.T, w *residencytest.World) {
			s := databrickstest.New(t)
			s.Token, s.FileRows, s.PageRows = "a-token", 1000, 1000
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
		make: func(t *testing.T, w *residencytest.World) {
			s, err := postgrestest.Start(nil)
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
		make: func(*testing.T, *residencytest.World) {},
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
	_, word, _ := strings.Cut(c.Prompt, "Set the field nonce of your answer to ")
	word, _, _ = strings.Cut(word, ";")
	word, _, _ = strings.Cut(strings.TrimRight(word, "."), " ")
	return backendtest.Answer{Reply: fmt.Sprintf(`{"analysis": "fine", "correct": true, "nonce": %q}`, strings.TrimRight(word, ".,;")), TokensIn: 400, TokensOut: 20}
}

// client calls the server under test as somebody else: its connections are not recorded.
var client = &http.Client{Transport: &http.Transport{DialContext: residencytest.Dial, DisableKeepAlives: true}}

func TestExplore(t *testing.T) {
	var variables []string
	if os.Getenv("BADGER_RESIDENCY_INSIDE") == "" {
		variables = append(variables, program+"="+build(t))
	}
	if !residencytest.Enter(t, variables...) {
		return
	}
	w := residencytest.New(t)
	badger := w.Program(os.Getenv(program))
	w.Dir(data)
	w.Dir(home)
	w.Dir("/tmp")
	w.Write(data+"/cases.jsonl", cases())
	e := backendtest.NewEndpoint(t, agrees)
	w.TLS(judge, 443, e.Host())
	env := calm
	if os.Getenv("HOSTILE") != "" {
		env = append(calm[:len(calm):len(calm)], hostile(w)...)
	}
	for _, h := range warehouses {
		t.Run(h.name, func(t *testing.T) {
			h.make(t, w)
			show := func(what string, r *residencytest.Running) {
				code := r.Wait()
				rec := w.Record()
				t.Logf("%s: exit %d\ncontacts %v\nlookups %v\nwritten %v\n%s%s", what, code, rec.Contacts, rec.Lookups, rec.Written, &r.Stdout, &r.Stderr)
			}
			show("run", w.Start(data, env, badger, "run", "--cases", "cases.jsonl", "--to", h.url, "--metrics", "hybrid_ex,flex", "--quiet", "--judge", "openai:gpt-4o", "--judge-url", "https://"+judge+"/v1", "--judge-key-env", "JUDGE_KEY"))
			show("doctor", w.Start(data, env, badger, "doctor", "--source", h.url))
			w.Write("/etc/badger.yaml", "results: {warehouse: '"+h.url+"'}\njudge: {backend: 'openai:gpt-4o', base_url: 'https://"+judge+"/v1', key_env: JUDGE_KEY}\nreload: 200ms\n")
			r := w.Start(data, env, badger, "serve", "--config", "/etc/badger.yaml")
			var resp *http.Response
			var err error
			for range 100 {
				resp, err = client.Post("http://127.0.0.1:7434/v1/functions/hybrid_ex_json", "application/json", strings.NewReader(`{"rows":[["`+h.large+`","`+h.large+`"]]}`))
				if err == nil {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if err != nil {
				t.Error(err)
			} else {
				body, _ := io.ReadAll(resp.Body)
				t.Logf("%s %.300s", resp.Status, body)
			}
			r.Signal(syscall.SIGTERM)
			show("serve", r)
		})
	}
	_ = context.Background
}

func hostile(w *residencytest.World) []string {
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
		GOOGLE_CLOUD_UNIVERSE_DOMAIN=evil-universe.test GOOGLE_API_USE_MTLS_ENDPOINT=always GOOGLE_API_USE_CLIENT_CERTIFICATE=true GCE_METADATA_HOST=evil-metadata.test GOOGLE_CLOUD_PROJECT=evil GOOGLE_APPLICATION_CREDENTIALS=/home/user/.config/gcloud/application_default_credentials.json EXPERIMENTAL_GOOGLE_API_USE_S2A=true BIGQUERY_EMULATOR_HOST=http://evil-bigquery.test STORAGE_EMULATOR_HOST=evil-storage.test GRPC_XDS_BOOTSTRAP=/home/user/xds.json
		DATABRICKS_HOST=https://evil-databricks.test DATABRICKS_TOKEN=x DATABRICKS_CONFIG_FILE=/home/user/.databrickscfg
		AWS_REGION=eu-central-1 AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_ENDPOINT_URL=http://evil-aws.test AWS_EC2_METADATA_SERVICE_ENDPOINT=http://evil-imds.test AWS_CONTAINER_CREDENTIALS_FULL_URI=http://evil-ecs.test IDENTITY_ENDPOINT=http://evil-identity.test IDENTITY_HEADER=x
		PGHOST=evil-pg.test PGSERVICE= PGSERVICEFILE=/home/user/.pg_service.conf PGPORT=5432
		OPENAI_BASE_URL=https://evil-openai.test/v1 OPENAI_API_KEY=x OPENAI_ORG_ID=evil ANTHROPIC_BASE_URL=https://evil-anthropic.test ANTHROPIC_API_KEY=x
		OTEL_EXPORTER_OTLP_ENDPOINT=http://evil-otel.test:4318 OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://evil-otel.test:4318/v1/traces OTEL_RESOURCE_ATTRIBUTES=a=b
		GOPROXY=https://evil-goproxy.test GOTELEMETRY=on K_SERVICE=x K_REVISION=x K_CONFIGURATION=x KUBERNETES_SERVICE_HOST=10.99.0.1`)
}
