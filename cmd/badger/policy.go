package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
)

type policyCommand struct {
	Answer []string `placeholder:"FILE|URL" help:"Labelled cases (JSON Lines, or a warehouse with human_labels such as duckdb:FILE) whose labels say whether the answer serves the question."`
	Logic  []string `placeholder:"FILE|URL" help:"Labelled cases whose labels say whether the query would stay right when the data changes."`
	Out    string   `placeholder:"FILE" help:"Write the table here; it goes into a configuration as metrics.verdict_table."`

	Assessments string `placeholder:"FILE" help:"Recorded assessments, to try the table with a judge for what it leaves open."`
	Backend     string `placeholder:"NAME" help:"Whose assessments, such as o3."`
	Judge       string `default:"rose" enum:"rose,flex" help:"Which judge: rose or flex."`
	Config      string `placeholder:"FILE" help:"Configuration in YAML: under results.files the directories that file: references of a warehouse may lie in."`
	All         bool   `help:"Also the cases without both results."`
	JSON        bool   `help:"Print the table and its figures as one JSON document."`
}

// Run makes the table of policies from labelled cases and tries it on databases that were left out;
// without cases it prints the delivered table.
func (c *policyCommand) Run(ctx context.Context, p process) error {
	table := policy.Default()
	var tried []policyTrial
	if len(c.Answer)+len(c.Logic) > 0 {
		var parts [][]policy.Row
		for _, part := range []struct {
			policy policy.Policy
			files  []string
		}{{policy.Answer, c.Answer}, {policy.Logic, c.Logic}} {
			var cases []policy.Labelled
			for _, file := range part.files {
				labelled, err := c.labelled(ctx, p, part.policy, file)
				if err != nil {
					return err
				}
				cases = append(cases, labelled...)
			}
			if len(cases) == 0 { // what is not labelled anew stays
				parts = append(parts, slices.DeleteFunc(slices.Clone(table.Rows()), func(r policy.Row) bool { return r.Policy != part.policy }))
				continue
			}
			parts = append(parts, policy.Fit(part.policy, cases))
			tried = append(tried, tryPolicy(part.policy, cases, c.who()))
		}
		table = policy.Join(parts...)
	}
	if c.Out != "" {
		if err := os.WriteFile(c.Out, table.Format(), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--out: %w", err)
		}
	}
	if c.JSON {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"table": table.Rows(), "held_out": tried})
	}
	printPolicies(p.stdout, table)
	for _, t := range tried {
		t.print(p.stdout)
	}
	return nil
}

func (c *policyCommand) who() string {
	if c.Assessments == "" {
		return ""
	}
	return strings.TrimSuffix(c.Judge+"@"+c.Backend, "@")
}

// openCases opens a file of cases, or a warehouse that has some.
func openCases(ctx context.Context, p process, where string) (source batch.Source, results snapshots, closeAll func(), err error) {
	if isWarehouse(where) {
		w, source, err := caseWarehouse(ctx, p, where, connectors.Filter{})
		return source, snapshots{warehouse: w}, func() { _ = w.Close() }, err
	}
	source, results, err = caseFile("", where, answerFlags{})
	return source, results, func() {}, err
}

