package sitetest

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// Judge is a fake judge whose replies satisfy the schema of the request. They are derived from a hash of the question:
// equal questions get equal replies.
type Judge struct {
	Says      func(asked uint64) string // returns the text of a reply; nil: [opinion]
	Malformed uint64                    // about one in this many replies is not JSON; 0: none
}

// Identity returns the judge's name in badger's tables.
func (*Judge) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "openai", Model: "judge-1"}
}

// Complete implements judgebackend.Backend.
func (j *Judge) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Purpose))
	for _, m := range r.Messages {
		_, _ = h.Write([]byte(m.Content))
	}
	c := &choices{state: h.Sum64(), says: j.Says}
	if c.says == nil {
		c.says = opinion
	}
	if m := nonce.FindStringSubmatch(r.Messages[len(r.Messages)-1].Content); m != nil {
		c.nonceField, c.nonce = m[1], m[2]
	}
	resp := judgebackend.Response{FinishReason: judgebackend.FinishStop, Model: "judge-1-2025-01-01",
		TokensIn: judgebackend.TokenCount(200 + c.below(900)), TokensOut: judgebackend.TokenCount(20 + c.below(80)),
		Latency: time.Duration(300+c.below(2000)) * time.Millisecond}
	if j.Malformed > 0 && h.Sum64()%j.Malformed == 0 {
		resp.Reply = "I would rather not say."
		return resp, nil
	}
	if len(r.Schema) == 0 {
		resp.Reply = c.says(c.next())
		return resp, nil
	}
	var schema schemaJSON
	if err := json.Unmarshal(r.Schema, &schema); err != nil {
		return resp, err
	}
	reply, err := json.Marshal(c.value("", &schema))
	resp.Reply = string(reply)
	return resp, err
}

var nonce = regexp.MustCompile(`Set the field (\S+) of your answer to (\S+)\. `)

// opinion returns one of a few plausible sentences of a judge.
func opinion(asked uint64) string {
	return opinions[asked%uint64(len(opinions))]
}

var opinions = []string{
	"Both queries count the same orders, and the column differs only in its name.",
	"The answer leaves out the returns, which the question asks for.",
	"The period ends a day early: orders of 31 December are missing.",
	"The figures agree to the cent.",
	"The join repeats orders with several lines, so the sum is too high.",
	"The question does not say which currency is meant; either reading is reasonable.",
}

type schemaJSON struct {
	Type       typeJSON               `json:"type"`
	Properties map[string]*schemaJSON `json:"properties"`
	Items      *schemaJSON            `json:"items"`
	Enum       []any                  `json:"enum"`
	Minimum    float64                `json:"minimum"`
	Maximum    float64                `json:"maximum"`
}

// typeJSON is the type in a JSON schema; of several it keeps the first.
type typeJSON string

func (t *typeJSON) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var several []string
		if err := json.Unmarshal(b, &several); err != nil || len(several) == 0 {
			return err
		}
		*t = typeJSON(several[0])
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// choices is a pseudorandom sequence seeded with a hash.
type choices struct {
	state             uint64
	says              func(uint64) string
	nonceField, nonce string
}

func (c *choices) next() uint64 {
	c.state += 0x9e3779b97f4a7c15
	z := (c.state ^ c.state>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (c *choices) below(n uint64) uint64 { return c.next() % n }

// value returns a value that satisfies s. name is the property's name; the nonce's field gets the nonce.
func (c *choices) value(name string, s *schemaJSON) any {
	switch {
	case name == c.nonceField && name != "":
		return c.nonce
	case len(s.Enum) > 0:
		return s.Enum[c.below(uint64(len(s.Enum)))]
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(s.Properties)) {
			out[k] = c.value(k, s.Properties[k])
		}
		return out
	case "array":
		out := []any{}
		for range c.below(3) {
			out = append(out, c.value("", s.Items))
		}
		return out
	case "boolean":
		return c.below(2) == 0
	case "integer":
		return int64(s.Minimum) + int64(c.below(uint64(max(s.Maximum, s.Minimum+3)-s.Minimum)+1))
	case "number":
		return float64(int64(s.Minimum*100)+int64(c.below(uint64((max(s.Maximum, s.Minimum+1)-s.Minimum)*100)+1))) / 100
	case "null":
		return nil
	}
	return c.says(c.next())
}
