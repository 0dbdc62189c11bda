//go:build !no_duckdb && !no_postgres

package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// model is a run as the pages' queries should see it, kept in plain Go.
type model struct {
	run   scoring.RunID
	cases map[string]*modelCase
}

type modelCase struct {
	id, question, gold, dialect, database, sql string
	tags                                       []string
	latency                                    float64 // negative: none
	scores                                     map[string]scoring.Score
	base                                       *scoring.Score // of the primary metric in the baseline
	goldHash, baseGold                         string
	asked, baseAsked                           bool // whether the primary metric's score asked a judge
	labelled                                   bool
	unlike                                     store.Unlike
	votes                                      int // passes less fails
}

const primaryMetric = "hybrid_ex"

func (c *modelCase) in(m store.Mode, compared bool) bool {
	p := c.scores[primaryMetric]
	verdict := func(s scoring.Score, want bool) bool { return s.Passed != nil && *s.Passed == want }
	wrong := func(s scoring.Score) bool { return verdict(s, false) || s.Unanswered() }
	rated := func(s scoring.Score) bool { return verdict(s, true) || wrong(s) }
	switch m {
	case store.Failed:
		return wrong(p)
	case store.Passed:
		return verdict(p, true)
	case store.Errors:
		for _, s := range c.scores {
			if s.Status == scoring.StatusFailed {
				return true
			}
		}
		return false
	case store.Abstained:
		return p.Status == scoring.StatusAbstained
	case store.Changed:
		if !compared || c.base == nil || p.Status == "" {
			return false
		}
		b := *c.base
		if p.Status != b.Status || (p.Passed == nil) != (b.Passed == nil) || p.Passed != nil && *p.Passed != *b.Passed {
			return true
		}
		return p.Passed == nil && p.Status == scoring.StatusOK && p.Value != b.Value
	case store.Disagrees:
		return c.votes > 0 && verdict(p, false) || c.votes < 0 && verdict(p, true)
	case store.Unlabelled:
		return !c.labelled
	case store.Unasked:
		return p.Status == scoring.StatusNotApplicable && !p.Unanswered()
	case store.Broke, store.Fixed, store.StillWrong, store.StillRight:
		if !compared || c.base == nil || !c.comparable() {
			return false
		}
		was, is := verdict(*c.base, true), verdict(p, true)
		if !was && !wrong(*c.base) || !is && !wrong(p) {
			return false
		}
		return m == map[[2]bool]store.Mode{{true, false}: store.Broke, {false, true}: store.Fixed, {false, false}: store.StillWrong, {true, true}: store.StillRight}[[2]bool{was, is}]
	case store.NotCompared:
		return compared && c.base != nil && rated(*c.base) && rated(p) && !c.comparable()
	case store.Added:
		return compared && c.base == nil && rated(p)
	}
	return true
}

// comparable reports whether the primary metric's scores in the run and the baseline are comparable. A test sets what
// changed between the runs.
func (c *modelCase) comparable() bool {
	p := c.scores[primaryMetric]
	switch {
	case c.goldHash != "" && c.baseGold != "" && c.goldHash != c.baseGold, p.Version != c.base.Version, c.unlike.Config:
		return false
	}
	return !c.unlike.Judge || !c.unlike.Judged && !(c.asked && c.baseAsked)
}

func (c *modelCase) people() string {
	switch {
	case !c.labelled:
		return ""
	case c.votes > 0:
		return "pass"
	case c.votes < 0:
		return "fail"
	}
	return "divided"
}

func (c *modelCase) text(column string) (string, bool) {
	switch column {
	case "case":
		return c.id, true
	case "question":
		return c.question, true
	case "sql":
		return c.sql, true
	case "gold":
		return c.gold, true
	case "dialect":
		return c.dialect, true
	case "database":
		return c.database, true
	case "people":
		return c.people(), true
	case "status":
		s := c.scores[primaryMetric]
		if s.Unanswered() {
			return "unanswered", true
		}
		return string(s.Status), true
	case "reason":
		return c.scores[primaryMetric].Reason, true
	case "relation":
		return c.scores["relation"].Label, true
	}
	return "", false
}

