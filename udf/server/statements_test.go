package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/badger-eval/badger/internal/conformance"
	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/udf"
)

// TestNumberedStatements shows the numbered statements of docs/reference/conformance.md, each against a running
// server, called by a simulator of the statement's caller.
func TestNumberedStatements(t *testing.T) {
	conformance.Run(t, "udf/server", generalStatements, snowflakeStatements, serviceStatements, bigqueryStatements, databricksStatements, flightStatements, identityStatements)
}

// hasty are those of a server that gives a wire's rows so much time. Rows that continue are cut off when
// it stops.
func hasty(wire string, budget time.Duration) *Options {
	return &Options{Timeouts: map[string]time.Duration{wire: budget}, Limits: Limits{StopGrace: 10 * time.Millisecond}}
}

// tokenOptions are those of a server whose callers have the test's token.
func tokenOptions() *Options { return &Options{GRPC: withToken, HTTP: withToken} }

func (s *running) snowflake(function string) *callers.Snowflake {
	return &callers.Snowflake{URL: s.url + "/v1/snowflake/" + function, BatchID: fmt.Sprintf("01c0aaaa-0000-1111-0000-222233334444:3:1:0:%d", batchIDs.Add(1))}
}

var batchIDs atomic.Int64 // each batch has one of its own

// service is the same function called from Snowpark Container Services.
func (s *running) service(function string) *callers.Snowflake {
	return &callers.Snowflake{URL: s.url + "/v1/snowflake/" + function, Service: true}
}

func (s *running) bigquery(function string) *callers.BigQuery {
	return &callers.BigQuery{URL: s.url + "/v1/bigquery/" + function}
}

func (s *running) databricks(function string) *callers.Databricks {
	return &callers.Databricks{URL: s.url + "/v1/databricks/" + function}
}

// Types as the DDL of the Flight callers has them.
var (
	databendText = arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true}
	databendJSON = arrow.Field{Type: arrow.BinaryTypes.LargeBinary, Nullable: true, Metadata: arrow.NewMetadata([]string{"Extension"}, []string{"Variant"})}
	nullableF64  = arrow.Field{Type: arrow.PrimitiveTypes.Float64, Nullable: true}
	nullableI64  = arrow.Field{Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	risingJSON   = arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrowudf.json"})}
)

func (s *running) databend(t testing.TB, handler string, result arrow.Field, args ...arrow.Field) *callers.Databend {
	return &callers.Databend{Client: flight.NewClientFromConn(dial(t, s.addr), nil), Handler: handler, Args: args, Result: result}
}

func (s *running) risingwave(t testing.TB, name string, result arrow.Field, args ...arrow.Field) *callers.RisingWave {
	return &callers.RisingWave{Client: flight.NewClientFromConn(dial(t, s.addr), nil), Name: name, Args: args, Result: result}
}

// nameless is a record as RisingWave sends it.
func nameless(cols ...[]string) arrow.Record {
	rec := textRecord(cols...)
	fields := rec.Schema().Fields()
	for i := range fields {
		fields[i].Name = ""
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows())
}

// texts are results as one text, blanks between them.
func texts(c *callers.Call) string {
	all := make([]string, len(c.Results))
	for i, r := range c.Results {
		all[i] = string(r)
	}
	return strings.Join(all, " ")
}

// want checks the results of a call.
func want(t *testing.T, why, results string) func(*callers.Call, error) {
	return func(c *callers.Call, err error) {
		t.Helper()
		if got := texts(c); err != nil || got != results {
			t.Errorf("%s: got %.300s (%v), want %.300s", why, got, err, results)
		}
	}
}

// wantRefused checks that a call was refused with a status, at once: it is not retried.
func wantRefused(t *testing.T, why string, status int, says string) func(*callers.Call, error) {
	return func(c *callers.Call, err error) {
		t.Helper()
		var r *callers.Refused
		if !errors.As(err, &r) || r.Status != status || r.Attempts != 1 || !strings.Contains(r.Text, says) {
			t.Errorf("%s: %v after %v, want it refused once with status %d and the words %q", why, err, c.Attempts, status, says)
		}
	}
}