// labelled finds the relation that decides each labelled case of a file or warehouse, and what the
// judge says of it.
func (c *policyCommand) labelled(ctx context.Context, p process, which policy.Policy, where string) ([]policy.Labelled, error) {
	source, results, closeAll, err := openCases(ctx, p, where)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, err
	}
	results.allow(config)
	options, err := json.Marshal(map[string]any{"policy": which, "without_judge": "guess"})
	if err != nil {
		return nil, err
	}
	o := scoring.EngineOptions{
		Counterexamples: smallDatabases,
		Snapshots:       results,
		Config:          scoring.Config{Options: map[string]json.RawMessage{"verdict": options, "flex": json.RawMessage(`{"categories": false}`)}},
	}
	evidence, err := scoring.NewEngine(metric.All(), &o)
	if err != nil {
		return nil, err
	}
	recorded, err := openAssessments(ctx, c.Assessments, c.Backend)
	if err != nil {
		return nil, err
	}
	var judge *scoring.Engine
	if recorded != nil {
		o.Replies = recorded.Replies
		if judge, err = scoring.NewEngine(metric.All(), &o); err != nil {
			return nil, err
		}
	}
	var out []policy.Labelled
	for item, err := range source.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		cs, err := item.Load(ctx)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", item.Place, err)
		}
		if cs.Human == nil || !c.All && (len(cs.Golds) == 0 || cs.Golds[0].Result.Absent() || cs.Pred.Result.Absent()) {
			continue
		}
		l, ok, err := labelledCase(ctx, evidence, judge, c.Judge, cs)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", item.Place, err)
		}
		if ok {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, usage("%s holds no case with a label and two answers to compare", filepath.Base(where))
	}
	return out, nil
}

// labelledCase is one case; ok is false where no relation decides it, as where the agent's query
// failed.
func labelledCase(ctx context.Context, evidence, judge *scoring.Engine, name string, cs *scoring.Case) (l policy.Labelled, ok bool, err error) {
	scores, err := evidence.Score(ctx, cs, "verdict")
	if err != nil {
		return l, false, err
	}
	found, ok := metric.DecidingRelation(scores[0])
	if !ok {
		return l, false, nil
	}
	l = policy.Labelled{Relation: found.Name, Class: found.Class, Group: cs.Database, Accepted: *cs.Human}
	if l.Group == "" {
		l.Group = "case " + cs.ID // each by itself, where nothing says what belongs together
	}
	if judge == nil {
		return l, true, nil
	}
	if scores, err = judge.Score(ctx, cs, name); err != nil {
		return l, false, err
	}
	if s := scores[0]; s.Status == scoring.StatusOK {
		accepts := s.Value == 1
		l.Judge = &accepts
		if s.Usage != nil {
			l.Calls = s.Usage.Calls
		}
	}
	return l, true, nil
}

// policyTrial is how a table does on databases that it was not made from.
type policyTrial struct {
	Policy       policy.Policy `json:"policy"`
	Judge        string        `json:"judge,omitempty"`
	Cases        int           `json:"cases"`
	Groups       int           `json:"groups"`
	ByEvidence   int           `json:"by_evidence"`
	WronglySo    int           `json:"by_evidence_wrong"` // of them, those that people refused
	Guess        float64       `json:"kappa_guess"`       // where nobody is asked
	Verdict      *float64      `json:"kappa_verdict,omitempty"`
	Calls        float64       `json:"judge_calls_per_case"`
	JudgeAlone   *float64      `json:"kappa_judge_alone,omitempty"`
	CallsOfAlone float64       `json:"judge_alone_calls_per_case"`
	Answered     int           `json:"judge_answered"` // cases with a verdict of the judge
	Advice       string        `json:"advice,omitempty"`
}

func tryPolicy(which policy.Policy, cases []policy.Labelled, judge string) policyTrial {
	t := policyTrial{Policy: which, Judge: judge, Cases: len(cases)}
	groups := map[string]bool{}
	vote := func(b bool) agreement.Vote { return agreement.VoteOf(&b) }
	var labels, guesses, verdicts, alone []agreement.Vote
	for i, o := range policy.HeldOut(which, cases) {
		c := cases[i]
		groups[c.Group] = true
		labels, guesses, verdicts = append(labels, vote(c.Accepted)), append(guesses, vote(o.Guess)), append(verdicts, vote(o.Right))
		alone = append(alone, agreement.VoteOf(c.Judge))
		t.Calls += float64(o.Calls) / float64(len(cases))
		t.CallsOfAlone += float64(c.Calls) / float64(len(cases))
		if o.ByEvidence {
			t.ByEvidence++
			if !c.Accepted {
				t.WronglySo++
			}
		}
	}
	t.Groups = len(groups)
	t.Guess = agreement.Tally(labels, guesses).Kappa().Value
	if judge == "" {
		return t
	}
	v := agreement.Tally(labels, verdicts).Kappa().Value
	t.Verdict = &v
	onTheirs := agreement.Tally(labels, alone)
	t.Answered = onTheirs.N()
	if k := onTheirs.Kappa(); k.Defined {
		t.JudgeAlone = &k.Value
	}
	switch {
	case t.Answered == 0:
		t.Verdict, t.Advice = nil, "there is no reply of "+judge+" to any of these cases"
	case v < t.Guess:
		t.Advice = fmt.Sprintf("asking %s agrees less with people than guessing by the table does (%.3f, %.3f): do not ask it; verdict has the option without_judge: guess", judge, v, t.Guess)
	}
	return t
}

