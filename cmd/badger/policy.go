package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/equality"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

type policyCommand struct {
	Answer []string `placeholder:"FILE|URL" help:"Labelled cases (JSON Lines, or a warehouse with human_labels such as duckdb:FILE) whose labels say whether the answer serves the question."`
	Logic  []string `placeholder:"FILE|URL" help:"Labelled cases whose labels say whether the query would stay right when the data changes."`
	Chosen []string `placeholder:"FILE" help:"More cases as under --answer that were built, or chosen by their label, such as wrong answers only. They show and refute relations, and say nothing of how often people accept one. The word laws stands for the pairs of docs/equality.md."`
	Page   string   `placeholder:"FILE" help:"Write a page in Markdown here: what the labels say of each relation, and how the table does on databases left out."`
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
	var counted []labelCounts
	if len(c.Answer)+len(c.Logic)+len(c.Chosen) > 0 {
		var parts [][]policy.Row
		var sources []string
		for _, part := range []struct {
			policy policy.Policy
			from   []labelSource
		}{{policy.Answer, append(labelSources("--answer", c.Answer), labelSources("--chosen", c.Chosen)...)}, {policy.Logic, labelSources("--logic", c.Logic)}} {
			var cases []policy.Labelled
			var of []string // where each is from
			for _, from := range part.from {
				labelled, err := c.labelled(ctx, p, part.policy, from)
				if err != nil {
					return err
				}
				for i := range labelled {
					labelled[i].Chosen = from.option == "--chosen"
					of = append(of, from.where)
				}
				line, err := from.line(len(labelled))
				if err != nil {
					return err
				}
				cases, sources = append(cases, labelled...), append(sources, line)
			}
			if len(cases) == 0 { // what is not labelled anew stays
				parts = append(parts, slices.DeleteFunc(slices.Clone(table.Rows()), func(r policy.Row) bool { return r.Policy != part.policy }))
				sources = append(sources, fmt.Sprintf("%s: as before", part.policy))
				continue
			}
			parts = append(parts, policy.Fit(part.policy, cases))
			outcomes := policy.HeldOut(part.policy, cases)
			counted = append(counted, countLabels(part.policy, part.from, cases, of))
			for _, from := range part.from {
				tried = append(tried, tryPolicy(part.policy, from, cases, outcomes, of, c.who()))
			}
		}
		table = policy.Join(parts...)
		table.Sources = append([]string{"Made by badger policy from labelled cases, the hash of each file behind its name"}, sources...)
	}
	if c.Out != "" {
		if err := os.WriteFile(c.Out, table.Format(), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--out: %w", err)
		}
	}
	if c.Page != "" {
		if err := os.WriteFile(c.Page, labelPage(table, counted, tried), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--page: %w", err)
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

// labelSource is a file or warehouse of labelled cases, and the option that names it.
type labelSource struct{ option, where string }

func labelSources(option string, where []string) []labelSource {
	var out []labelSource
	for _, w := range where {
		out = append(out, labelSource{option, w})
	}
	return out
}

// line says in the table where labels are from: the folder, name and hash of a file; of a warehouse
// only that it is one, because its URL may hold a password.
func (l labelSource) line(cases int) (string, error) {
	if isWarehouse(l.where) || l.where == lawsOfEquality {
		return fmt.Sprintf("%s %s, %s", l.option, l.name(), amount.Of(cases, "case")), nil
	}
	f, err := os.Open(l.where)
	if err != nil {
		return "", errcode.New(errcode.NotFound, "%s: %w", l.option, err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", errcode.New(errcode.InvalidArgument, "%s: %w", l.option, err)
	}
	return fmt.Sprintf("%s %s (%.12x), %s", l.option, l.name(), hash.Sum(nil), amount.Of(cases, "case")), nil
}

// name is the folder and name of a file.
func (l labelSource) name() string {
	switch {
	case isWarehouse(l.where):
		return "a warehouse"
	case l.where == lawsOfEquality:
		return "the laws of equality"
	}
	name := filepath.Base(l.where)
	if folder := filepath.Base(filepath.Dir(l.where)); folder != "." && folder != string(filepath.Separator) {
		name = folder + "/" + name
	}
	return name
}

func (c *policyCommand) who() string {
	if c.Assessments == "" {
		return ""
	}
	return strings.TrimSuffix(c.Judge+"@"+c.Backend, "@")
}

// labelled finds the relation that decides each labelled case of a file or warehouse, and what the
// judge says of it.
func (c *policyCommand) labelled(ctx context.Context, p process, which policy.Policy, from labelSource) ([]policy.Labelled, error) {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, err
	}
	var cases iter.Seq2[placedCase, error]
	var results snapshots
	if from.where == lawsOfEquality {
		cases = pairsOfLaws
	} else {
		file, url := from.where, ""
		if isWarehouse(from.where) {
			file, url = "", from.where
		}
		in, err := openCases(ctx, p, from.option, file, url, answerFlags{})
		if err != nil {
			return nil, err
		}
		defer in.Close()
		in.Snapshots.Allow(config.Results.Files)
		cases, results = casesOf(ctx, in.Source), in.Snapshots
	}
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
	recorded, err := evaluation.OpenRecorded(ctx, c.Assessments, c.Backend)
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
	for cs, err := range cases {
		if err != nil {
			return nil, err
		}
		if cs.Human == nil || !c.All && (len(cs.Golds) == 0 || cs.Golds[0].Result.Absent() || cs.Pred.Result.Absent()) {
			continue
		}
		l, ok, err := labelledCase(ctx, evidence, judge, c.Judge, cs.Case)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", cs.place, err)
		}
		if ok {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, usage("%s holds no case with a label and two answers to compare", filepath.Base(from.where))
	}
	return out, nil
}

// lawsOfEquality stands for the pairs of docs/equality.md in place of a file.
const lawsOfEquality = "laws"

// placedCase is a case and where it was read.
type placedCase struct {
	*scoring.Case
	place string
}

func casesOf(ctx context.Context, source batch.Source) iter.Seq2[placedCase, error] {
	return func(yield func(placedCase, error) bool) {
		for item, err := range source.Cases(ctx) {
			var cs *scoring.Case
			if err == nil {
				if cs, err = item.Load(ctx); err != nil {
					err = errcode.New(errcode.Of(err), "%s: %w", item.Place, err)
				}
			}
			if !yield(placedCase{cs, item.Place}, err) {
				return
			}
		}
	}
}

// pairsOfLaws are the pairs of the laws of equality that verdict follows.
func pairsOfLaws(yield func(placedCase, error) bool) {
	for _, law := range equality.Laws() {
		pairs, err := equality.Pairs(law.Name)
		if err != nil {
			yield(placedCase{}, err)
			return
		}
		for _, p := range pairs {
			if (p.Only == "" || p.Only == "verdict") && !yield(placedCase{p.Case, "law " + law.Name}, nil) {
				return
			}
		}
	}
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
		if first, asked := metric.ProverAccepts(s); asked {
			l.First = &first
		}
	}
	return l, true, nil
}

// policyTrial is how a table does on databases that it was not made from.
type policyTrial struct {
	Policy       policy.Policy `json:"policy"`
	Source       string        `json:"source"` // of the cases
	Judge        string        `json:"judge,omitempty"`
	Cases        int           `json:"cases"`
	Groups       int           `json:"groups"`
	ByEvidence   int           `json:"by_evidence"`
	WronglySo    int           `json:"by_evidence_wrong"`        // of them, those that people refused
	Evidence     *float64      `json:"kappa_evidence,omitempty"` // what evidence leaves open counting as wrong
	Guess        *float64      `json:"kappa_guess,omitempty"`    // where nobody is asked
	Verdict      *float64      `json:"kappa_verdict,omitempty"`
	Calls        float64       `json:"judge_calls_per_case"`
	JudgeAlone   *float64      `json:"kappa_judge_alone,omitempty"`
	CallsOfAlone float64       `json:"judge_alone_calls_per_case"`
	Answered     int           `json:"judge_answered"` // cases with a verdict of the judge
	Advice       string        `json:"advice,omitempty"`
}

// tryPolicy tells how the cases of one source fared, each by a table made from the labels of all
// other databases, of whatever source.
func tryPolicy(which policy.Policy, source labelSource, cases []policy.Labelled, outcomes []policy.Outcome, of []string, judge string) policyTrial {
	t := policyTrial{Policy: which, Source: source.name(), Judge: judge}
	groups := map[string]bool{}
	vote := func(b bool) agreement.Vote { return agreement.VoteOf(&b) }
	var labels, guesses, byEvidence, verdicts, alone []agreement.Vote
	calls, callsOfAlone := 0, 0
	for i, o := range outcomes {
		if of[i] != source.where {
			continue
		}
		c := cases[i]
		groups[c.Group] = true
		labels, guesses, verdicts = append(labels, vote(c.Accepted)), append(guesses, vote(o.Guess)), append(verdicts, vote(o.Right))
		alone = append(alone, agreement.VoteOf(c.Judge))
		byEvidence = append(byEvidence, vote(o.ByEvidence))
		calls, callsOfAlone = calls+o.Calls, callsOfAlone+c.Calls
		if o.ByEvidence {
			t.ByEvidence++
			if !c.Accepted {
				t.WronglySo++
			}
		}
	}
	t.Cases, t.Groups = len(labels), len(groups)
	t.Calls, t.CallsOfAlone = float64(calls)/float64(t.Cases), float64(callsOfAlone)/float64(t.Cases)
	t.Guess = kappaWhere(labels, guesses)
	t.Evidence = kappaWhere(labels, byEvidence)
	if judge == "" {
		return t
	}
	t.Verdict = kappaWhere(labels, verdicts)
	onTheirs := agreement.Tally(labels, alone)
	t.Answered = onTheirs.N()
	if k := onTheirs.Kappa(); k.Defined {
		t.JudgeAlone = &k.Value
	}
	switch {
	case t.Answered == 0:
		t.Verdict, t.Advice = nil, "there is no reply of "+judge+" to any of these cases"
	case t.Verdict != nil && t.Guess != nil && *t.Verdict < *t.Guess:
		t.Advice = fmt.Sprintf("asking %s agrees less with people than guessing by the table does (%.3f, %.3f): do not ask it; verdict has the option without_judge: guess", judge, *t.Verdict, *t.Guess)
	}
	return t
}

// kappaWhere is Cohen's kappa, nil where all labels are the same, so that it says nothing.
func kappaWhere(labels, votes []agreement.Vote) *float64 {
	if len(labels) == 0 || !slices.ContainsFunc(labels, func(v agreement.Vote) bool { return v != labels[0] }) {
		return nil
	}
	if k := agreement.Tally(labels, votes).Kappa(); k.Defined {
		return &k.Value
	}
	return nil
}

func (t *policyTrial) print(w io.Writer) {
	fmt.Fprintf(w, "\nPolicy %s on %s of %s,\neach by a table made from the others (%s)\n", t.Policy, amount.Of(t.Cases, "labelled case"), t.Source, amount.Of(t.Groups, "group"))
	width := max(len("accepted by evidence"), len("kappa,  alone")+len(t.Judge))
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %-*s  %s\n", width, what, fmt.Sprintf(format, args...))
	}
	line("accepted by evidence", "%d, of which people refused %d", t.ByEvidence, t.WronglySo)
	if t.Evidence != nil {
		line("kappa, by evidence", "%.3f", *t.Evidence)
	}
	if t.Guess != nil {
		line("kappa, nobody asked", "%.3f", *t.Guess)
	}
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
	for _, l := range printable.Wrap(text, policyWidth-2) {
		fmt.Fprintln(w, "  "+l)
	}
}

// policyWidth is how many columns the table of policies has at most.
const policyWidth = 80

// printPolicies prints by class what was seen, and what passes though it was not.
func printPolicies(w io.Writer, t *policy.Table) {
	const most = policyWidth - len("      9 of   9  999  0.99-1.00  999/999  0.999  pass  ")
	var b bytes.Buffer
	name := len("presentational")
	for _, r := range t.Rows() {
		if seen(&r) && len(r.Relation) <= most {
			name = max(name, len(r.Relation))
		}
	}
	for _, which := range policy.Policies() {
		fmt.Fprintf(&b, "%s  (dbs: databases whose labels say so; interval: 95 %%, of all labels;\n  chosen: right and wrong among cases that were built or chosen by label)\n", strings.ToUpper(string(which)))
		for _, class := range []relation.Class{relation.Equivalent, relation.Presentational, relation.Defensible, relation.Difference} {
			fmt.Fprintf(&b, "  %-*s  %10s  %3s  %-9s  %7s  %5s  pass\n", name, class, "accepted", "dbs", "interval", "chosen", "chance")
			unseen := 0
			for _, r := range t.Rows() {
				if r.Policy != which || r.Class != class {
					continue
				}
				if !seen(&r) {
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
				within, chosen := agreement.Wilson(r.Accepted+r.Shown, r.Cases+r.Shown+r.Against, 0.95), "-"
				if r.Shown+r.Against > 0 {
					chosen = fmt.Sprintf("%d/%d", r.Shown, r.Against)
				}
				fmt.Fprintf(&b, "  %-*s  %3d of %3d  %3d  %.2f-%.2f  %7s  %5.3f%s\n", name, relation, r.Accepted, r.Cases, r.Groups, within.Lo, within.Hi, chosen, r.Chance, passes)
			}
			if unseen > 0 {
				fmt.Fprintf(&b, "  and %s that no labelled case shows\n", amount.Of(unseen, "relation"))
			}
		}
	}
	_, _ = w.Write(b.Bytes())
}

// seen tells whether any label says something of a relation.
func seen(r *policy.Row) bool { return r.Cases+r.Shown+r.Against > 0 }
