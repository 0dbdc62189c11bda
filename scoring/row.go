package scoring

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Row is one score with the identity of the answer: a line of a score file, or a row of the table scores.
type Row struct {
	AnswerID
	Score    Score
	GoldHash string // [Case.GoldHash] of the case; empty if it is not known
	// AnswerHash is [Case.AnswerHash] of the case; empty if it is not known.
	AnswerHash string
	RanAt      time.Time // when the agent answered; zero if unknown. The table scores does not hold it.
	// Spent is what the answer took; nil except for the first score of an answer, and if a score file has none of it. The
	// table scores does not hold it.
	Spent *Spent
}

// rowKey holds the members that come first in a line of a score file.
type rowKey struct {
	CaseID  string `json:"case_id"`
	Metric  string `json:"metric"`
	Version int    `json:"metric_version"`
	rowNames
	Status Status `json:"status"`
}

// rowNames holds the agent's names, the repeat and the time of the answer in a line of a score file. Empty ones are
// omitted.
type rowNames struct {
	Agent        string    `json:"agent_name,omitempty"`
	AgentVersion string    `json:"agent_version,omitempty"`
	Batch        string    `json:"batch_id,omitempty"`
	Repeat       uint32    `json:"repeat,omitempty"`
	RanAt        time.Time `json:"ran_at,omitzero"`
	rowSpent
}

// rowSpent holds what the answer took, in the first line of the answer.
type rowSpent struct {
	TokensIn  *int64   `json:"tokens_in,omitempty"`
	TokensOut *int64   `json:"tokens_out,omitempty"`
	CostUSD   *USD     `json:"cost_usd,omitempty"`
	LatencyMS *float64 `json:"latency_ms,omitempty"`
}

func rowSpentOf(s *Spent) (out rowSpent) {
	if s == nil {
		return out
	}
	out.TokensIn, out.TokensOut, out.CostUSD = s.TokensIn, s.TokensOut, s.CostUSD
	if s.Latency != nil {
		ms := float64(*s.Latency) / float64(time.Millisecond)
		out.LatencyMS = &ms
	}
	return out
}

func (r *rowSpent) spent() *Spent {
	out := Spent{CostUSD: r.CostUSD, TokensIn: r.TokensIn, TokensOut: r.TokensOut}
	if r.LatencyMS != nil {
		if d, err := latencyOf(*r.LatencyMS); err == nil {
			out.Latency = &d
		}
	}
	if out.Unknown() {
		return nil
	}
	return &out
}

// MarshalJSON returns the row as one line of a score file: case_id, metric, metric_version, the agent's names, the
// repeat, the time and what the answer took if not empty, status, value (null unless the status is ok), label, passed,
// reason, and the other members.
func (r Row) MarshalJSON() ([]byte, error) {
	s := &r.Score
	out := struct {
		rowKey
		Value         *float64 `json:"value"`
		Label         string   `json:"label,omitempty"`
		Passed        *bool    `json:"passed"`
		Reason        string   `json:"reason"`
		Code          string   `json:"code,omitempty"`
		Detail        any      `json:"detail,omitempty"`
		Gold          int      `json:"gold,omitempty"`
		Warnings      []string `json:"warnings,omitempty"`
		AssessmentIDs []string `json:"assessment_ids,omitempty"`
		Usage         *Usage   `json:"usage,omitempty"`
		GoldHash      string   `json:"gold_hash,omitempty"`
		AnswerHash    string   `json:"answer_hash,omitempty"`
	}{
		rowKey: rowKey{CaseID: r.CaseID, Metric: s.Metric, Version: s.Version,
			rowNames: rowNames{r.Agent, r.Version, r.Batch, uint32(r.Repeat), r.RanAt, rowSpentOf(r.Spent)},
			Status:   s.Status},
		Label: s.Label, Passed: s.Passed, Reason: s.Reason, Detail: s.Detail, Gold: s.Gold, Warnings: s.Warnings,
		AssessmentIDs: s.AssessmentIDs, Usage: s.Usage,
		GoldHash: r.GoldHash, AnswerHash: r.AnswerHash,
	}
	if s.Status == StatusOK {
		out.Value = &s.Value
	}
	if s.Status == StatusFailed {
		out.Code = s.Code.String()
	}
	return json.Marshal(out)
}

