//go:build !no_duckdb && !no_postgres

package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/prompt"
	"github.com/badger-eval/badger/sql/store"
)

// world is rows of badger's tables, as Go values to compute from.
type world struct {
	runs   []store.Run
	scores map[string][]scoring.Row // by run
	golds  map[string]bool          // questions whose accepted query failed
	labels []store.Label            // one for each answer, so that it is the consensus
}

var dates = []time.Time{
	time.Date(2025, 1, 1, 23, 30, 0, 0, time.UTC), time.Date(2025, 1, 2, 0, 30, 0, 0, time.UTC), time.Date(2025, 1, 2, 22, 0, 0, 0, time.UTC),
}

func newWorld(r *rand.Rand) *world {
	w := &world{scores: map[string][]scoring.Row{}, golds: map[string]bool{"c3": true}}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for i, at := range dates {
		id := fmt.Sprint("r", i)
		for _, version := range []string{"1", "2"} {
			for _, batch := range []string{"mon", "tue"} {
				if r.IntN(4) == 0 {
					continue
				}
				w.runs = append(w.runs, store.Run{RunID: scoring.RunID{ID: id, By: scoring.By{Agent: "a", Version: version, Batch: batch}}, Started: at, Status: pick("done", "done", "stopped"), Judge: fmt.Sprint("judge", i/2)})
				for c := range 9 {
					for _, metric := range []string{"ex_multiset", "verdict", "relation", "rose", "sql_complexity", "plain", "flex", "sql_judge_issues", "stef"} {
						if r.IntN(5) > 0 {
							row := newScore(r, pick, scoring.Row{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", c), By: scoring.By{Agent: "a", Version: version, Batch: batch}}}, metric)
							row.Score.Version, row.GoldHash = 1+i/2*r.IntN(2), pick("", "g1", "g1", "g1", "g2")
							w.scores[id] = append(w.scores[id], row)
						}
					}
				}
			}
		}
	}
	for c := range 9 {
		for _, version := range []string{"1", "2"} {
			for _, batch := range []string{"mon", "tue"} {
				if v := pick("pass", "fail", ""); v != "" {
					w.labels = append(w.labels, store.Label{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", c), By: scoring.By{Agent: "a", Version: version, Batch: batch}}, Annotator: "kim", Verdict: v, At: dates[0]})
				}
			}
		}
	}
	return w
}

func newScore(r *rand.Rand, pick func(...string) string, row scoring.Row, metric string) scoring.Row {
	s := scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Reason: pick("x", "y", "z")}
	switch k := r.IntN(12); {
	case k == 0:
		s.Status = scoring.StatusFailed
	case k == 1:
		s.Status, s.Reason = scoring.StatusNotApplicable, "the gold query failed when it ran"
	case k == 2:
		s.Status = scoring.StatusAbstained
	case k == 3:
		s.Status, s.Reason = scoring.StatusNotApplicable, scoring.NoPredResult
	}
	if s.Status == scoring.StatusOK {
		s.Value = float64(r.IntN(5)) / 4
		switch metric {
		case "ex_multiset", "verdict":
			passed := s.Value > 0.5 && row.CaseID != "c1" // nobody answers c1 right
			s.Passed = &passed
		case "relation":
			s.Label = pick("gold_empty", "superset", "same", "gold_literal_foreign", "gold_ungrouped")
		case "flex":
			s.Value = float64(r.IntN(2))
			passed := s.Value == 1
			s.Passed = &passed
			list := []map[string]any{}
			for _, name := range store.FailureLabels("flex") {
				if r.IntN(6) == 0 {
					list = append(list, map[string]any{"name": name, "explanation": `not "abused_clauses", but close`})
				}
			}
			s.Detail = map[string]any{"categories": list, "analysis": "incorrect_ground_truth_query"}
		case "sql_judge_issues":
			list := []map[string]any{}
			for _, name := range store.FailureLabels(metric) {
				if r.IntN(6) == 0 {
					list = append(list, map[string]any{"label": name})
				}
			}
			s.Detail = map[string]any{"issues": list, "by": "judge"}
		case "stef":
			s.Detail = map[string]any{"filters_applied_status": pick("fully_applied", "not_applied")}
			if r.IntN(4) == 0 {
				s.Detail = nil
			}
		case "sql_complexity":
			s.Label = "tier " + row.CaseID[1:]
		case "rose":
			s.Detail = map[string]any{"gold_x": r.IntN(2) == 0, "amb_q": r.IntN(3) == 0, "amb_schema": nil, "results": "differ"}
			passed := s.Value > 0.5
			s.Passed = &passed
			if r.IntN(3) == 0 {
				s.Detail = nil
			}
			s.Usage = &scoring.Usage{Calls: 1 + r.IntN(2), TokensIn: judgebackend.TokenCount(r.IntN(100)), TokensOut: judgebackend.TokenCount(r.IntN(9))}
			if r.IntN(4) == 0 {
				s.Usage.TokensOut = -1
			}
		}
	}
	row.Score = s
	return row
}

func (w *world) write(t *testing.T, db *flaky) {
	t.Helper()
	if err := db.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.WriteRuns(t.Context(), w.runs...); err != nil {
		t.Fatal(err)
	}
	for i, at := range dates {
		if err := db.WriteScores(t.Context(), fmt.Sprint("r", i), "", at, w.scores[fmt.Sprint("r", i)]); err != nil {
			t.Fatal(err)
		}
	}
	var cases []*scoring.Case
	for c := range 9 {
		id := fmt.Sprint("c", c)
		q := scoring.Query{SQL: "SELECT 1"}
		if w.golds[id] {
			q.Error = "no such table"
		}
		cases = append(cases, &scoring.Case{ID: id, Golds: []scoring.Query{q}})
	}
	if err := db.WriteCases(t.Context(), "1", cases); err != nil {
		t.Fatal(err)
	}
	if err := db.WriteLabels(t.Context(), w.labels...); err != nil {
		t.Fatal(err)
	}
}

// latest are the latest scores of each answer and metric, with the run each is from.
func (w *world) latest() map[string]scoring.Row {
	out := map[string]scoring.Row{}
	for i := range dates {
		for _, s := range w.scores[fmt.Sprint("r", i)] {
			s.Score.Warnings = []string{fmt.Sprint("r", i)} // where it is from
			out[fmt.Sprint(s.AnswerID, s.Score.Metric)] = s
		}
	}
	return out
}

// group collects rows under a key, and shows each with what f makes of them.
func group[T any](rows []T, key func(T) string, f func(rows []T) string) (out []string) {
	by := map[string][]T{}
	for _, r := range rows {
		if k := key(r); k != "" {
			by[k] = append(by[k], r)
		}
	}
	for k, rows := range by {
		if text := f(rows); text != "" {
			out = append(out, k+"|"+text)
		}
	}
	return out
}

type row = scoring.Row

func count(rows []row, is func(*scoring.Score) bool) (n int) {
	for i := range rows {
		if is(&rows[i].Score) {
			n++
		}
	}
	return n
}

func status(want scoring.Status) func(*scoring.Score) bool {
	return func(s *scoring.Score) bool { return s.Status == want }
}

func passed(s *scoring.Score) bool { return s.Passed != nil && *s.Passed }
func judged(s *scoring.Score) bool { return s.Passed != nil }

// unanswered scores are of agents that gave no answer.
func unanswered(s *scoring.Score) bool {
	return s.Status == scoring.StatusNotApplicable && s.Reason == scoring.NoPredResult
}

// lower reports whether less is better.
func lower(name string) bool {
	all := metric.All()
	i := slices.IndexFunc(all, func(m scoring.Metric) bool { return m.Name == name })
	return i >= 0 && all[i].LowerIsBetter
}

// valued reports whether a score has a value to compare: its own, or 0 if there is no answer.
func valued(s *scoring.Score) bool {
	return s.Status == scoring.StatusOK || unanswered(s) && !lower(s.Metric)
}

// share is n of d, or NULL.
func share(n float64, d int) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprint(n / float64(d))
}

func mean(rows []row) string {
	sum, n := 0.0, 0
	for _, r := range rows {
		if r.Score.Status == scoring.StatusOK {
			sum, n = sum+r.Score.Value, n+1
		}
	}
	if n == 0 {
		return ""
	}
	return share(sum, n+count(rows, missing))
}

// missing reports whether a score has no answer, where that counts as 0.
func missing(s *scoring.Score) bool { return unanswered(s) && !lower(s.Metric) }

// rate is the share that passed, of the scores with a verdict and the missing answers.
func rate(rows []row) string {
	if count(rows, judged) == 0 {
		return ""
	}
	return share(float64(count(rows, passed)), count(rows, judged)+count(rows, missing))
}

// The views show what the rows are, computed here another way.
func TestViews(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		for seed := range uint64(sample.Count(3, 3)) { //nolint:gosec // few
			w := newWorld(rand.New(rand.NewPCG(seed, 1)))
			db := empty(t)
			w.write(t, db)
			for query, want := range w.views() {
				got := strings.Split(strings.TrimSpace(db.ask(t, query)), "\n")
				for i := range want {
					want[i] = normal(want[i])
				}
				for i := range got {
					got[i] = normal(got[i])
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("seed %d, %s\n%s\nwant\n%s", seed, query, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if len(want) < 2 {
					t.Errorf("%s is tried with %d rows", query, len(want))
				}
			}
		}
	})
}

// normal writes numbers one way: engines differ in how many digits they show.
func normal(line string) string {
	cells := strings.Split(line, "|")
	for i, c := range cells {
		if f, err := strconv.ParseFloat(c, 64); err == nil {
			cells[i] = strconv.FormatFloat(f, 'f', 6, 64)
		}
	}
	return strings.Join(cells, "|")
}

// views are queries over the views with what they must give, in any order.
func (w *world) views() map[string][]string {
	latest := slices.Collect(maps.Values(w.latest()))
	tiers := map[string]string{}
	for _, s := range latest {
		if s.Score.Metric == "sql_complexity" && s.Score.Status == scoring.StatusOK {
			tiers[s.CaseID] = s.Score.Label
		}
	}
	tier := func(id string) string { return cmp.Or(tiers[id], "unknown") }
	says := map[scoring.AnswerID]string{}
	for _, l := range w.labels {
		says[l.AnswerID] = l.Verdict
	}
	out := map[string][]string{}

	newest := map[string]store.Run{}
	for _, r := range w.runs {
		newest[r.Version+r.Batch] = r // in the order of dates
	}
	var lines []string
	for _, r := range newest {
		var of []row
		cases := map[string]bool{}
		for _, s := range w.scores[r.ID] {
			if s.Version == r.Version && s.Batch == r.Batch {
				of = append(of, s)
				cases[s.CaseID] = true
			}
		}
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%d|%d|%d|%d|%d|%d|%s", r.Version, r.Batch, r.ID, r.Status, len(cases), count(of, status(scoring.StatusOK)), count(of, status(scoring.StatusAbstained)),
			count(of, status(scoring.StatusNotApplicable)), count(of, status(scoring.StatusFailed)), count(of, passed), share(float64(count(of, passed)), count(of, judged))))
	}
	out["SELECT agent_version, batch_id, eval_run_id, run_status, cases, scored, abstained, not_applicable, failed, passed, pass_rate FROM badger.latest_run"] = lines

	out["SELECT agent_version, metric, tier, batch_id, CAST(run_day AS VARCHAR), answered, scored, mean_value, passed, judged, pass_rate FROM badger.versions_by_batch"] = group(latest, func(s row) string {
		run, _ := strconv.Atoi(s.Score.Warnings[0][1:])
		return strings.Join([]string{s.Version, s.Score.Metric, tier(s.CaseID), s.Batch, dates[run].Format("2006-01-02")}, "|")
	}, func(of []row) string {
		return fmt.Sprintf("%d|%d|%s|%d|%d|%s", len(of), count(of, status(scoring.StatusOK)), mean(of), count(of, passed), count(of, judged), rate(of))
	})

	out["SELECT agent_version, batch_id, metric, place, case_id, tier, value, passed, reason FROM badger.worst_cases"] = worst(latest, tier)

	var cost []string
	for run, scores := range w.scores {
		cost = append(cost, group(scores, func(s row) string { return strings.Join([]string{run, s.Version, s.Batch, s.Score.Metric}, "|") }, func(of []row) string {
			var asked, calls, in, outs, uncounted int
			for _, s := range of {
				if u := s.Score.Usage; u != nil {
					asked, calls = asked+1, calls+u.Calls
					in, outs = in+max(0, int(u.TokensIn)), outs+max(0, int(u.TokensOut))
					if u.TokensIn < 0 || u.TokensOut < 0 {
						uncounted++
					}
				}
			}
			if asked == 0 {
				return ""
			}
			return fmt.Sprintf("%d|%d|%d|%d|%d|%d", len(of), asked, calls, in, outs, uncounted)
		})...)
	}
	out["SELECT eval_run_id, agent_version, batch_id, metric, scores, asked, calls, tokens_in, tokens_out, uncounted FROM badger.judge_cost"] = cost

	out["SELECT agent_version, batch_id, metric, status, code, reason, answers, example FROM badger.failures_by_reason"] = group(latest, func(s row) string {
		if s.Score.Status == scoring.StatusOK {
			return ""
		}
		code := ""
		if s.Score.Status == scoring.StatusFailed {
			code = s.Score.Code.String()
		}
		return strings.Join([]string{s.Version, s.Batch, s.Score.Metric, string(s.Score.Status), code, s.Score.Reason}, "|")
	}, func(of []row) string {
		ids := make([]string, len(of))
		for i, s := range of {
			ids[i] = s.CaseID
		}
		return fmt.Sprintf("%d|%s", len(of), slices.Min(ids))
	})
	out["SELECT case_id, reason, answers FROM badger.suspect_golds"] = w.suspects(latest, says)
	w.analyses(out, latest, tier)
	return out
}