// sameInt returns its argument.
func sameInt() udf.Function {
	return udf.Function{Name: "same_int", Group: "test", Result: udf.BIGINT, Version: 1, Params: []udf.Param{{Name: "n", Type: udf.BIGINT}}, Columns: func(_ context.Context, in *udf.Batch, out *udf.Column) {
		copy(out.Ints, in.Args[0].Ints)
		copy(out.Nulls, in.Args[0].Nulls)
	}}
}

// counted counts its rows, and gives each the length of a text.
func counted(n *atomic.Int64) udf.Function {
	return udf.Function{Name: "counted", Group: "test", Result: udf.JSON, Version: 1, Params: []udf.Param{{Name: "text"}}, Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
		n.Add(1)
		if in.Text(0, i) == "panic" {
			panic("on demand")
		}
		out.SetText(i, fmt.Sprintf(`{"status":"ok","value":%d}`, len(in.Text(0, i))))
		return nil
	}}
}

// lengthy gives each row an envelope with a detail of as many bytes as it says.
func lengthy() udf.Function {
	return udf.Function{Name: "lengthy", Group: "test", Result: udf.JSON, Version: 1, Params: []udf.Param{{Name: "n", Type: udf.BIGINT}}, Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
		out.SetText(i, fmt.Sprintf(`{"status":"ok","value":%d,"detail":"%s"}`, i, strings.Repeat("y", int(in.Args[0].Ints[i]))))
		return nil
	}}
}

// once lets f run after the first reply.
type once struct {
	f    func()
	done atomic.Bool
}

func (o *once) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if !o.done.Swap(true) {
		o.f()
	}
	return resp, err
}

const (
	past53   = "9007199254740993"
	digits38 = "12345678901234567890123456789012345678"
)

