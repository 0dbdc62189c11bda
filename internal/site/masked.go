package site

import (
	"net/url"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// listOf parses the state of a list of cases from the query of an address. With masked columns it returns an error for
// a search, filter or order by hidden text, which would reveal masked values.
func (s *Site) listOf(v url.Values) (store.State, error) {
	state, err := store.Parse(v)
	if err != nil || s.mask.None() {
		return state, err
	}
	if state.Search != "" {
		return state, errcode.New(errcode.InvalidArgument,
			"search: not possible while columns are masked: it would look into questions and queries, which are withheld")
	}
	for _, f := range state.Filters {
		if err := s.allows("filter", f.Column); err != nil {
			return state, err
		}
	}
	return state, s.allows("sort", state.Sort.Column)
}

// allows returns an error if the text of a column of lists is withheld. key is the parameter that the error names.
func (s *Site) allows(key, column string) error {
	if s.mask.Filters(column) {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "%s: not possible by %s while columns are masked: it is withheld", key,
		column)
}

// shownColumns returns the columns that lists can be filtered by: without masking all.
func (s *Site) shownColumns() (out []string) {
	for _, c := range store.Columns {
		if s.mask.Filters(c) {
			out = append(out, c)
		}
	}
	return out
}

// withholdRow removes from a row of a list all text that may quote masked values, if any columns are masked. Which text
// does is known only from the whole case.
func (s *Site) withholdRow(c *store.CaseRow) {
	if s.mask.None() {
		return
	}
	for _, text := range []*string{&c.Question, &c.SQL, &c.Error} {
		if *text != "" {
			*text = caseview.Withheld
		}
	}
	c.Tags, c.TagsErr = nil, nil
	for name, score := range c.Scores {
		score.Reason = s.mask.ReasonOf(&score)
		c.Scores[name] = score
	}
}

// withholdPair replaces the reasons of metric in a pair of cases if they may quote masked values.
func (s *Site) withholdPair(metric string, c *store.CasePair) {
	for _, side := range []struct {
		stands string
		reason *string
	}{{c.FromStands, &c.FromReason}, {c.ToStands, &c.ToReason}} {
		score := scoring.Score{Metric: metric, Reason: *side.reason}
		if side.stands == analysis.StandError.String() {
			score.Status = scoring.StatusFailed
		}
		*side.reason = s.mask.ReasonOf(&score)
	}
}