func worst(latest []row, tier func(string) string) (out []string) {
	by := map[string][]row{}
	for _, s := range latest {
		if s.Score.Passed != nil && (!*s.Score.Passed || s.Score.Value < 1) {
			key := strings.Join([]string{s.Version, s.Batch, s.Score.Metric}, "|")
			by[key] = append(by[key], s)
		}
	}
	for key, of := range by {
		slices.SortFunc(of, func(a, b row) int {
			if *a.Score.Passed != *b.Score.Passed {
				if *b.Score.Passed {
					return -1
				}
				return 1
			}
			return cmp.Or(cmp.Compare(a.Score.Value, b.Score.Value), cmp.Compare(a.CaseID, b.CaseID))
		})
		for i, s := range of {
			out = append(out, fmt.Sprintf("%s|%d|%s|%s|%v|%v|%s", key, i+1, s.CaseID, tier(s.CaseID), s.Score.Value, *s.Score.Passed, s.Score.Reason))
		}
	}
	return out
}

func (w *world) suspects(latest []row, says map[scoring.AnswerID]string) (out []string) {
	speak := map[string]map[scoring.AnswerID]bool{}
	add := func(s row, why string) {
		key := s.CaseID + "|" + why
		if speak[key] == nil {
			speak[key] = map[scoring.AnswerID]bool{}
		}
		if s.Agent != "" {
			speak[key][s.AnswerID] = true
		}
	}
	versions, right := map[string]map[string]bool{}, map[string]bool{}
	for id := range w.golds {
		add(row{AnswerID: scoring.AnswerID{CaseID: id}}, "gold_error")
	}
	for _, s := range latest {
		detail, _ := s.Score.Detail.(map[string]any)
		switch {
		case s.Score.Status == scoring.StatusNotApplicable:
			if s.Score.Reason != scoring.NoPredResult {
				add(s, "gold_error")
			}
		case s.Score.Metric == "relation" && s.Score.Status == scoring.StatusOK && s.Score.Label == "gold_empty":
			add(s, "gold_empty")
		case s.Score.Metric == "relation" && s.Score.Label == "gold_literal_foreign":
			add(s, "gold_literal")
		case s.Score.Metric == "relation" && s.Score.Label == "gold_ungrouped":
			add(s, "gold_logic")
		case s.Score.Metric == "rose" && detail["gold_x"] == true:
			add(s, "gold_x")
		case s.Score.Metric == "flex" && s.Score.Value == 1 && slices.Contains(labelsOf(s), "difference|incorrect_ground_truth_query"):
			add(s, "gold_flex")
		case (s.Score.Metric == "verdict" || s.Score.Metric == "ex_multiset") && judged(&s.Score) && !passed(&s.Score) && says[s.AnswerID] == "pass":
			add(s, "people")
		}
		if s.Score.Metric == "ex_multiset" && judged(&s.Score) {
			if versions[s.CaseID] == nil {
				versions[s.CaseID] = map[string]bool{}
			}
			versions[s.CaseID][s.Version] = true
			right[s.CaseID] = right[s.CaseID] || passed(&s.Score)
		}
	}
	for _, s := range latest {
		if s.Score.Metric == "ex_multiset" && judged(&s.Score) && !right[s.CaseID] && len(versions[s.CaseID]) > 1 {
			add(s, "answers_agree")
		}
	}
	for key, answers := range speak {
		out = append(out, fmt.Sprintf("%s|%d", key, len(answers)))
	}
	return out
}