var generalStatements = map[string]func(*testing.T){
	"G-1": func(t *testing.T) {
		s, ctx := start(t, newCatalogue(t, sameInt()), nil), t.Context()
		rows := [][]any{{json.Number(past53)}, {json.Number(digits38)}, {"-" + digits38}}
		echoed := fmt.Sprintf("%q %q %q", past53, digits38, "-"+digits38)
		want(t, "Snowflake", echoed)(s.snowflake("badger_echo").Call(ctx, rows...))
		want(t, "BigQuery", echoed)(s.bigquery("badger_echo").Call(ctx, rows...))
		for _, row := range rows {
			want(t, "Databricks", fmt.Sprintf("%q", fmt.Sprint(row[0])))(s.databricks("badger_echo").Call(ctx, map[string]any{"text": row[0]}))
		}
		// As an integer: a number for Snowflake, a text where a reader would round it.
		want(t, "Snowflake, an integer", past53+" -9223372036854775808")(s.snowflake("same_int").Call(ctx, []any{json.Number(past53)}, []any{json.Number("-9223372036854775808")}))
		want(t, "BigQuery, an integer", `"`+past53+`"`)(s.bigquery("same_int").Call(ctx, []any{past53}))
		want(t, "Databricks, an integer", `"`+past53+`"`)(s.databricks("same_int").Call(ctx, map[string]any{"n": json.Number(past53)}))
		ints := recordFrom(t, []arrow.Field{{Name: "arg1", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, "[["+past53+"]]")
		want(t, "Databend, an integer", past53)(s.databend(t, "same_int", nullableI64, nullableI64).Call(ctx, ints))
		want(t, "RisingWave, an integer", past53)(s.risingwave(t, "same_int", nullableI64, nullableI64).Call(ctx, ints))
	},
	"G-2": func(t *testing.T) {
		s, ctx := start(t, newCatalogue(t), nil), t.Context()
		inputs := []any{nil, "", "null", []any{}, map[string]any{}}
		marks := []string{`null`, `""`, `"null"`, `"[]"`, `"{}"`} // what arrives, as show writes it
		seen := func(why string, c *callers.Call, err error, row int) {
			t.Helper()
			var args []any
			if err != nil || json.Unmarshal(c.Results[row], &args) != nil {
				t.Fatalf("%s: %v", why, err)
			}
			if got, _ := json.Marshal(args[1]); string(got) != marks[row] {
				t.Errorf("%s: %v arrived as %s, want %s", why, inputs[row], got, marks[row])
			}
		}
		rows := make([][]any, len(inputs))
		for i, v := range inputs {
			rows[i] = []any{"x", v}
		}
		c, err := s.snowflake("show").Call(ctx, rows...)
		b, berr := s.bigquery("show").Call(ctx, rows...)
		for i := range inputs {
			seen("Snowflake", c, err, i)
			seen("BigQuery", b, berr, i)
			d, derr := s.databricks("show").Call(ctx, map[string]any{"text": "x", "doc": inputs[i]})
			if d.Results != nil {
				d.Results = append(make([]json.RawMessage, i), d.Results...)
			}
			seen("Databricks", d, derr, i)
		}
		want(t, "an argument that is left out, by name", `["x",null,null,null,null]`)(s.databricks("show").Call(ctx, map[string]any{"text": "x"}))
		want(t, "optional arguments that are left out", `["x","{}",null,null,null] ["x","{}",null,null,null]`)(s.snowflake("show").Call(ctx, []any{"x", "{}"}, []any{"x", "{}", nil, nil}))
	},
	"G-3": func(t *testing.T) {
		const most = 3000
		s, ctx := start(t, newCatalogue(t, sameInt()), &Options{Limits: Limits{Rows: most}}), t.Context()
		for _, n := range []int{0, 1, 2, 1000, most} {
			rows, numbers := make([][]any, n), make([]string, n)
			for i := range rows {
				rows[i], numbers[i] = []any{i}, fmt.Sprint(i)
			}
			want(t, "Snowflake", strings.Join(numbers, " "))(s.snowflake("same_int").Call(ctx, rows...))
			want(t, "BigQuery", strings.Join(numbers, " "))(s.bigquery("same_int").Call(ctx, rows...))
			if n > 0 {
				ints := recordFrom(t, []arrow.Field{{Name: "arg1", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, "[["+strings.Join(numbers, "],[")+"]]")
				want(t, "Databend", strings.Join(numbers, " "))(s.databend(t, "same_int", nullableI64).Call(ctx, ints))
				want(t, "RisingWave", strings.Join(numbers, " "))(s.risingwave(t, "same_int", nullableI64).Call(ctx, ints))
			}
		}
		rows := make([][]any, most+1)
		for i := range rows {
			rows[i] = []any{i}
		}
		wantRefused(t, "Snowflake, a row too many", 400, "more than 3000 rows")(s.snowflake("same_int").Call(ctx, rows...))
		wantRefused(t, "BigQuery, a row too many", 400, "more than 3000 rows")(s.bigquery("same_int").Call(ctx, rows...))
	},
	"G-4": func(t *testing.T) {
		s, ctx := start(t, newCatalogue(t), nil), t.Context()
		good := [][]any{{"a", "{}"}, {"b", "[1]"}, {"c", nil}, {nil, "{}"}}
		for why, poison := range map[string][]any{"a panic": {"panic", "{}"}, "an argument that cannot be read": {"d", "{}", "no number"}} {
			bad := append(append([][]any{}, good[:2]...), append([][]any{poison}, good[2:]...)...)
			check := func(wire string, without, with *callers.Call, err, err2 error) {
				t.Helper()
				if err != nil || err2 != nil {
					t.Fatalf("%s, %s: %v %v", wire, why, err, err2)
				}
				failed := string(with.Results[2])
				with.Results = append(with.Results[:2:2], with.Results[3:]...)
				if !strings.Contains(failed, `"status":"failed","value":null,"code":`) || texts(without) != texts(with) {
					t.Errorf("%s, %s: %s; the others %s, without it %s", wire, why, failed, texts(with), texts(without))
				}
			}
			a, err := s.snowflake("show").Call(ctx, good...)
			b, err2 := s.snowflake("show").Call(ctx, bad...)
			check("Snowflake", a, b, err, err2)
			a, err = s.bigquery("show").Call(ctx, good...)
			b, err2 = s.bigquery("show").Call(ctx, bad...)
			check("BigQuery", a, b, err, err2)
		}
	},
	"G-10": func(t *testing.T) {
		var rows atomic.Int64
		s, ctx := start(t, newCatalogue(t, counted(&rows)), &Options{Limits: Limits{Body: 10_000}}), t.Context()
		long := strings.Repeat("a", 20_000)
		packed := s.snowflake("counted")
		packed.Gzip = true // a few hundred bytes, until they are decompressed
		for why, call := range map[string]func() (*callers.Call, error){
			"Snowflake":             func() (*callers.Call, error) { return s.snowflake("counted").Call(ctx, []any{long}) },
			"Snowflake, compressed": func() (*callers.Call, error) { return packed.Call(ctx, []any{long}) },
			"service function":      func() (*callers.Call, error) { return s.service("counted").Call(ctx, []any{long}) },
			"BigQuery":              func() (*callers.Call, error) { return s.bigquery("counted").Call(ctx, []any{long}) },
			"Databricks": func() (*callers.Call, error) {
				return s.databricks("counted").Call(ctx, map[string]any{"text": long})
			},
		} {
			wantRefused(t, why, 400, "larger than 10000 bytes")(call())
		}
		if n := rows.Load(); n != 0 {
			t.Errorf("%d rows were computed", n)
		}
	},
	"G-11": func(t *testing.T) {
		s, ctx := start(t, newCatalogue(t, lengthy()), nil), t.Context()
		rows := make([][]any, 30)
		for i := range rows {
			rows[i] = []any{600_000} // 18 MB, more than either takes
		}
		check := func(wire string, c *callers.Call, err error) {
			t.Helper()
			if err != nil || len(c.Results) != len(rows) {
				t.Fatalf("%s: %d rows, %v", wire, len(c.Results), err)
			}
			whole, cut := 0, 0
			for i, r := range c.Results {
				var e struct {
					Value     int
					Detail    string
					Truncated bool
				}
				if err := json.Unmarshal(r, &e); err != nil || e.Value != i || e.Truncated == (e.Detail != "") {
					t.Fatalf("%s: row %d is %.80s", wire, i, r)
				}
				if e.Truncated {
					cut++
				} else {
					whole++
				}
			}
			if whole == 0 || cut == 0 {
				t.Errorf("%s: %d rows with details, %d without; want some of both", wire, whole, cut)
			}
		}
		c, err := s.snowflake("lengthy").Call(ctx, rows...)
		check("Snowflake", c, err)
		c, err = s.bigquery("lengthy").Call(ctx, rows...)
		check("BigQuery", c, err)
	},
	"G-12": func(t *testing.T) {
		var rows atomic.Int64
		s, ctx := start(t, newCatalogue(t, counted(&rows)), &Options{Limits: Limits{Calls: 1}}), t.Context()
		done := int64(0)
		// busy takes the only place until the caller had its first answer.
		busy := func() *http.Client {
			leave := fill(t, s)
			return &http.Client{Transport: &once{f: func() {
				if n := rows.Load(); n != done {
					t.Errorf("an overloaded server computed %d rows", n-done)
				}
				leave()
			}}}
		}
		check := func(wire string, c *callers.Call, err error) {
			t.Helper()
			done++
			if err != nil || texts(c) != `{"status":"ok","value":1}` || len(c.Attempts) != 2 || c.Attempts[0].Status != 429 || rows.Load() != done {
				t.Errorf("%s: %v, %s, %v, %d rows; want 429, then one row", wire, err, texts(c), c.Attempts, rows.Load())
			}
		}
		sf, service, bq, dbx := s.snowflake("counted"), s.service("counted"), s.bigquery("counted"), s.databricks("counted")
		sf.Client = busy()
		c, err := sf.Call(ctx, []any{"a"})
		check("Snowflake", c, err)
		service.Client = busy()
		c, err = service.Call(ctx, []any{"a"})
		check("service function", c, err)
		bq.Client = busy()
		c, err = bq.Call(ctx, []any{"a"})
		check("BigQuery", c, err)
		dbx.Client = busy()
		wantRefused(t, "Databricks, which does not retry", 429, "try again")(dbx.Call(ctx, map[string]any{"text": "a"}))

		leave := fill(t, s)
		db, rw := s.databend(t, "counted", databendJSON, databendText), s.risingwave(t, "counted", risingJSON, risingJSON)
		_, err = db.Call(ctx, textRecord([]string{"a"}))
		if r := (*callers.Refused)(nil); !errors.As(err, &r) || r.Status != int(codes.ResourceExhausted) || r.Attempts != 9 {
			t.Errorf("Databend: %v", err)
		}
		_, err = rw.Call(ctx, textRecord([]string{"a"}))
		if r := (*callers.Refused)(nil); !errors.As(err, &r) || r.Status != int(codes.Unavailable) || r.Attempts != 5 {
			t.Errorf("RisingWave: %v", err)
		}
		leave()
		if rows.Load() != done {
			t.Error("an overloaded server computed rows of a Flight call")
		}
	},
	"G-15": func(t *testing.T) {
		s, ctx := start(t, newCatalogue(t), tokenOptions()), t.Context()
		claims := http.Header{
			"Authorization": {"Bearer " + testToken}, "Sf-Context-Current-User": {"ADMIN"}, "Sf-Context-Current-User-Base64": {"QURNSU4="}, "X-Forwarded-User": {"admin"},
			"X-Forwarded-Email": {"admin@example.org"}, "X-Forwarded-Preferred-Username": {"admin"}, "X-Forwarded-For": {"127.0.0.1"}, "X-Goog-Authenticated-User-Email": {"admin"},
		}
		sf, bq, dbx := s.snowflake("badger_whoami"), s.bigquery("badger_whoami"), s.databricks("badger_whoami")
		sf.Header, bq.Header, dbx.Header = claims, claims, claims
		want(t, "Snowflake", `"nightly"`)(sf.Call(ctx, []any{}))
		want(t, "BigQuery, with its sessionUser", `"nightly"`)(bq.Call(ctx, []any{}))
		want(t, "Databricks", `"nightly"`)(dbx.Call(ctx, nil))
		claims = claims.Clone()
		claims.Del("Authorization")
		sf.Header = claims
		wantRefused(t, "claims alone", 401, "token")(sf.Call(ctx, []any{}))
	},
	"G-16": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		c := s.snowflake("same_text")
		c.Header = http.Header{"sf-external-function-format-version": {"2.0"}}
		wantRefused(t, "version 2.0", 400, "1.0")(c.Call(t.Context(), []any{"a", "a"}))
	},
}

// Statements that hold for external functions and for service functions.
func bothSnowflakes(number string) func(*testing.T, *running, func(function string) *callers.Snowflake) {
	return map[string]func(*testing.T, *running, func(function string) *callers.Snowflake){
		"SFE-1": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			want(t, "other members", "1 0")(sf("same_text").Send(t.Context(), []byte(`{"version":{"a":[1,null]},"data":[[0,"a","a"],[1,"a","b"]],"more":"data"}`), 2))
		},
		"SFE-2": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			c := sf("same_text")
			c.Numbers = []int64{7, 3, 1 << 40, 0}
			want(t, "numbers with gaps", "1 0 1 0")(c.Call(t.Context(), []any{"a", "a"}, []any{"a", "b"}, []any{"c", "c"}, []any{"", "d"}))
		},
		"SFE-3": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			for why, body := range map[string]string{
				"no data": `{"rows":[]}`, "data that is an object": `{"data":{}}`, "data that is null": `{"data":null}`, "no number": `{"data":[["a"]]}`, "an empty row": `{"data":[[0,"a"],[]]}`,
				"too many arguments": `{"data":[[0,"a"],[1,"a","b"]]}`, "too few": `{"data":[[0,"a"],[1]]}`, "cut off": `{"data":[[0,"a"],[1,"b"]`, "no JSON": `data`,
			} {
				wantRefused(t, why, 400, "")(sf("counted").Send(t.Context(), []byte(body), 2))
			}
		},
		"SFE-4": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			c := sf("same_text")
			c.URL = s.url + "/v1/snowflake"
			c.Header = http.Header{"sf-external-function-name": {"SAME TEXT"}, "sf-external-function-name-base64": {"U0FNRV9URVhU"}}
			want(t, "the base64 form", "1")(c.Call(t.Context(), []any{"a", "a"}))
		},
		"SFE-13": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			for _, bad := range badInputs {
				if bad.gzip || bad.header != nil || bad.wires != "" && bad.wires != "snowflake" || strings.HasPrefix(bad.why, "too many") {
					continue
				}
				body := strings.NewReplacer("ROWS", "data", "·", "0,").Replace(bad.body)
				_, err := sf("same_text").Send(t.Context(), []byte(body), 0)
				if r := (*callers.Refused)(nil); err != nil && (!errors.As(err, &r) || r.Status != 400 || r.Attempts != 1) {
					t.Errorf("%s: %v", bad.why, err)
				}
			}
		},
		"SFE-17": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			c, err := sf("cell_match_json").Call(t.Context(), []any{nil, nil}, []any{"", nil})
			for i := range c.Results {
				var e struct{ Status, Reason string }
				if err := json.Unmarshal(c.Results[i], &e); err != nil || e.Status == "ok" || e.Status == "" || e.Reason == "" {
					t.Errorf("row %d: %s", i, c.Results[i])
				}
			}
			if err != nil || len(c.Results) != 2 {
				t.Error(err)
			}
		},
		"SFE-18": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			c, err := sf("show").Call(t.Context(), []any{"x", json.RawMessage(`{"a":[1,9007199254740993]}`)}, []any{"x", `{"a":[1,9007199254740993]}`}, []any{"x", []any{}}, []any{"x", "[]"})
			if err != nil || len(c.Results) != 4 || string(c.Results[0]) != string(c.Results[1]) || string(c.Results[2]) != string(c.Results[3]) || string(c.Results[0]) == string(c.Results[2]) {
				t.Errorf("%s, %v", texts(c), err)
			}
		},
		"SFE-19": func(t *testing.T, s *running, sf func(string) *callers.Snowflake) {
			for _, at := range []string{"2026-03-01 09:30:00.000", "2026-03-01T09:30:00.123456789+02:00", "Sun, 01 Mar 2026 09:30:00 -0800"} {
				want(t, at, fmt.Sprintf("%q", at))(sf("badger_echo").Call(t.Context(), []any{at}))
			}
			for _, f := range s.catalogue.Functions() {
				for _, p := range f.Params {
					if p.Type > udf.BOOLEAN {
						t.Errorf("%s takes a %v", f.Name, p.Type)
					}
				}
			}
		},
	}[number]
}

