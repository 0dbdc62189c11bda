package install_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
)

// tryBody runs Python that is installed in a warehouse.
func tryBody(t *testing.T, question map[string]any, env ...string) ([]byte, error) {
	t.Helper()
	python := os.Getenv("BADGER_SQLGLOT_PYTHON") // it has pandas too
	if python == "" {
		t.Skip("BADGER_SQLGLOT_PYTHON does not name a python3 that has pandas")
	}
	if err := exec.Command(python, "-c", "import pandas").Run(); err != nil {
		t.Skipf("BADGER_SQLGLOT_PYTHON has no pandas: %v", err)
	}
	in, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/bodies.py")
	cmd.Stdin, cmd.Env = bytes.NewReader(in), append(os.Environ(), env...)
	return cmd.CombinedOutput()
}

func runBody(t *testing.T, question map[string]any, env ...string) []byte {
	t.Helper()
	out, err := tryBody(t, question, env...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// bodyOf is the Python of a function of Databricks.
func bodyOf(t *testing.T, p *install.Plan, name string) string {
	t.Helper()
	for _, s := range p.Steps {
		if s.Function == nil || s.Function.Name != name {
			continue
		}
		toks, err := tokens(s.SQL, "databricks")
		if err != nil {
			t.Fatal(err)
		}
		for _, tok := range toks {
			if tok.kind == 'd' {
				return tok.text
			}
		}
	}
	t.Fatalf("%s has no body", name)
	return ""
}

const one, two = `{"columns":[{"name":"a"}],"rows":[["x"]]}`, `{"columns":[{"name":"a"}],"rows":[["y"]]}`

// The body of a Databricks function gives a text for each row, cuts batches at the cap, and passes
// NULLs on.
func TestDatabricksBody(t *testing.T) {
	c := catalogue(t)
	at, _ := serve(t, c, "127.0.0.1:0", true)
	v := plain("databricks", "python")
	v.Endpoint, v.Rows = "http://"+at, install.Rows{Large: 2}
	p := plan(t, v, c.Functions())
	body := func(name string) string { return bodyOf(t, p, name) }
	var got [][]*string
	out := runBody(t, map[string]any{"kind": "databricks", "source": body("hybrid_ex"), "batches": [][][]any{
		{{"", "", "", "", ""}, {one, one, nil, one, "no result"}, {one, two, one, nil, one}, {nil, nil, nil, nil, nil}},
		{{""}, {two}, {two}, {`{"tolerance": 0.5}`}},
	}})
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	x, zero := "1", "0"
	if want := [][]*string{{&x, &zero, nil, nil, nil}, {&x}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%s", out)
	}
	got = nil
	out = runBody(t, map[string]any{"kind": "databricks", "source": body("hybrid_ex_json"), "batches": [][][]any{{{"", ""}, {one, one}, {one, nil}, {nil, nil}}}})
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0]) != 2 || !strings.Contains(*got[0][0], `"value":1`) || !strings.Contains(*got[0][1], `"status":"not_applicable"`) {
		t.Errorf("%s", out)
	}
	got = nil
	out = runBody(t, map[string]any{"kind": "databricks", "source": body("badger_version"), "batches": [][][]any{{{"", "", ""}}}})
	if err := json.Unmarshal(out, &got); err != nil || len(got) != 1 || len(got[0]) != 3 || *got[0][2] != `"of the test"` {
		t.Errorf("%s", out)
	}
}