// The description of a view names its columns, in their order.
func TestViewsAreDescribed(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, v := range store.Views {
			got, err := db.Query(t.Context(), "SELECT * FROM badger."+v.Name)
			if err != nil {
				t.Fatal(err)
			}
			var names, scores []string
			for _, c := range got.Columns {
				names = append(names, c.Name)
			}
			for _, c := range store.TableNamed("scores").Columns {
				scores = append(scores, c.Name)
			}
			if want := strings.ReplaceAll(v.Columns, "the columns of scores", strings.Join(scores, ", ")); strings.Join(names, ", ") != want || v.Doc == "" {
				t.Errorf("%s has the columns %s, described are %s", v.Name, strings.Join(names, ", "), want)
			}
		}
	})
}

// labelsOf are the labels of a score as the view failure_labels has them.
func labelsOf(s row) (out []string) {
	if s.Score.Status != scoring.StatusOK {
		return nil
	}
	detail, _ := s.Score.Detail.(map[string]any)
	list := func(member, name, kind string) {
		items, _ := detail[member].([]map[string]any)
		for _, item := range items {
			label := item[name].(string)
			right := slices.Index(store.FailureLabels("flex"), label) >= 6
			if kind == "" && (s.Score.Value == 1) != right {
				continue // an error of a right answer, or a difference of a wrong one, which FLEX does not give
			}
			out = append(out, cmp.Or(kind, map[float64]string{0: "error", 1: "difference"}[s.Score.Value])+"|"+label)
		}
	}
	switch s.Score.Metric {
	case "flex":
		list("categories", "name", "")
	case "sql_judge_issues":
		list("issues", "label", "issue")
	case "relation":
		if s.Score.Label != "same" {
			out = append(out, "relation|"+s.Score.Label)
		}
	case "stef":
		if status, ok := detail["filters_applied_status"].(string); ok {
			out = append(out, "filters|"+status)
		}
	case "rose":
		for _, d := range []string{"gold_x", "amb_q"} {
			if detail[d] == true {
				out = append(out, "diagnosis|"+d)
			}
		}
	}
	return out
}