// UnmarshalJSON parses a line of a score file. The detail remains unparsed JSON.
func (r *Row) UnmarshalJSON(b []byte) error {
	var j struct {
		rowKey
		Value         *float64        `json:"value"`
		Label         string          `json:"label"`
		Passed        *bool           `json:"passed"`
		Reason        string          `json:"reason"`
		Code          string          `json:"code"`
		Detail        json.RawMessage `json:"detail"`
		Gold          int             `json:"gold"`
		Warnings      []string        `json:"warnings"`
		AssessmentIDs []string        `json:"assessment_ids"`
		Usage         *Usage          `json:"usage"`
		GoldHash      string          `json:"gold_hash"`
		AnswerHash    string          `json:"answer_hash"`
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return errcode.New(errcode.DataLoss, "score: %w", err)
	}
	if err := j.check(); err != nil {
		return errcode.New(errcode.DataLoss, "score: %w", err)
	}
	if (j.Value != nil) != (j.Status == StatusOK) {
		return errcode.New(errcode.DataLoss, "score: expected a value if status is ok, and none otherwise")
	}
	*r = j.row()
	s := &r.Score
	s.Label, s.Passed, s.Reason, s.Gold, s.Warnings, s.AssessmentIDs, s.Usage = j.Label, j.Passed, j.Reason, j.Gold,
		j.Warnings, j.AssessmentIDs, j.Usage
	r.GoldHash, r.AnswerHash = j.GoldHash, j.AnswerHash
	if j.Value != nil {
		s.Value = *j.Value
	}
	if len(j.Detail) > 0 {
		s.Detail = j.Detail
	}
	if j.Code != "" {
		s.Code = errcode.Named(j.Code)
	}
	return nil
}

// endOfKey is the text that follows the members of rowKey in a line that [Row.MarshalJSON] wrote. It cannot occur
// within a string, where its quotation marks would be escaped.
var endOfKey = []byte(`,"value":`)

// UnmarshalKey parses only the members of a line of a score file that identify it: the answer, the metric with its
// version, and the status. If [Row.MarshalJSON] wrote the line, it does not parse the rest.
func (r *Row) UnmarshalKey(line []byte) error {
	if at := bytes.Index(line, endOfKey); at > 0 && bytes.HasSuffix(line, []byte("}")) {
		var k rowKey
		if json.Unmarshal(append(line[:at:at], '}'), &k) == nil && k.check() == nil {
			*r = k.row()
			return nil
		}
	}
	var k rowKey
	if err := json.Unmarshal(line, &k); err != nil {
		return err
	}
	if err := k.check(); err != nil {
		return err
	}
	*r = k.row()
	return nil
}

func (k *rowKey) check() error {
	switch k.Status {
	case StatusOK, StatusAbstained, StatusNotApplicable, StatusFailed:
	default:
		return errcode.New(errcode.DataLoss, "status is %.40q, expected ok, abstained, not_applicable or failed", k.Status)
	}
	if k.CaseID == "" || k.Metric == "" {
		return errcode.New(errcode.DataLoss, "case_id or metric is missing")
	}
	return nil
}

func (k *rowKey) row() Row {
	return Row{
		AnswerID: AnswerID{CaseID: k.CaseID,
			By: By{Agent: k.Agent, Version: k.AgentVersion, Batch: k.Batch, Repeat: Repetition(k.Repeat)}},
		Score: Score{Metric: k.Metric, Version: k.Version, Status: k.Status},
		RanAt: k.RanAt.UTC(), Spent: k.spent(),
	}
}