// The body cuts requests by bytes, too, sends again what was cut in the middle of a reply, and fails a row alone that is
// too large for any request.
func TestDatabricksBodyOfLargeRows(t *testing.T) {
	var sizes []int
	cut := true
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if cut {
			cut = false
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"results":[`))
			panic(http.ErrAbortHandler)
		}
		if len(body) > 10<<20 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"status":"failed","value":null,"code":"resource_exhausted","reason":"the body is larger than 10485760 bytes"}`))
			return
		}
		var rows struct{ Rows [][]any }
		if err := json.Unmarshal(body, &rows); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(rows.Rows))
		_, _ = w.Write([]byte(`{"results":[` + strings.TrimSuffix(strings.Repeat("1,", len(rows.Rows)), ",") + `]}`))
	}))
	defer stub.Close()
	v := plain("databricks", "python")
	v.Endpoint = stub.URL
	for name, expected := range map[string]string{"hybrid_ex": `null`, "hybrid_ex_json": `{"status":"failed","value":null,"code":"resource_exhausted"`} {
		sizes = nil
		source := bodyOf(t, plan(t, v, catalogue(t).Functions()), name)
		megabytes := func(n int) string { return strings.Repeat("x", n<<20) }
		var got struct{ Results [][]*string }
		out := runBody(t, map[string]any{"kind": "databricks", "source": source, "slept": true, "batches": [][][]any{
			{{"", "", "", "", ""}, {megabytes(3), megabytes(3), megabytes(3), megabytes(11), "x"}, {"y", "y", "y", "y", "y"}},
		}})
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, s := range got.Results[0] {
			if s == nil {
				texts = append(texts, "null")
			} else {
				texts = append(texts, *s)
			}
		}
		if len(texts) != 5 || texts[0] != "1" || texts[4] != "1" || !strings.HasPrefix(texts[3], expected) {
			t.Errorf("%s: results %q", name, texts)
		}
		if fmt.Sprint(sizes) != "[2 1 1]" {
			t.Errorf("%s: requests of %v rows, expected 2, 1 and 1", name, sizes)
		}
	}
}

// The Lambda function answers a batch of Redshift's in Redshift's form.
func TestRedshiftLambda(t *testing.T) {
	source, err := os.ReadFile("redshift/lambda.py")
	if err != nil {
		t.Fatal(err)
	}
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	type reply struct {
		Success bool   `json:"success"`
		Rows    int    `json:"num_records"`
		Results []any  `json:"results"`
		Message string `json:"error_msg"`
	}
	call := func(name string, arguments [][]any) (r reply) {
		out := runBody(t, map[string]any{"kind": "redshift", "source": string(source), "event": map[string]any{
			"request_id": "r", "user": "u", "database": "d", "external_function": name, "query_id": 1, "num_records": len(arguments), "arguments": arguments,
		}}, "BADGER_ENDPOINT=http://"+at+"/")
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return r
	}
	if r := call("badger.hybrid_ex", [][]any{{one, one}, {one, nil}, {one, two, `{"tolerance": 0.5}`[:0]}}); !r.Success || r.Rows != 3 || !reflect.DeepEqual(r.Results, []any{1.0, nil, 0.0}) {
		t.Errorf("%+v", r)
	}
	if r := call(`"weird"."hybrid_ex_json"`, [][]any{{one, one}}); !r.Success || len(r.Results) != 1 || !strings.Contains(r.Results[0].(string), `"value":1`) {
		t.Errorf("%+v", r)
	}
	if r := call("badger.nothing", [][]any{{one}}); r.Success || !strings.Contains(r.Message, "HTTP status 400") {
		t.Errorf("%+v", r)
	}
}

