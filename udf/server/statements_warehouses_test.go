package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/fake/metrics"
)

var bigqueryStatements = map[string]func(*testing.T){
	"BQ-1": func(t *testing.T) {
		s := start(t, newCatalogue(t, sameInt()), nil)
		for _, n := range []int{0, 1, 10_000} {
			rows, numbers := make([][]any, n), make([]string, n)
			for i := range rows {
				rows[i], numbers[i] = []any{i}, fmt.Sprint(i)
			}
			c, err := s.bigquery("same_int").Call(t.Context(), rows...)
			want(t, fmt.Sprint(n, " calls"), strings.Join(numbers, " "))(c, err)
			if n == 0 && string(c.Reply) != `{"replies":[]}` {
				t.Errorf("no calls: %s", c.Reply)
			}
		}
	},
	"BQ-2": func(t *testing.T) {
		s := start(t, newCatalogue(t, sameInt()), nil)
		want(t, "numbers and texts", `17 17 "9007199254740993" -5 null`)(s.bigquery("same_int").Call(t.Context(), []any{17}, []any{"17"}, []any{past53}, []any{"-5"}, []any{nil}))
	},
	"BQ-3": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		digits76 := strings.Repeat("1234567890", 3) + "12345678." + strings.Repeat("9876543210", 3) + "98765432"
		want(t, "decimals", fmt.Sprintf(`"5" "123.56" %q`, digits76))(s.bigquery("badger_echo").Call(t.Context(), []any{5}, []any{"123.56"}, []any{digits76}))
		num := func(v any) []any { return []any{"x", nil, v} }
		shown := func(v string) string { return `["x",null,"` + v + `",null,null]` }
		want(t, "doubles", strings.Join([]string{shown("NaN"), shown("Infinity"), shown("-Infinity"), shown("1"), shown("0.5"), shown("5e-324")}, " "))(
			s.bigquery("show").Call(t.Context(), num("NaN"), num("Infinity"), num("-Infinity"), num(json.Number("1.0")), num("0.5"), num(json.Number("5e-324"))))
		c, err := s.bigquery("slowdown").Call(t.Context(), []any{"1e999", 1}, []any{"two", 1}, []any{2, 1})
		if err != nil || texts(c) != "null null 0.5" {
			t.Errorf("numbers that are none: %s, %v", texts(c), err)
		}
	},
	"BQ-4": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		want(t, "base64", `"AP8=" "" "AP8"`)(s.bigquery("badger_echo").Call(t.Context(), []any{"AP8="}, []any{""}, []any{"AP8"}))
	},
	"BQ-5": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		want(t, "as texts", `"2026-03-01T09:30:00.25" "2026-03-01T09:30:00.25Z"`)(s.bigquery("badger_echo").Call(t.Context(), []any{"2026-03-01T09:30:00.25"}, []any{"2026-03-01T09:30:00.25Z"}))
		// In results, where types count, the two are not equal.
		result := func(typ, at string) string {
			return `{"columns":[{"name":"at","type":"` + typ + `"}],"rows":[["` + at + `"]]}`
		}
		a, b := result("timestamp", "2026-03-01T09:30:00.25"), result("timestamptz", "2026-03-01T09:30:00.25Z")
		want(t, "as cells", "1 1 0")(s.bigquery("cell_match").Call(t.Context(), []any{a, a}, []any{b, b}, []any{a, b}))
	},
	"BQ-6": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		want(t, "inline", `["x","{\"a\":[1,null]}",null,null,null] ["x","7",null,null,null] ["x",null,null,null,null]`)(
			s.bigquery("show").Call(t.Context(), []any{"x", json.RawMessage(`{"a":[1,null]}`)}, []any{"x", 7}, []any{"x", nil}))
	},
	"BQ-7": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		want(t, "no context", "1")(s.bigquery("same_text").Call(t.Context(), []any{"a", "a"}))
		for why, tc := range map[string]struct {
			context map[string]string
			says    string
		}{
			"fn":                {map[string]string{"fn": "same_text"}, ""},
			"fn and fnv":        {map[string]string{"fn": "same_text", "fnv": "1", "rubric": "x"}, ""},
			"another version":   {map[string]string{"fn": "same_text", "fnv": "2"}, "expected version 1"},
			"no such function":  {map[string]string{"fn": "same_txt"}, "did you mean same_text"},
			"no function named": {map[string]string{"rubric": "x"}, "no function"},
		} {
			b := s.bigquery("")
			b.URL, b.Context = s.url+"/v1/bigquery", tc.context
			c, err := b.Call(t.Context(), []any{"a", "a"})
			if tc.says == "" {
				want(t, why, "1")(c, err)
			} else {
				wantRefused(t, why, 400, tc.says)(c, err)
			}
		}
	},
	"BQ-8": func(t *testing.T) {
		s := start(t, newCatalogue(t), &Options{Limits: Limits{Rows: 2}})
		ctx := t.Context()
		wantRefused(t, "too many rows", 400, "more than 2 rows")(s.bigquery("same_text").Call(ctx, []any{"a", "a"}, []any{"a", "a"}, []any{"a", "a"}))
		wantRefused(t, "arity", 400, "same_text takes")(s.bigquery("same_text").Call(ctx, []any{"a"}))
		wantRefused(t, "a long name", 400, "unknown function")(s.bigquery(strings.Repeat("%F0%9F%98%80", 500)).Call(ctx, []any{"a"}))
		wantRefused(t, "another caller's token", 401, "token")(start(t, newCatalogue(t), tokenOptions()).bigquery("same_text").Call(ctx, []any{"a", "a"}))
		for n := 1; n <= 16; n++ { // every code that a fault may have
			code := errcode.Code(n)
			if got := httpStatus(errcode.New(code, "x")); got == 502 || retried[got] != (code == errcode.Unavailable) {
				t.Errorf("%v is HTTP status %d", code, got)
			}
		}
	},
	"BQ-10": func(t *testing.T) {
		s := start(t, newCatalogue(t, lengthy()), nil)
		c, err := s.bigquery("lengthy").Call(t.Context(), []any{9_000_000}, []any{8_000_000}) // the simulator refuses more than 15 MB
		if err != nil || len(c.Results) != 2 || !strings.Contains(string(c.Results[0]), "truncated") || strings.Contains(string(c.Results[1]), "truncated") {
			t.Errorf("%v, %d rows", err, len(c.Results))
		}
	},
	"BQ-13": func(t *testing.T) {
		taken := regexp.MustCompile(`^(/[A-Za-z0-9_-]+)+$`)
		probes := 0
		for _, r := range routes {
			switch {
			case strings.Contains(r.path, "/bigquery"):
				for _, f := range newCatalogue(t).Functions() {
					path := strings.Replace(r.path, "{function}", f.Name, 1)
					if !taken.MatchString(path) || strings.HasPrefix(path, "/_ah/") || path == "/eventlog" {
						t.Errorf("BigQuery cannot call %s", path)
					}
				}
			case r.open && !strings.HasSuffix(r.path, "z"):
				probes++
			}
		}
		if probes < 2 {
			t.Errorf("%d probes have a path that Cloud Run passes on, want live and ready", probes)
		}
		s := start(t, newCatalogue(t), nil)
		for _, path := range []string{"/health/live", "/health/ready"} {
			resp, err := http.Get(s.url + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %d", path, resp.StatusCode)
			}
		}
	},
	"BQ-14": func(t *testing.T) {
		if b := (bigquery{}).traits().budget; b > 20*time.Minute-30*time.Second {
			t.Errorf("rows have %v of BigQuery's 20 minutes", b)
		}
		s := start(t, newCatalogue(t), hasty("bigquery", 50*time.Millisecond))
		c, err := s.bigquery("judged_json").Call(t.Context(), []any{"q", "i", "wait forever", "s", "s"})
		if err == nil || len(c.Attempts) < 2 || !strings.Contains(err.Error(), "not scored in time") {
			t.Errorf("%s, %v, %v; expected attempts that fail", texts(c), c.Attempts, err)
		}
	},
}

