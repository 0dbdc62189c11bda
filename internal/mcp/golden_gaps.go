package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

var goldenGaps = tool{
	name: "golden_gaps", title: "Find gaps of the golden set", role: identity.Read,
	doc: "Lists where the golden set needs work: questions that agents were asked and that have no accepted answer, and cases that every version " +
		"of every agent passes, so that they distinguish nothing. Each case examined for the latter counts as a verdict on it; cases " +
		"whose limit is reached are counted in withheld.",
	input: `{"type":"object","additionalProperties":false,"properties":{` +
		`"kind":{"type":"string","enum":["no_gold","saturated","suspect"],"description":"Only these (default no_gold and saturated; suspect needs mcp.show_gold)."},` +
		`"after":{"type":"string","description":"Only cases after this one."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":200,"description":"Number of cases of each kind to look at (default 50)."}}}`,
	call: (*Server).goldenGaps,
}

type gapsInput struct {
	Kind  string `json:"kind"`
	After string `json:"after"`
	Limit int    `json:"limit"`
}

// gaps is the reply of golden_gaps. Faults of accepted answers are shown with show_gold only.
type gaps struct {
	NoGold    []noGold `json:"no_gold"`
	Saturated []string `json:"saturated"` // IDs of cases
	Versions  int      `json:"versions"`  // of agents, whose latest batches were read for Saturated
	Looked    int      `json:"looked_at"`
	Withheld  int      `json:"withheld"`
	Next      string   `json:"next"`

	// IDs of cases whose stored scores are of another question or accepted answer, and of those whose accepted query is
	// in the passages that an agent retrieved for it.
	Stale  []string `json:"stale,omitempty"`
	Leaked []string `json:"leaked,omitempty"`

	Suspects []analysis.Suspect        `json:"suspects,omitempty"`
	Depends  []analysis.GoldDependence `json:"depends,omitempty"`
}

type noGold struct {
	CaseID    string `json:"case_id"`
	Answers   int64  `json:"answers"`
	Untrusted asking `json:"untrusted"`
}

func (s *Server) goldenGaps(ctx context.Context, c *call, arguments json.RawMessage) (any, error) {
	var in gapsInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := number("limit", in.Limit, 50, 200)
	if err != nil {
		return nil, err
	}
	kind, err := s.gapKind(in.Kind)
	if err != nil {
		return nil, err
	}
	out := &gaps{NoGold: []noGold{}, Saturated: []string{}}
	if kind("no_gold") {
		if err := s.noGold(ctx, out, in.After, limit); err != nil {
			return nil, err
		}
	}
	if s.o.Scores == nil {
		return out, nil
	}
	return out, s.reading(ctx, func() error {
		defer startPace().wait(ctx)
		if kind("saturated") {
			if err := s.saturated(ctx, c, out, in.After, limit); err != nil {
				return err
			}
		}
		if !s.o.ShowGold || in.Kind != "suspect" {
			return nil
		}
		return s.suspects(ctx, out, limit)
	})
}

// gapKind returns whether a kind of gap is asked for.
func (s *Server) gapKind(named string) (func(string) bool, error) {
	switch {
	case named == "suspect" && !s.o.ShowGold:
		return nil, errNotShown
	case named != "" && !slices.Contains([]string{"no_gold", "saturated", "suspect"}, named):
		return nil, errGapKind
	}
	return func(kind string) bool { return named == "" || named == kind }, nil
}