// limited answers each row with 1. It refuses for good requests of more rows or bytes than it takes, as badger serve does,
// and remembers the rows of the others.
func limited(t *testing.T, rows, bytes int) (http.HandlerFunc, *[]int) {
	taken := &[]int{}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var request struct{ Rows [][]any }
		if err := json.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		if len(request.Rows) > rows || len(body) > bytes {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"status":"failed","value":null,"code":"resource_exhausted","reason":"too large"}`))
			return
		}
		*taken = append(*taken, len(request.Rows))
		_, _ = w.Write([]byte(`{"results":[` + strings.TrimSuffix(strings.Repeat("1,", len(request.Rows)), ",") + `]}`))
	}, taken
}

// Rows that are too large together are sent in halves, and of the functions with a score for each metric a row that is too
// large alone fails with a score for each.
func TestDatabricksBodySendsHalves(t *testing.T) {
	handler, taken := limited(t, 2, 1000)
	stub := httptest.NewServer(handler)
	defer stub.Close()
	v := plain("databricks", "python")
	v.Endpoint = stub.URL
	p := plan(t, v, catalogue(t).Functions())
	var got [][]*string
	x := strings.Repeat("x", 1000)
	out := runBody(t, map[string]any{"kind": "databricks", "source": bodyOf(t, p, "score_row"), "batches": [][][]any{
		{{"", "", "", "", ""}, {"a", "b", "c", x, "e"}, {"m", "m", "m", "hybrid_ex, row_f1", "m"}},
	}})
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range got[0] {
		texts = append(texts, show(s))
	}
	const failed = `[{"metric": "hybrid_ex", "status": "failed", "code": "resource_exhausted", "reason": "too large"}, {"metric": "row_f1", "status": "failed", "code": "resource_exhausted", "reason": "too large"}]`
	if want := []string{"1", "1", "1", failed, "1"}; !reflect.DeepEqual(texts, want) {
		t.Errorf("results %q", texts)
	}
	if fmt.Sprint(*taken) != "[2 1 1]" {
		t.Errorf("requests of %v rows", *taken)
	}
}

// The Lambda function cuts requests by bytes, which escapes make more of than Redshift counts, and by halves. A row that is too
// large, or whose result is, fails alone.
func TestRedshiftLambdaOfLargeRows(t *testing.T) {
	source, err := os.ReadFile("redshift/lambda.py")
	if err != nil {
		t.Fatal(err)
	}
	handler, taken := limited(t, 3, 10<<20)
	stub := httptest.NewServer(handler)
	defer stub.Close()
	call := func(url, name string, arguments ...[]any) (results []any) {
		t.Helper()
		var reply struct {
			Success bool   `json:"success"`
			Rows    int    `json:"num_records"`
			Results []any  `json:"results"`
			Message string `json:"error_msg"`
		}
		out := runBody(t, map[string]any{"kind": "redshift", "source": string(source), "event": map[string]any{
			"external_function": "badger." + name, "num_records": len(arguments), "arguments": arguments,
		}}, "BADGER_ENDPOINT="+url)
		if err := json.Unmarshal(out, &reply); err != nil || !reply.Success || reply.Rows != len(arguments) {
			t.Fatalf("%s: %v: %.300s", name, err, out)
		}
		if n := len(out) + strings.Count(string(out), `"`); n > 6<<20 {
			t.Errorf("%s: a reply of %d bytes", name, n)
		}
		return reply.Results
	}
	umlauts := func(n int) string { return strings.Repeat("ü", n) } // two bytes, or six as an escape
	if got := call(stub.URL, "hybrid_ex", []any{umlauts(700_000), "a"}, []any{umlauts(700_000), "b"}, []any{umlauts(1), "c"}); !reflect.DeepEqual(got, []any{1.0, 1.0, 1.0}) || fmt.Sprint(*taken) != "[1 2]" {
		t.Errorf("%v, requests of %v rows", got, *taken)
	}
	*taken = nil
	if got := call(stub.URL, "hybrid_ex", []any{"a", "a"}, []any{"b", "b"}, []any{"c", "c"}, []any{umlauts(1_800_000), "d"}); !reflect.DeepEqual(got, []any{1.0, 1.0, 1.0, nil}) || fmt.Sprint(*taken) != "[3]" {
		t.Errorf("%v, requests of %v rows", got, *taken)
	}
	*taken = nil
	if got := call(stub.URL, "hybrid_ex", []any{"a"}, []any{"b"}, []any{"c"}, []any{"d"}); !reflect.DeepEqual(got, []any{1.0, 1.0, 1.0, 1.0}) || fmt.Sprint(*taken) != "[2 2]" {
		t.Errorf("%v, requests of %v rows", got, *taken)
	}
	if got := call(stub.URL, "row_f1_json", []any{umlauts(1_800_000), "d"}); !strings.Contains(fmt.Sprint(got), `"code": "resource_exhausted"`) {
		t.Errorf("%.300v", got)
	}
	if got := call(stub.URL, "score_row", []any{umlauts(1_800_000), "hybrid_ex,row_f1"}); strings.Count(fmt.Sprint(got), `"status": "failed"`) != 2 {
		t.Errorf("%.300v", got)
	}
	long := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a connection that is closed before is reset
		_, _ = w.Write([]byte(`{"results":[{"a":"short"},{"a":"` + strings.Repeat("x", 4<<20) + `"},{"a":"` + strings.Repeat("y", 3<<20) + `"}]}`))
	}))
	defer long.Close()
	got := call(long.URL, "row_f1_json", []any{"a"}, []any{"b"}, []any{"c"})
	if got[0] != `{"a":"short"}` || !strings.Contains(fmt.Sprint(got[1]), `"code": "resource_exhausted"`) || len(fmt.Sprint(got[2])) < 3<<20 {
		t.Errorf("results of %.100q, %.300q and %.100q", got[0], got[1], got[2])
	}
}

