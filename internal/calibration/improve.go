package calibration

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/custom"
)

// Improving configures proposals for a better judge of kind prompt.
type Improving struct {
	Judge   *custom.Judge
	Options *custom.Options
	Votes   map[scoring.AnswerID]map[string]agreement.Vote // as in [Labelled]
	Notes   map[scoring.AnswerID]string                    // reasons of labels that are not in the cases

	Seed         uint64
	ByDatabase   bool // no database is in two parts; otherwise no question is
	Examples     int  // the maximum number of examples; 0: no proposal with examples
	ExampleBytes int  // the maximum size of all examples
	Rewrite      bool
}

// judgeAsker asks judges and models.
type judgeAsker interface {
	// Ask returns the scores of a judge on cases, in their order.
	Ask(ctx context.Context, j *custom.Judge, cases []*scoring.Case) ([]JudgeReply, error)
	// Complete returns the reply of the judge's model to a request that is not about a single case.
	Complete(ctx context.Context, r judgebackend.Request, into any) (judgebackend.Exchange, error)
	// Price returns the price of tokens of the judge's model; ok is false if it is unknown.
	Price(in, out int64) (money judgebackend.Money, ok bool)
}

// JudgeReply is a judge's score of a case, with the texts of the case that its prompt shows.
type JudgeReply struct {
	Score scoring.Score
	Texts map[string]string // nil if the case lacks a field that the judge needs
}

// Parts of the labelled answers.
const (
	partPropose = iota // proposals are made from these
	partChoose         // one of the proposals is chosen on these
	partHeldOut        // figures and tests are of these alone
	parts
)

// dealt is the order in which parts receive questions: half of them are held out.
var dealt = []int{partHeldOut, partPropose, partChoose, partHeldOut}

// leastQuestions is the number of questions that each part needs with an answer of each label. Fewer than 6 flips of
// verdicts, all towards the labels, are never significant at 0.05.
var leastQuestions = [parts]int{4, 4, 8}

const improveAlpha = 0.05

// labelledAnswer is an answer with a label.
type labelledAnswer struct {
	c        *scoring.Case
	label    bool
	note     string
	question string // smallest key of the answers with the same question
	part     int
}

// Improvement holds labelled answers in three parts.
type Improvement struct {
	Improving
	answers []labelledAnswer // sorted by the answers' identities
	hash    string
}

// NewImprovement splits the labelled ones of some cases, each of another answer. Answers to one question, by its ID or
// its text, are in the same part. Too few labels are an error of the kind FailedPrecondition that names the numbers.
func NewImprovement(o *Improving, all []*scoring.Case) (*Improvement, error) {
	x := &Improvement{Improving: *o}
	labels := &Labelled{Votes: o.Votes}
	for _, c := range all {
		label := labelOf(c, labels.votesOf(c))
		if label == agreement.Missing {
			continue
		}
		x.answers = append(x.answers, labelledAnswer{c: c, label: label == agreement.Pass,
			note: cmp.Or(c.Note, o.Notes[c.AnswerID()])})
	}
	slices.SortFunc(x.answers, func(a, b labelledAnswer) int { return compareAnswers(a.c, b.c) })
	questions := newGroups()
	units := newGroups() // what is in one part only
	for i := range x.answers {
		c := x.answers[i].c
		keys := []string{"id " + c.ID}
		if text := strings.Join(strings.Fields(strings.ToLower(c.Question)), " "); text != "" {
			keys = append(keys, "text "+text)
		}
		questions.join(keys)
		if o.ByDatabase && c.Database != "" {
			keys = append(keys, "database "+strings.ToLower(c.Database))
		}
		units.join(keys)
	}
	for i := range x.answers {
		x.answers[i].question = questions.of("id " + x.answers[i].c.ID)
	}
	if err := x.enough(-1); err != nil {
		return nil, err
	}
	if o.ByDatabase && !slices.ContainsFunc(x.answers, func(a labelledAnswer) bool { return a.c.Database != "" }) {
		return nil, errcode.New(errcode.FailedPrecondition, "--split database: no labelled case names a database")
	}
	x.deal(units)
	for part := range parts {
		if err := x.enough(part); err != nil {
			return nil, err
		}
	}
	x.hash = x.labelsHash()
	return x, nil
}

