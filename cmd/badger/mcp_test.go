//go:build !no_duckdb && !no_postgres

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// boats is a case file with two answers, of which one is right, and a question without gold.
const boats = `{"case_id":"q1","question":"How many boats?","gold":{"sql":"SELECT COUNT(*) AS n FROM boats","result":{"columns":[{"name":"n"}],"rows":[[42]]}},"agent":{"name":"nova","version":"1","batch_id":"mon","sql":"SELECT COUNT(*) AS n FROM ships","result":{"columns":[{"name":"n"}],"rows":[[41]]}}}
{"case_id":"q2","question":"Which boats?","gold":{"sql":"SELECT name FROM boats","result":{"columns":[{"name":"name"}],"rows":[["Ida"],["Ada"]]}},"agent":{"name":"nova","version":"1","batch_id":"mon","sql":"SELECT name FROM boats","result":{"columns":[{"name":"name"}],"rows":[["Ida"],["Ada"]]}}}
{"case_id":"q3","question":"And now?","agent":{"name":"nova","version":"1","batch_id":"mon"}}
`

const mcpStart = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func toolCall(id int, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments) + "\n"
}

// replyOf returns the text of a tool's reply in a message.
func replyOf(t *testing.T, message string) string {
	t.Helper()
	var m struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil || len(m.Result.Content) != 1 {
		t.Fatalf("%v in %s", err, message)
	}
	return m.Result.Content[0].Text
}

// overStdio runs badger with a call of a tool on standard input at a time, and returns the replies.
func overStdio(t *testing.T, args []string, calls ...[2]string) (replies []string) {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	var errs strings.Builder
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), args, process{getenv: os.Getenv, stdin: in, stdout: out, stderr: &errs, now: time.Now})
		_, _ = out.Close(), in.Close()
	}()
	lines := bufio.NewScanner(read)
	lines.Buffer(nil, 1<<20)
	_, _ = io.WriteString(write, mcpStart)
	if !lines.Scan() {
		t.Fatalf("%v: exit code %d\n%s", args, <-ended, &errs)
	}
	for i, c := range calls {
		_, _ = io.WriteString(write, toolCall(i+1, c[0], c[1]))
		if !lines.Scan() {
			t.Fatalf("%v: no reply to %s\n%s", args, c, &errs)
		}
		replies = append(replies, replyOf(t, lines.Text()))
	}
	_ = write.Close()
	if code := <-ended; code != exitDone {
		t.Errorf("%v: exit code %d\n%s", args, code, &errs)
	}
	return replies
}

// mcpPlace makes a directory with what the commands of the page name, and its own counts.
func mcpPlace(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operate", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	cert, key := serverCertificate(t)
	auth := regexp.MustCompile("(?s)```yaml\n(auth:.*?)```").FindSubmatch(page)
	if auth == nil {
		t.Fatal("the page shows no authentication")
	}
	for name, text := range map[string]string{"mcp.md": string(page), "cases.jsonl": boats, "server.pem": cert, "server.key": key,
		"tokens.txt": "ci:a-token-of-sufficient-length-1234567890\n", "badger.yaml": string(auth[1])} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, "duckdb:shop.duckdb", "CREATE TABLE boats (name TEXT)")
	var errs strings.Builder
	if code := run(t.Context(), []string{"run", "--cases", "cases.jsonl", "--to", "duckdb:scores.duckdb", "--metrics", "hybrid_ex,relation", "--judge", "none"},
		process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &errs, now: time.Now}); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, &errs)
	}
}

// blocks returns the blocks of a language on the page.
func blocks(t *testing.T, language string) (out []string) {
	t.Helper()
	page, err := os.ReadFile("mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		out = append(out, m[1])
	}
	return out
}