func (c *modelCase) passes(f store.ListFilter) bool {
	if text, is := c.text(f.Column); is {
		switch f.Op {
		case store.Equal:
			return text == f.Value
		case store.NotEqual:
			return text != f.Value
		case store.Contains:
			return strings.Contains(strings.ToLower(text), strings.ToLower(f.Value))
		case store.Greater:
			return text > f.Value
		}
		return text < f.Value
	}
	if f.Column == "tag" {
		has := slices.Contains(c.tags, f.Value) || f.Value == "" && len(c.tags) == 0
		return has == (f.Op == store.Equal)
	}
	value, there := c.latency, c.latency >= 0
	if f.Column != "latency" {
		s := c.scores[f.Column]
		value, there = s.Value, s.Status == scoring.StatusOK
	}
	var want float64
	if f.Value == "" {
		return there == (f.Op == store.NotEqual)
	}
	if _, err := fmt.Sscan(f.Value, &want); err != nil {
		panic(err)
	}
	switch f.Op {
	case store.Equal:
		return there && value == want
	case store.NotEqual:
		return !there || value != want
	case store.Greater:
		return there && value > want
	}
	return there && value < want
}

func (c *modelCase) searched(s *store.State) bool {
	if s.Search == "" {
		return true
	}
	for _, column := range []string{"case", "question", "sql", "gold"} {
		text, _ := c.text(column)
		if s.Regexp && regexp.MustCompile(s.Search).MatchString(text) || !s.Regexp && strings.Contains(strings.ToLower(text), strings.ToLower(s.Search)) {
			return true
		}
	}
	return false
}

// list is the ids that a state chooses, in its order.
func (m *model) list(s *store.State, mode store.Mode) []string {
	var out []*modelCase
	for _, c := range m.cases {
		if c.in(mode, s.Baseline.ID != "") && c.searched(s) && !slices.ContainsFunc(s.Filters, func(f store.ListFilter) bool { return !c.passes(f) }) {
			out = append(out, c)
		}
	}
	down := func(n int) int {
		if s.Sort.Descending {
			return -n
		}
		return n
	}
	slices.SortFunc(out, func(a, b *modelCase) int {
		byCase := cmp.Compare(a.id, b.id)
		if s.Sort.Column == "" || s.Sort.Column == "case" {
			return down(byCase)
		}
		if x, is := a.text(s.Sort.Column); is {
			y, _ := b.text(s.Sort.Column)
			if (x == "") != (y == "") { // missing ones come last, in both directions
				return cmp.Compare(len(y), len(x))
			}
			return cmp.Or(down(cmp.Compare(x, y)), byCase)
		}
		x, y := a.scores[s.Sort.Column], b.scores[s.Sort.Column]
		if okX, okY := x.Status == scoring.StatusOK, y.Status == scoring.StatusOK; okX != okY {
			if okX {
				return -1
			}
			return 1
		}
		return cmp.Or(down(cmp.Compare(x.Value, y.Value)), byCase)
	})
	ids := make([]string, len(out))
	for i, c := range out {
		ids[i] = c.id
	}
	return ids
}

var modelRuns = []scoring.RunID{{ID: "r1", By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}}, {ID: "r0", By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}}}

