package caseview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// Judgement holds the prompts and replies of the judges that the scores of the case are based on.
type Judgement struct {
	Asked     []Vote   `json:"asked"`
	Panels    []Panel  `json:"panels,omitempty"`       // how panels of judges decided scores
	Unknown   []string `json:"not_recorded,omitempty"` // IDs in scores of assessments that are not stored
	Overruled []string `json:"overruled,omitempty"`    // statements of the judge that evidence overruled
}

// Vote is one reply of a judge with its prompt, if known.
type Vote struct {
	ID            string   `json:"assessment_id"`
	Kind          string   `json:"kind"`    // purpose of the prompt
	Metrics       []string `json:"metrics"` // metrics whose scores are based on the reply
	Backend       string   `json:"backend"`
	Model         string   `json:"model"`
	ServedModel   string   `json:"served_model,omitempty"` // the model that the backend reported
	PromptVersion string   `json:"prompt_version,omitempty"`
	RequestHash   string   `json:"request_hash"`

	// the recorded prompt, or a rebuilt one with the same hash; empty if neither is known
	Question []Message `json:"question,omitempty"`
	Rebuilt  bool      `json:"rebuilt,omitempty"` // Question is a rebuilt prompt

	Reply   string  `json:"reply"`
	Decoded []Field `json:"decoded,omitempty"` // members of the reply, if it contains a JSON object

	TokensIn  judgebackend.TokenCount `json:"tokens_in"` // null where unknown
	TokensOut judgebackend.TokenCount `json:"tokens_out"`
	LatencyMS int64                   `json:"latency_ms"`
	At        time.Time               `json:"at"`
	// whether the run of the scores paid for the reply, instead of taking it from the ledger; null if unknown
	Fresh *bool  `json:"fresh"`
	Ended string `json:"ended,omitempty"`
}

// Message is one message of a prompt.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Field is a member of a judge's reply.
type Field struct {
	Name string `json:"name"`
	Text string `json:"text"` // a string verbatim; a number, true, false, null and empty values as JSON
}

// judgement returns the replies that the scores are based on, sorted by purpose, or nil without any.
func (b *builder) judgement() *Judgement {
	byID := map[string]*judgebackend.Assessment{}
	for i := range b.Assessments {
		byID[b.Assessments[i].ID] = &b.Assessments[i]
	}
	out := &Judgement{}
	votes := map[string]int{}
	for i := range b.Scores {
		s := &b.Scores[i]
		for _, id := range s.AssessmentIDs {
			if at, there := votes[id]; there {
				if v := &out.Asked[at]; !slices.Contains(v.Metrics, s.Metric) {
					v.Metrics = append(v.Metrics, s.Metric)
				}
				continue
			}
			a := byID[id]
			if a == nil {
				if !slices.Contains(out.Unknown, id) {
					out.Unknown = append(out.Unknown, id)
				}
				continue
			}
			votes[id] = len(out.Asked)
			v := b.vote(a)
			v.Metrics = []string{s.Metric}
			out.Asked = append(out.Asked, v)
		}
	}
	if m := b.view.Mapping; m != nil && m.Judge != nil && m.Judge.Asked {
		if !m.Judge.Used && !m.Judge.Unusable {
			out.Overruled = append(out.Overruled,
				"The judge's mapping of columns was not used: no more cells are equal under it.")
		}
		for _, r := range m.Judge.Rejected {
			out.Overruled = append(out.Overruled, b.masked.written(r.Part+": "+r.Why))
		}
	}
	out.Panels = b.panels()
	if len(out.Asked)+len(out.Panels)+len(out.Unknown)+len(out.Overruled) == 0 {
		return nil
	}
	slices.SortStableFunc(out.Asked, func(x, y Vote) int { return bytes.Compare([]byte(x.Kind), []byte(y.Kind)) })
	return out
}

func (b *builder) vote(a *judgebackend.Assessment) Vote {
	v := Vote{
		ID: a.ID, Kind: a.Kind, Backend: a.Backend, Model: a.Model, ServedModel: a.ServedModel,
		PromptVersion: a.PromptVersion, RequestHash: a.RequestHash,
		Reply: b.masked.written(a.Reply), TokensIn: a.TokensIn, TokensOut: a.TokensOut, LatencyMS: a.LatencyMS,
		At: a.CreatedAt, Ended: string(a.FinishReason),
	}
	request := a.Request
	if request == nil {
		if request = b.requests[a.RequestHash]; request != nil {
			v.Rebuilt = true
		}
	}
	if b.RunID != "" && a.Payer != "" {
		fresh := a.Payer == "run:"+b.RunID
		v.Fresh = &fresh
	}
	if b.masked.active {
		return v
	}
	if request != nil {
		for _, m := range request.Messages {
			v.Question = append(v.Question, Message{string(m.Role), m.Content})
		}
	}
	v.Decoded = fields(a.Reply)
	return v
}

// fields returns the members of the JSON object in a reply, in order and without the nonce. A nested member has the
// names or list numbers of its parents: claims 2 › support. Without valid JSON it returns nil.
func fields(reply string) (out []Field) {
	start := strings.IndexByte(reply, '{')
	if start < 0 {
		return nil
	}
	return membersOf(nil, "", json.RawMessage(reply[start:]))
}

// mostFields is the number of fields after which nested values are kept whole.
const mostFields = 200

// membersOf appends the members of the object or list raw, or raw itself if it is another value. It returns nil if raw
// is invalid JSON.
func membersOf(out []Field, name string, raw json.RawMessage) []Field {
	d := json.NewDecoder(bytes.NewReader(raw))
	opening, err := d.Token()
	if err != nil {
		return nil
	}
	kind, _ := opening.(json.Delim)
	if name == "" && !d.More() {
		return nil
	}
	if kind == 0 || !d.More() || len(out) >= mostFields {
		f := Field{Name: name}
		if text, ok := opening.(string); ok {
			f.Text = text
		} else {
			f.Text = string(raw)
		}
		return append(out, f)
	}
	for n := 1; d.More(); n++ {
		member := strings.TrimSpace(fmt.Sprintf("%s %d", name, n))
		if kind == '{' {
			key, err := d.Token()
			if err != nil {
				return nil
			}
			if member = key.(string); name != "" { //nolint:forcetypeassert // keys of objects are strings
				member = name + " › " + member
			}
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if member == "nonce" {
			continue
		}
		if out = membersOf(out, member, value); out == nil {
			return nil
		}
	}
	return out
}
