package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// LabelledScore is a score of an answer whose question has at least one labeled answer.
type LabelledScore struct {
	CaseID, Metric string
	Status         scoring.Status
	Value          float64 // set if the status is ok
	Label          string
	Passed         *bool
	Calls          int    // number of judge calls
	Judge          string // the judge of its run
	Asked          bool   // whether a judge was called for the score
	RunID          string
}

// labelReader returns a reader of the tables of labels. The error is NotFound if human_labels does not exist.
func (w *Store) labelReader(ctx context.Context) (Reader, error) {
	r, err := w.reader(ctx, "human_labels")
	if err != nil {
		return r, err
	}
	_, err = w.columns(ctx, TableNamed("label_log"))
	if r.NoLog = errcode.Of(err) == errcode.NotFound; r.NoLog {
		err = nil
	}
	return r, err
}

// LabelledScores calls each for the scores of a batch's answers to questions with labels, those of earlier runs first.
// Without the table human_labels there are none.
func (w *Store) LabelledScores(ctx context.Context, by scoring.By, each func(*LabelledScore)) error {
	r, err := w.labelReader(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	kept := map[string]string{} // strings, which repeat often
	keep := func(text string) string {
		known, is := kept[text]
		if !is {
			known = strings.Clone(text)
			kept[known] = known
		}
		return known
	}
	for s, err := range Rows(ctx, w, r.labelledScores(by)) {
		if err != nil {
			return err
		}
		s.CaseID, s.Metric, s.Status, s.Label, s.Judge, s.RunID = keep(s.CaseID), keep(s.Metric),
			scoring.Status(keep(string(s.Status))), keep(s.Label), keep(s.Judge), keep(s.RunID)
		each(&s)
	}
	return nil
}

// labelledScores returns the statement for the scores of a batch's answers to questions that have a labeled answer of
// any agent, those of earlier runs first.
func (r Reader) labelledScores(by scoring.By) Select[LabelledScore] {
	p := &arguments{dialect: r.Dialect}
	log := ""
	if !r.NoLog {
		log = " UNION ALL SELECT case_id FROM badger.label_log"
	}
	is := func(column, value string) string { return "s." + column + " = " + p.add(value) }
	where := is("agent_name", by.Agent) + " AND " + is("agent_version", by.Version) + " AND " + is("batch_id", by.Batch)
	return Select[LabelledScore]{
		What: readingScores, Borrow: true, Args: p.args,
		Fields: []field[LabelledScore]{
			{SQL: "s.case_id", In: func(s *LabelledScore) any { return &s.CaseID }},
			{SQL: "s.metric", In: func(s *LabelledScore) any { return &s.Metric }},
			{SQL: countedScore("s.", "status") + " AS status", In: func(s *LabelledScore) any { return (*string)(&s.Status) }},
			{SQL: countedScore("s.", "value") + " AS value", In: func(s *LabelledScore) any { return &s.Value }},
			{SQL: "s.label", In: func(s *LabelledScore) any { return &s.Label }},
			isOneOrNull("CASE "+countedScore("s.", "passed")+" WHEN TRUE THEN 1 WHEN FALSE THEN 0 END AS verdict",
				func(s *LabelledScore) **bool { return &s.Passed }),
			{SQL: r.expand("{s.json usage.calls} AS calls"), In: func(s *LabelledScore) any { return &s.Calls }},
			{SQL: "r.judge", In: func(s *LabelledScore) any { return &s.Judge }},
			isOne("\n  "+restsOnJudge("s.")+" AS asked",
				func(s *LabelledScore) *bool { return &s.Asked }),
			{SQL: "s.eval_run_id", In: func(s *LabelledScore) any { return &s.RunID }},
		},
		From: `
FROM badger.scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id
WHERE ` + where + r.expand(` AND s.case_id IN (SELECT {key human_labels.case_id} FROM badger.human_labels`+log+`)
ORDER BY CASE WHEN r.eval_run_date IS NULL THEN 0 ELSE 1 END, r.eval_run_date, s.eval_run_id`),
	}
}

// Labeller is an annotator of a batch's answers.
type Labeller struct {
	Annotator   string
	Answers     int       // upper bound: answers labeled in both tables count twice
	Since, Last time.Time // zero if unknown
}

// Labellers returns the annotators of a batch's answers, sorted by name.
func (w *Store) Labellers(ctx context.Context, by scoring.By) ([]Labeller, error) {
	r, err := w.labelReader(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := map[string]*Labeller{}
	read := func(s Select[Labeller]) error {
		for in, err := range Rows(ctx, w, s) {
			if err != nil {
				return err
			}
			l := found[in.Annotator]
			if l == nil {
				l = &Labeller{Annotator: in.Annotator}
				found[in.Annotator] = l
			}
			l.Answers += in.Answers
			if at := in.Since; !at.IsZero() && (l.Since.IsZero() || at.Before(l.Since)) {
				l.Since = at
			}
			if at := in.Last; at.After(l.Last) {
				l.Last = at
			}
		}
		return nil
	}
	if err := read(r.labellers(by)); err != nil {
		return nil, err
	}
	if !r.NoLog {
		if err := read(logLabellers(w.SQL(), by)); err != nil {
			return nil, err
		}
	}
	out := make([]Labeller, 0, len(found))
	for _, l := range found {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Labeller) int { return cmp.Compare(a.Annotator, b.Annotator) })
	return out, nil
}

var labellerFields = []field[Labeller]{
	{SQL: "annotator", In: func(l *Labeller) any { return &l.Annotator }},
	{SQL: "COUNT(DISTINCT case_id) AS answers", In: func(l *Labeller) any { return &l.Answers }},
	{SQL: "MIN(labelled_at) AS since", In: func(l *Labeller) any { return &l.Since }},
	{SQL: "MAX(labelled_at) AS last", In: func(l *Labeller) any { return &l.Last }},
}

// labellers returns the statement for the annotators of a batch's answers in human_labels, whose times may be of any
// type.
func (r Reader) labellers(by scoring.By) Select[Labeller] {
	p := &arguments{dialect: r.Dialect}
	which := "agent_name = " + p.add(by.Agent) + " AND COALESCE(agent_version, " + p.add(by.Version) + ") = " +
		p.add(by.Version) + " AND batch_id = " + p.add(by.Batch)
	return Select[Labeller]{
		What: readingLabels, Fields: labellerFields, Args: p.args,
		From: r.expand(`
FROM (SELECT {key human_labels.annotator} AS annotator, {key human_labels.case_id} AS case_id, {key human_labels.agent_name} AS agent_name, {text human_labels.agent_version} AS agent_version, {key human_labels.batch_id} AS batch_id, {column human_labels.labelled_at} AS labelled_at
  FROM badger.human_labels) k WHERE `) + which + " GROUP BY annotator ORDER BY annotator",
	}
}

// logLabellers is like [Reader.labellers] for label_log.
func logLabellers(d driver.Dialect, by scoring.By) Select[Labeller] {
	p := &arguments{dialect: d}
	from := " FROM badger.label_log WHERE agent_name = " + p.add(by.Agent) + " AND agent_version = " + p.add(by.Version) +
		" AND batch_id = " + p.add(by.Batch) +
		" AND verdict NOT IN (" + noOpinion + ") GROUP BY annotator ORDER BY annotator"
	return Select[Labeller]{What: readingLabels, Fields: labellerFields, From: from, Args: p.args}
}
