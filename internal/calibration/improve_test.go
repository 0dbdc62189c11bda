package calibration

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
)

const unitJudge = `# Whether an amount has its unit.
kind: prompt
name: has_unit
version: 3
summary: Whether the answer names the unit of its amounts.
needs: [question, response]
range: [0, 1]
threshold: 1
prompt: |
  {{question}}
  {{response}}
  Is the answer complete?
schema: {type: object, properties: {complete: {type: boolean}}, required: [complete]}
result:
  value: 1 if reply.complete else 0
`

func unitJudgeFile(t *testing.T) *custom.Judge {
	t.Helper()
	j, err := custom.Load(t.Context(), "has_unit.yaml", []byte(unitJudge), nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// unitCases returns two answers to each of n questions, by two versions of an agent. The answers to every second question
// lack a unit, and are labelled fail.
func unitCases(n int) (out []*scoring.Case) {
	for i := range n {
		for _, version := range []string{"1", "2"} {
			passes := i%2 == 0
			unit, note := " tonnes", "complete"
			if !passes {
				unit, note = "", "no unit"
			}
			out = append(out, &scoring.Case{
				ID: fmt.Sprintf("c%03d", i), Question: fmt.Sprintf("How much was loaded at berth-q%03d?", i),
				Database: fmt.Sprintf("port%d", i%8), Human: &passes, Note: fmt.Sprintf("%s at berth-n%03d", note, i),
				Agent: scoring.Agent{Name: "atlas", Version: version, Response: fmt.Sprintf("berth-r%03d loaded %d%s", i, i, unit)},
			})
		}
	}
	return out
}

// fakeJudge passes every answer, or decides as the labels do if its prompt has been changed and the change helps.
type fakeJudge struct {
	helps     bool
	rewritten string
	requests  []judgebackend.Request
	asked     [][]*scoring.Case
	sources   []string
}

func (f *fakeJudge) Ask(_ context.Context, j *custom.Judge, list []*scoring.Case) (out []JudgeReply, err error) {
	f.asked, f.sources = append(f.asked, list), append(f.sources, j.Source)
	for _, c := range list {
		passed := true
		if f.helps && j.Version > 3 {
			passed = strings.HasSuffix(c.Agent.Response, "tonnes")
		}
		out = append(out, JudgeReply{Score: scoring.Score{Status: scoring.StatusOK, Passed: &passed,
			Usage: &scoring.Usage{Calls: 1, TokensIn: 100, TokensOut: 10}},
			Texts: map[string]string{"question": c.Question, "response": c.Agent.Response}})
	}
	return out, nil
}

func (f *fakeJudge) Complete(_ context.Context, r judgebackend.Request, into any) (judgebackend.Exchange, error) {
	f.requests = append(f.requests, r)
	text, _ := json.Marshal(custom.Rewritten{Prompt: f.rewritten, Why: "units"})
	return judgebackend.Exchange{Calls: 1, TokensIn: 7, TokensOut: 3}, json.Unmarshal(text, into)
}

func (f *fakeJudge) Price(in, out int64) (judgebackend.Money, bool) { return 0, false }

func improvementOf(t *testing.T, o Improving, all []*scoring.Case) *Improvement {
	t.Helper()
	o.Judge = unitJudgeFile(t)
	if o.Examples == 0 {
		o.Examples, o.ExampleBytes, o.Rewrite = 6, 4000, true
	}
	x, err := NewImprovement(&o, all)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const goodPrompt = "{{question}}\n{{response}}\nPass it only if each amount has a unit.\n"

// No question is in two parts, whoever answered it and whatever its ID; with ByDatabase no database is. The order of the
// cases does not matter, and the seed does.
func TestNewImprovement_Split(t *testing.T) {
	t.Parallel()
	all := unitCases(80)
	for i := range 40 { // the same question under another ID
		c := *all[i]
		c.ID, c.Question = "copy-"+c.ID, "  how MUCH was\nloaded at "+strings.Fields(c.Question)[5]
		all = append(all, &c)
	}
	partsOf := func(o Improving, all []*scoring.Case, key func(*scoring.Case) string) map[string]int {
		found := map[string]int{}
		for _, a := range improvementOf(t, o, all).answers {
			if part, is := found[key(a.c)]; is && part != a.part {
				t.Errorf("%s is in two parts", key(a.c))
			}
			found[key(a.c)] = a.part
		}
		return found
	}
	byText := func(c *scoring.Case) string { return strings.ToLower(strings.Join(strings.Fields(c.Question), " ")) }
	first := partsOf(Improving{Seed: 1}, all, byText)
	slices.Reverse(all)
	if again := partsOf(Improving{Seed: 1}, all, byText); fmt.Sprint(first) != fmt.Sprint(again) {
		t.Error("the split depends on the order of the cases")
	}
	if other := partsOf(Improving{Seed: 2}, all, byText); fmt.Sprint(first) == fmt.Sprint(other) {
		t.Error("the split does not depend on the seed")
	}
	// databases with answers of one label each would not do, so the labels alternate within them
	for _, c := range all {
		c.Database = fmt.Sprintf("port%d", len(byText(c))%2+2*(int(byText(c)[len(byText(c))-3]-'0')%4))
	}
	for seed := range uint64(4) {
		partsOf(Improving{Seed: seed, ByDatabase: true}, all, func(c *scoring.Case) string { return c.Database })
	}
}

// Too few labels, or labels of one side, are an error that names how many of which are needed.
func TestNewImprovement_TooFewLabels(t *testing.T) {
	t.Parallel()
	same := unitCases(40)
	yes := true
	for _, c := range same {
		c.Human = &yes
	}
	noDatabase := unitCases(40)
	for _, c := range noDatabase {
		c.Database = ""
	}
	for _, x := range []struct {
		o    Improving
		all  []*scoring.Case
		want string
	}{
		{Improving{}, nil, "0 questions with an answer labelled pass and 0 with one labelled fail; expected at least 16 of each (16 more of pass, 16 more of fail)"},
		{Improving{}, unitCases(31), "16 questions with an answer labelled pass and 15 with one labelled fail; expected at least 16 of each (0 more of pass, 1 more of fail)"},
		{Improving{}, same, "40 questions with an answer labelled pass and 0 with one labelled fail"},
		{Improving{ByDatabase: true}, noDatabase, "no labelled case names a database"},
		{Improving{ByDatabase: true}, unitCases(40)[:0:0], "too few labels"},
	} {
		x.o.Judge = unitJudgeFile(t)
		if _, err := NewImprovement(&x.o, x.all); err == nil || errcode.Of(err) != errcode.FailedPrecondition ||
			!strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, expected %q", err, x.want)
		}
	}
	improvementOf(t, Improving{}, unitCases(32)) // just enough
}

var berth = regexp.MustCompile(`berth-[qrn](\d+)`)

// Neither proposals nor the request for a rewritten prompt contain text of an answer that they are measured on. The
// improved file holds the examples, its provenance and the comments of the old one.
func TestImprovement_NoLeakage(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		x := improvementOf(t, Improving{Seed: seed}, unitCases(60))
		f := &fakeJudge{helps: true, rewritten: goodPrompt}
		r, err := x.Run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		mayUse := map[string]bool{}
		for _, a := range x.in(partPropose) {
			mayUse[strings.TrimPrefix(a.c.ID, "c")] = true
		}
		improved, err := r.Improved(t.Context(), nil)
		if err != nil || improved.Version != 4 {
			t.Fatal(improved, err)
		}
		texts := append(slices.Clone(f.sources), improved.Source)
		for _, m := range f.requests[0].Messages {
			texts = append(texts, m.Content)
		}
		found := 0
		for _, text := range texts {
			for _, m := range berth.FindAllStringSubmatch(text, -1) {
				found++
				if !mayUse[m[1]] {
					t.Errorf("seed %d: the text of question %s, which is held out, is in a proposal", seed, m[1])
				}
			}
		}
		if found == 0 || len(f.requests) != 1 {
			t.Errorf("%d requests with %d texts", len(f.requests), found)
		}
		for _, c := range f.asked[0] { // before the proposals are made
			if !mayUse[strings.TrimPrefix(c.ID, "c")] {
				t.Errorf("%s was asked about before the proposals were made", c.ID)
			}
		}
		if !strings.Contains(improved.Source, "# Whether an amount has its unit.") ||
			!strings.Contains(improved.Source, x.hash) || !strings.Contains(improved.Source, x.Judge.Hash) {
			t.Errorf("comments or provenance are missing:\n%s", improved.Source)
		}
	}
}

// A better judge is found: of 30 answers held out to 15 questions without a unit, all are fixed. The test counts
// questions: two-sided, 2/2^15, which the randomization test by question gives at its resolution, times two proposals.
func TestImprovement_Better(t *testing.T) {
	t.Parallel()
	f := &fakeJudge{helps: true, rewritten: goodPrompt}
	r, err := improvementOf(t, Improving{}, unitCases(60)).Run(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Proposals[0]
	if !r.Shown || r.Chosen != "examples" || len(r.Proposals) != 2 || p.Examples != 6 || p.Broken != 0 ||
		p.Fixed != r.HeldOut.Fail || *p.Figures.Kappa != 1 || *r.Old.Kappa != 0 || *p.Adjusted >= 0.05 || *p.P >= *p.Adjusted {
		t.Errorf("%+v", r)
	}
	if f := r.Proposals[1].Figures; f.Calls != r.HeldOut.Answers+1 || int(f.TokensIn) != 100*r.HeldOut.Answers+7 {
		t.Errorf("%+v", f)
	}
}

// Proposals that change nothing are measured, and not shown to be better.
func TestImprovement_NotBetter(t *testing.T) {
	t.Parallel()
	f := &fakeJudge{rewritten: goodPrompt}
	r, err := improvementOf(t, Improving{}, unitCases(60)).Run(t.Context(), f)
	var b strings.Builder
	if err != nil || r.Shown || *r.Proposals[0].P != 1 || r.Render(&b) != nil || !strings.Contains(b.String(), "no improvement is shown") {
		t.Errorf("%v %+v\n%s", err, r, &b)
	}
}

// A rewritten prompt that loses or adds a placeholder, grows, hides characters or quotes an answer is rejected.
func TestImprovement_InvalidRewrites(t *testing.T) {
	t.Parallel()
	long := "the crane at the northern quay was repaired on Monday and Tuesday"
	all := unitCases(40)
	for _, c := range all {
		c.Agent.Response += " " + long
		if !*c.Human {
			c.Agent.Response = strings.TrimSuffix(c.Agent.Response, "tonnes")
		}
	}
	for want, text := range map[string]string{
		"other placeholders":      "{{question}} Pass it only if each amount has a unit.",
		"has other placeholders":  goodPrompt + "{{gold_sql}}",
		"bytes, expected at most": goodPrompt + strings.Repeat("x", 5000),
		"cannot be seen":          goodPrompt + "\u200b",
		"quotes an answer":        goodPrompt + "Fail: The crane, at the NORTHERN quay, was repaired on Monday.",
		"marks of material":       goodPrompt + "[end of material 00]",
		"{{ outside":              goodPrompt + "{{ x y }}",
		"is empty":                " \n",
	} {
		r, err := improvementOf(t, Improving{}, all).Run(t.Context(), &fakeJudge{helps: true, rewritten: text})
		if err != nil || !strings.Contains(r.Proposals[1].Rejected, want) || r.Proposals[1].Figures != nil {
			t.Errorf("%q: %v %+v", text, err, r.Proposals[1])
		}
	}
}

// Examples are of different questions, balanced by label, with wrong answers first, and within the limit of bytes.
func TestChosenExamples(t *testing.T) {
	t.Parallel()
	var all []candidate
	for i := range 40 {
		e := candidate{label: i%2 == 0, wrong: i%2 == 1 && i < 12 || i == 0, question: fmt.Sprint(i % 20), bytes: 100}
		e.Verdict, e.Fields = "fail", map[string]string{"response": fmt.Sprint(i)}
		if e.label {
			e.Verdict = "pass"
		}
		all = append(all, e)
	}
	got, _ := chosenExamples(all, 6, 600, false)
	count := map[string]int{}
	for _, e := range got {
		count[e.Verdict]++
	}
	if len(got) != 6 || count["pass"] != 3 || got[0].Fields["response"] != "1" || got[1].Fields["response"] != "0" {
		t.Errorf("%v", got)
	}
	if got, _ := chosenExamples(all, 50, 10_000, false); len(got) != 12 { // six wrong of one label, balanced
		t.Errorf("%d examples", len(got))
	}
	if got, _ := chosenExamples(all, 50, 250, false); len(got) != 2 {
		t.Errorf("%d examples in 250 bytes", len(got))
	}
	if got, tooLong := chosenExamples(all, 50, 99, false); len(got) != 0 || tooLong == 0 {
		t.Errorf("%d examples, %d too long", len(got), tooLong)
	}
	if got, _ := chosenExamples(all, 50, 10_000, true); len(got) != 7 {
		t.Errorf("%d wrong ones", len(got))
	}
}

// Answers to one question count once in the test: of five questions that are all fixed, however often they were
// answered, no difference is shown.
func TestProposalResultCompare_AnswersToOneQuestion(t *testing.T) {
	t.Parallel()
	var old, now measured
	yes, no := true, false
	for i := range 50 {
		a := &labelledAnswer{label: false, question: fmt.Sprint(i % 5), part: partHeldOut}
		old.answers = append(old.answers, a)
		old.replies = append(old.replies, JudgeReply{Score: scoring.Score{Status: scoring.StatusOK, Passed: &yes}})
		now.replies = append(now.replies, JudgeReply{Score: scoring.Score{Status: scoring.StatusOK, Passed: &no}})
	}
	now.answers = old.answers
	var r proposalResult
	if r.compare(old, now); r.Fixed != 50 || *r.P != 2.0/32 {
		t.Errorf("%+v, p %v", r, *r.P)
	}
	for i := range now.answers { // the same with one answer to each is McNemar's test
		now.answers[i].question = fmt.Sprint(i)
	}
	old.answers, now.answers = old.answers[:6], now.answers[:6]
	r = proposalResult{}
	if r.compare(old, now); r.Fixed != 6 || *r.P < 2.0/64-1e-12 || *r.P > 2.0/64+1e-12 {
		t.Errorf("%+v, p %v", r, *r.P)
	}
	now.replies[0].Score = scoring.Score{Status: scoring.StatusFailed} // a missing verdict is not the label
	r = proposalResult{}
	if r.compare(old, now); r.Fixed != 5 {
		t.Errorf("%+v", r)
	}
}
