package imports

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

func init() {
	register(&product{name: "messages", title: "messages of OpenAI, Anthropic or Cortex agents", items: messageItems,
		answers: messageAnswers})
}

// requestOf and responseOf return the request and the response of a log. The log of a proxy, or of a batch API, has
// them as members. A record may also be a list of messages, or a response.
func requestOf(o object) object {
	for _, name := range []string{"request", "body", "input"} {
		if of := o.object(name); of != nil {
			if inner := of.object("body"); inner != nil {
				of = inner
			}
			if of["messages"] != nil || of["input"] != nil {
				return of
			}
		}
	}
	return o
}

func responseOf(o object) object {
	for _, name := range []string{"response", "output", "completion"} {
		if of := o.object(name); of != nil {
			if inner := of.object("body"); inner != nil {
				of = inner
			}
			return of
		}
	}
	if replies(o) != nil {
		return o
	}
	return nil
}

// replies returns the messages and output items of a response. It returns nil if o is not a response.
func replies(o object) []json.RawMessage {
	switch {
	case o == nil:
		return nil
	case o["choices"] != nil:
		choices := listOf(o["choices"])
		if len(choices) == 0 {
			return nil
		}
		return []json.RawMessage{objectOf(choices[0])["message"]}
	case o.text("object") == "response":
		return listOf(o["output"])
	case o.object("message") != nil && roleOf(o.object("message")) == "assistant":
		return []json.RawMessage{o["message"]}
	case roleOf(o) == "assistant":
		raw, err := json.Marshal(o)
		if err != nil {
			return nil
		}
		return []json.RawMessage{raw}
	}
	return nil
}

// messageItems returns a record with messages or a response. Records of a batch API with one custom_id are one trace.
func messageItems(o object) ([]item, bool) {
	if listOf(requestOf(o)["messages"]) == nil && replies(responseOf(o)) == nil {
		return nil, false
	}
	raw, err := json.Marshal(o)
	return []item{{o.text("custom_id"), raw}}, err == nil
}

// messageAnswers converts a log to answers: one for each question of a list of messages, or the one to the last
// question if the log has a response.
func messageAnswers(items []json.RawMessage, o *Options) []Answer {
	var list, reply []json.RawMessage
	whole, request, response := object{}, object{}, object{}
	for _, raw := range items {
		m := objectOf(raw)
		for k, v := range m {
			whole[k] = v
		}
		if of := requestOf(m); listOf(of["messages"]) != nil || of["input"] != nil {
			request = of
			if list = listOf(of["messages"]); list == nil {
				list = responsesInput(of["input"])
			}
		}
		if of := responseOf(m); replies(of) != nil {
			response, reply = of, replies(of)
		}
	}
	turns := turnsOf(list)
	if reply != nil {
		if len(turns) == 0 {
			turns = []turn{{}}
		}
		last := len(turns)
		turns[last-1].reply = append(turns[last-1].reply, reply...)
		turns = turns[last-1:]
		turns[0].number = last
	}
	var answers []Answer
	for i, t := range turns {
		a := Answer{Question: t.question, Turn: t.number, Response: answerIn(joined(t.reply), 0)}
		for _, m := range []object{whole, request, whole.object("metadata"), request.object("metadata"),
			whole.object("extra")} {
			if o.CaseID != "" && i == len(turns)-1 {
				a.CaseID = cmp.Or(a.CaseID, nameOf(m.at(o.CaseID)))
			}
			a.Conversation = cmp.Or(a.Conversation, m.text("conversation_id", "thread_id", "session_id", "conversation"))
		}
		if reply == nil && len(turns) > 1 && a.Conversation == "" {
			a.Conversation = whole.text("id")
		}
		if i == len(turns)-1 {
			messageFigures(whole, response, &a)
		}
		a.calls(t.reply, o)
		if a.SQL == "" && o.SQLTool == "" {
			a.SQL = resultSQL(joined(t.reply), 0)
		}
		answers = append(answers, a)
	}
	return answers
}

// messageFigures sets the tokens, times and costs of a log.
func messageFigures(whole, response object, a *Answer) {
	usage := response.object("usage")
	if usage == nil {
		usage = whole.object("usage")
	}
	usage.count(&a.TokensIn, "input_tokens", "prompt_tokens")
	usage.count(&a.TokensOut, "output_tokens", "completion_tokens")
	for _, u := range listOf(response.object("metadata").object("usage")["tokens_consumed"]) { // Cortex
		of := objectOf(u)
		of.object("input_tokens").count(&a.TokensIn, "total")
		of.object("output_tokens").count(&a.TokensOut, "total")
	}
	whole.cost(&a.CostUSD, "cost", "cost_usd", "response_cost", "total_cost")
	a.RanAt = whole.time("timestamp", "created_at", "startTime", "start_time", "time")
	if a.RanAt.IsZero() {
		a.RanAt = response.time("created", "created_at")
	}
	if ms, ok := whole.number("latency_ms", "duration_ms"); ok && ms >= 0 && ms < 1e9 {
		d := time.Duration(ms * float64(time.Millisecond))
		a.Latency = &d
	} else {
		a.Latency = span(whole.time("startTime", "start_time"), whole.time("endTime", "end_time"))
	}
}

// responsesInput returns the input of a request of the Responses API as messages.
func responsesInput(raw json.RawMessage) []json.RawMessage {
	if text := textOf(raw); text != "" && listOf(raw) == nil {
		m, _ := json.Marshal(map[string]string{"role": "user", "content": text}) // strings can always be encoded
		return []json.RawMessage{m}
	}
	return listOf(raw)
}

// turn is a question with what the assistant did until the next one.
type turn struct {
	question string
	number   int
	reply    []json.RawMessage
}

// turnsOf splits messages at the questions of the user. Results of tools, which some APIs send as messages of the user,
// are not questions.
func turnsOf(list []json.RawMessage) (turns []turn) {
	for _, raw := range list {
		m := objectOf(raw)
		if m == nil {
			continue
		}
		if roleOf(m) == "user" {
			if text := contentText(m); text != "" {
				turns = append(turns, turn{question: text, number: len(turns) + 1})
				continue
			}
		}
		if len(turns) > 0 && roleOf(m) != "user" {
			t := &turns[len(turns)-1]
			t.reply = append(t.reply, raw)
		}
	}
	return turns
}

// joined returns a list of JSON values as JSON.
func joined(list []json.RawMessage) json.RawMessage {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = string(list[i])
	}
	return json.RawMessage("[" + strings.Join(texts, ",") + "]")
}
