package install_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/conformance"
	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/sql/install"
)

// TestNumberedStatements shows the statements of docs/reference/conformance.md about what is installed in a
// warehouse: the Lambda function called by a simulator of Redshift, and the Python body of
// Databricks.
func TestNumberedStatements(t *testing.T) {
	conformance.Run(t, "sql/install", map[string]func(*testing.T){
		"SFC-7": serviceNames, "DBX-3": retryAfter, "DBX-4": emptyBatches, "RS-1": recordCount, "RS-2": nullRows, "RS-3": recordOrder, "RS-4": lambdaPayload, "RS-5": bigIntegers, "RS-6": throttled,
	})
}

// redshift calls a function by the Lambda function as it is installed, with badger at an address.
func redshift(t *testing.T, function, endpoint string) *callers.Redshift {
	t.Helper()
	python := os.Getenv("BADGER_SQLGLOT_PYTHON")
	if python == "" {
		t.Skip("BADGER_SQLGLOT_PYTHON does not name a python3")
	}
	source, err := os.ReadFile("redshift/lambda.py")
	if err != nil {
		t.Fatal(err)
	}
	return &callers.Redshift{Function: "badger." + function, Invoke: func(ctx context.Context, payload []byte) ([]byte, error) {
		in, err := json.Marshal(map[string]any{"kind": "redshift", "source": string(source), "event": json.RawMessage(payload)})
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, python, "testdata/bodies.py")
		cmd.Stdin, cmd.Env = bytes.NewReader(in), append(os.Environ(), "BADGER_ENDPOINT="+endpoint)
		out, err := cmd.Output()
		if err != nil {
			return nil, err // an exception
		}
		var reply bytes.Buffer // what Lambda makes of the text that the handler returns
		e := json.NewEncoder(&reply)
		e.SetEscapeHTML(false)
		err = e.Encode(strings.TrimSuffix(string(out), "\n"))
		return bytes.TrimSpace(reply.Bytes()), err
	}}
}

func recordCount(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	var refused *callers.Refused
	if _, err := redshift(t, "hybrid_ex", s.URL).Send(t.Context(), 3, [][]any{{one, one}}); !errors.As(err, &refused) || !strings.Contains(refused.Text, "num_records is 3") || asked != 0 {
		t.Errorf("%v, and badger was asked %d times", err, asked)
	}
}

func nullRows(t *testing.T) {
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	c, err := redshift(t, "hybrid_ex", "http://"+at).Send(t.Context(), 3, []any{[]any{one, one}, nil, []any{one, two}})
	if err != nil || fmt.Sprintf("%s", c.Results) != "[1 null 0]" {
		t.Errorf("%s, %v", c.Results, err)
	}
}

func recordOrder(t *testing.T) {
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	rows := make([][]any, 200)
	for i := range rows {
		rows[i] = []any{fmt.Sprintf("é %d \" \\ \n", i)}
	}
	c, err := redshift(t, "badger_echo", "http://"+at).Call(t.Context(), rows...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range c.Results {
		var got string
		if err := json.Unmarshal(r, &got); err != nil || got != rows[i][0] {
			t.Fatalf("row %d: %s", i, r)
		}
	}
	if c, err := redshift(t, "badger_echo", "http://"+at).Call(t.Context(), [][]any{}...); err != nil || len(c.Results) != 0 {
		t.Errorf("no rows: %s, %v", c.Results, err)
	}
}

// Of a reply that Lambda would not pass on, the longest results are replaced by the failure of their row.
func lambdaPayload(t *testing.T) {
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	long := strings.Repeat(`"`, 900_000) // each a quote that JSON escapes, twice on its way
	c, err := redshift(t, "badger_echo", "http://"+at).Call(t.Context(), []any{long}, []any{"short"}, []any{long})
	if err != nil || len(c.Results) != 3 {
		t.Fatalf("%d results, %.300v", len(c.Results), err)
	}
	kept := 0
	for _, r := range []json.RawMessage{c.Results[0], c.Results[2]} {
		if len(r) > 1_800_000 {
			kept++
		} else if string(r) != "null" {
			t.Errorf("a result that is too long is %.100s, want null", r)
		}
	}
	if kept != 1 || string(c.Results[1]) != `"short"` {
		t.Errorf("%d of 2 long results are kept, and the short one is %.100s", kept, c.Results[1])
	}
	if c, err := redshift(t, "badger_echo", "http://"+at).Call(t.Context(), []any{long}); err != nil || len(c.Results) != 1 || string(c.Results[0]) == "null" {
		t.Errorf("one row: %.300v", err)
	}
}

func bigIntegers(t *testing.T) {
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	const past53 = "9007199254740993"
	c, err := redshift(t, "badger_echo", "http://"+at).Call(t.Context(), []any{json.Number(past53)}, []any{json.Number("-9223372036854775808")})
	if err != nil || fmt.Sprintf("%s", c.Results) != `["`+past53+`" "-9223372036854775808"]` {
		t.Errorf("%s, %v", c.Results, err)
	}
	// In results too: a JSON result is the text that the server wrote.
	gold := `{"columns":[{"name":"a"}],"rows":[[` + past53 + `]]}`
	c, err = redshift(t, "hybrid_ex", "http://"+at).Call(t.Context(), []any{gold, strings.Replace(gold, past53, "9007199254740992", 1)}, []any{gold, gold})
	if err != nil || fmt.Sprintf("%s", c.Results) != "[0 1]" {
		t.Errorf("%s, %v", c.Results, err)
	}
}

func throttled(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked < 3 {
			w.WriteHeader([]int{429, 503}[asked-1])
			return
		}
		_, _ = io.WriteString(w, `{"results":[1]}`)
	}))
	defer s.Close()
	c, err := redshift(t, "hybrid_ex", s.URL).Call(t.Context(), []any{one, one})
	if err != nil || asked != 3 || len(c.Attempts) != 3 || c.Attempts[0].Status != -1 || string(c.Results[0]) != "1" {
		t.Errorf("%s, %v, %v", c.Results, c.Attempts, err)
	}
}

