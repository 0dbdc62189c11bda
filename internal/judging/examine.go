package judging

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// Examine checks the judges of a configuration without a judge call: the host is allowed, the key exists, the model
// has a price and a version. It sends nothing and does not open the ledger. scores is the URL of the warehouse that
// may call the models. It returns one check per model, or one failed check if the configuration is invalid. It
// returns nil if no judge is configured.
func (c *Config) Examine(ctx context.Context, s Env, scores string) []doctor.Check {
	if !c.Asked() && len(c.Metrics)+len(c.ByTag) == 0 {
		return nil
	}
	failed := func(err error) []doctor.Check {
		return []doctor.Check{doctor.Failure("judge", err, "mend the section judge of the configuration")}
	}
	s.Log = slog.New(slog.DiscardHandler)
	if w, _ := s.Open(ctx, scores); w != nil { // another check reports errors in it
		defer w.Close() //nolint:errcheck // only read
		s.Scores = w
	}
	asking := *c
	asking.Ledger, asking.Audit, asking.Offline = "none", "", false
	j, err := asking.Open(ctx, s)
	if err != nil {
		return failed(err)
	}
	defer j.Close()
	if _, err := scoring.NewEngine(metric.All(),
		&scoring.EngineOptions{Judge: j.Backend(), Judges: j.standard(), ByTag: j.ByTag()}); err != nil {
		return failed(err)
	}
	var checks []doctor.Check
	for _, stack := range j.stacks() {
		id := stack.Identity()
		k := doctor.Check{Name: "judge " + nameOf(stack), Status: doctor.OK, Detail: "configured"}
		if id.Host != "" {
			k.Detail = "asked at " + id.Host
		}
		var of []string
		for _, name := range slices.Sorted(maps.Keys(j.byMetric)) {
			if j.byMetric[name].Backend == stack {
				of = append(of, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(j.panels)) {
			if slices.ContainsFunc(j.panels[name].Judges(), func(m scoring.Member) bool { return m.Backend == stack }) {
				of = append(of, panelKind+" "+name)
			}
		}
		for _, r := range j.byTag {
			if r.Judge.Backend == stack && stack != j.stack {
				of = append(of, "tag "+r.Tag)
			}
		}
		if len(of) > 0 {
			k.Detail += fmt.Sprintf(", for %v", of)
		}
		if price, ok := j.budget.Price(id); ok {
			k.Detail += fmt.Sprintf("; a million tokens cost %s USD in, %s out", price.In, price.Out)
		} else {
			k.Status, k.Fix = doctor.Warning,
				"set its price under judge.budget.prices, so that costs are reported and a budget in money works"
			k.Detail += "; its price is not known"
		}
		if _, dated := judgebackend.Released(id.Model); !dated {
			k.Detail += "; its name has no date"
		}
		checks = append(checks, k)
	}
	return checks
}

// standard returns the judges of single standard metrics. It omits metrics of judge files, whose names are unknown
// here.
func (j *Judges) standard() map[string]scoring.Judge {
	out := maps.Clone(j.ByMetric())
	known := map[string]bool{}
	all := metric.All()
	for i := range all {
		known[all[i].Name] = true
	}
	maps.DeleteFunc(out, func(name string, _ scoring.Judge) bool { return !known[name] })
	return out
}
