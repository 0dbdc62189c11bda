//go:build !no_duckdb && !no_postgres

package sql_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// world is rows of badger's tables, as Go values to compute from.
type world struct {
	runs   []connectors.Run
	scores map[string][]connectors.ScoreRow // by run
	golds  map[string]bool                  // questions whose accepted query failed
	labels []connectors.Label               // one for each answer, so that it is the consensus
}

var dates = []time.Time{
	time.Date(2025, 1, 1, 23, 30, 0, 0, time.UTC), time.Date(2025, 1, 2, 0, 30, 0, 0, time.UTC), time.Date(2025, 1, 2, 22, 0, 0, 0, time.UTC),
}

func newWorld(r *rand.Rand) *world {
	w := &world{scores: map[string][]connectors.ScoreRow{}, golds: map[string]bool{"c3": true}}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for i, at := range dates {
		id := fmt.Sprint("r", i)
		for _, version := range []string{"1", "2"} {
			for _, batch := range []string{"mon", "tue"} {
				if r.IntN(4) == 0 {
					continue
				}
				w.runs = append(w.runs, connectors.Run{ID: id, Agent: "a", AgentVersion: version, BatchID: batch, Started: at, Status: pick("done", "done", "stopped"), Judge: "none"})
				for c := range 9 {
					for _, metric := range []string{"ex_multiset", "verdict", "relation", "rose", "sql_complexity", "plain"} {
						if r.IntN(5) > 0 {
							w.scores[id] = append(w.scores[id], newScore(r, pick, connectors.ScoreRow{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", c), Agent: "a", Version: version, Batch: batch}}, metric))
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
					w.labels = append(w.labels, connectors.Label{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint("c", c), Agent: "a", Version: version, Batch: batch}, Annotator: "kim", Verdict: v, At: dates[0]})
				}
			}
		}
	}
	return w
}

func newScore(r *rand.Rand, pick func(...string) string, row connectors.ScoreRow, metric string) connectors.ScoreRow {
	s := scoring.Score{CaseID: row.CaseID, Metric: metric, Version: 1, Status: scoring.StatusOK, Reason: pick("x", "y", "z")}
	switch k := r.IntN(12); {
	case k == 0:
		s.Status = scoring.StatusFailed
	case k == 1:
		s.Status, s.Reason = scoring.StatusNotApplicable, "the gold query failed when it ran"
	case k == 2:
		s.Status = scoring.StatusAbstained
	}
	if s.Status == scoring.StatusOK {
		s.Value = float64(r.IntN(5)) / 4
		switch metric {
		case "ex_multiset", "verdict":
			passed := s.Value > 0.5 && row.CaseID != "c1" // nobody answers c1 right
			s.Passed = &passed
		case "relation":
			s.Label = pick("gold_empty", "superset", "same")
		case "sql_complexity":
			s.Label = "tier " + row.CaseID[1:]
		case "rose":
			s.Detail = map[string]any{"gold_x": r.IntN(2) == 0, "results": "differ"}
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
func (w *world) latest() map[string]connectors.ScoreRow {
	out := map[string]connectors.ScoreRow{}
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

type row = connectors.ScoreRow

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
	return share(sum, n)
}

// The views show what the rows are, computed here another way.
func TestViews(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		for seed := range uint64(3) {
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

	newest := map[string]connectors.Run{}
	for _, r := range w.runs {
		newest[r.AgentVersion+r.BatchID] = r // in the order of dates
	}
	var lines []string
	for _, r := range newest {
		var of []row
		cases := map[string]bool{}
		for _, s := range w.scores[r.ID] {
			if s.Version == r.AgentVersion && s.Batch == r.BatchID {
				of = append(of, s)
				cases[s.CaseID] = true
			}
		}
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s|%d|%d|%d|%d|%d|%d|%s", r.AgentVersion, r.BatchID, r.ID, r.Status, len(cases), count(of, status(scoring.StatusOK)), count(of, status(scoring.StatusAbstained)),
			count(of, status(scoring.StatusNotApplicable)), count(of, status(scoring.StatusFailed)), count(of, passed), share(float64(count(of, passed)), count(of, judged))))
	}
	out["SELECT agent_version, batch_id, eval_run_id, run_status, cases, scored, abstained, not_applicable, failed, passed, pass_rate FROM badger.latest_run"] = lines

	out["SELECT agent_version, metric, tier, batch_id, CAST(run_day AS VARCHAR), answered, scored, mean_value, passed, judged, pass_rate FROM badger.versions_by_batch"] = group(latest, func(s row) string {
		run, _ := strconv.Atoi(s.Score.Warnings[0][1:])
		return strings.Join([]string{s.Version, s.Score.Metric, tier(s.CaseID), s.Batch, dates[run].Format("2006-01-02")}, "|")
	}, func(of []row) string {
		return fmt.Sprintf("%d|%d|%s|%d|%d|%s", len(of), count(of, status(scoring.StatusOK)), mean(of), count(of, passed), count(of, judged), share(float64(count(of, passed)), count(of, judged)))
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
			add(s, "gold_error")
		case s.Score.Metric == "relation" && s.Score.Status == scoring.StatusOK && s.Score.Label == "gold_empty":
			add(s, "gold_empty")
		case s.Score.Metric == "rose" && detail["gold_x"] == true:
			add(s, "gold_x")
		case judged(&s.Score) && !passed(&s.Score) && says[s.AnswerID] == "pass":
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
		for _, v := range badgersql.Views {
			got, err := db.Query(t.Context(), "SELECT * FROM badger."+v.Name)
			if err != nil {
				t.Fatal(err)
			}
			var names, scores []string
			for _, c := range got.Columns {
				names = append(names, c.Name)
			}
			for _, c := range badgersql.TableNamed("scores").Columns {
				scores = append(scores, c.Name)
			}
			if want := strings.ReplaceAll(v.Columns, "the columns of scores", strings.Join(scores, ", ")); strings.Join(names, ", ") != want || v.Doc == "" {
				t.Errorf("%s has the columns %s, described are %s", v.Name, strings.Join(names, ", "), want)
			}
		}
	})
}