// fill writes random runs into a warehouse and returns the model of the first. covered: every case
// has all metrics.
func fill(t *testing.T, w *store.Store, r *rand.Rand, covered bool) *model {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	m := &model{run: modelRuns[0], cases: map[string]*modelCase{}}
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	words := []string{"Orders", "orders' \"x\"", "100%_a", "Größe", "zwölf", "\\d+", "a*b", "NULL", "région"}
	word := func() string { return words[r.IntN(len(words))] }
	pass := func(p float64) *bool { b := r.Float64() < p; return &b }
	score := func(id, metric string) scoring.Score {
		s := scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Value: float64(r.IntN(5)) / 4, Reason: "because " + word()}
		switch r.IntN(8) {
		case 0:
			s = scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusAbstained, Reason: "unsure"}
		case 1:
			s = scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusNotApplicable, Reason: []string{scoring.NoPredSQL, "no tools"}[r.IntN(2)]}
		case 2:
			if metric == "flex" || r.IntN(3) == 0 {
				s = scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusFailed, Reason: "broke", Code: errcode.Unavailable}
			}
		default:
			switch metric {
			case primaryMetric:
				if r.IntN(5) > 0 {
					s.Passed = pass(0.6)
				}
			case "relation":
				s.Label = []string{"same", "other_rows", "a=b"}[r.IntN(3)]
			}
		}
		return s
	}
	var rows, baseRows []scoring.Row
	var labels []store.Label
	for i := range 30 + r.IntN(60) {
		c := &modelCase{id: fmt.Sprintf("%s-%d", []string{"Case", "case", "é", "a/../b?c=d&e"}[r.IntN(4)], i), scores: map[string]scoring.Score{}, latency: -1}
		m.cases[c.id] = c
		if r.IntN(10) > 0 { // else the golden set does not have the question
			c.question, c.gold, c.dialect, c.database = "How many "+word()+"?", "SELECT "+word(), []string{"duckdb", "postgres"}[r.IntN(2)], []string{"shop", "bank", ""}[r.IntN(3)]
			for _, tag := range []string{"sales", "sale", "t\"x", "é"} {
				if r.IntN(3) == 0 {
					c.tags = append(c.tags, tag)
				}
			}
			q := &scoring.Case{ID: c.id, Question: c.question, Dialect: c.dialect, Database: c.database, Tags: c.tags, Golds: []scoring.Query{{SQL: c.gold}}}
			for _, set := range []string{"v9", "v10"} {
				if set == "v9" {
					q := *q
					q.Question, q.Tags = "an older text", []string{"older"}
					must(w.WriteCases(ctx, set, []*scoring.Case{&q}))
					if r.IntN(4) == 0 { // the highest version that has it counts
						c.question, c.tags = q.Question, q.Tags
						break
					}
					continue
				}
				must(w.WriteCases(ctx, set, []*scoring.Case{q}))
			}
		}
		if r.IntN(10) > 0 { // else the answer was scored from a file
			c.sql = "select " + word()
			a := &scoring.Case{ID: c.id, Agent: scoring.Agent{Name: "atlas", Version: "2", BatchID: "mon"}, Pred: scoring.Query{SQL: c.sql}}
			if r.IntN(2) == 0 {
				c.latency = float64(r.IntN(100))
				d := time.Duration(c.latency) * time.Millisecond
				a.Pred.Latency = &d
			}
			answer := *a
			must(w.Exec(ctx, fmt.Sprintf("INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, latency_ms, ran_at) VALUES ('atlas', '2', 'mon', '%s', '%s', %s, '2025-01-01T00:00:00Z')",
				strings.ReplaceAll(c.id, "'", "''"), strings.ReplaceAll(answer.Pred.SQL, "'", "''"), map[bool]string{true: "NULL", false: fmt.Sprint(c.latency)}[c.latency < 0])))
			if r.IntN(5) == 0 { // a second row of the same key: the first counts
				must(w.Exec(ctx, fmt.Sprintf("INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, ran_at) VALUES ('atlas', '2', 'mon', '%s', 'a later row', '2025-01-02T00:00:00Z')", strings.ReplaceAll(c.id, "'", "''"))))
			}
		}
		for _, metric := range []string{primaryMetric, "relation", "flex"} {
			if metric != primaryMetric && !covered && r.IntN(3) == 0 || metric == primaryMetric && !covered && r.IntN(6) == 0 {
				continue
			}
			c.scores[metric] = score(c.id, metric)
		}
		if len(c.scores) == 0 {
			c.scores["flex"] = score(c.id, "flex")
		}
		c.goldHash, c.baseGold = []string{"", "g", "g", "g"}[r.IntN(4)], []string{"", "g", "g", "h"}[r.IntN(4)]
		c.asked, c.baseAsked = r.IntN(2) == 0, r.IntN(2) == 0
		for _, s := range c.scores {
			if c.asked {
				s.AssessmentIDs = []string{"a1"}
			}
			rows = append(rows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: c.id, By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}}, Score: s, GoldHash: c.goldHash})
		}
		if r.IntN(4) > 0 {
			s := score(c.id, primaryMetric)
			if p, there := c.scores[primaryMetric]; there && r.IntN(2) == 0 {
				s = p
			}
			if r.IntN(6) == 0 {
				s.Version = 2
			}
			base := s
			c.base = &base
			if c.baseAsked {
				s.Usage = &scoring.Usage{Calls: 1}
			}
			baseRows = append(baseRows, scoring.Row{AnswerID: scoring.AnswerID{CaseID: c.id, By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}}, Score: s, GoldHash: c.baseGold})
		}
		for _, who := range []string{"kim", "lee"} {
			if r.IntN(3) > 0 {
				continue
			}
			verdict := []string{"pass", "fail", "unsure"}[r.IntN(3)]
			l := store.Label{AnswerID: scoring.AnswerID{CaseID: c.id, By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}}, Annotator: who, Verdict: verdict, At: at}
			if c.sql != "" && r.IntN(3) == 0 {
				l.Version = "" // of the only version that answered
			}
			labels = append(labels, l)
			c.labelled = true
			c.votes += map[string]int{"pass": 1, "fail": -1}[verdict]
		}
		labels = append(labels, store.Label{AnswerID: scoring.AnswerID{CaseID: c.id, By: scoring.By{Agent: "atlas", Version: "1", Batch: "mon"}}, Annotator: "kim", Verdict: "pass", At: at}) // of another version
	}
	for _, run := range modelRuns {
		must(w.WriteRuns(ctx, store.Run{RunID: run, Started: at, Counts: fmt.Sprintf(`{"ok": %d}`, r.IntN(1e6)), Status: "done"}))
	}
	must(w.WriteScores(ctx, "r1", "h", at, rows))
	must(w.WriteScores(ctx, "r0", "h", at, baseRows))
	must(w.WriteLabels(ctx, labels...))
	return m
}

