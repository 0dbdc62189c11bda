package imports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/jsonscan"
)

func init() {
	register(&product{name: "messages", title: "messages of OpenAI, Anthropic or Cortex agents", parts: messageParts,
		answers: messageAnswers})
}

// requestOf returns the request of a log, which a proxy or a batch API writes as a member. A record may also be a
// request, or a list of messages. It returns nil if a log has none.
func requestOf(o object) object {
	for _, name := range []string{"request", "body", "input", "params"} {
		if of := o.object(name); of != nil {
			if inner := of.object("body"); inner != nil {
				of = inner
			}
			if listOf(of.get("messages")) != nil || of.first("input") != nil {
				return of
			}
		}
	}
	if listOf(o.get("messages")) != nil || o.first("model") != nil && o.first("input") != nil {
		return o
	}
	return nil
}

// responseOf returns the response of a log, or nil if there is none.
func responseOf(o object) object {
	for _, name := range []string{"response", "output", "completion", "result"} {
		if of := o.object(name); of != nil {
			if inner := of.object("body", "message"); inner != nil && of.role() == "" {
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

// replies returns the messages and output items of a response: of several samples those of the first. It returns nil if
// o is not a response.
func replies(o object) []json.RawMessage {
	switch {
	case o == nil:
		return nil
	case o.get("choices") != nil:
		choices := listOf(o.get("choices"))
		if len(choices) == 0 {
			return nil
		}
		return []json.RawMessage{objectOf(choices[0]).get("message")}
	case o.text("object") == "response":
		return listOf(o.get("output"))
	case o.object("message").role() == "assistant":
		return []json.RawMessage{o.get("message")}
	case o.role() == "assistant":
		return []json.RawMessage{jsonscan.AppendObject(nil, slices.Clone(o))}
	}
	return nil
}

// failureOf returns the error that a log has instead of a response, or "". A batch API writes it as the error or the
// result of a line.
func failureOf(o object) string {
	response := o.object("response")
	if result := o.object("result"); result != nil && o.first("custom_id") != nil {
		switch kind := result.text("type"); kind {
		case "errored", "canceled", "expired":
			return cmp.Or(errorText(result.first("error")), kind)
		}
	}
	failure := cmp.Or(errorText(o.first("error")), errorText(response.first("error")),
		errorText(response.object("body").first("error")))
	if status, ok := response.number("status_code"); ok && status >= 400 {
		failure = cmp.Or(failure, "HTTP status "+response.text("status_code"))
	}
	return failure
}

// errorText returns an error of an API as text: a string, or an object with a message, which may be in another one.
func errorText(raw json.RawMessage) string {
	for range maxNesting {
		o := objectOf(raw)
		if o == nil {
			return strings.TrimSpace(nameOf(raw))
		}
		if inner := o.object("error"); inner != nil {
			raw = o.get("error")
			continue
		}
		message, kind := o.text("message"), o.text("code", "type")
		if message != "" && kind != "" {
			return kind + ": " + message
		}
		return cmp.Or(message, kind)
	}
	return ""
}

// messageParts adds a record with messages, a response or an error. Records of a batch API with one custom_id are one
// trace.
func messageParts(raw json.RawMessage, o object, add func(part)) bool {
	reply, request, id := replies(responseOf(o)), requestOf(o), o.text("custom_id")
	replied := reply != nil || (id != "" || request != nil) && failureOf(o) != ""
	switch {
	case replied && request == nil:
		add(part{trace: id, id: "response", raw: raw})
	case replied:
		add(part{trace: id, id: "request and response", raw: raw})
	case request != nil:
		add(part{trace: id, id: "request", raw: raw})
	default:
		return false
	}
	return true
}

// messageAnswers converts a log to answers: one for each question of a list of messages, or the one to the last
// question if the log has a response.
func messageAnswers(parts []json.RawMessage, o *Options) []Answer {
	var list, reply []json.RawMessage
	var whole, request, response object
	failure := ""
	for _, raw := range parts {
		m := objectOf(raw)
		whole = append(whole, m...)
		if of := requestOf(m); of != nil {
			request = of
			if list = listOf(of.get("messages")); list == nil {
				list = responsesInput(of.first("input"))
			}
		}
		if of := responseOf(m); replies(of) != nil {
			response, reply = of, replies(of)
		}
		failure = cmp.Or(failureOf(m), failure)
	}
	turns := turnsOf(list)
	if reply != nil || failure != "" {
		if len(turns) == 0 {
			turns = []turn{{}}
		}
		last := len(turns)
		turns[last-1].reply = append(turns[last-1].reply, reply...)
		turns = turns[last-1:]
		turns[0].number = last
	}
	named, conversation := "", request.object("conversation").text("id")
	for _, m := range []object{whole.object("extra"), request.object("metadata"), whole.object("metadata"), request,
		whole} {
		if o.CaseID != "" {
			named = cmp.Or(nameOf(m.at(o.CaseID)), named)
		}
		conversation = cmp.Or(m.text("conversation_id", "thread_id", "session_id", "conversation"), conversation)
	}
	if conversation == "" && len(turns) > 0 && turns[0].number+len(turns) > 2 {
		conversation = conversationID(whole, list)
	}
	var answers []Answer
	for i, t := range turns {
		a := Answer{Question: t.question, Turn: t.number, Response: answerInList(t.reply, 0), Conversation: conversation}
		if i == len(turns)-1 {
			a.CaseID = named
			messageFigures(whole, response, &a)
			a.Error = failure
			a.Samples = max(0, len(listOf(response.get("choices")))-1)
		}
		a.calls(t.reply, o)
		if a.Err == nil && a.SQL == "" && o.SQLTool == "" {
			for _, m := range t.reply {
				a.SQL = cmp.Or(resultSQL(m, 1), a.SQL)
			}
		}
		answers = append(answers, a)
	}
	return answers
}

// conversationID returns the id of the record of a list of messages, or else a hash of the messages, which is the same
// in every import.
func conversationID(whole object, list []json.RawMessage) string {
	if id := whole.text("id"); id != "" {
		return id
	}
	hash := sha256.New()
	for _, m := range list {
		hash.Write(jsonscan.AppendCompact(nil, m))
	}
	return "messages-" + hex.EncodeToString(hash.Sum(nil)[:8])
}

// messageFigures sets the tokens, times and costs of a log.
func messageFigures(whole, response object, a *Answer) {
	usage := response.object("usage")
	if usage == nil {
		usage = whole.object("usage")
	}
	a.usage(usage)
	for _, u := range listOf(response.object("metadata").object("usage").get("tokens_consumed")) { // Cortex
		of := objectOf(u)
		a.tokens(&a.TokensIn, of.object("input_tokens"), "total")
		a.tokens(&a.TokensOut, of.object("output_tokens"), "total")
	}
	a.cost(&a.CostUSD, whole, "cost", "cost_usd", "response_cost", "total_cost")
	a.RanAt = whole.time("timestamp", "created_at", "startTime", "start_time", "time")
	if a.RanAt.IsZero() {
		a.RanAt = response.time("created", "created_at")
	}
	ms, known := whole.number("latency_ms", "duration_ms")
	a.took(ms, known, time.Millisecond, whole.time("startTime", "start_time"), whole.time("endTime", "end_time"))
}

// responsesInput returns the input of a request of the Responses API as messages.
func responsesInput(raw json.RawMessage) []json.RawMessage {
	if list := listOf(raw); list != nil {
		return list
	}
	text := textOf(raw)
	if text == "" {
		return nil
	}
	m := jsonscan.AppendString([]byte(`{"role":"user","content":`), text)
	return []json.RawMessage{append(m, '}')}
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
		role := m.role()
		if role == "user" {
			if text := contentText(m); text != "" {
				turns = append(turns, turn{question: text, number: len(turns) + 1})
				continue
			}
		}
		if len(turns) > 0 && role != "user" {
			t := &turns[len(turns)-1]
			t.reply = append(t.reply, raw)
		}
	}
	return turns
}

// joined returns a list of JSON values as JSON.
func joined(list []json.RawMessage) json.RawMessage {
	n := 2
	for _, raw := range list {
		n += len(raw) + 1
	}
	out := append(make([]byte, 0, n), '[')
	for i, raw := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}