var databricksStatements = map[string]func(*testing.T){
	"DBX-1": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		for why, args := range map[string]map[string]any{"absent": {"text": "7"}, "null": {"text": "7", "doc": nil, "num": nil}, "a number": {"text": 7}} {
			want(t, why, `["7",null,null,null,null]`)(s.databricks("show").Call(t.Context(), args))
		}
	},
	"DBX-2": func(t *testing.T) {
		ctx := t.Context()
		s := start(t, newCatalogue(t), &Options{Limits: Limits{Body: 1000, Calls: 1}})
		wantRefused(t, "no such function", 400, `"code":"not_found"`)(s.databricks("same_txt").Call(ctx, map[string]any{}))
		wantRefused(t, "no such parameter", 400, `"code":"invalid_argument"`)(s.databricks("same_text").Call(ctx, map[string]any{"c": 1}))
		wantRefused(t, "too long", 400, `"code":"resource_exhausted"`)(s.databricks("same_text").Call(ctx, map[string]any{"a": strings.Repeat("a", 2000)}))
		leave := fill(t, s)
		wantRefused(t, "overload", 429, `"code":"resource_exhausted"`)(s.databricks("same_text").Call(ctx, map[string]any{}))
		leave()
		s = start(t, newCatalogue(t), tokenOptions())
		wantRefused(t, "no token", 401, `"code":"unauthenticated"`)(s.databricks("same_text").Call(ctx, map[string]any{}))
		s = start(t, newCatalogue(t), nil)
		want(t, "a row that fails is no failure of the call", `{"status":"failed","value":null,"code":"internal","reason":"function show panicked on this input; this is a bug in badger"}`)(
			s.databricks("show").Call(ctx, map[string]any{"text": "panic"}))
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		if status, reply := serve(s.Server, "/v1/databricks/same_text", []byte(`{}`)); status != 503 || !strings.HasPrefix(reply, `{"status":"failed","value":null,"code":"unavailable"`) {
			t.Errorf("stopping: %d %s", status, reply)
		}
	},
	"DBX-3": func(t *testing.T) {
		s := start(t, newCatalogue(t, sameInt()), nil)
		var body, results strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&body, ",[%d]", i)
			fmt.Fprintf(&results, ",%d", i)
		}
		status, reply, _ := post(t, s.url+"/v1/databricks/same_int/batch", `{"rows":[`+body.String()[1:]+`]}`)
		if status != 200 || reply != `{"results":[`+results.String()[1:]+`]}` {
			t.Errorf("%d %.100s", status, reply)
		}
		leave := fill(t, s)
		status, _, h := post(t, s.url+"/v1/databricks/same_int/batch", `{"rows":[[1]]}`)
		if status != 429 || h.Get("Retry-After") == "" {
			t.Errorf("overload: %d, Retry-After %q", status, h.Get("Retry-After"))
		}
		leave()
	},
	"FB-1": func(t *testing.T) {
		s := start(t, newCatalogue(t), hasty("json", 50*time.Millisecond))
		status, reply, _ := post(t, s.url+"/v1/functions/judged_json", `{"rows":[["q","i","wait forever","s","s"]]}`, "Content-Type", "application/json")
		if status != 503 || !strings.Contains(reply, "not scored in time") {
			t.Errorf("%d %s", status, reply)
		}
	},
	"FB-2": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		for path, body := range map[string]string{"/v1/functions/same_text": `{"rows":[["a","a"]]}`, "/v1/functions/nothing": `{}`, "/v1/score": `{}`} {
			_, reply, h := post(t, s.url+path, body)
			var object map[string]any
			if err := json.Unmarshal([]byte(reply), &object); err != nil || h.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s %s", path, h.Get("Content-Type"), reply)
			}
		}
	},
	"FB-3": func(t *testing.T) {
		s := start(t, newCatalogue(t), nil)
		gold, agent := metrics.TwoResults(2)
		body, err := json.Marshal(map[string]any{"rows": [][]string{{gold, agent}, {gold, gold}, {gold, "no result"}}})
		if err != nil {
			t.Fatal(err)
		}
		_, first, _ := post(t, s.url+"/v1/functions/cell_match_json", string(body), "Idempotency-Key", "k-1")
		_, again, _ := post(t, s.url+"/v1/functions/cell_match_json", string(body), "Idempotency-Key", "k-1")
		if first != again || !strings.Contains(first, `"value":0.5`) {
			t.Errorf("%s\n%s", first, again)
		}
	},
}

// fill takes every place for calls.
func fill(t *testing.T, s *running) (leave func()) {
	t.Helper()
	n := int64(s.limits.Calls)
	if !s.admission.calls.TryAcquire(n) {
		t.Fatal("a call has a place already")
	}
	return func() { s.admission.calls.Release(n) }
}
