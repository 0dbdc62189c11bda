package inwarehouse

import (
	"context"
	"encoding/json"

	"github.com/badger-eval/badger/judgebackend"
)

// Cortex opens judges that Snowflake hosts, called by AI_COMPLETE.
var Cortex = judgebackend.Provider{Name: "cortex", InWarehouse: true, System: "snowflake.cortex", Open: openCortex}

// Statements that call AI_COMPLETE. All values are bound. With return_error_details the result is an object of value
// and error; by default a failure would be NULL without a reason.
const (
	cortexText = "SELECT TO_JSON(TO_VARIANT(AI_COMPLETE(model => ?, prompt => ?, model_parameters => PARSE_JSON(?), " +
		"show_details => TRUE, return_error_details => TRUE)))"
	cortexJSON = "SELECT TO_JSON(TO_VARIANT(AI_COMPLETE(model => ?, prompt => ?, model_parameters => PARSE_JSON(?), " +
		"response_format => PARSE_JSON(?), show_details => TRUE, return_error_details => TRUE)))"
)

func openCortex(_ context.Context, model string, o *judgebackend.OpenOptions) (judgebackend.Backend, error) {
	return openInWarehouse("cortex", model, o, inWarehouse{
		render: func(r judgebackend.Request) (string, []any, error) { return renderCortex(model, r) },
		decode: decodeCortex,
	})
}

func renderCortex(model string, r judgebackend.Request) (string, []any, error) {
	if r.Temperature > 1 {
		return "", nil, &judgebackend.Error{Kind: judgebackend.KindInvalid,
			Detail: "this backend takes a temperature of at most 1"}
	}
	params, err := json.Marshal(struct {
		Temperature float64 `json:"temperature"`
		MaxTokens   int     `json:"max_tokens"`
	}{r.Temperature, r.ReplyTokens()})
	if err != nil {
		return "", nil, err
	}
	args := []any{model, fold(r.Messages), string(params)}
	if r.Schema == nil {
		return cortexText, args, nil
	}
	format, err := json.Marshal(map[string]any{"type": "json", "schema": r.Schema})
	if err != nil {
		return "", nil, err
	}
	return cortexJSON, append(args, string(format)), nil
}

// cortexDetails holds the additional output of show_details. The choice's text member is called messages.
type cortexDetails struct {
	Choices []struct {
		Messages     string `json:"messages"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	StructuredOutput []struct {
		RawMessage json.RawMessage `json:"raw_message"`
	} `json:"structured_output"`
	Model string `json:"model"`
	Usage *struct {
		PromptTokens     *judgebackend.TokenCount `json:"prompt_tokens"`
		CompletionTokens *judgebackend.TokenCount `json:"completion_tokens"`
	} `json:"usage"`
}

func decodeCortex(envelope string) (judgebackend.Response, error) {
	var e struct {
		Value json.RawMessage `json:"value"`
		Error *string         `json:"error"`
	}
	if err := json.Unmarshal([]byte(envelope), &e); err != nil {
		return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindMalformed}
	}
	switch {
	case e.Error != nil && *e.Error != "":
		return judgebackend.Response{}, reported(*e.Error)
	case len(e.Value) == 0 || string(e.Value) == "null":
		return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindServer, Detail: "the function gave NULL"}
	}
	resp := judgebackend.Response{TokensIn: judgebackend.TokensUnknown, TokensOut: judgebackend.TokensUnknown}
	value := e.Value
	var text string
	if json.Unmarshal(value, &text) == nil { // the details may come as text
		value = json.RawMessage(text)
	}
	var d cortexDetails
	if err := json.Unmarshal(value, &d); err != nil || d.Choices == nil && d.StructuredOutput == nil {
		if text == "" {
			return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindMalformed}
		}
		resp.Reply = text
		return resp, nil
	}
	if len(d.Choices) > 0 {
		resp.Reply = d.Choices[0].Messages
		if d.Choices[0].FinishReason == "length" {
			resp.FinishReason = judgebackend.FinishLength
		}
	}
	if len(d.StructuredOutput) > 0 {
		resp.Reply = string(d.StructuredOutput[0].RawMessage)
		var quoted string
		if json.Unmarshal(d.StructuredOutput[0].RawMessage, &quoted) == nil {
			resp.Reply = quoted
		}
	}
	resp.Model = d.Model
	if d.Usage != nil {
		resp.TokensIn, resp.TokensOut = known(d.Usage.PromptTokens), known(d.Usage.CompletionTokens)
	}
	return resp, nil
}
