package inwarehouse

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
)

// AIQuery opens judges that Databricks hosts, called by ai_query.
var AIQuery = judgebackend.Provider{Name: "aiquery", InWarehouse: true, System: "databricks", Open: openAIQuery}

func openAIQuery(_ context.Context, endpoint string, o *judgebackend.OpenOptions) (judgebackend.Backend, error) {
	return openInWarehouse("aiquery", endpoint, o, inWarehouse{
		render: func(r judgebackend.Request) (string, []any, error) { return renderAIQuery(endpoint, r) },
		decode: decodeAIQuery,
	})
}

// renderAIQuery returns a query that calls ai_query. All values are bound, also endpoint and format, because
// Databricks replaces parameter markers by literals before it analyzes the statement.
func renderAIQuery(endpoint string, r judgebackend.Request) (string, []any, error) {
	query := "SELECT to_json(ai_query(?, ?"
	args := []any{endpoint, fold(r.Messages)}
	if r.Schema != nil {
		format, err := json.Marshal(map[string]any{
			"type": "json_schema",
			"json_schema": map[string]any{
				"name": judgebackend.SchemaName(r.Purpose), "schema": r.Schema, "strict": judgebackend.IsStrict(r.Schema),
			},
		})
		if err != nil {
			return "", nil, err
		}
		query += ", responseFormat => ?"
		args = append(args, string(format))
	}
	query += ", failOnError => false, modelParameters => named_struct('temperature', CAST(" + number(r.Temperature) +
		" AS DOUBLE), 'max_tokens', " + strconv.Itoa(r.ReplyTokens()) + ")))"
	return query, args, nil
}

// decodeAIQuery decodes a struct of two members whose names depend on the release: response or result, and error,
// errorMessage or errorStatus. It has no usage.
func decodeAIQuery(envelope string) (judgebackend.Response, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(envelope), &fields) != nil {
		return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindMalformed}
	}
	resp := judgebackend.Response{TokensIn: judgebackend.TokensUnknown, TokensOut: judgebackend.TokensUnknown}
	answered := false
	for name, value := range fields {
		var text string
		isText := json.Unmarshal(value, &text) == nil // null unmarshals to ""
		switch {
		case strings.HasPrefix(name, "error"):
			if !isText {
				return judgebackend.Response{}, reported(string(value))
			}
			if text != "" {
				return judgebackend.Response{}, reported(text)
			}
		case string(value) == "null":
		case isText:
			resp.Reply, answered = text, true
		default: // a typed answer
			resp.Reply, answered = string(value), true
		}
	}
	if !answered {
		return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindServer, Detail: "the function gave NULL"}
	}
	return resp, nil
}
