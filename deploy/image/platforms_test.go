//go:build linux && !no_duckdb

package image_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/judgebackend/backendtest"
	"github.com/badger-eval/badger/udf/udfpb"
)

const (
	echo     = `{"rows":[["hello"]]}`
	echoPath = "/v1/functions/badger_echo"
)

// pairs are n rows of results for ex_bird: every third one is wrong.
func pairs(n int) (rows [][]any, want []string) {
	for i := range n {
		gold, value := fmt.Sprintf(`{"columns":["a"],"rows":[[%d]]}`, i), "1"
		agent := gold
		if i%3 == 0 {
			agent, value = `{"columns":["a"],"rows":[[-1]]}`, "0"
		}
		rows, want = append(rows, []any{gold, agent}), append(want, value)
	}
	return rows, want
}

func wantResults(t *testing.T, what string, c *callers.Call, err error, want []string) {
	t.Helper()
	var got []string
	if err == nil {
		for _, r := range c.Results {
			got = append(got, string(r))
		}
	}
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s: %v, %.200q, want %.200q", what, err, got, want)
	}
}

// question is a row of flex that only a judge can decide, another one for each number.
func question(n int) []any {
	return []any{fmt.Sprintf("How many boats has harbour %d?", n), fmt.Sprintf("SELECT count(*) FROM boats WHERE harbour = %d", n), fmt.Sprintf("SELECT sum(1) FROM boats WHERE harbour = %d", n)}
}

// judge is an endpoint of OpenAI's form that says yes after a while.
func judge(t *testing.T, after time.Duration) (e *backendtest.Endpoint, config string) {
	t.Helper()
	end := make(chan struct{})
	e = backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		select {
		case <-time.After(after):
		case <-end:
		}
		_, word, _ := strings.Cut(c.Prompt, "Set the field nonce of your answer to ")
		word, _, _ = strings.Cut(word, ";")
		word, _, _ = strings.Cut(strings.TrimRight(word, "."), " ")
		return backendtest.Answer{Reply: fmt.Sprintf(`{"analysis": "fine", "correct": true, "nonce": %q}`, strings.TrimRight(word, ".,;")), TokensIn: 400, TokensOut: 20}
	})
	t.Cleanup(func() { close(end) }) // before the endpoint's own end, which waits for answers
	return e, "judge: {backend: 'openai:gpt-4o', base_url: '" + e.URL() + "', key_file: /run/secrets/judge-key, ledger: none}\nmetrics: {options: {flex: {categories: false}}}\n"
}

var judgeKey = map[string]string{"/run/secrets/judge-key": "sk-no-real-key\n"}

