package scoring

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
)

// GoldHash returns a hash, 16 hexadecimal digits, of everything in the case that scores may depend on other than the
// answer: the question, evidence, schema and dialect, the accepted answers, the expected behavior and the options of
// metrics. Scores of a case whose hash has changed are not comparable. Latencies are excluded, since they differ with
// each run. A result that is a reference is hashed by its name, not by its rows.
func (c *Case) GoldHash() string {
	h := goldHash{sha256.New()}
	h.texts(c.ID, c.Question, c.Evidence, c.Schema, c.Dialect, c.Expected.Behaviour)
	h.number(len(c.Expected.Clarifications))
	h.texts(c.Expected.Clarifications...)
	h.json(c.Expected.Tools)
	if len(c.Options) > 0 {
		options, err := json.Marshal(c.Options) // with sorted keys
		if err == nil {
			h.json(options)
		}
	}
	h.number(len(c.Golds))
	for i := range c.Golds {
		g := &c.Golds[i]
		h.texts(g.SQL, g.Error, g.Result.Ref)
		if t := g.Result.Table; t != nil {
			h.table(t)
		}
		if len(g.Chart) > 0 { // so that the hash of a case without one is what it was
			h.texts("chart")
			h.json(g.Chart)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// AnswerHash returns a hash, 16 hexadecimal digits, of the agent's answer: its query with the error, the result and
// the chart, its interpretation, response, calls and passages, and the turns before it. Together with
// [Case.GoldHash] it identifies what scores were computed from. Names, times, latencies and costs are excluded.
func (c *Case) AnswerHash() string {
	h := goldHash{sha256.New()}
	h.texts(c.Pred.SQL, c.Pred.Error, c.Pred.Result.Ref)
	if t := c.Pred.Result.Table; t != nil {
		h.table(t)
	}
	h.json(c.Pred.Chart)
	h.texts(c.Agent.Interpretation, c.Agent.Response)
	h.json(c.Agent.Contexts)
	for _, part := range []any{c.Agent.ToolCalls, c.Agent.Earlier} {
		text, err := json.Marshal(part)
		if err != nil {
			text = nil // arguments that are not JSON
		}
		h.json(text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// goldHash writes values to a hash with their lengths, so that different sequences of values give different input.
type goldHash struct{ hash.Hash }

func (h goldHash) number(n int) {
	_, _ = h.Write(binary.AppendUvarint(nil, uint64(n))) //nolint:gosec // a length
}

func (h goldHash) texts(texts ...string) {
	for _, t := range texts {
		h.number(len(t))
		_, _ = h.Write([]byte(t))
	}
}

// json writes JSON text without the white space and the spelling of numbers that a warehouse may change.
func (h goldHash) json(text json.RawMessage) {
	var v any
	d := json.NewDecoder(bytes.NewReader(CanonicalJSON(text)))
	d.UseNumber()
	if d.Decode(&v) == nil {
		if sorted, err := json.Marshal(v); err == nil {
			text = sorted
		}
	}
	h.texts(string(text))
}

func (h goldHash) table(t *Table) {
	h.number(len(t.Columns))
	h.number(t.Rows())
	for i := range t.Columns {
		c := &t.Columns[i]
		h.texts(c.Name)
		for row := range t.Rows() {
			if v := c.Value(row); v.IsNull() {
				h.number(0)
			} else {
				text := v.String()
				if v.Type == JSON {
					text = string(CanonicalJSON([]byte(text)))
				}
				h.number(len(text) + 1)
				_, _ = h.Write([]byte(text))
			}
		}
	}
}