func (t *policyTrial) print(w io.Writer) {
	fmt.Fprintf(w, "\nPolicy %s on %d labelled cases, each by a table made from the others\n(%d groups)\n", t.Policy, t.Cases, t.Groups)
	width := max(len("accepted by evidence"), len("kappa,  alone")+len(t.Judge))
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %-*s  %s\n", width, what, fmt.Sprintf(format, args...))
	}
	line("accepted by evidence", "%d, of which people refused %d", t.ByEvidence, t.WronglySo)
	line("kappa, nobody asked", "%.3f", t.Guess)
	if t.Verdict != nil {
		line("kappa, then "+t.Judge, "%.3f at %.2f calls a case", *t.Verdict, t.Calls)
	}
	if t.JudgeAlone != nil {
		line("kappa, "+t.Judge+" alone", "%.3f at %.2f calls a case", *t.JudgeAlone, t.CallsOfAlone)
	}
	if t.Judge != "" && t.Answered > 0 && t.Answered < t.Cases {
		wrapped(w, fmt.Sprintf("%s has a verdict on %d of the cases; where it has none, the table guesses", t.Judge, t.Answered))
	}
	if t.Advice != "" {
		wrapped(w, "!! "+t.Advice)
	}
}

// wrapped writes a sentence in lines that fit the table's width.
func wrapped(w io.Writer, text string) {
	for _, l := range report.Wrap(text, policyWidth-2) {
		fmt.Fprintln(w, "  "+l)
	}
}

// policyWidth is how many columns the table of policies has at most.
const policyWidth = 80

// printPolicies prints what was seen, and what passes though it was not.
func printPolicies(w io.Writer, t *policy.Table) {
	const most = policyWidth - len("    presentational    9 of   9  999  0.999  yes")
	var b bytes.Buffer
	name := len("relation")
	for _, r := range t.Rows() {
		if r.Cases > 0 && len(r.Relation) <= most {
			name = max(name, len(r.Relation))
		}
	}
	for _, which := range policy.Policies() {
		fmt.Fprintf(&b, "%s  (dbs: databases whose labels say so)\n  %-*s  %-14s  %10s  %3s  %5s  pass\n", strings.ToUpper(string(which)), name, "relation", "class", "accepted", "dbs", "chance")
		unseen := 0
		for _, r := range t.Rows() {
			if r.Policy != which {
				continue
			}
			if r.Cases == 0 {
				unseen++
				continue
			}
			passes := ""
			if r.Passes {
				passes = "  yes"
			}
			relation := r.Relation
			if len(relation) > name { // on a line of its own
				fmt.Fprintf(&b, "  %s\n", relation)
				relation = ""
			}
			fmt.Fprintf(&b, "  %-*s  %-14s  %3d of %3d  %3d  %5.3f%s\n", name, relation, r.Class, r.Accepted, r.Cases, r.Groups, r.Chance, passes)
		}
		if unseen > 0 {
			fmt.Fprintf(&b, "  and %d relations that no labelled case shows\n", unseen)
		}
	}
	_, _ = w.Write(b.Bytes())
}