// What docs/operate/mcp.md shows is what badger does: its commands start, also from the configurations of hosts, and its
// example gives its reply.
func TestMCPPage(t *testing.T) {
	mcpPlace(t)
	shown := blocks(t, "json")
	if len(shown) < 5 {
		t.Fatalf("%d blocks of JSON", len(shown))
	}
	example := [2]string{"check_answer", strings.TrimSpace(shown[0])}
	hosts := 0
	for _, text := range shown[2:] {
		var host map[string]map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
			URL     string   `json:"url"`
		}
		if err := json.Unmarshal([]byte(text), &host); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for _, servers := range host {
			s := servers["badger"]
			if hosts++; s.URL != "" {
				if s.Command != "" || !strings.HasSuffix(s.URL, "/mcp") {
					t.Errorf("a server at %s", s.URL)
				}
				continue
			}
			if got := overStdio(t, s.Args, example); s.Command != "badger" || got[0] != strings.TrimSpace(shown[1]) {
				t.Errorf("%s %v: %s, want %s", s.Command, s.Args, got, shown[1])
			}
		}
	}
	if hosts != 3 {
		t.Errorf("%d configurations of hosts, expected 3", hosts)
	}
	commands := 0
	for _, block := range blocks(t, "sh") {
		for _, c := range shownCommands(t, "docs/operate/mcp.md", "```sh\n"+block+"```") {
			line, args := c.line, c.args
			commands++
			if !strings.Contains(line, "--http") {
				overStdio(t, args, example)
				continue
			}
			for i, a := range args {
				if strings.HasSuffix(a, ":7435") {
					args[i] = "127.0.0.1:0"
				}
			}
			at, stop := overHTTP(t, args)
			token := "a-token-of-sufficient-length-1234567890"
			if strings.Contains(line, "--config") {
				if status, text := postTool(t, at, "", example); status != http.StatusUnauthorized {
					t.Errorf("%s: without a token %d %s", line, status, text)
				}
			}
			want := "stored runs are not available: badger mcp was started without --db"
			if strings.Contains(line, "--db") { // scores.duckdb has scores alone
				want = "the answers of nova 1, batch mon are neither in the case file nor in the database"
			}
			if status, text := postTool(t, at, token, [2]string{"failing_cases", "{}"}); status != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("%s: %d %s", line, status, text)
			}
			if code := stop(); code != exitDone {
				t.Errorf("%s: exit code %d", line, code)
			}
		}
	}
	if commands != 5 {
		t.Errorf("%d commands, expected 5", commands)
	}
}

// overHTTP starts badger and returns the address that it printed.
func overHTTP(t *testing.T, args []string) (at string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	lines, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, args, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr, now: time.Now})
		_ = stderr.Close()
	}()
	in := bufio.NewScanner(lines)
	var said strings.Builder
	for at == "" && in.Scan() {
		said.WriteString(in.Text() + "\n")
		at = regexp.MustCompile(`https?://127\.0\.0\.1:\d+/mcp`).FindString(in.Text())
	}
	if at == "" {
		t.Fatalf("%v: exit code %d\n%s", args, <-ended, &said)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return at, func() int {
		cancel()
		return <-ended
	}
}

// postTool calls a tool over HTTP.
func postTool(t *testing.T, at, token string, call [2]string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(toolCall(1, call[0], call[1])))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // its own certificate
	defer client.CloseIdleConnections()
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// The tools over a database, with a golden set in a file, and what they say of mistakes.
func TestMCP(t *testing.T) {
	mcpPlace(t)
	got := overStdio(t, []string{"mcp", "--cases", "cases.jsonl", "--db", "duckdb:scores.duckdb"},
		[2]string{"explain_case", `{"case_id":"q1"}`}, [2]string{"golden_gaps", `{}`}, [2]string{"failing_cases", `{}`}, [2]string{"compare_runs", `{}`})
	for i, want := range []string{
		`"verdict":"fail","reason":"other_data","left":2,"untrusted":{"question":"How many boats?","sql":"SELECT COUNT(*) AS n FROM ships","error":"","response":""}}`,
		`{"no_gold":[{"case_id":"q3","answers":1,"untrusted":{"question":"And now?"}}],"saturated":[]`,
		`"cases":[{"case_id":"q1","verdict":"fail","reason":"other_data","left":`,
		`no complete batch of agent "nova" precedes nova 1, batch mon; name a side with from`,
	} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%s\nwant %s", got[i], want)
		}
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"mcp"}, "expected --cases FILE, --db URL or both"},
		{[]string{"mcp", "--cases", "none.jsonl"}, "none.jsonl"},
		{[]string{"mcp", "--cases", "cases.jsonl", "--set-version", "v1"}, "--set-version: a case file has no versions"},
		{[]string{"mcp", "--cases", "cases.jsonl", "--http", "0.0.0.0:0"}, "reachable from other machines: configure authentication"},
		{[]string{"mcp", "--cases", "cases.jsonl", "--primary", "hybrid_ex"}, "unknown flag --primary"},
		{[]string{"mcp", "--db", "duckdb:scores.duckdb", "--execute", "duckdb:./scores.duckdb?threads=1"}, "--execute: it is the database of --db"},
	} {
		var errs strings.Builder
		code := run(t.Context(), tc.args, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: io.Discard, stderr: &errs, now: time.Now})
		if code != exitUsage || !strings.Contains(errs.String(), tc.want) {
			t.Errorf("%v: exit code %d, want %d: %s\nwant %s", tc.args, code, exitUsage, &errs, tc.want)
		}
	}
}