// Snowpark Container Services: a token file that is rewritten, a readiness probe, batches of service
// functions, and headers of the ingress.
func TestSnowpark(t *testing.T) {
	needImage(t)
	warehouse := fakesnowflake.New(t)
	warehouse.Token = "token-0"
	cell := fakesnowflake.Text("7")
	warehouse.Answer(`(?i)select \* from gold_7`, fakesnowflake.Result{Columns: []fakesnowflake.Column{{Name: "A", Type: "text"}}, Rows: [][]fakesnowflake.Cell{{cell}}})
	session := t.TempDir()
	must(t, os.Chmod(filepath.Dir(session), 0o755))
	must(t, os.Chmod(session, 0o755))
	// As the platform does it: another file in its place.
	rotate := func(n int) {
		t.Helper()
		next := filepath.Join(session, ".token")
		must(t, os.WriteFile(next, fmt.Appendf(nil, "token-%d", n), 0o644))
		must(t, os.Rename(next, filepath.Join(session, "token")))
	}
	rotate(0)
	// The container's token is sent to the host of SNOWFLAKE_HOST alone, so the URL names none.
	options := strings.Replace(warehouse.Options(), "&host=127.0.0.1", "", 1)
	udf, rpc := freePort(t), freePort(t)
	m := machine{
		env:    []string{"SNOWFLAKE_HOST=127.0.0.1", "SNOWFLAKE_ACCOUNT=ACME"},
		folder: map[string]string{"/snowflake/session": session},
		files:  map[string]string{"/run/secrets/tokens": "ana:sesame-open-at-once\n"},
		config: "listen: {http: '0.0.0.0:" + udf + "', grpc: '0.0.0.0:" + rpc + "', allow_plaintext: true}\n" +
			"auth: {http: {mode: platform, platform: spcs}, grpc: {mode: token, token_file: /run/secrets/tokens}}\n" +
			"results: {warehouse: 'snowflake://acme/DEMO?auth=container&" + options + "'}\ntimeouts: {snowflake: 10m}\n",
	}
	c := start(t, m)
	at := "http://127.0.0.1:" + udf
	t.Logf("ready after %v", c.ready(at))

	rows, want := pairs(500)
	function := &callers.Snowflake{URL: at + "/v1/snowflake/ex_bird", Service: true, BatchID: "b-1"}
	call, err := function.Call(t.Context(), rows...)
	wantResults(t, "a batch of a service function", call, err, want)
	c.logged(`"function":"ex_bird"`, `"caller":"spcs"`)
	if status, reply := post(t, http.DefaultClient, at+"/v1/snowflake/no_such", `{"data":[[0,"x"]]}`); status != 400 {
		t.Errorf("an unknown function: %d %s, want 400: a service function sends a 404 again", status, reply)
	}

	// The token is replaced while batches are under way, and the sessions of the old one end.
	var ended atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for !ended.Load() {
			call, err := (&callers.Snowflake{URL: at + "/v1/snowflake/ex_bird", Service: true}).Call(t.Context(), rows...)
			wantResults(t, "while tokens change", call, err, want)
		}
	})
	for n := range 5 {
		rotate(n + 1)
		warehouse.Token = fmt.Sprintf("token-%d", n+1)
		warehouse.ForgetSessions()
		call, err := (&callers.Snowflake{URL: at + "/v1/snowflake/ex_bird_json", Service: true}).Call(t.Context(), []any{"table:GOLD_7", `{"columns":["A"],"rows":[["7"]]}`})
		if err != nil || !strings.Contains(string(call.Results[0]), `"value":1`) {
			t.Errorf("a table after token %d: %v %s", n+1, err, call.Results)
		}
	}
	ended.Store(true)
	group.Wait()

	// The ingress names the user here; the same header on the other listener, and another platform's
	// header here, name nobody.
	if status, _ := post(t, http.DefaultClient, at+echoPath, echo, "Sf-Context-Current-User", "ANA"); status != 200 {
		t.Errorf("a user of the ingress: %d", status)
	}
	c.logged(`"function":"badger_echo"`, `"caller":"ANA"`)
	if status, _ := post(t, http.DefaultClient, at+"/v1/functions/exact_match_text", `{"rows":[["a","a"]]}`, "X-Forwarded-Email", "eve@example.com", "X-Goog-Authenticated-User-Email", "eve"); status != 200 {
		t.Errorf("with another platform's headers: %d", status)
	}
	c.logged(`"function":"exact_match_text"`, `"caller":"spcs"`)
	if status, reply := post(t, http.DefaultClient, at+echoPath, echo, "Sf-Context-Current-User", "ANA", "Sf-Context-Current-User", "EVE"); status != 401 {
		t.Errorf("two names: %d %s, want 401", status, reply)
	}
	conn, err := grpc.NewClient("127.0.0.1:"+rpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	defer conn.Close()
	spoofed := metadata.AppendToOutgoingContext(t.Context(), "sf-context-current-user", "ANA", "x-forwarded-email", "ana@example.com")
	for _, c := range []struct {
		what string
		ctx  context.Context
		want codes.Code
	}{
		{"a spoofed name", spoofed, codes.Unauthenticated},
		{"a spoofed name and a wrong token", metadata.AppendToOutgoingContext(spoofed, "authorization", "Bearer sesame-open"), codes.Unauthenticated},
		{"a token", metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer sesame-open-at-once"), codes.OK},
	} {
		if _, err := udfpb.NewScoringClient(conn).ListFunctions(c.ctx, &udfpb.ListFunctionsRequest{}); status.Code(err) != c.want {
			t.Errorf("%s on the gRPC listener: %v, want %v", c.what, err, c.want)
		}
	}
	if code, took := c.stop(); code != 0 || took > 10*time.Second {
		t.Errorf("exit code %d after %v", code, took)
	}
	if strings.Contains(c.log.String(), "token-") || strings.Contains(c.log.String(), "sesame") {
		t.Error("a token is in the log")
	}

	// Elsewhere the same configuration is refused: there anybody could send the header.
	config := "listen: {http: '0.0.0.0:" + udf + "'}\nauth: {http: {mode: platform, platform: spcs}}\n"
	for what, without := range map[string]machine{
		"no SNOWFLAKE_HOST": {folder: m.folder, config: config},
		"no token file":     {env: m.env, config: config},
	} {
		cmd := inside(t, without)
		if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("this is not that platform")) {
			t.Errorf("%s: %v: %s", what, err, out)
		}
	}
}

