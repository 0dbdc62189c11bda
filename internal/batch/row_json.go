package batch

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// MarshalJSON writes the row as one line of a score file: the members of the score, with
// agent_name, agent_version and batch_id before its status if they are known, repeat if it is not the
// first answer to a question, and gold_hash at the end.
func (r Row) MarshalJSON() ([]byte, error) {
	score, err := r.Score.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if r.GoldHash != "" {
		gold, err := json.Marshal(r.GoldHash)
		if err != nil {
			return nil, err
		}
		score = append(append(append(score[:len(score)-1], `,"gold_hash":`...), gold...), '}')
	}
	agent, err := json.Marshal(rowAgent{r.Agent, r.Version, r.Batch, uint32(r.Repeat)})
	if err != nil || len(agent) == len("{}") {
		return score, err
	}
	agent[0] = ','
	at := bytes.Index(score, endOfKey) // within a string the quotation marks would be escaped
	if at < 0 {
		return nil, errcode.New(errcode.Internal, "a score has no status")
	}
	return slices.Insert(score, at, agent[:len(agent)-1]...), nil
}

var (
	endOfKey  = []byte(`,"status":`)
	endOfHead = []byte(`,"value":`)
)

type rowAgent struct {
	Name    string `json:"agent_name,omitempty"`
	Version string `json:"agent_version,omitempty"`
	BatchID string `json:"batch_id,omitempty"`
	Repeat  uint32 `json:"repeat,omitempty"` // left out of the first answer to a question
}

// rowHead is the part of a score file's line that a ledger needs.
type rowHead struct {
	CaseID  string         `json:"case_id"`
	Metric  string         `json:"metric"`
	Version int            `json:"metric_version"`
	Status  scoring.Status `json:"status"`
	rowAgent
}

// readHead reads what a ledger must know of a line: only its beginning where it is one that
// [Row.MarshalJSON] wrote.
func readHead(line []byte) (h rowHead, err error) {
	if at := bytes.Index(line, endOfHead); at > 0 && bytes.HasSuffix(line, []byte("}")) {
		if json.Unmarshal(append(line[:at:at], '}'), &h) == nil && h.check() == nil {
			return h, nil
		}
		h = rowHead{}
	}
	if err = json.Unmarshal(line, &h); err == nil {
		err = h.check()
	}
	return h, err
}

func (h *rowHead) check() error {
	switch h.Status {
	case scoring.StatusOK, scoring.StatusAbstained, scoring.StatusNotApplicable, scoring.StatusFailed:
	default:
		return errcode.New(errcode.DataLoss, "status is %.40q, expected ok, abstained, not_applicable or failed", h.Status)
	}
	if h.CaseID == "" || h.Metric == "" {
		return errcode.New(errcode.DataLoss, "case_id or metric is missing")
	}
	return nil
}

// answer is the answer that the line is of. Names that repeat are kept once.
func (h *rowHead) answer(known interned) scoring.AnswerID {
	return scoring.AnswerID{CaseID: h.CaseID, By: scoring.By{Agent: known.of(h.Name), Version: known.of(h.rowAgent.Version), Batch: known.of(h.BatchID), Repeat: scoring.Repetition(h.Repeat)}}
}

func (h *rowHead) key(known interned) Key {
	return Key{h.answer(known), known.of(h.Metric), h.Version}
}

// UnmarshalJSON reads a line of a score file. The detail stays JSON.
func (r *Row) UnmarshalJSON(b []byte) error {
	var j struct {
		rowHead
		Value         *float64        `json:"value"`
		Label         string          `json:"label"`
		Passed        *bool           `json:"passed"`
		Reason        string          `json:"reason"`
		Code          string          `json:"code"`
		Detail        json.RawMessage `json:"detail"`
		Gold          int             `json:"gold"`
		Warnings      []string        `json:"warnings"`
		AssessmentIDs []string        `json:"assessment_ids"`
		Usage         *scoring.Usage  `json:"usage"`
		GoldHash      string          `json:"gold_hash"`
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return errcode.New(errcode.DataLoss, "score: %w", err)
	}
	if err := j.check(); err != nil {
		return errcode.New(errcode.DataLoss, "score: %w", err)
	}
	if (j.Value != nil) != (j.Status == scoring.StatusOK) {
		return errcode.New(errcode.DataLoss, "score: value must be there where status is ok, and nowhere else")
	}
	*r = Row{
		AnswerID: scoring.AnswerID{CaseID: j.CaseID, By: scoring.By{Agent: j.Name, Version: j.rowAgent.Version, Batch: j.BatchID, Repeat: scoring.Repetition(j.Repeat)}},
		Score: scoring.Score{
			CaseID: j.CaseID, Metric: j.Metric, Version: j.rowHead.Version, Status: j.Status, Label: j.Label, Passed: j.Passed, Reason: j.Reason,
			Gold: j.Gold, Warnings: j.Warnings, AssessmentIDs: j.AssessmentIDs, Usage: j.Usage,
		},
		GoldHash: j.GoldHash,
	}
	if j.Value != nil {
		r.Score.Value = *j.Value
	}
	if len(j.Detail) > 0 {
		r.Score.Detail = j.Detail
	}
	if j.Code != "" {
		r.Score.Code = errcode.Named(j.Code)
	}
	return nil
}