// The golden set of a database, and queries that run in another one: the demonstration's, whose answers of atlas 2.0 to
// bank-05 are right, and of atlas 1.0 are not.
func TestMCPOverDatabases(t *testing.T) {
	mcpPlace(t)
	data, err := os.ReadFile(demoFile(t))
	if err == nil {
		err = errors.Join(os.WriteFile("demo.duckdb", data, 0o600), os.WriteFile("data.duckdb", data, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	check := func(sql string) [2]string {
		return [2]string{"check_answer", fmt.Sprintf(`{"case_id":"bank-05","sql":%q}`, sql)}
	}
	got := overStdio(t, []string{"mcp", "--db", "duckdb:demo.duckdb", "--execute", "duckdb:data.duckdb"},
		check("SELECT DISTINCT city FROM bank.branches"), check("SELECT city FROM bank.branches LIMIT 1"), check("SELECT gold_sql FROM badger.golden_set"),
		check("SELECT DISTINCT city FROM bank.branches WHERE true"), check("SELECT city FROM bank.branches LIMIT 1"), [2]string{"compare_runs", `{}`})
	for i, want := range []string{`"verdict":"pass","reason":"accepted","left":2}`, `"verdict":"fail","reason":"other_data","left":1}`, `"verdict":"fail","reason":"query_failed","left":0}`,
		`"verdict":"none","reason":"limit_reached","left":0}`, `"verdict":"fail","reason":"other_data","left":0}`, `"from_passes_percent":null,"to_passes_percent":null}`} {
		if !strings.HasSuffix(got[i], want) {
			t.Errorf("%d: %s, want %s", i, got[i], want)
		}
	}
	// stored answers of the database, with the verdicts that the same answers have when they are checked
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	got = overStdio(t, []string{"mcp", "--db", "duckdb:demo.duckdb", "--execute", "duckdb:data.duckdb"},
		[2]string{"explain_case", `{"case_id":"bank-05","version":"2.0"}`}, [2]string{"explain_case", `{"case_id":"bank-05","version":"1.0"}`},
		[2]string{"failing_cases", `{"agent":"atlas@1.0","after":"bank-04","limit":1}`}, check("SELECT gold_sql FROM golden_set"), check("SELECT MAX(value) AS n FROM scores"))
	for i, want := range []string{`"metric":"verdict","verdict":"pass","reason":"accepted","left":2,"untrusted"`, `"metric":"verdict","verdict":"fail","reason":"other_data","left":1,"untrusted"`,
		`"cases":[{"case_id":"bank-05","verdict":"fail","reason":"other_data","left":1,"untrusted"`, `"verdict":"fail","reason":"query_failed","left":0}`, `limit_reached`} {
		if !strings.Contains(got[i], want) {
			t.Errorf("stored, %d: %s, want %s", i, got[i], want)
		}
	}
}

// A copy of a golden set, a link to it, and a part of it have no counts of their own.
func TestMCPCopiesShareCounts(t *testing.T) {
	mcpPlace(t)
	first, _, _ := strings.Cut(boats, "\n")
	if err := os.WriteFile("copy.jsonl", []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("cases.jsonl", "link.jsonl"); err != nil {
		t.Skip("links: ", err)
	}
	for i, args := range [][]string{{"--cases", "cases.jsonl"}, {"--cases", "copy.jsonl"}, {"--cases", "link.jsonl"}, {"--cases", "./cases.jsonl", "--db", "duckdb:scores.duckdb"}} {
		got := overStdio(t, append([]string{"mcp"}, args...), [2]string{"check_answer", fmt.Sprintf(`{"case_id":"q1","result":{"columns":[{"name":"n"}],"rows":[[%d]]}}`, i)})
		want := fmt.Sprintf(`"reason":"other_data","left":%d}`, 2-i)
		if i == 3 {
			want = `"reason":"limit_reached","left":0}`
		}
		if !strings.HasSuffix(got[0], want) {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
}
