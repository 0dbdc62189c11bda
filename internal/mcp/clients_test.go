package mcp

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/server"
)

// TestMain makes the test binary a server on standard input and output, which clients of other languages start.
func TestMain(m *testing.M) {
	if os.Getenv("BADGER_TEST_MCP") != "stdio" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "badger-mcp-*")
	if err != nil {
		panic(err)
	}
	s, err := New(context.Background(), Options{Config: Config{Ledger: dir}, Metrics: metric.All(), Now: (&clock{day1}).now,
		Golden: items(goldenCase("a", table("[[42]]")))})
	if err == nil {
		err = s.Stdio(context.Background(), os.Stdin, os.Stdout)
		s.Close()
	}
	_ = os.RemoveAll(dir)
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// guarded serves s over HTTP to callers with the token, or without a name to all of this machine.
func guarded(t *testing.T, s *Server, name, token string) string {
	t.Helper()
	engine, err := scoring.NewEngine(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	var who identity.Config
	if name != "" {
		who.Tokens = map[string]string{name: token}
	}
	h, err := server.New(catalogue, &server.Options{Site: s.Handler(), HTTP: who})
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, nil, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + Path
}

// Without authentication the server answers to its loopback name only, so that a page cannot reach it by another name;
// with it, not without a token.
func TestHostsAndTokens(t *testing.T) {
	s := open(t, Options{Golden: items(goldenCase("a", table("[[42]]")))})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_answer","arguments":{"case_id":"a","result":` + table("[[42]]") + `}}}`
	local, tokens := guarded(t, s, "", ""), guarded(t, s, "ana", "a-token-of-sufficient-length-1234567890")
	for _, tc := range []struct {
		url, host, origin string
		status            int
	}{
		{local, "", "", 200}, {local, "evil.example", "", 403}, {local, "", "http://evil.example", 403}, {local, "localhost", "", 200},
		{tokens, "", "", 401}, {tokens, "evil.example", "", 401},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tc.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tc.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tc.status {
			t.Errorf("%+v: status %d, want %d", tc, resp.StatusCode, tc.status)
		}
	}
}

const clientSays = `check_answer compare_runs explain_case failing_cases golden_gaps
{"case_id":"a","verdict":"pass","reason":"accepted","left":2}
{"case_id":"a","verdict":"fail","reason":"other_data","left":1}
True case_id: unknown case none
`

// clients runs a client over both transports.
func clients(t *testing.T, command ...string) {
	t.Helper()
	const token = "a-token-of-sufficient-length-1234567890"
	at := guarded(t, open(t, Options{Golden: items(goldenCase("a", table("[[42]]")))}), "ana", token)
	for _, arguments := range [][]string{{"stdio", os.Args[0]}, {"http", at, token}} {
		c := exec.Command(command[0], append(command[1:], arguments...)...)
		var errs strings.Builder
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil || string(out) != clientSays {
			t.Errorf("%s: %v\n%s\n%s\nwant\n%s", arguments[0], err, out, &errs, clientSays)
		}
	}
	c := exec.Command(command[0], append(command[1:], "http", at, "another-token-of-sufficient-length-123456")...)
	if out, err := c.Output(); err == nil {
		t.Errorf("a wrong token is taken: %s", out)
	}
}

// The official Python client, package mcp. BADGER_MCP_PYTHON is a Python that has it.
func TestPythonClient(t *testing.T) {
	python := os.Getenv("BADGER_MCP_PYTHON")
	if python == "" {
		t.Skip("BADGER_MCP_PYTHON is not set: a Python with the package mcp")
	}
	clients(t, python, "testdata/clients/client.py")
}

// The official TypeScript client, package @modelcontextprotocol/sdk. BADGER_MCP_NODE_MODULES is the folder with it.
func TestTypeScriptClient(t *testing.T) {
	if os.Getenv("BADGER_MCP_NODE_MODULES") == "" {
		t.Skip("BADGER_MCP_NODE_MODULES is not set: a folder node_modules with @modelcontextprotocol/sdk")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node not found")
	}
	clients(t, node, "testdata/clients/client.mjs")
}
