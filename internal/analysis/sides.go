package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Named selects the two sides of a comparison by flags. Empty fields are not set.
type Named struct {
	From, To           string // AGENT@VERSION, an agent or a version; [scoring.Unnamed] means an agent without a name
	FromBatch, ToBatch string // batch ids
	Accepted           Accepted
	TwoFiles           bool // the batches are of two score files, which are the sides if no other field selects one
}

// Sides returns the batches of both sides, in the order of time: the last batch that a side names, or all batches of a
// score file. By default the last batch is compared with its baseline, see [BaselineOf], and of two score files the
// second with the first, whatever their dates and names. A batch that does not exist, or is on both sides, is a usage
// error.
func (n Named) Sides(batches []Batch) (from, to []Batch, err error) {
	if from, to, err = n.find(batches); err != nil {
		return nil, nil, err
	}
	for _, b := range from {
		if slices.Contains(to, b) {
			return nil, nil, errcode.Usage("--from and --to: %s is on both sides, expected two that differ; choose others with --from, --from-batch, --to and --to-batch", printable.Short(b.Name()))
		}
	}
	return from, to, nil
}

func (n Named) find(batches []Batch) (from, to []Batch, err error) {
	if len(batches) == 0 {
		return nil, nil, errcode.Usage("there are no scores to compare")
	}
	if n.TwoFiles && !n.chosen() {
		return filesOf(batches)
	}
	named := func(flag, name, batch string) ([]Batch, error) {
		found, err := BatchesNamed(batches, flag, name, batch)
		return found[max(0, len(found)-1):], err
	}
	if n.To == "" && n.ToBatch == "" {
		to = batches[len(batches)-1:]
	} else if to, err = named("--to", n.To, n.ToBatch); err != nil {
		return nil, nil, err
	}
	if n.From != "" || n.FromBatch != "" {
		from, err = named("--from", n.From, n.FromBatch)
		return from, to, err
	}
	first := to[0]
	at := slices.Index(batches, first)
	i, _ := BaselineOf(batches, n.Accepted, at)
	if i < 0 {
		if says, fault := NoBaseline(batches, n.Accepted, at); fault {
			return nil, nil, errcode.Usage("%s", says)
		}
		return nil, nil, errcode.Usage("no complete batch of %s precedes %s; name a side with --from", agentOf(&first),
			printable.Short(first.Name()))
	}
	return batches[i : i+1], to, nil
}

// chosen reports whether a flag selects a side.
func (n Named) chosen() bool {
	return n.From != "" || n.FromBatch != "" || n.To != "" || n.ToBatch != ""
}

// filesOf returns the batches of the first and of the second of two score files. A file without scores, or with those
// of several agents or versions, is a usage error.
func filesOf(batches []Batch) (from, to []Batch, err error) {
	sides := [2][]Batch{}
	for _, b := range batches {
		sides[b.File-1] = append(sides[b.File-1], b)
	}
	for i, side := range sides {
		which := [2]string{"first", "second"}[i]
		if len(side) == 0 {
			return nil, nil, errcode.Usage("--scores: the %s file has no scores, so there is nothing to compare", which)
		}
		for _, b := range side {
			if b.Agent != side[0].Agent || b.Version != side[0].Version {
				return nil, nil, errcode.Usage("--scores: the %s file has scores of %s and of %s, expected one agent and version; "+
					"choose the sides with --from and --to", which, printable.Short(System(side[0].Agent, side[0].Version)),
					printable.Short(System(b.Agent, b.Version)))
			}
		}
	}
	return sides[0], sides[1], nil
}

// BatchesNamed returns the batches that name, an agent, a version or both, and batch, an id or "" for all, select. If
// none match, or those of several agents or versions do, it returns a usage error that names flag.
func BatchesNamed(batches []Batch, flag, name, batch string) ([]Batch, error) {
	var out []Batch
	systems := map[string]bool{}
	for _, b := range batches {
		if !called(&b, name) || !b.Matches(scoring.By{Batch: batch}) {
			continue
		}
		out = append(out, b)
		systems[b.System()] = true
	}
	if len(systems) == 1 {
		return out, nil
	}
	var known []string
	for _, b := range batches {
		if what := printable.Short(sideName(&b) + batchOf(&b)); !slices.Contains(known, what) {
			known = append(known, what)
		}
	}
	if len(known) > 8 {
		known = append(known[:8], "…")
	}
	what := asked(name, batch)
	switch {
	case len(known) == 0:
		return nil, errcode.Usage("%s: no scores of %s, and none of other answers", flag, what)
	case len(systems) == 0:
		return nil, errcode.Usage("%s: no scores of %s; there are %s", flag, what, strings.Join(known, ", "))
	}
	return nil, errcode.Usage("%s: %s names %d agents and versions, expected one; there are %s", flag, what,
		len(systems), strings.Join(known, ", "))
}