// external runs a statement against an external function.
func external(number string) func(*testing.T) {
	return func(t *testing.T) {
		var rows atomic.Int64
		s := start(t, newCatalogue(t, counted(&rows)), nil)
		bothSnowflakes(number)(t, s, s.snowflake)
		if n := rows.Load(); n != 0 {
			t.Errorf("%d rows were computed", n)
		}
	}
}

var snowflakeStatements = map[string]func(*testing.T){
	"SFE-1": external("SFE-1"), "SFE-2": external("SFE-2"), "SFE-3": external("SFE-3"), "SFE-4": external("SFE-4"),
	"SFE-13": external("SFE-13"), "SFE-17": external("SFE-17"), "SFE-18": external("SFE-18"), "SFE-19": external("SFE-19"),
	"SFE-5": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		for name, value := range map[string]string{"sf-external-function-format": "xml", "sf-external-function-format-version": "1.1"} {
			c := s.snowflake("same_text")
			c.Header = http.Header{name: {value}}
			wantRefused(t, name, 400, "expected ")(c.Call(t.Context(), []any{"a", "a"}))
		}
	},
	"SFE-15": func(t *testing.T) {
		s, err := New(newCatalogue(t), tokenOptions())
		if err != nil {
			t.Fatal(err)
		}
		body := &countingReader{}
		req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/snowflake/same_text", body)
		req.ContentLength = 1 << 40                  // a short one is read and dropped, so that the client sees the reply
		req.Header.Set("sf-custom-token", testToken) // no place for a credential
		rec := httptest.NewRecorder()
		s.http.Handler.ServeHTTP(rec, req)
		if rec.Code != 401 || body.n > 0 {
			t.Errorf("status %d after %d bytes of the body", rec.Code, body.n)
		}
		r := start(t, newCatalogue(t), tokenOptions())
		c := r.snowflake("badger_whoami")
		c.Header = http.Header{"Authorization": {"Bearer " + testToken}}
		want(t, "with the credential", `"nightly"`)(c.Call(t.Context(), []any{}))
	},
	"SFE-16": func(t *testing.T) {
		s := start(t, newCatalogue(t, lengthy()), nil)
		c, err := s.snowflake("lengthy").Call(t.Context(), []any{9_000_000}, []any{900_000}, []any{200_000}) // the simulator refuses more than 10 MB
		if err != nil || len(c.Results) != 3 || !strings.Contains(string(c.Results[0]), "truncated") || strings.Contains(string(c.Results[1]), "truncated") {
			t.Errorf("%v, %d rows", err, len(c.Results))
		}
	},
	"SFE-20": func(t *testing.T) {
		// A reply leaves before a gateway's patience ends, and rows end before polling does.
		if b := (snowflake{}).traits().budget; b >= 29*time.Second || pollTime > callers.SnowflakePolling-time.Minute {
			t.Errorf("a reply has %v and a gateway waits 29 s; rows have %v of ten minutes", b, pollTime)
		}
		s := start(t, newCatalogue(t), hasty("snowflake", 50*time.Millisecond))
		sf := s.snowflake("judged_json")
		sf.BatchID = "" // with one it is polled for: SFE-9
		c, err := sf.Call(t.Context(), []any{"q", "i", "wait forever", "s", "s"}, []any{"q", "i", "r", "s", "s"})
		if err == nil || !strings.Contains(err.Error(), "1 of 2 rows were not scored in time") || c.Posts() < 2 {
			t.Errorf("%s, %v, %v; expected attempts that fail", texts(c), c.Attempts, err)
		}
	},
}