// databricksBody is the Python of a function as it is installed.
func databricksBody(t *testing.T, endpoint, name string, rows int) string {
	t.Helper()
	v := plain("databricks", "python")
	v.Endpoint, v.Rows = endpoint, install.Rows{Large: rows}
	for _, s := range plan(t, v, functions(t)).Steps {
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

func retryAfter(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch asked++; asked {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, `{"results":[1,0,null]}`)
		}
	}))
	defer s.Close()
	var got struct {
		Results [][]*string
		Slept   []float64
	}
	out := runBody(t, map[string]any{"kind": "databricks", "slept": true, "source": databricksBody(t, s.URL, "hybrid_ex", 100), "batches": [][][]any{{{"", "", ""}, {one, one, nil}, {one, two, one}}}})
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	x, zero := "1", "0"
	if !reflect.DeepEqual(got.Results, [][]*string{{&x, &zero, nil}}) || !reflect.DeepEqual(got.Slept, []float64{7, 0.5}) {
		t.Errorf("%s, want a wait of the 7 seconds that were asked for, then one of 0.5", out)
	}
}

func emptyBatches(t *testing.T) {
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	var got [][]*string
	out := runBody(t, map[string]any{"kind": "databricks", "source": databricksBody(t, "http://"+at, "hybrid_ex", 2), "batches": [][][]any{
		{{}, {}, {}}, {{"", "", ""}, {one, one, one}, {one, one, two}}, {{}, {}, {}},
	}})
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	x, zero := "1", "0"
	if !reflect.DeepEqual(got, [][]*string{{}, {&x, &x, &zero}, {}}) {
		t.Errorf("%s", out)
	}
}

// The function, the service and the grant name the same service, and the specification has the
// endpoint and the role that they name.
func serviceNames(t *testing.T) {
	for _, name := range []string{"badger", "scorer_svc"} {
		v := plain("snowflake", "spcs")
		v.Service = name
		found := map[string]int{}
		functions := functions(t)
		p := plan(t, v, functions)
		for _, s := range p.Steps {
			for what, pattern := range map[string]string{
				"function": `(?s)CREATE OR REPLACE FUNCTION .* SERVICE = (\S+)\s+ENDPOINT = 'api'`, "service": `CREATE SERVICE IF NOT EXISTS (\S+) `,
				"grant": `GRANT SERVICE ROLE (\S+)!caller TO`, "change": `ALTER SERVICE IF EXISTS (\S+) FROM SPECIFICATION`,
			} {
				m := regexp.MustCompile(pattern).FindStringSubmatch(s.SQL)
				if m == nil {
					continue
				}
				found[what]++
				if !strings.EqualFold(m[1][strings.LastIndex(m[1], ".")+1:], name) {
					t.Errorf("the %s names the service %s, want %s", what, m[1], name)
				}
				_, text, inline := strings.Cut(s.SQL, "$$")
				if !inline || what == "grant" {
					continue
				}
				text, _, _ = strings.Cut(text, "$$")
				spec, err := service.ParseSpecification([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if e := spec.Spec.Endpoints[0]; e.Name != "api" || e.Protocol != "HTTP" || e.Public {
					t.Errorf("the %s has the endpoint %+v", what, e)
				}
				if r := spec.ServiceRoles[0]; r.Name != "caller" || len(r.Endpoints) != 1 || r.Endpoints[0] != "api" {
					t.Errorf("the %s has the role %+v", what, r)
				}
			}
		}
		if found["function"] < len(functions) || found["service"] != 1 || found["grant"] != 1 || found["change"] != 1 {
			t.Errorf("found %v for %d functions", found, len(functions))
		}
	}
}