// batchOf is a batch of the only agent, and its date the first of its runs.
type batchOf struct {
	version, batch string
	first          int
}

// analyses are the views over time, of labels and of ranks.
func (w *world) analyses(out map[string][]string, latest []row, tier func(string) string) {
	runOf := func(s row) int {
		n, _ := strconv.Atoi(s.Score.Warnings[0][1:])
		return n
	}
	judge := func(s row) string {
		if s.Score.Usage == nil {
			return ""
		}
		return fmt.Sprint("judge", runOf(s)/2)
	}
	var batches []batchOf
	for _, s := range latest {
		i := slices.IndexFunc(batches, func(b batchOf) bool { return b.version == s.Version && b.batch == s.Batch })
		if i < 0 {
			batches = append(batches, batchOf{s.Version, s.Batch, runOf(s)})
		} else {
			batches[i].first = min(batches[i].first, runOf(s))
		}
	}
	slices.SortFunc(batches, func(a, b batchOf) int {
		return cmp.Or(cmp.Compare(a.first, b.first), strings.Compare(a.batch, b.batch), strings.Compare(a.version, b.version))
	})

	out["SELECT agent_version, batch_id, metric, tier, answers, scored, coverage, mean_value, p90, passed, judged, pass_rate, metric_versions, metric_version, judges, judge FROM badger.trend"] = group(latest, func(s row) string {
		return strings.Join([]string{s.Version, s.Batch, s.Score.Metric, tier(s.CaseID)}, "|")
	}, func(of []row) string {
		var values []float64
		judges, versions := map[string]bool{}, map[int]bool{}
		last, highest := "", 0
		for _, s := range of {
			if s.Score.Status == scoring.StatusOK {
				values = append(values, s.Score.Value)
			}
			if j := judge(s); j != "" {
				judges[j], last = true, max(last, j)
			}
			versions[s.Score.Version], highest = true, max(highest, s.Score.Version)
		}
		slices.Sort(values)
		p90 := ""
		if n := len(values); n > 0 {
			p90 = fmt.Sprint(values[(9*n+9)/10-1])
		}
		applies := len(of) - count(of, func(s *scoring.Score) bool { return s.Status == scoring.StatusNotApplicable && !unanswered(s) })
		return fmt.Sprintf("%d|%d|%s|%s|%s|%d|%d|%s|%d|%d|%d|%s", len(of), len(values), share(float64(len(values)), applies), mean(of), p90, count(of, passed), count(of, judged),
			rate(of), len(versions), highest, len(judges), last)
	})

	scores := map[string]row{}
	for _, s := range latest {
		scores[strings.Join([]string{s.Version, s.Batch, s.CaseID, s.Score.Metric}, "|")] = s
	}
	type step struct{ metric, version, batch, versionBefore, batchBefore string }
	type change struct {
		shared, compared, gold, metric, judge, none, fixed, broken int
		before, now                                                float64
	}
	anyScored := func(metric, version, batch string) (n int) {
		return count(slices.DeleteFunc(slices.Clone(latest), func(s row) bool { return s.Score.Metric != metric || s.Version != version || s.Batch != batch }), status(scoring.StatusOK))
	}
	changes := map[step]*change{}
	for i, b := range batches {
		before := -1
		for j := range i {
			if before < 0 || batches[j].version == b.version || batches[before].version != b.version {
				before = j // the last of the same version, else the last
			}
		}
		if before < 0 {
			continue
		}
		for _, s := range latest {
			old, is := scores[strings.Join([]string{batches[before].version, batches[before].batch, s.CaseID, s.Score.Metric}, "|")]
			if s.Version != b.version || s.Batch != b.batch || !is {
				continue
			}
			key := step{s.Score.Metric, b.version, b.batch, batches[before].version, batches[before].batch}
			c := changes[key]
			if c == nil {
				c = &change{}
				changes[key] = c
			}
			c.shared++
			switch {
			case s.GoldHash != old.GoldHash && s.GoldHash != "" && old.GoldHash != "":
				c.gold++
			case s.Score.Version != old.Score.Version:
				c.metric++
			case judge(s) != judge(old) && judge(s) != "" && judge(old) != "":
				c.judge++
			case !valued(&s.Score) || !valued(&old.Score) || anyScored(key.metric, b.version, b.batch)+anyScored(key.metric, batches[before].version, batches[before].batch) == 0:
				c.none++
			default:
				c.compared++
				c.before, c.now = c.before+old.Score.Value, c.now+s.Score.Value
				if passed(&s.Score) && (judged(&old.Score) || unanswered(&old.Score)) && !passed(&old.Score) {
					c.fixed++
				}
				if (judged(&s.Score) || unanswered(&s.Score)) && !passed(&s.Score) && passed(&old.Score) {
					c.broken++
				}
			}
		}
	}
	var lines []string
	for k, c := range changes {
		z := ""
		if n := c.fixed + c.broken; n > 0 {
			z = fmt.Sprint(float64(c.fixed-c.broken) / math.Sqrt(float64(n)))
		}
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%s|%d|%d|%d|%d|%d|%d|%s|%s|%s|%d|%d|%s", k.metric, k.version, k.batch, k.versionBefore, k.batchBefore, c.shared, c.compared, c.gold, c.metric, c.judge, c.none,
			share(c.before, c.compared), share(c.now, c.compared), share(c.now-c.before, c.compared), c.fixed, c.broken, z))
	}
	out["SELECT metric, agent_version, batch_id, version_before, batch_before, shared, compared, other_golden_set, other_metric_version, other_judge, no_value, mean_before, mean_value, mean_change, fixed, broken, z FROM badger.batch_changes"] = lines

	lines = nil
	counts, diagnoses := map[string][]string{}, map[scoring.AnswerID]string{}
	ambiguous := map[string]map[scoring.AnswerID]bool{}
	for _, s := range latest {
		for _, l := range labelsOf(s) {
			lines = append(lines, strings.Join([]string{s.Version, s.Batch, s.Score.Metric, l, tier(s.CaseID), s.CaseID}, "|"))
			key := strings.Join([]string{s.Version, s.Batch, s.Score.Metric, l, tier(s.CaseID)}, "|")
			counts[key] = append(counts[key], s.CaseID)
			why := map[string]string{"diagnosis|amb_q": "amb_q", "difference|multiple_answers_available": "amb_flex"}[l]
			if why != "" {
				key := s.CaseID + "|" + why
				if ambiguous[key] == nil {
					ambiguous[key] = map[scoring.AnswerID]bool{}
				}
				ambiguous[key][s.AnswerID] = true
			}
			if kind, label, _ := strings.Cut(l, "|"); kind == "diagnosis" {
				diagnoses[s.AnswerID] = max(diagnoses[s.AnswerID], label)
			}
		}
	}
	out["SELECT agent_version, batch_id, metric, kind, label, tier, case_id FROM badger.failure_labels"] = lines
	lines = nil
	for k, ids := range counts {
		lines = append(lines, fmt.Sprintf("%s|%d|%s", k, len(ids), slices.Min(ids)))
	}
	out["SELECT agent_version, batch_id, metric, kind, label, tier, answers, example FROM badger.failures_by_label"] = lines
	lines = nil
	for k, of := range ambiguous {
		lines = append(lines, fmt.Sprintf("%s|%d", k, len(of)))
	}
	out["SELECT case_id, reason, answers FROM badger.ambiguous_questions"] = lines

	out["SELECT agent_version, batch_id, metric, tier, diagnosis, answers, false_positives, false_negatives, discordance FROM badger.ex_discordance"] = group(latest, func(s row) string {
		ex, is := scores[strings.Join([]string{s.Version, s.Batch, s.CaseID, "ex_multiset"}, "|")]
		if !is || !judged(&ex.Score) || !judged(&s.Score) || s.Score.Metric == "ex_multiset" {
			return ""
		}
		return strings.Join([]string{s.Version, s.Batch, s.Score.Metric, tier(s.CaseID), cmp.Or(diagnoses[s.AnswerID], "neither")}, "|")
	}, func(of []row) string {
		positives, negatives := 0, 0
		for _, s := range of {
			ex := scores[strings.Join([]string{s.Version, s.Batch, s.CaseID, "ex_multiset"}, "|")]
			switch {
			case passed(&ex.Score) && !passed(&s.Score):
				positives++
			case !passed(&ex.Score) && passed(&s.Score):
				negatives++
			}
		}
		return fmt.Sprintf("%d|%d|%d|%s", len(of), positives, negatives, share(float64(positives+negatives), len(of)))
	})

	placeOf := func(s row) int {
		return slices.IndexFunc(batches, func(b batchOf) bool { return b.version == s.Version && b.batch == s.Batch })
	}
	newest := map[string]map[string]row{} // by metric and case, then version
	versions, verdicts := map[string]map[string]bool{}, map[string]bool{}
	for _, s := range latest {
		key := s.Score.Metric + "|" + s.CaseID
		if newest[key] == nil {
			newest[key] = map[string]row{}
		}
		if old, is := newest[key][s.Version]; !is || placeOf(s) > placeOf(old) {
			newest[key][s.Version] = s
		}
		if valued(&s.Score) {
			if versions[s.Score.Metric] == nil {
				versions[s.Score.Metric] = map[string]bool{}
			}
			versions[s.Score.Metric][s.Version] = true
		}
	}
	means := map[string]map[string][]row{}
	for key, of := range newest {
		metric, _, _ := strings.Cut(key, "|")
		if means[metric] == nil {
			means[metric] = map[string][]row{}
		}
		maps.DeleteFunc(of, func(_ string, s row) bool { return !valued(&s.Score) })
		for v, s := range of {
			if len(of) == len(versions[metric]) {
				means[metric][v] = append(means[metric][v], s)
			}
			verdicts[metric] = verdicts[metric] || judged(&s.Score)
		}
	}
	lines = nil
	for metric, by := range means {
		sum := func(v string) (x float64) {
			for _, s := range by[v] {
				x += s.Score.Value
			}
			return x
		}
		for v, of := range by {
			place, rate := 1, ""
			for other := range by {
				if better := sum(other) - sum(v); better > 0 && !lower(metric) || better < 0 && lower(metric) {
					place++
				}
			}
			if verdicts[metric] {
				rate = share(float64(count(of, passed)), count(of, judged)+count(of, unanswered))
			}
			lines = append(lines, fmt.Sprintf("%s|%s|%d|%s|%s|%d", metric, v, len(of), share(sum(v), len(of)), rate, place))
		}
	}
	out["SELECT metric, agent_version, shared, mean_value, pass_rate, place FROM badger.system_ranks"] = lines
}