// Each body that connects to the server checks its certificate by ca_file, if that is set, and by the system's authorities
// otherwise.
func TestBodiesWithAPrivateAuthority(t *testing.T) {
	handler, _ := limited(t, 10, 1000)
	stub := httptest.NewTLSServer(handler)
	defer stub.Close()
	stub.Config.ErrorLog = log.New(io.Discard, "", 0) // of the refused handshakes
	dir := t.TempDir()
	file := filepath.Join(dir, "ca.pem")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: stub.Certificate().Raw})
	if err := os.WriteFile(file, append([]byte("of the test\n"), ca...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		ca   string
		want bool
	}{{file, true}, {"", false}} {
		v := plain("databricks", "python")
		v.Endpoint, v.CAFile = stub.URL, tc.ca
		source := bodyOf(t, plan(t, v, catalogue(t).Functions()), "hybrid_ex")
		out, err := tryBody(t, map[string]any{"kind": "databricks", "source": source, "slept": true, "batches": [][][]any{{{""}, {"a"}, {"b"}}}})
		if ok := err == nil && strings.Contains(string(out), `[["1"]]`); ok != tc.want || !ok && !strings.Contains(string(out), "CERTIFICATE_VERIFY_FAILED") {
			t.Errorf("Databricks with ca_file %q: %v, %.600s", tc.ca, err, out)
		}
		v = plain("redshift", "lambda")
		v.Endpoint, v.CAFile = stub.URL, tc.ca
		source, err = plan(t, v, few).Lambda()
		if err != nil {
			t.Fatal(err)
		}
		out, err = tryBody(t, map[string]any{"kind": "redshift", "source": source, "event": map[string]any{
			"external_function": "badger.hybrid_ex", "num_records": 1, "arguments": [][]any{{"a", "b"}},
		}}, "BADGER_ENDPOINT="+stub.URL)
		if ok := err == nil && strings.Contains(string(out), `[1]`); ok != tc.want || !ok && !strings.Contains(string(out), "CERTIFICATE_VERIFY_FAILED") {
			t.Errorf("Redshift with ca_file %q: %v, %.600s", tc.ca, err, out)
		}
	}

	for _, tc := range []struct{ warehouse, via, text, want string }{
		{"postgres", "http", string(ca), ""}, {"postgres", "http", "", "contains no certificate"}, {"postgres", "http", "no PEM", "contains no certificate"},
		{"postgres", "http", string(ca) + "-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----\n", "expected certificates only"},
		{"postgres", "http", "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n", "invalid certificate"},
		{"postgres", "http", strings.Repeat(string(ca), 2000), "at most 1 MiB"},
		{"databricks", "http", string(ca), "use via: python"}, {"databend", "flight", string(ca), "query nodes"},
		{"snowflake", "api-gateway", "not read", ""}, {"duckdb", "embedded", "not read", ""},
	} {
		v := plain(tc.warehouse, tc.via)
		v.CAFile = filepath.Join(dir, "other.pem")
		if err := os.WriteFile(v.CAFile, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := install.New(v, dialects[tc.warehouse], few)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), "values: ca_file: ") || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), dir)) {
			t.Errorf("%s via %s with %.40q: %v, want %s", tc.warehouse, tc.via, tc.text, err, tc.want)
		}
	}
}
