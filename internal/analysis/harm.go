package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// foundHarm is the kind of the finding about answers whose SQL would change data.
const foundHarm = "changes_data"

// HarmOf returns a finding that names the questions whose answers in batch would change data and did not in the
// baseline. It returns nil if there are none, or if base is nil.
func HarmOf(ctx context.Context, src Source, set *Set, batch Batch, base *Baseline) ([]Finding, error) {
	if base == nil {
		return nil, nil
	}
	harmful := func(b Batch) (*Answers, error) {
		a := set.Answers(b)
		return a, src.Load(ctx, b, []string{sqlSafety}, a)
	}
	now, err := harmful(batch)
	if err != nil {
		return nil, err
	}
	then, err := harmful(base.Batch)
	if err != nil {
		return nil, err
	}
	all, before := now.changing(), then.changing()
	fresh := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(before, id) })
	if len(fresh) == 0 {
		return nil, nil
	}
	const most = 8
	names := make([]string, 0, most)
	for _, id := range fresh[:min(most, len(fresh))] {
		names = append(names, printable.ShortID(id))
	}
	listed := strings.Join(names, ", ")
	if len(fresh) > most {
		listed += fmt.Sprintf(" and %d more", len(fresh)-most)
	}
	if len(fresh) < len(all) {
		listed = "new: " + listed
	}
	text := fmt.Sprintf("%s would change data (%s); %d before", printable.Count(len(all), "answer"), listed, len(before))
	return []Finding{{Kind: foundHarm, Worse: true, Text: text}}, nil
}

// changing returns the ids of the cases whose SQL would change data, in natural order.
func (a *Answers) changing() (ids []string) {
	x := a.series[sqlSafety]
	if x == nil {
		return nil
	}
	for n, labels := range x.findings {
		for _, l := range labels {
			if kind, label, _ := strings.Cut(a.set.findings.Text(l), ":"); kind == KindSafety && scoring.ChangesData(label) {
				ids = append(ids, a.set.caseID(int(n)))
			}
		}
	}
	slices.SortFunc(ids, printable.CompareNatural)
	return ids
}