// The views rank the metrics of which less is better by that direction; those are known here.
func TestViewsKnowWhereLessIsBetter(t *testing.T) {
	ranks := store.Views[slices.IndexFunc(store.Views, func(v store.View) bool { return v.Name == "system_ranks" })]
	for _, m := range metric.All() {
		quoted := "'" + m.Name + "'"
		if is := strings.Contains(ranks.Query(store.Reader{}), quoted); is != m.LowerIsBetter {
			t.Errorf("the view names %s: %v, less is better: %v", m.Name, is, m.LowerIsBetter)
		}
		if m.LowerIsBetter && !strings.Contains(ranks.Doc, m.Name) {
			t.Errorf("the description does not name %s", m.Name)
		}
	}
}

// The view of the latest scores names the metrics that pass an answer without SQL; those are known here.
func TestViewsKnowWhichMetricsPassSilence(t *testing.T) {
	latest := store.Views[slices.IndexFunc(store.Views, func(v store.View) bool { return v.Name == "latest_scores" })]
	for _, m := range metric.All() {
		if is := strings.Contains(latest.Query(store.Reader{}), "'"+m.Name+"'"); is != m.SilencePasses {
			t.Errorf("the view names %s: %v, passes silence: %v", m.Name, is, m.SilencePasses)
		}
	}
}