var serviceStatements = map[string]func(*testing.T){
	"SFC-1": func(t *testing.T) {
		for _, number := range []string{"SFE-1", "SFE-2", "SFE-3", "SFE-4", "SFE-13", "SFE-17", "SFE-18", "SFE-19"} {
			t.Run(number, func(t *testing.T) {
				var rows atomic.Int64
				s := start(t, newCatalogue(t, counted(&rows)), nil)
				bothSnowflakes(number)(t, s, s.service)
				if n := rows.Load(); n != 0 {
					t.Errorf("%d rows were computed", n)
				}
			})
		}
	},
	"SFC-2": func(t *testing.T) {
		s, ctx := start(t, newCatalogue(t), nil), t.Context()
		for _, path := range []string{"/v1/snowflake/nothing", "/v1/snowflake/same_text/", "/v1/snowflake", "/v1/nothing", "/", "/v2/snowflake/same_text", "/v1/snowflake/same_text/batch"} {
			wantRefused(t, path, 400, "")((&callers.Snowflake{URL: s.url + path, Service: true}).Call(ctx, []any{"a", "a"}))
		}
		for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "FROB"} {
			req, err := http.NewRequestWithContext(ctx, method, s.url+"/v1/snowflake/same_text", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %d", method, resp.StatusCode)
			}
		}
	},
}
