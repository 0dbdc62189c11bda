package install_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
)

// runBody runs Python that is installed in a warehouse.
func runBody(t *testing.T, question map[string]any, env ...string) []byte {
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
	cmd.Stdin, cmd.Stderr, cmd.Env = bytes.NewReader(in), os.Stderr, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
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
	body := func(name string) string {
		for _, s := range p.Steps {
			if s.Function != nil && s.Function.Name == name {
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
		}
		t.Fatalf("%s has no body", name)
		return ""
	}
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
		source := ""
		for _, s := range plan(t, v, catalogue(t).Functions()).Steps {
			if s.Function != nil && s.Function.Name == name && source == "" {
				toks, err := tokens(s.SQL, "databricks")
				if err != nil {
					t.Fatal(err)
				}
				for _, tok := range toks {
					if tok.kind == 'd' {
						source = tok.text
					}
				}
			}
		}
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