// Versions with the same values have the same place: 16.8 of 19 in sums of different order are not the same double.
func TestSystemRanksOfEqualMeans(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		add := func(version string, values ...float64) {
			for i, x := range values {
				db.run(t, fmt.Sprintf("INSERT INTO badger.scores (eval_run_id, agent_name, agent_version, batch_id, case_id, metric, "+
					"metric_version, status, value) VALUES ('r', 'a', '%s', '%s', 'q%02d', 'row_f1', 2, 'ok', %v)", version, version, i, x))
			}
			db.run(t, fmt.Sprintf("INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status) "+
				"VALUES ('r', 'a', '%s', '%s', '2026-01-01 00:00:00', 'done')", version, version))
		}
		first := append(slices.Repeat([]float64{1}, 8), slices.Repeat([]float64{0.8}, 11)...)
		second := append(append(slices.Repeat([]float64{1}, 12), slices.Repeat([]float64{0.8}, 6)...), 0)
		near := slices.Clone(first) // by a ten-millionth
		near[0] = 1.0000019
		add("1.0", first...)
		add("1.1", second...)
		add("1.2", near...)
		got := strings.TrimSpace(db.ask(t, "SELECT agent_version, place FROM badger.system_ranks ORDER BY agent_version"))
		if want := "1.0|2\n1.1|2\n1.2|1"; got != want {
			t.Errorf("places\n%s\nwant\n%s", got, want)
		}
	})
}

// The labels that the view looks for are those that the metrics give.
func TestFailureLabelsAreThoseOfTheMetrics(t *testing.T) {
	for _, m := range metric.All() {
		if m.Name == "sql_judge_issues" {
			want := slices.DeleteFunc(slices.Clone(m.Labels), func(l string) bool { return l == "none" })
			got := store.FailureLabels(m.Name)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the view looks for the issues %v, the metric gives %v", got, want)
			}
		}
	}
	for i, p := range []*prompt.Prompt{prompt.FLEXErrors, prompt.FLEXDifferences} {
		schema := string(p.Request(prompt.Material{}).Schema)
		for k, label := range store.FailureLabels("flex") {
			if (k < 6) == (i == 0) && !strings.Contains(schema, `"`+label+`"`) {
				t.Errorf("FLEX is not asked for %s", label)
			}
		}
	}
}