// someState is a random state of the list.
func someState(r *rand.Rand) store.State {
	s := store.State{RunID: modelRuns[0], Mode: store.All, Page: 1, Size: store.MinSize}
	if r.IntN(3) > 0 {
		s.Baseline = modelRuns[1]
	}
	ops := []store.Op{store.Equal, store.NotEqual, store.Contains, store.Greater, store.Less}
	for range r.IntN(3) {
		f := []store.ListFilter{
			{Column: "question", Op: ops[r.IntN(5)], Value: []string{"how", "How many Orders?", "%_A", ""}[r.IntN(4)]},
			{Column: "sql", Op: ops[r.IntN(3)], Value: []string{"SELECT", "select NULL", "", "'"}[r.IntN(4)]},
			{Column: "status", Op: ops[r.IntN(2)], Value: []string{"ok", "failed", "abstained", "not_applicable", "unanswered", ""}[r.IntN(6)]},
			{Column: "relation", Op: ops[r.IntN(3)], Value: []string{"same", "a=b", ""}[r.IntN(3)]},
			{Column: "tag", Op: ops[r.IntN(2)], Value: []string{"sales", "sale", "t\"x", "é", "older", ""}[r.IntN(6)]},
			{Column: "database", Op: ops[r.IntN(5)], Value: []string{"shop", "bank", ""}[r.IntN(3)]},
			{Column: "people", Op: ops[r.IntN(2)], Value: []string{"pass", "fail", "divided", ""}[r.IntN(4)]},
			{Column: "case", Op: ops[r.IntN(5)], Value: []string{"Case-3", "case", "a/../b?c=d&e-1", "É"}[r.IntN(4)]},
			{Column: primaryMetric, Op: []store.Op{store.Equal, store.NotEqual, store.Greater, store.Less}[r.IntN(4)], Value: []string{"0.5", "0.25", "1"}[r.IntN(3)]},
			{Column: "flex", Op: ops[r.IntN(2)], Value: []string{"0.5", "", "0"}[r.IntN(3)]},
			{Column: "latency", Op: []store.Op{store.Equal, store.NotEqual, store.Greater, store.Less}[r.IntN(4)], Value: "50"},
		}
		s.Filters = append(s.Filters, f[r.IntN(len(f))])
	}
	switch r.IntN(4) {
	case 0:
		s.Search = []string{"ORDERS", "%", "\\d", "'", "größe", "nothing like it"}[r.IntN(6)]
	case 1:
		s.Search, s.Regexp = []string{`^(?i)case-\d$`, `\d+%`, `Orders|zw.lf`, `^$`}[r.IntN(4)], true
	}
	s.Sort = store.Sort{Column: []string{"", "case", "question", "status", primaryMetric, "flex", "database", "people", "relation"}[r.IntN(9)], Descending: r.IntN(2) == 0}
	if s.Sort.Column == "" {
		s.Sort.Descending = false
	}
	return s
}

// TestCaseLists holds the lists of cases against a model: of random runs and random states, every
// mode's count is the length of its list, the list is in order, pages visit each of its cases once,
// and neighbours are those next to a case.
func TestCaseLists(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, 7))
			w := empty(t).Store
			if err := w.Install(t.Context()); err != nil {
				t.Fatal(err)
			}
			m := fill(t, w, r, seed%2 == 0)
			p, err := w.Pages(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for range sample.Count(40, 4) {
				unlike := store.Unlike{Config: r.IntN(4) == 0, Judge: r.IntN(2) == 0, Judged: r.IntN(3) == 0}
				for _, c := range m.cases {
					c.unlike = unlike
				}
				comparing := p.Comparing(func(metric string, from, to *store.Run) store.Unlike {
					if metric != primaryMetric || from.RunID != modelRuns[1] || to.RunID != modelRuns[0] {
						t.Errorf("compared %s of %v with %v", metric, from.RunID, to.RunID)
					}
					return unlike
				})
				checkList(t, comparing, m, someState(r), r)
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	})
}