// token is an identity token as Cloud Run passes it on, unless signature says otherwise.
func token(signature string, claims map[string]any) string {
	b, _ := json.Marshal(claims)
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"k","typ":"JWT"}`))
	return head + "." + base64.RawURLEncoding.EncodeToString(b) + "." + signature
}

// Cloud Run: $PORT, HTTP/1.1 and HTTP/2 without TLS, an identity token whose signature the platform
// has cut, and an end within 10 s.
func TestCloudRun(t *testing.T) {
	needImage(t)
	const cut = "SIGNATURE_REMOVED_BY_GOOGLE"
	start := func(answers time.Duration) (c *container, at string, endpoint *backendtest.Endpoint) {
		t.Helper()
		port := freePort(t)
		endpoint, judged := judge(t, answers)
		c = start(t, machine{
			env: []string{"PORT=" + port, "K_SERVICE=badger", "K_REVISION=badger-00001", "K_CONFIGURATION=badger"}, files: judgeKey,
			config: "listen: {h2c: true, grpc: '127.0.0.1:0'}\nauth: {http: {mode: platform, platform: cloud-run, emails: [connection@example.iam.gserviceaccount.com]}}\n" + judged,
		})
		at = "http://127.0.0.1:" + port
		t.Logf("ready after %v", c.ready(at))
		return c, at, endpoint
	}
	c, at, _ := start(0)
	claims := func(change ...any) map[string]any {
		all := map[string]any{
			"iss": "https://accounts.google.com", "aud": "https://badger.example.com", "sub": "1", "email": "connection@example.iam.gserviceaccount.com",
			"email_verified": true, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
		}
		for i := 0; i < len(change); i += 2 {
			all[change[i].(string)] = change[i+1]
		}
		return all
	}
	good := "Bearer " + token(cut, claims())
	h2 := &http.Client{Transport: &http.Transport{Protocols: new(http.Protocols)}}
	h2.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
	rows, want := pairs(300)
	for name, client := range map[string]*http.Client{"HTTP/1.1": http.DefaultClient, "HTTP/2.0": h2} {
		call, err := (&callers.BigQuery{URL: at + "/v1/bigquery/ex_bird", Client: client, Header: http.Header{"Authorization": {good}}}).Call(t.Context(), rows...)
		wantResults(t, name, call, err, want)
		resp, err := client.Get(at + "/health/live")
		must(t, err)
		_ = resp.Body.Close()
		if resp.Proto != name {
			t.Errorf("spoke %s, want %s", resp.Proto, name)
		}
	}
	c.logged(`"caller":"connection@example.iam.gserviceaccount.com"`)
	for what, header := range map[string]string{
		"no token":              "",
		"a token as it was":     "Bearer " + token("c2lnbmF0dXJl", claims()),
		"an empty signature":    "Bearer " + token("", claims()),
		"another issuer":        "Bearer " + token(cut, claims("iss", "https://evil.example.com")),
		"expired":               "Bearer " + token(cut, claims("exp", time.Now().Add(-time.Hour).Unix())),
		"another account":       "Bearer " + token(cut, claims("email", "eve@example.com")),
		"an unverified address": "Bearer " + token(cut, claims("email_verified", false)),
	} {
		if status, reply := post(t, http.DefaultClient, at+echoPath, echo, "Authorization", header); status != 401 && status != 403 {
			t.Errorf("%s: %d %s, want 401 or 403", what, status, reply)
		}
	}
	if status, _ := post(t, http.DefaultClient, at+echoPath, echo, "X-Goog-Authenticated-User-Email", "connection@example.iam.gserviceaccount.com"); status != 401 {
		t.Errorf("a name without a token: %d, want 401", status)
	}
	if code, took := c.stop(); code != 0 {
		t.Errorf("exit code %d after %v", code, took)
	}

	// Cloud Run kills what is there 10 s after SIGTERM. Calls that end before are answered, others
	// are told to come again.
	for _, judged := range []struct {
		takes  time.Duration
		status int
	}{{3 * time.Second, 200}, {time.Minute, 503}} {
		c, at, endpoint := start(judged.takes)
		type answer struct {
			status int
			reply  string
		}
		answers := make(chan answer, 4)
		for n := range 4 {
			body, _ := json.Marshal(map[string]any{"calls": [][]any{question(n)}})
			go func() {
				req, _ := http.NewRequest(http.MethodPost, at+"/v1/bigquery/flex", bytes.NewReader(body))
				req.Header.Set("Authorization", good)
				req.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					answers <- answer{0, err.Error()}
					return
				}
				defer resp.Body.Close()
				b, _ := io.ReadAll(resp.Body)
				answers <- answer{resp.StatusCode, string(b)}
			}()
		}
		for len(endpoint.Calls()) < 4 {
			time.Sleep(10 * time.Millisecond)
		}
		code, took := c.stop()
		if code != 0 || took > 10*time.Second {
			t.Errorf("a judge of %v: exit code %d after %v, want 0 within 10 s", judged.takes, code, took)
		}
		for range 4 {
			a := <-answers
			if a.status != judged.status || a.status == 200 && !strings.Contains(a.reply, `[1`) {
				t.Errorf("a judge of %v: %d %s, want %d", judged.takes, a.status, a.reply, judged.status)
			}
		}
		t.Logf("with calls in flight to a judge of %v: ended after %v", judged.takes, took)
	}
}

// Databricks Apps: the port's variable, headers of the proxy, and the starter that fetches the
// binary.
func TestDatabricksApps(t *testing.T) {
	needImage(t)
	const python = "/usr/bin/python3" // one that user 65532 may run, too
	if _, err := os.Stat(python); err != nil {
		t.Skip("there is no " + python)
	}
	binary, err := os.ReadFile(filepath.Join(image, "badger"))
	must(t, err)
	sum := sha256.Sum256(binary)
	const clientID, secret = "11111111-2222-3333-4444-555555555555", "dose-canary-secret"
	var downloads, failing, cutting atomic.Int32
	const path = "/Volumes/main/badger/releases/badger-linux-amd64-v1.2.3"
	workspace := http.NewServeMux()
	workspace.HandleFunc("POST /oidc/v1/token", func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != clientID || password != secret || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "all-apis" {
			http.Error(w, `{"error":"invalid_client"}`, http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"access_token":"app-token-canary","token_type":"Bearer","expires_in":3600}`)
	})
	workspace.HandleFunc("GET /api/2.0/fs/files/", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer app-token-canary":
			http.Error(w, `{"error_code":"UNAUTHENTICATED"}`, http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/moved"):
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
		case strings.TrimPrefix(r.URL.Path, "/api/2.0/fs/files") != path:
			http.Error(w, `{"error_code":"NOT_FOUND"}`, http.StatusNotFound)
		case failing.Add(-1) >= 0:
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			downloads.Add(1)
			w.Header().Set("Content-Length", fmt.Sprint(len(binary)))
			if cutting.Add(-1) >= 0 {
				_, _ = w.Write(binary[:len(binary)/2])
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write(binary)
		}
	})
	server := httptest.NewServer(workspace)
	defer server.Close()

	source, err := os.ReadFile("../databricks/app/starter.py")
	must(t, err)
	if len(source) > 10_000_000 {
		t.Errorf("the starter has %d bytes: an app's file may have 10 MB", len(source))
	}
	app := t.TempDir()
	must(t, os.Chmod(filepath.Dir(app), 0o755))
	must(t, os.Chown(app, nonroot, nonroot))
	must(t, os.WriteFile(filepath.Join(app, "starter.py"), source, 0o644))
	must(t, os.WriteFile(filepath.Join(app, "badger.yaml"), []byte("listen: {grpc: '127.0.0.1:0'}\nauth: {http: {mode: platform, platform: databricks-apps}}\n"), 0o644))
	port := freePort(t)
	env := func(change ...string) []string {
		return append([]string{
			"PATH=/usr/bin:/bin", "HOME=" + app, "DATABRICKS_APP_NAME=badger", "DATABRICKS_APP_PORT=" + port, "DATABRICKS_HOST=" + server.URL, "DATABRICKS_WORKSPACE_ID=1",
			"DATABRICKS_CLIENT_ID=" + clientID, "DATABRICKS_CLIENT_SECRET=" + secret, "STARTER_BINARY=" + path, "STARTER_SHA256=" + hex.EncodeToString(sum[:]), "STARTER_FOLDER=" + filepath.Join(app, "kept"),
		}, change...)
	}
	starter := func(change ...string) *exec.Cmd {
		cmd := exec.Command(python, "starter.py", "serve", "--config", "badger.yaml")
		cmd.Dir, cmd.Env = app, env(change...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nonroot, Gid: nonroot}, Setsid: true}
		return cmd
	}
	kept := func() (names []string) {
		entries, _ := os.ReadDir(filepath.Join(app, "kept"))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}

	for _, c := range []struct {
		what   string
		change []string
		cut    int32
		says   string
	}{
		{"a wrong hash", []string{"STARTER_SHA256=" + strings.Repeat("0", 64)}, 0, "it is not run"},
		{"a download that is always cut", nil, 100, "fetching " + path},
		{"a refused secret", []string{"DATABRICKS_CLIENT_SECRET=dose-wrong"}, 0, "signing in: the workspace answers 401"},
		{"no such file", []string{"STARTER_BINARY=/Volumes/main/badger/releases/none"}, 0, "the workspace answers 404"},
		{"a redirect", []string{"STARTER_BINARY=/Volumes/main/badger/releases/moved"}, 0, "the workspace answers 302"},
		{"no hash", []string{"STARTER_SHA256="}, 0, "STARTER_SHA256 is not set"},
		{"a short hash", []string{"STARTER_SHA256=abc"}, 0, "STARTER_SHA256 is wrong"},
		{"a path that is no volume's", []string{"STARTER_BINARY=/Workspace/x"}, 0, "STARTER_BINARY is wrong"},
		{"a path that leaves the volume", []string{"STARTER_BINARY=/Volumes/a/b/../../c"}, 0, "STARTER_BINARY is wrong"},
		{"plain HTTP beyond this machine", []string{"DATABRICKS_HOST=http://workspace.example.com"}, 0, "DATABRICKS_HOST is not set or wrong"},
	} {
		cutting.Store(c.cut)
		out, err := starter(c.change...).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "starter: ") || !strings.Contains(string(out), c.says) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v: %s, want one line with %q", c.what, err, out, c.says)
		}
		if bytes.Contains(out, []byte("canary")) || bytes.Contains(out, []byte("dose-")) {
			t.Errorf("%s: a secret is in the log: %s", c.what, out)
		}
		if left := kept(); len(left) != 0 {
			t.Errorf("%s: these stay behind: %q", c.what, left)
		}
	}

	// One attempt that is refused and one that is cut are made good.
	cutting.Store(1)
	failing.Store(1)
	downloads.Store(0)
	at := "http://127.0.0.1:" + port
	c := &container{t: t, cmd: starter()}
	c.launch()
	t.Logf("the starter, with two failures: ready after %v", c.ready(at))
	if n := downloads.Load(); n != 2 {
		t.Errorf("%d downloads, want 2", n)
	}
	rows, _ := pairs(2)
	body, _ := json.Marshal(map[string]any{"rows": rows})
	if status, reply := post(t, http.DefaultClient, at+"/api/v1/functions/ex_bird", string(body), "X-Forwarded-Email", "ana@example.com", "X-Forwarded-User", "123"); status != 200 || !strings.Contains(reply, "[0,1]") {
		t.Errorf("a person: %d %s", status, reply)
	}
	c.logged(`"function":"ex_bird"`, `"caller":"ana@example.com"`)
	if status, _ := post(t, http.DefaultClient, at+echoPath, echo, "X-Forwarded-User", "app-principal"); status != 200 {
		t.Errorf("a service principal: %d", status)
	}
	c.logged(`"function":"badger_echo"`, `"caller":"app-principal"`)
	for what, header := range map[string][]string{
		"nobody":                     nil,
		"another platform's headers": {"Sf-Context-Current-User", "ANA", "X-Goog-Authenticated-User-Email", "ana@example.com"},
		"two people":                 {"X-Forwarded-Email", "ana@example.com", "X-Forwarded-Email", "eve@example.com"},
	} {
		if status, reply := post(t, http.DefaultClient, at+echoPath, echo, header...); status != 401 {
			t.Errorf("%s: %d %s, want 401", what, status, reply)
		}
	}
	if code, _ := c.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	// What is there and whole is not fetched again; what was changed is.
	downloads.Store(0)
	c = &container{t: t, cmd: starter()}
	c.launch()
	t.Logf("the starter, with the binary kept: ready after %v", c.ready(at))
	c.stop()
	if n := downloads.Load(); n != 0 {
		t.Errorf("%d downloads of what is there", n)
	}
	name := filepath.Join(app, "kept", kept()[0])
	must(t, os.WriteFile(name, []byte("#!/bin/sh\necho changed\n"), 0o755))
	c = &container{t: t, cmd: starter()}
	c.launch()
	c.ready(at)
	c.stop()
	if n := downloads.Load(); n != 1 {
		t.Errorf("%d downloads after a change, want 1", n)
	}
	// A folder that others can write to could hold their program.
	must(t, os.Chmod(filepath.Join(app, "kept"), 0o777))
	if out, err := starter().CombinedOutput(); err == nil || !strings.Contains(string(out), "can be written by others") {
		t.Errorf("a folder that all can write: %v: %s", err, out)
	}
}