func compareAnswers(a, b *scoring.Case) int {
	x, y := a.AnswerID(), b.AnswerID()
	return cmp.Or(cmp.Compare(x.CaseID, y.CaseID), cmp.Compare(x.Agent, y.Agent), cmp.Compare(x.Version, y.Version),
		cmp.Compare(x.Batch, y.Batch))
}

// deal assigns parts to units. Units with mostly one label are dealt separately, unless they are databases.
func (x *Improvement) deal(units groups) {
	type unit struct {
		order  string
		passes int // minus fails
	}
	byKey := map[string]*unit{}
	for _, a := range x.answers {
		key := units.of("id " + a.c.ID)
		if byKey[key] == nil {
			byKey[key] = &unit{order: x.random(key)}
		}
		if a.label {
			byKey[key].passes++
		} else {
			byKey[key].passes--
		}
	}
	part := map[string]int{}
	for _, passes := range []bool{false, true} {
		var keys []string
		for key, u := range byKey {
			if x.ByDatabase && !passes || !x.ByDatabase && (u.passes > 0) == passes {
				keys = append(keys, key)
			}
		}
		slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(byKey[a].order, byKey[b].order) })
		for i, key := range keys {
			part[key] = dealt[i%len(dealt)]
		}
	}
	for i := range x.answers {
		x.answers[i].part = part[units.of("id "+x.answers[i].c.ID)]
	}
}

// random returns a key by which things are ordered at random, the same for the same seed.
func (x *Improvement) random(key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", x.Seed, key))
	return string(sum[:])
}

// questions returns the number of questions with an answer of a label, in a part or, if part is -1, in all.
func (x *Improvement) questions(part int, label bool) int {
	seen := map[string]bool{}
	for _, a := range x.answers {
		if a.label == label && (part < 0 || a.part == part) {
			seen[a.question] = true
		}
	}
	return len(seen)
}

// enough returns an error if a part, or all parts together, have too few questions of a label.
func (x *Improvement) enough(part int) error {
	least, where, remedy := 0, "", ""
	if part < 0 {
		for _, n := range leastQuestions {
			least += n
		}
	} else {
		least = leastQuestions[part]
		where = " " + [...]string{"to propose from", "to choose on", "held out"}[part]
		remedy = "; label more, or use another --seed or --split"
	}
	pass, fail := x.questions(part, true), x.questions(part, false)
	if pass >= least && fail >= least {
		return nil
	}
	return errcode.New(errcode.FailedPrecondition,
		"too few labels%s: %s with an answer labelled pass and %d with one labelled fail; expected at least %d of each "+
			"(%d more of pass, %d more of fail)%s", where, printable.Count(pass, "question"), fail, least,
		max(0, least-pass), max(0, least-fail), remedy)
}

// labelsHash returns the SHA-256 of the labels and their answers' identities in hexadecimal.
func (x *Improvement) labelsHash() string {
	h := sha256.New()
	for _, a := range x.answers {
		line, _ := json.Marshal([]any{a.c.AnswerID(), a.label, a.note}) // strings and truths
		h.Write(append(line, '\n'))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// in returns the answers of some parts.
func (x *Improvement) in(of ...int) (out []*labelledAnswer) {
	for i := range x.answers {
		if slices.Contains(of, x.answers[i].part) {
			out = append(out, &x.answers[i])
		}
	}
	return out
}

// Cases returns the labelled cases, and those of them that proposals are measured on.
func (x *Improvement) Cases() (all, measured []*scoring.Case) {
	return casesOf(x.in(partPropose, partChoose, partHeldOut)), casesOf(x.in(partChoose, partHeldOut))
}

func casesOf(answers []*labelledAnswer) []*scoring.Case {
	out := make([]*scoring.Case, len(answers))
	for i, a := range answers {
		out[i] = a.c
	}
	return out
}

// groups are disjoint sets of keys.
type groups map[string]string // from a key to another of its group; to itself for the group's representative

func newGroups() groups { return groups{} }

// of returns the smallest key of the group of a key.
func (g groups) of(key string) string {
	for g[key] != key {
		key = g[key]
	}
	return key
}

// join unites the groups of some keys.
func (g groups) join(keys []string) {
	for _, k := range keys {
		if _, is := g[k]; !is {
			g[k] = k
		}
	}
	for _, k := range keys[1:] {
		a, b := g.of(keys[0]), g.of(k)
		g[max(a, b)] = min(a, b)
	}
}