func checkList(t *testing.T, p *store.Pages, m *model, s store.State, r *rand.Rand) {
	t.Helper()
	list, err := p.List(t.Context(), s)
	if err != nil {
		t.Fatalf("%s: %v", s.Values().Encode(), err)
	}
	counts, err := list.Counts(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", s.Values().Encode(), err)
	}
	for _, mode := range store.Modes {
		if want := len(m.list(&s, mode)); counts[mode] != int64(want) {
			t.Errorf("%s: %d cases are %s, want %d", s.Values().Encode(), counts[mode], mode, want)
		}
	}
	s.Mode = store.Modes[r.IntN(len(store.Modes))]
	want := m.list(&s, s.Mode)
	where := s.Values().Encode()
	if list, err = p.List(t.Context(), s); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	got := []string{}
	for id, err := range list.IDs(t.Context()) {
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		got = append(got, id)
	}
	if d := gocmp.Diff(append([]string{}, want...), got); d != "" {
		t.Errorf("%s: %s", where, d)
		return
	}
	checkFirst(t, list, m, want)
	var paged []string
	for {
		rows, err := list.Page(t.Context(), []string{primaryMetric, "relation"})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if len(rows) == 0 {
			break
		}
		for i := range rows {
			paged = append(paged, rows[i].ID)
			checkRow(t, &rows[i], m.cases[rows[i].ID])
		}
		list.State.Page++
	}
	if !slices.Equal(paged, want) {
		t.Errorf("%s: the pages hold %q, want %q", where, paged, want)
	}
	if len(want) == 0 {
		return
	}
	at := r.IntN(len(want))
	n, err := list.Neighbours(t.Context(), want[at])
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	beside := store.Neighbours{Place: int64(at) + 1, Of: int64(len(want))}
	if at > 0 {
		beside.Before = want[at-1]
	}
	if at+1 < len(want) {
		beside.After = want[at+1]
	}
	if n != beside {
		t.Errorf("%s: beside %q are %+v, want %+v", where, want[at], n, beside)
	}
}

// checkFirst holds the first cases of a list, of all and of each relation, against those that the list must have.
func checkFirst(t *testing.T, list *store.List, m *model, want []string) {
	t.Helper()
	where := list.State.Values().Encode()
	ids, of, err := list.First(t.Context(), 3)
	if err != nil || of != int64(len(want)) && len(want) > 0 || !slices.Equal(ids, want[:min(3, len(want))]) {
		t.Errorf("%s: the first are %q of %d, want those of %q: %v", where, ids, of, want, err)
	}
	if list.State.Regexp && list.State.Search != "" {
		if _, err := list.Count(t.Context()); errcode.Of(err) != errcode.Unimplemented {
			t.Errorf("%s: %v", where, err)
		}
		return
	}
	if n, err := list.Count(t.Context()); err != nil || n != int64(len(want)) {
		t.Errorf("%s: %d cases, want %d: %v", where, n, len(want), err)
	}
	parts := map[string][]string{}
	for _, id := range want {
		label := ""
		if s, there := m.cases[id].scores["relation"]; there && s.Status == scoring.StatusOK {
			label = s.Label
		}
		parts[label] = append(parts[label], id)
	}
	got, err := list.FirstOfEach(t.Context(), "relation", 2)
	if err != nil || len(got) != len(parts) {
		t.Errorf("%s: %d relations, want %d: %v", where, len(got), len(parts), err)
	}
	for _, part := range got {
		ids := parts[part.Part]
		if part.Of != int64(len(ids)) || !slices.Equal(part.IDs, ids[:min(2, len(ids))]) {
			t.Errorf("%s: relation %q: %q of %d, want those of %q", where, part.Part, part.IDs, part.Of, ids)
		}
	}
}

func checkRow(t *testing.T, got *store.CaseRow, c *modelCase) {
	t.Helper()
	want := store.CaseRow{ID: c.id, Question: c.question, Gold: c.gold, Dialect: c.dialect, Database: c.database, SQL: c.sql, People: c.people(), Scores: map[string]scoring.Score{}, Latency: got.Latency, Tags: got.Tags}
	for _, metric := range []string{primaryMetric, "relation"} {
		if s, there := c.scores[metric]; there {
			want.Scores[metric] = s
		}
	}
	if d := gocmp.Diff(want, *got); d != "" {
		t.Errorf("case %q: %s", c.id, d)
	}
	if strings.Join(got.Tags, "|") != strings.Join(c.tags, "|") || (got.Latency == "") != (c.latency < 0) {
		t.Errorf("case %q: tags %q, latency %q; want %q, %v", c.id, got.Tags, got.Latency, c.tags, c.latency)
	}
}