// asked describes the answers that an agent and version, and a batch, select.
func asked(name, batch string) string {
	what := strings.TrimSpace(strings.ReplaceAll(name+" "+batch, scoring.Unnamed, ""))
	switch {
	case batch != scoring.Unnamed:
		return fmt.Sprintf("%.60q", what)
	case what == "":
		return "answers without a batch"
	}
	return fmt.Sprintf("%.60q without a batch", what)
}

// Baseline returns the baseline that Sides chose as the first side; nil if the caller chose that side.
func (n Named) Baseline(batches, from, to []Batch) *Baseline {
	if n.From != "" || n.FromBatch != "" || n.TwoFiles && !n.chosen() || len(from) != 1 || len(to) == 0 {
		return nil
	}
	if at, b := BaselineOf(batches, n.Accepted, slices.Index(batches, to[0])); at >= 0 && batches[at] == from[0] {
		return b
	}
	return nil
}

// agentOf describes the agent of a batch for messages.
func agentOf(b *Batch) string {
	if b.Agent == "" {
		return "an agent without a name"
	}
	return "agent " + strconv.Quote(printable.Short(b.Agent))
}

// sideName returns the argument of --from or --to that selects the agent and version of a batch; @ selects those
// without a name.
func sideName(b *Batch) string {
	if b.Agent == "" || b.Version != "" {
		return b.Agent + "@" + b.Version
	}
	return b.Agent
}

func batchOf(b *Batch) string {
	if b.Batch == "" {
		return ""
	}
	return " batch " + b.Batch
}

// called reports whether name selects a batch: by its agent, its version, both, or its score file.
func called(b *Batch, name string) bool {
	if name == scoring.Unnamed || name == scoring.NoName {
		return b.Agent == "" || name == b.Agent
	}
	return name == "" || name == b.Agent || name == b.Version || name == b.Agent+"@"+b.Version ||
		name == b.Agent+" "+b.Version || name == b.System() || name == b.Origin
}

// CompareSides loads the metrics of both sides and compares them. If several batches of a side answer a question, the
// latest answer is used, and a note says so.
func CompareSides(ctx context.Context, src Source, set *Set, from, to []Batch, o CompareOptions) (*Comparison, error) {
	load := append(slices.Clone(o.Metrics), complexity) // for the tiers
	if o.Reasons {
		load = append(load, relation)
	}
	sides := make([]*Answers, 2)
	var notes []string
	for i, side := range [][]Batch{from, to} {
		whole := side[len(side)-1]
		if len(side) > 1 {
			whole.Batch = ""
			notes = append(notes,
				strconv.Itoa(len(side))+" batches of "+whole.System()+
					" are taken together: if several answer a question, the latest answer is used")
		}
		for _, b := range side {
			whole.Unfinished = cmp.Or(b.Unfinished, whole.Unfinished)
		}
		sides[i] = set.Answers(whole)
		for _, b := range side {
			if err := src.Load(ctx, b, load, sides[i]); err != nil {
				return nil, err
			}
		}
	}
	result := Compare(sides[0], sides[1], o)
	if o.Reasons {
		result.Reasons = reasonsOf(set, sides, result.Changes)
	}
	result.Notes = append(notes, result.Notes...)
	return result, nil
}

// reasonsOf returns the reasons of the answers that pass on one side only.
func reasonsOf(set *Set, sides []*Answers, changes []Change) *SideReasons {
	out := &SideReasons{{}, {}}
	w := wrongs{set: set}
	for i := range changes {
		ch := &changes[i]
		for side, cases := range [][]string{ch.Fixed, ch.Broken} {
			for _, id := range cases {
				if n, is := set.cases.Known(id); is && out[side][id] == "" {
					standing := sides[side].series[ch.Metric].at(int(n)).mark.standing()
					out[side][id] = w.reason(sides[side], int(n), standing)
				}
			}
		}
	}
	return out
}
