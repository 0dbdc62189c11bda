package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// Sentinel is a row of sentinels: the verdict of a judge on a sentinel case in one asking.
type Sentinel struct {
	Asking string
	Metric string
	scoring.AnswerID
	Repetition int64
	Judge      judgebackend.Identity // without a host
	Prompt     string
	Question   string // question_hash
	Served     []Served
	Status     scoring.Status
	Code       string
	Passed     *bool
	Label      *bool
	Replies    []string // assessment IDs
	At         time.Time
}

// Served is an element of the column served.
type Served struct {
	Model       string `json:"model"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// WriteSentinels appends rows to sentinels. A row whose key exists is replaced.
func (w *Store) WriteSentinels(ctx context.Context, list ...Sentinel) error {
	b := newRows("sentinels")
	defer b.release()
	for i := range list {
		s := &list[i]
		if s.Asking == "" || s.Metric == "" || s.At.IsZero() || s.Repetition < 1 {
			return errcode.New(errcode.InvalidArgument,
				"writing sentinels: expected the ID of the asking, a metric, a time and a repetition from 1")
		}
		b.row(s.Asking, s.Metric, s.CaseID, s.Agent, s.Version, s.Batch, s.Repetition, s.Judge.Backend, s.Judge.Model,
			optional(s.Prompt), optional(s.Question), jsonOrNone(s.Served), string(s.Status), optional(s.Code),
			valueOf(s.Passed), valueOf(s.Label), jsonOrNone(s.Replies), s.At)
	}
	return b.merge(ctx, w)
}

// jsonOrNone returns a list as JSON, or "" if it is empty, which is stored as NULL.
func jsonOrNone[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	text, _ := json.Marshal(list) // of strings
	return string(text)
}

// valueOf returns the value that p points to, or nil, which is stored as NULL.
func valueOf(p *bool) any {
	if p == nil {
		return nil
	}
	return *p
}

// Sentinels lists the verdicts on sentinel cases, the oldest first. It returns nil if the table does not exist.
func (w *Store) Sentinels(ctx context.Context) ([]Sentinel, error) {
	list, err := all(ctx, w, sentinels())
	if errcode.Of(err) == errcode.NotFound {
		return nil, nil
	}
	return list, err
}

func sentinels() Select[Sentinel] {
	list := func(column string, in func(*Sentinel) any) field[Sentinel] {
		return field[Sentinel]{SQL: column, Decode: func(s *Sentinel, v scoring.Value) error {
			return readJSON("sentinels."+column, v, in(s))
		}}
	}
	verdict := func(column string) string {
		return "CASE WHEN " + column + " THEN 1 WHEN NOT " + column + " THEN 0 END AS " + column
	}
	fields := []field[Sentinel]{
		{SQL: "asking_id", In: func(s *Sentinel) any { return &s.Asking }},
		{SQL: "metric", In: func(s *Sentinel) any { return &s.Metric }},
	}
	fields = append(fields, fieldsIn(caseFirst, func(s *Sentinel) *scoring.AnswerID { return &s.AnswerID })...)
	fields = append(fields,
		field[Sentinel]{SQL: "repetition", In: func(s *Sentinel) any { return &s.Repetition }},
		field[Sentinel]{SQL: "backend", In: func(s *Sentinel) any { return &s.Judge.Backend }},
		field[Sentinel]{SQL: "model", In: func(s *Sentinel) any { return &s.Judge.Model }},
		field[Sentinel]{SQL: "prompt_version", In: func(s *Sentinel) any { return &s.Prompt }},
		field[Sentinel]{SQL: "question_hash", In: func(s *Sentinel) any { return &s.Question }},
		list("served", func(s *Sentinel) any { return &s.Served }),
		field[Sentinel]{SQL: "status", Decode: func(s *Sentinel, v scoring.Value) error {
			s.Status = scoring.Status(textIn(v))
			return nil
		}},
		field[Sentinel]{SQL: "code", In: func(s *Sentinel) any { return &s.Code }},
		isOneOrNull(verdict("passed"), func(s *Sentinel) **bool { return &s.Passed }),
		isOneOrNull(verdict("human_label"), func(s *Sentinel) **bool { return &s.Label }),
		list("assessment_ids", func(s *Sentinel) any { return &s.Replies }),
		field[Sentinel]{SQL: "asked_at", In: func(s *Sentinel) any { return &s.At }})
	return Select[Sentinel]{
		What: "reading sentinels", Fields: fields,
		From: "\nFROM badger.sentinels ORDER BY asked_at, asking_id, metric, case_id, agent_name, agent_version, batch_id, repetition",
	}
}