// gateway is Amazon API Gateway as an external function meets it: it adds the token, and cuts what
// takes longer than 29 s or is larger than 10 MB.
func gateway(t *testing.T, to, secret string) (at string, cuts *atomic.Int32) {
	t.Helper()
	const seconds, limit = 29, 10_000_000
	cuts = new(atomic.Int32)
	target, err := url.Parse(to)
	must(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("X-Badger-Token", secret)
		},
		ModifyResponse: func(r *http.Response) error {
			b, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
			if err != nil || len(b) > limit {
				return fmt.Errorf("the reply is too long or cut: %w", err)
			}
			r.Body = io.NopCloser(bytes.NewReader(b))
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			cuts.Add(1)
			http.Error(w, `{"message": "Endpoint request timed out"}`, http.StatusGatewayTimeout)
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > limit {
			cuts.Add(1)
			http.Error(w, `{"message":"Request Too Long"}`, http.StatusRequestEntityTooLarge)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), seconds*time.Second)
		defer cancel()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(server.Close)
	return server.URL, cuts
}

// Amazon API Gateway: a judge that takes longer than a gateway's 29 s, replies near 10 MB, and the
// token that only the gateway knows.
func TestAPIGateway(t *testing.T) {
	needImage(t)
	const secret = "gateway-secret-0123456789"
	endpoint, judged := judge(t, 35*time.Second)
	port := freePort(t)
	files := map[string]string{"/run/secrets/tokens": "gateway:" + secret + "\n"}
	for name, text := range judgeKey {
		files[name] = text
	}
	c := start(t, machine{
		files:  files,
		config: "listen: {http: '0.0.0.0:" + port + "', grpc: '127.0.0.1:0', allow_plaintext: true}\nauth: {mode: token, token_file: /run/secrets/tokens}\n" + judged,
	})
	direct := "http://127.0.0.1:" + port
	c.ready(direct)
	at, cuts := gateway(t, direct, secret)

	rows, want := pairs(1000)
	call, err := (&callers.Snowflake{URL: at + "/v1/snowflake/ex_bird", BatchID: "quick", Gzip: true}).Call(t.Context(), rows...)
	wantResults(t, "a batch", call, err, want)

	began := time.Now()
	call, err = (&callers.Snowflake{URL: at + "/v1/snowflake/flex", BatchID: "slow"}).Call(t.Context(), question(1), question(2))
	wantResults(t, "a judge of 35 s", call, err, []string{"1", "1"})
	if n := len(endpoint.Calls()); n != 2 || call.Posts() != 1 || cuts.Load() != 0 {
		t.Errorf("the judge was asked %d times, the rows were sent %d times, the gateway cut %d times; want 2, 1 and 0", n, call.Posts(), cuts.Load())
	}
	t.Logf("a judge of 35 s behind 29 s: %v", time.Since(began).Round(time.Second))

	// Envelopes lose their detail before the reply is too long.
	long := strings.Repeat("x", 3000)
	rows = nil
	for i := range 1500 {
		rows = append(rows, []any{fmt.Sprintf(`{"columns":["a"],"rows":[["%s%d"]]}`, long, i), fmt.Sprintf(`{"columns":["a"],"rows":[["%d%s"]]}`, i, long)})
	}
	call, err = (&callers.Snowflake{URL: at + "/v1/snowflake/hybrid_ex_json", BatchID: "long", Gzip: true}).Call(t.Context(), rows...)
	if err != nil || len(call.Results) != len(rows) || len(call.Reply) > 10_000_000 || cuts.Load() != 0 {
		t.Errorf("long replies: %v, %d rows, %d bytes, the gateway cut %d times", err, len(call.Results), len(call.Reply), cuts.Load())
	}
	if status, _ := post(t, http.DefaultClient, at+"/v1/snowflake/badger_echo", `{"data":[[0,"`+strings.Repeat("x", 10_000_001)+`"]]}`); status != 413 {
		t.Errorf("a request of more than 10 MB: %d, want the gateway's 413", status)
	}

	for what, header := range map[string][]string{"no token": nil, "a wrong token": {"X-Badger-Token", "gateway-secret"}, "a name": {"Sf-Context-Current-User", "ANA"}} {
		if status, _ := post(t, http.DefaultClient, direct+"/v1/snowflake/badger_echo", `{"data":[[0,"x"]]}`, header...); status != 401 {
			t.Errorf("around the gateway with %s: %d, want 401", what, status)
		}
	}
	if strings.Contains(c.log.String(), secret) {
		t.Error("the token is in the log")
	}
}
