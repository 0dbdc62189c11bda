package inwarehouse

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
)

// BigQueryAI opens judges that BigQuery calls by AI.GENERATE.
var BigQueryAI = judgebackend.Provider{Name: "bigqueryai", InWarehouse: true, System: "gcp.vertex_ai",
	Open: openBigQueryAI}

// bigQueryNames matches the allowed endpoints (a model's name or address) and connections. BigQuery requires both as
// literals, so that characters that could end a literal are not allowed.
var bigQueryNames = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,300}$`)

// bigQueryAI calls AI.GENERATE. The prompt is bound; model_params and output_schema must be literals and are quoted.
// The prompt contains the schema, too, because output_schema has types but neither enumerations nor bounds.
type bigQueryAI struct{ model, connection string }

func openBigQueryAI(_ context.Context, model string, o *judgebackend.OpenOptions) (judgebackend.Backend, error) {
	b := bigQueryAI{model, o.Connection}
	if model != "" && !bigQueryNames.MatchString(model) || b.connection != "" && !bigQueryNames.MatchString(b.connection) {
		return nil, errcode.New(errcode.InvalidArgument,
			"judge bigqueryai: model and connection: expected letters, digits and ._:/@-")
	}
	return openInWarehouse("bigqueryai", model, o, inWarehouse{render: b.render, decode: decodeBigQueryAI})
}

func (b bigQueryAI) render(r judgebackend.Request) (string, []any, error) {
	config := map[string]any{"temperature": r.Temperature, "max_output_tokens": r.ReplyTokens()}
	messages := r.Messages
	var outputSchema string
	if r.Schema != nil {
		messages = judgebackend.AppendSchema(messages, r.Schema)
		if fields, ok := bigQueryFields(r.Schema); ok {
			outputSchema = ", output_schema => " + bigQueryQuote(fields)
		} else {
			config["response_mime_type"] = "application/json"
		}
	}
	params, err := json.Marshal(map[string]any{"generation_config": config})
	if err != nil {
		return "", nil, err
	}
	query := "SELECT TO_JSON_STRING(AI.GENERATE(?, endpoint => " + bigQueryQuote(b.model)
	if b.connection != "" {
		query += ", connection_id => " + bigQueryQuote(b.connection)
	}
	query += ", model_params => JSON " + bigQueryQuote(string(params)) + outputSchema + "))"
	return query, []any{fold(messages)}, nil
}

// bigQueryQuote returns s as a string literal.
func bigQueryQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
}

var bigQueryField = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// bigQueryFields converts the schema of an object to BigQuery's list of fields; ok is false if that is impossible.
func bigQueryFields(schema json.RawMessage) (string, bool) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Properties) == 0 {
		return "", false
	}
	names := make([]string, 0, len(s.Properties))
	for n := range s.Properties {
		names = append(names, n)
	}
	slices.Sort(names)
	fields := make([]string, 0, len(names))
	for _, n := range names {
		t, ok := bigQueryType(s.Properties[n])
		if !ok || !bigQueryField.MatchString(n) || n == "full_response" || n == "status" {
			return "", false
		}
		fields = append(fields, n+" "+t)
	}
	return strings.Join(fields, ", "), true
}

func bigQueryType(schema json.RawMessage) (string, bool) {
	var s struct {
		Type  string          `json:"type"`
		Items json.RawMessage `json:"items"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return "", false
	}
	switch s.Type {
	case "string":
		return "STRING", true
	case "integer":
		return "INT64", true
	case "number":
		return "FLOAT64", true
	case "boolean":
		return "BOOL", true
	case "array":
		t, ok := bigQueryType(s.Items)
		return "ARRAY<" + t + ">", ok && !strings.HasPrefix(t, "ARRAY") // BigQuery has no arrays of arrays
	case "object":
		fields, ok := bigQueryFields(schema)
		return "STRUCT<" + fields + ">", ok
	}
	return "", false
}

// geminiResponse is a generateContent response. Depending on the release, members are in camel case or snake case.
type geminiResponse struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Text    string `json:"text"`
				Thought bool   `json:"thought"`
			} `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishReason2 string `json:"finish_reason"`
	} `json:"candidates"`
	ModelVersion  string       `json:"modelVersion"`
	ModelVersion2 string       `json:"model_version"`
	Usage         *geminiUsage `json:"usageMetadata"`
	Usage2        *geminiUsage `json:"usage_metadata"`
}

type geminiUsage struct {
	Prompt      *judgebackend.TokenCount `json:"promptTokenCount"`
	Prompt2     *judgebackend.TokenCount `json:"prompt_token_count"`
	Candidates  *judgebackend.TokenCount `json:"candidatesTokenCount"`
	Candidates2 *judgebackend.TokenCount `json:"candidates_token_count"`
	Thoughts    *judgebackend.TokenCount `json:"thoughtsTokenCount"` // billed as output
	Thoughts2   *judgebackend.TokenCount `json:"thoughts_token_count"`
}

func (u *geminiUsage) tokens() (in, out judgebackend.TokenCount) {
	if u == nil {
		return judgebackend.TokensUnknown, judgebackend.TokensUnknown
	}
	in, out = known(u.Prompt, u.Prompt2), known(u.Candidates, u.Candidates2)
	if thoughts := known(u.Thoughts, u.Thoughts2); thoughts > 0 {
		out = out.Plus(thoughts)
	}
	return in, out
}

func decodeBigQueryAI(envelope string) (judgebackend.Response, error) {
	var fields map[string]json.RawMessage
	var status string
	if json.Unmarshal([]byte(envelope), &fields) != nil || fields == nil {
		return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindMalformed}
	}
	_ = json.Unmarshal(fields["status"], &status) // null means success, as empty does
	if status != "" {
		return judgebackend.Response{}, reported(status)
	}
	full := fields["full_response"]
	var text string
	if json.Unmarshal(full, &text) == nil { // JSON columns may come as text
		full = json.RawMessage(text)
	}
	var g geminiResponse
	_ = json.Unmarshal(full, &g) // without it the reply is still in the fields
	resp := judgebackend.Response{Model: g.ModelVersion + g.ModelVersion2}
	usage := g.Usage
	if usage == nil {
		usage = g.Usage2
	}
	resp.TokensIn, resp.TokensOut = usage.tokens()
	if len(g.Candidates) > 0 {
		c := g.Candidates[0]
		for _, p := range c.Content.Parts {
			if !p.Thought {
				resp.Reply += p.Text
			}
		}
		switch strings.ToUpper(c.FinishReason + c.FinishReason2) {
		case "MAX_TOKENS":
			resp.FinishReason = judgebackend.FinishLength
		case "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION":
			resp.FinishReason = judgebackend.FinishRefusal
		}
	}
	if resp.Reply == "" {
		resp.Reply = bigQueryReply(fields)
	}
	return resp, nil
}

// bigQueryReply returns the reply if full_response lacks it: the text of result, or the fields of output_schema as
// JSON.
func bigQueryReply(fields map[string]json.RawMessage) string {
	var text string
	if json.Unmarshal(fields["result"], &text) == nil && len(fields) <= 3 {
		return text
	}
	delete(fields, "status")
	delete(fields, "full_response")
	if len(fields) == 0 {
		return ""
	}
	reply, err := json.Marshal(fields)
	if err != nil {
		return ""
	}
	return string(reply)
}
