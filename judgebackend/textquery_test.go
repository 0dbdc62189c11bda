package judgebackend_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// asked is a warehouse that notes the statement and gives one envelope.
type asked struct {
	envelope string
	query    string
	args     []any
}

func (a *asked) QueryText(_ context.Context, query string, args ...any) (string, error) {
	a.query, a.args = query, args
	return a.envelope, nil
}

// hostile is a request whose every text tries to get out of its place.
func hostile() judgebackend.Request {
	return judgebackend.Request{
		Purpose: "sql/judge",
		Messages: []judgebackend.Message{
			{Role: judgebackend.System, Content: `Rules ') -- ? \`},
			{Role: judgebackend.User, Content: `'); DROP TABLE x; -- ? \' $1`},
			{Role: judgebackend.Assistant, Content: "earlier"},
			{Role: judgebackend.User, Content: "again"},
		},
		Schema:      json.RawMessage(`{"type":"object","properties":{"score":{"type":"number"},"why":{"type":"string","description":"don't \\ \"quote\""}},"required":["score","why"],"additionalProperties":false}`),
		Temperature: 0.1, MaxTokens: 300,
	}
}

const folded = `Rules ') -- ? \` + "\n\n[Request]\n" + `'); DROP TABLE x; -- ? \' $1` + "\n\n[Your earlier answer]\nearlier\n\n[Request]\nagain"

func TestStatements(t *testing.T) {
	r := hostile()
	plain := r
	plain.Schema, plain.Messages = nil, r.Messages[:2]
	told := "\n\nAnswer with one JSON object and nothing else: no text around it, no code fence. The object must satisfy this JSON Schema:\n" + string(r.Schema)
	for _, tc := range []struct {
		why, spec, connection string
		r                     judgebackend.Request
		query                 string
		args                  []any
	}{
		{
			"Cortex binds everything", "cortex:claude-4-sonnet", "", r,
			"SELECT TO_JSON(TO_VARIANT(AI_COMPLETE(model => ?, prompt => ?, model_parameters => PARSE_JSON(?), " +
				"response_format => PARSE_JSON(?), show_details => TRUE, return_error_details => TRUE)))",
			[]any{"claude-4-sonnet", folded, `{"temperature":0.1,"max_tokens":300}`, `{"schema":` + string(r.Schema) + `,"type":"json"}`},
		},
		{
			"Cortex, text", "cortex:m", "", plain,
			"SELECT TO_JSON(TO_VARIANT(AI_COMPLETE(model => ?, prompt => ?, model_parameters => PARSE_JSON(?), " +
				"show_details => TRUE, return_error_details => TRUE)))",
			[]any{"m", r.Messages[0].Content + "\n\n" + r.Messages[1].Content, `{"temperature":0.1,"max_tokens":300}`},
		},
		{
			"BigQuery wants literals for all but the prompt", "bigqueryai:gemini-2.5-flash", "p.us.c", r,
			`SELECT TO_JSON_STRING(AI.GENERATE(?, endpoint => 'gemini-2.5-flash', connection_id => 'p.us.c', ` +
				`model_params => JSON '{"generation_config":{"max_output_tokens":300,"temperature":0.1}}', output_schema => 'score FLOAT64, why STRING'))`,
			[]any{folded + told},
		},
		{
			"BigQuery, text", "bigqueryai:gemini-2.5-flash", "", plain,
			`SELECT TO_JSON_STRING(AI.GENERATE(?, endpoint => 'gemini-2.5-flash', ` +
				`model_params => JSON '{"generation_config":{"max_output_tokens":300,"temperature":0.1}}'))`,
			[]any{r.Messages[0].Content + "\n\n" + r.Messages[1].Content},
		},
		{
			"Databricks binds endpoint, prompt and format", "aiquery:databricks-claude-sonnet-4", "", r,
			"SELECT to_json(ai_query(?, ?, responseFormat => ?, failOnError => false, " +
				"modelParameters => named_struct('temperature', CAST(0.1 AS DOUBLE), 'max_tokens', 300)))",
			[]any{"databricks-claude-sonnet-4", folded, `{"json_schema":{"name":"sql_judge","schema":` + string(r.Schema) + `,"strict":true},"type":"json_schema"}`},
		},
	} {
		q := &asked{envelope: "{}"}
		b := open(t, tc.spec, &judgebackend.OpenOptions{Queryer: q, Connection: tc.connection})
		_, _ = b.Complete(t.Context(), tc.r)
		if diff := cmp.Diff(tc.query, q.query); diff != "" {
			t.Errorf("%s: statement (-want +got):\n%s", tc.why, diff)
		}
		if diff := cmp.Diff(tc.args, q.args); diff != "" {
			t.Errorf("%s: arguments (-want +got):\n%s", tc.why, diff)
		}
	}
}

// Schemas that BigQuery's list of fields cannot express are told in words and asked for as JSON;
// names that are no identifiers never reach the statement.
func TestBigQueryFields(t *testing.T) {
	for _, tc := range []struct{ why, properties, want string }{
		{"nested", `{"b":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"},"ok":{"type":"boolean"}}}},"a":{"type":"string"}}`, "'a STRING, b ARRAY<STRUCT<ok BOOL, x INT64>>'"},
		{"a union", `{"a":{"type":["string","null"]}}`, ""},
		{"an array of arrays", `{"a":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}`, ""},
		{"a name that would end the literal", `{"a', x STRING":{"type":"string"}}`, ""},
		{"a name the result has already", `{"status":{"type":"string"}}`, ""},
		{"no properties", `{}`, ""},
	} {
		q := &asked{envelope: "{}"}
		r := backendtest.Question()
		r.Schema = json.RawMessage(`{"type":"object","properties":` + tc.properties + `}`)
		_, _ = open(t, "bigqueryai:m", &judgebackend.OpenOptions{Queryer: q}).Complete(t.Context(), r)
		if tc.want == "" {
			if !strings.Contains(q.query, `"response_mime_type":"application/json"`) || strings.Contains(q.query, "output_schema") {
				t.Errorf("%s: %s", tc.why, q.query)
			}
		} else if !strings.HasSuffix(q.query, "output_schema => "+tc.want+"))") {
			t.Errorf("%s: %s", tc.why, q.query)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	const u = judgebackend.TokensUnknown
	for _, tc := range []struct {
		why, spec, envelope string
		reply               string
		in, out             judgebackend.TokenCount
		kind                judgebackend.Kind
	}{
		{"Cortex, structured", "cortex:m", `{"value":{"structured_output":[{"raw_message":{"score":1},"type":"json"}],"usage":{"prompt_tokens":9,"completion_tokens":2}},"error":null}`, `{"score":1}`, 9, 2, ""},
		{"Cortex, structured, as text", "cortex:m", `{"value":{"structured_output":[{"raw_message":"{\"score\":1}"}]}}`, `{"score":1}`, u, u, ""},
		{"Cortex, details as text", "cortex:m", `{"value":"{\"choices\":[{\"messages\":\"hi\"}],\"usage\":{\"prompt_tokens\":9}}"}`, "hi", 9, u, ""},
		{"Cortex, no details", "cortex:m", `{"value":"just text"}`, "just text", u, u, ""},
		{"Cortex, no usage is unknown and not nothing", "cortex:m", `{"value":{"choices":[{"messages":"hi"}]}}`, "hi", u, u, ""},
		{"Cortex, NULL with a reason", "cortex:m", `{"value":null,"error":"Model 'x' throttled"}`, "", 0, 0, judgebackend.KindRateLimited},
		{"Cortex, NULL without", "cortex:m", `null`, "", 0, 0, judgebackend.KindServer},
		{"Cortex, another form", "cortex:m", `{"value":{"text":"hi"}}`, "", 0, 0, judgebackend.KindMalformed},
		{"Cortex, no text", "cortex:m", ``, "", 0, 0, judgebackend.KindMalformed},

		{"BigQuery, the other case", "bigqueryai:m", `{"result":"x","status":null,"full_response":{"candidates":[{"content":{"parts":[{"text":"thinking","thought":true},{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":5}}}`, "hi", 9, 7, ""},
		{"BigQuery, full response as text", "bigqueryai:m", `{"result":"hi","status":"","full_response":"{\"usage_metadata\":{\"prompt_token_count\":9,\"candidates_token_count\":2}}"}`, "hi", 9, 2, ""},
		{"BigQuery, fields only", "bigqueryai:m", `{"score":1.5,"why":"ok","status":"","full_response":null}`, `{"score":1.5,"why":"ok"}`, u, u, ""},
		{"BigQuery, a field called result", "bigqueryai:m", `{"result":"a","why":"b","status":"","full_response":null}`, `{"result":"a","why":"b"}`, u, u, ""},
		{"BigQuery, a quota", "bigqueryai:m", `{"result":null,"status":"RESOURCE_EXHAUSTED: quota","full_response":null}`, "", 0, 0, judgebackend.KindRateLimited},
		{"BigQuery, denied", "bigqueryai:m", `{"status":"PERMISSION_DENIED: no"}`, "", 0, 0, judgebackend.KindDenied},
		{"BigQuery, no object", "bigqueryai:m", `null`, "", 0, 0, judgebackend.KindMalformed},

		{"Databricks, the other names", "aiquery:m", `{"result":"hi","error":null}`, "hi", u, u, ""},
		{"Databricks, nulls left out", "aiquery:m", `{"response":"hi"}`, "hi", u, u, ""},
		{"Databricks, a typed answer", "aiquery:m", `{"response":{"score":1},"errorMessage":null}`, `{"score":1}`, u, u, ""},
		{"Databricks, an error beside half an answer", "aiquery:m", `{"response":"h","errorMessage":"REQUEST_LIMIT: too many requests"}`, "", 0, 0, judgebackend.KindRateLimited},
		{"Databricks, nothing", "aiquery:m", `{}`, "", 0, 0, judgebackend.KindServer},
		{"Databricks, no object", "aiquery:m", `[]`, "", 0, 0, judgebackend.KindMalformed},
	} {
		b := open(t, tc.spec, &judgebackend.OpenOptions{Queryer: &asked{envelope: tc.envelope}})
		resp, err := b.Complete(t.Context(), backendtest.Question())
		if judgebackend.KindOf(err) != tc.kind || resp.Reply != tc.reply {
			t.Errorf("%s: %q, %v; want %q, kind %q", tc.why, resp.Reply, err, tc.reply, tc.kind)
		}
		if err == nil && (resp.TokensIn != tc.in || resp.TokensOut != tc.out) {
			t.Errorf("%s: %d and %d tokens, want %d and %d", tc.why, resp.TokensIn, resp.TokensOut, tc.in, tc.out)
		}
	}
}

func FuzzEnvelopes(f *testing.F) {
	f.Add(`{"value":{"choices":[{"messages":"hi"}],"usage":{"prompt_tokens":1,"completion_tokens":2}},"error":null}`)
	f.Add(`{"result":"x","status":"","full_response":{"candidates":[{"content":{"parts":[{"text":"hi"}]}}]}}`)
	f.Add(`{"response":"hi","errorMessage":null}`)
	f.Fuzz(func(t *testing.T, envelope string) {
		for _, spec := range []string{"cortex:m", "bigqueryai:m", "aiquery:m"} {
			b, err := providers.Open(t.Context(), spec, &judgebackend.OpenOptions{Queryer: &asked{envelope: envelope}})
			if err != nil {
				t.Fatal(err)
			}
			resp, err := b.Complete(t.Context(), backendtest.Question())
			if err == nil && (resp.TokensIn < judgebackend.TokensUnknown || resp.FinishReason != judgebackend.FinishStop) {
				t.Errorf("%s: %d tokens, finish %q", spec, resp.TokensIn, resp.FinishReason)
			}
			var e *judgebackend.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%s: an error of type %T", spec, err)
			}
		}
	})
}