// noGold adds the cases without an accepted answer.
func (s *Server) noGold(ctx context.Context, out *gaps, after string, limit int) error {
	all := slices.Clone(s.golden.uncovered)
	if s.o.Answered != nil {
		err := s.reading(ctx, func() error {
			answered, err := s.o.Answered(ctx)
			for id, n := range answered {
				if s.golden.byID[id] == nil {
					all = append(all, uncoveredCase{CaseID: id, Answers: n})
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	all = slices.DeleteFunc(all, func(u uncoveredCase) bool { return after != "" && !isAfter(u.CaseID, after) })
	slices.SortFunc(all, func(a, b uncoveredCase) int { return compareIDs(a.CaseID, b.CaseID) })
	for _, u := range all[:min(limit, len(all))] {
		out.NoGold = append(out.NoGold, noGold{u.CaseID, u.Answers, asking{shortened(u.Question, longestText)}})
	}
	if len(all) > limit {
		out.next(all[limit-1].CaseID)
	}
	return nil
}

// saturated adds the cases that pass in the latest batch of each version that has them, of two versions or more. That
// a case is one tells that all of these answers are accepted; that it is not tells less than the verdict on one of
// them. So it counts once.
func (s *Server) saturated(ctx context.Context, c *call, out *gaps, after string, limit int) error {
	batches, err := s.batches(ctx)
	if err != nil {
		return err
	}
	latest := map[string]scoring.By{}
	for _, b := range batches {
		latest[b.System()] = b.By
	}
	out.Versions = len(latest)
	systems, versions := slices.Sorted(maps.Keys(latest)), map[string]int{}
	for _, system := range systems {
		ids, err := s.casesOf(ctx, latest[system])
		if err != nil {
			return err
		}
		for _, id := range ids {
			versions[id]++
		}
	}
	all := slices.DeleteFunc(slices.SortedFunc(maps.Keys(versions), compareIDs), func(id string) bool {
		return versions[id] < 2 || after != "" && !isAfter(id, after)
	})
	if len(all) > limit {
		all = all[:limit]
		out.next(all[limit-1])
	}
	requests, saturated, granted := make([]Request, len(all)), make([]bool, len(all)), map[string]bool{}
	for i := range all {
		requests[i].Answer, saturated[i] = "saturated", true
	}
	for _, system := range systems {
		of, err := s.judgeCases(ctx, latest[system], setOf(all), func(*Request) (bool, error) { return false, nil })
		if err != nil {
			return err
		}
		for i, id := range all {
			if j, is := of[id]; is {
				requests[i].Case, requests[i].Topic = id, j.Topic
				requests[i].Answer += "\x00" + j.Answer
			}
		}
	}
	grants, err := s.grant(c, "golden_gaps", requests...)
	if err != nil {
		return err
	}
	for i, id := range all {
		granted[id] = !grants[i].Refused
	}
	for _, system := range systems {
		of, err := s.judgeCases(ctx, latest[system], granted, func(*Request) (bool, error) { return true, nil })
		if err != nil {
			return err
		}
		for i, id := range all {
			if j, is := of[id]; is {
				saturated[i] = saturated[i] && j.Outcome == accepted
			}
		}
	}
	out.Looked = len(all)
	for i, id := range all {
		switch {
		case grants[i].Refused:
			out.Withheld++
		case saturated[i]:
			out.Saturated = append(out.Saturated, id)
		}
	}
	return nil
}

// suspects adds the cases whose accepted answer or question may be wrong, as badger audit lists them, and the accepted
// queries whose results depend on more than the data.
func (s *Server) suspects(ctx context.Context, out *gaps, limit int) error {
	golds := analysis.NewGolds()
	for _, q := range s.golden.byID {
		golds.Add(q.Case)
	}
	golds.Sort()
	out.Depends = golds.Depends[:min(limit, len(golds.Depends))]
	there, err := s.o.Scores.Metrics(ctx)
	if err == nil {
		err = s.stale(ctx, out, decides, limit)
	}
	if err == nil {
		err = s.leaked(ctx, out, limit)
	}
	if err != nil {
		return err
	}
	ex := analysis.ChooseEX(there, "")
	labels, err := s.o.Scores.Labels(ctx)
	if err != nil {
		return err
	}
	a, err := analysis.NewAudit(analysis.AuditInput{EX: ex, Labels: labels,
		Evidence: s.o.Scores.Evidence(ctx, append([]string{ex}, analysis.AuditMetrics...), scoring.AnswerID{}),
		Digests: func(cases []string) (map[scoring.AnswerID]analysis.Digest, error) {
			return s.o.Scores.Digests(ctx, cases)
		}})
	if err != nil {
		return err
	}
	out.Suspects = a.Suspects[:min(limit, len(a.Suspects))]
	return nil
}

// stale adds the cases without a latest score of the metric for the present question and accepted answers.
func (s *Server) stale(ctx context.Context, out *gaps, metric string, limit int) error {
	current := map[string]bool{}
	for e, err := range s.o.Scores.Evidence(ctx, []string{metric}, scoring.AnswerID{}) {
		if err != nil {
			return err
		}
		if q := s.golden.byID[e.AnswerID.CaseID]; q != nil && e.Gold != "" {
			current[q.ID] = current[q.ID] || e.Gold == q.hash
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(current), compareIDs) {
		if !current[id] && len(out.Stale) < limit {
			out.Stale = append(out.Stale, id)
		}
	}
	return nil
}

// leaked adds the cases whose accepted query is in a passage that an agent retrieved for it.
func (s *Server) leaked(ctx context.Context, out *gaps, limit int) error {
	if s.o.Answers == nil {
		return nil
	}
	found := map[string]bool{}
	for item, err := range s.o.Answers {
		if err != nil {
			return err
		}
		if c, err := item.Load(ctx); err == nil && analysis.Leaked(c) {
			found[c.ID] = true
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(found), compareIDs) {
		if len(out.Leaked) < limit {
			out.Leaked = append(out.Leaked, id)
		}
	}
	return nil
}

// next moves the end of the page to a case, if that is before the end of another kind.
func (g *gaps) next(id string) {
	if g.Next == "" || isAfter(g.Next, id) {
		g.Next = id
	}
}

func compareIDs(a, b string) int { return printable.CompareNatural(a, b) }

func isAfter(id, other string) bool { return compareIDs(id, other) > 0 }

var (
	errNotShown = errcode.New(errcode.PermissionDenied, "kind: suspect tells of accepted answers, which mcp.show_gold does not permit")
	errGapKind  = errcode.New(errcode.InvalidArgument, "kind: expected no_gold, saturated or suspect")
)
