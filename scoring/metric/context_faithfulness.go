package metric

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// The reasons for the verdict on a statement about passages.
const (
	inPassage       = "in_passage"
	otherPassage    = "other_passage"
	otherFigure     = "other_figure"
	oppositeWords   = "opposite_words"
	nowhere         = "nowhere"
	misquoted       = "misquoted"
	unknownCitation = "unknown_citation"
	notDecided      = "not_decided"
)

// relatedShare is the share of a statement's words from which a sentence of a passage is about the same.
const relatedShare = 0.5

func init() {
	const (
		source = "BADGER, section 8.5 (2), which leaves the measure open; faithfulness as in RAGAS (Es et al. 2024, arXiv:2309.15217, evaluation strategies), decided by evidence, and by a judge where that leaves it open"
		alce   = "ALCE (Gao et al. 2023, arXiv:2305.14627, citation quality); support is decided by evidence instead of a language model"
		rules  = " A statement is a sentence of the response. A figure is supported if a sentence of a passage has it, equal or rounded to the digits shown, in the same unit, and at least half of the statement's words, and every amount in words and rise or fall of the statement; a quotation if a passage has its words; another statement if a passage has all of its words in this order. " +
			"Statements that this does not decide are left out, and listed in the detail. Citations are [1], [doc-2], 【1】 or (source: title): an id, a title or source, or a number from 1 or of the response's own list of sources."
	)
	failed := scoring.FailedIsIgnored("the metric reads the response and the passages, not the query")
	base := scoring.Metric{
		Version: 2, Group: "agent", Branch: scoring.BranchAgentic, FailedQuery: failed,
		Needs: scoring.FieldContexts | scoring.FieldResponse, Cost: scoring.CostLarge, Range: "0 to 1",
	}
	judged := base
	judged.Version, judged.Reads = 3, scoring.FieldJudge
	m := judged
	m.Name, m.Display = "context_faithfulness", "Statements that the passages support"
	m.Summary = "Share of the statements in the agent's response that the retrieved passages support, of those that could be judged."
	m.Formula = "supported / (supported + contradicted + unsupported)." + rules + " A statement with citations must be supported by a cited passage. It is contradicted if a sentence about the same has another figure of this unit or opposite words, and unsupported if its figure or quotation is in no passage or only in another than cited, or if a citation is unknown. " +
		"Abstained if more than half of the statements are not decided. Not applicable without passages and if the response makes no statement." + contextCall
	m.Source = source
	m.Gaming = "Words are compared by their beginnings: a statement about another thing in the same words, as in another store, is supported if only one word differs that is not a name or an opposite. Vague statements without figures are not decided and do not count. A response that says one safe thing has 1."
	m.Example = "Passage: \"The depot employs 418 people.\" \"The depot employs 418 people [1].\" has 1, \"The depot employs 481 people [1].\" 0."
	m.Threshold, m.Score = scoring.At(faithful), contextFaithfulness
	register(m)
	m = judged
	m.Name, m.Display = "citation_recall", "Statements that their citations support"
	m.Summary = "Share of the statements that the passages they cite support, of those that could be judged."
	m.Formula = "The mean over the decided statements of 1 if the cited passages together support all of it, else 0; 0 without a citation." + rules + " No value as for context_faithfulness." + contextCall
	m.Source = alce + " unless that leaves it open and there is a judge"
	m.Gaming = "Citing every passage after every statement has 1. Read it with citation_precision."
	m.Example = "Two statements, the first supported by its citation, the second right and without one: 1/2."
	m.Score = func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		c, s, err := contextScore(judgedContext(ctx, in))
		if c == nil {
			return s, err
		}
		return c.share(c.recalled, c.decided, "statement", "supported by the passages cited"), nil
	}
	register(m)
	m = base
	m.Name, m.Display = "citation_precision", "Citations that support their statement"
	m.Summary = "Share of the citations that support what they are cited for, of those of statements that could be judged."
	m.Formula = "A citation counts if the statement's citations together support it, and either this one alone does or the others do not. An unknown citation does not count." + rules + " No value as for context_faithfulness without a judge, and not applicable without a citation in a decided statement. No judge is asked: this would take a question about each citation and about the others."
	m.Source = alce
	m.Gaming = "One safe citation in a response without others has 1. Read it with citation_recall."
	m.Example = "A statement with [1][2], and only [1] has its figure: 1/2."
	m.Score = func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
		c, s, err := contextScore(contextCheckOf(in))
		switch {
		case c == nil:
			return s, err
		case c.citations == 0:
			return scoring.NotApplicable("no decided statement has a citation"), nil
		}
		return c.share(c.precise, c.citations, "citation", "needed and right"), nil
	}
	register(m)
}

// checkedStatement is a statement with its verdict.
type checkedStatement struct {
	Statement string   `json:"statement"`
	Verdict   string   `json:"verdict"` // supported, contradicted, unsupported or undecided
	Why       string   `json:"why"`
	Figure    string   `json:"figure,omitempty"`
	Expected  string   `json:"expected,omitempty"` // the figure of the passage
	Passage   string   `json:"passage,omitempty"`  // the id, or the number from 1, of the passage
	Cites     []string `json:"cites,omitempty"`
	Unknown   []string `json:"unknown,omitempty"` // citations of no passage
	Judge     string   `json:"judge,omitempty"`   // the judge's verdict: supported, contradicted or not_found
	Quote     string   `json:"quote,omitempty"`   // the judge's quotation of the passage
}

// contextCheck holds the verdicts on all statements.
type contextCheck struct {
	passages            []passage
	list                []checkedStatement
	counts              map[string]int
	decided, recalled   int
	citations, precise  int
	applicable, problem string // the reason for a missing value
	work                int    // comparisons of figures, words and sentences

	statements []statement // those of list
	asked      bool        // a judge replied about the statements that evidence leaves undecided
	unheard    string      // why the judge decided nothing, if it was asked and did not reply
	warnings   []string    // about the judge
}

const undecidedClaim = "undecided"

func contextCheckOf(in *scoring.Input) (*contextCheck, error) {
	type key struct{}
	type made struct {
		c   *contextCheck
		err error
	}
	m := scoring.Memo(in, key{}, func() made {
		passages, err := readPassages(in.Case.Agent.Contexts)
		switch {
		case errcode.Of(err) == errcode.ResourceExhausted:
			return made{&contextCheck{problem: err.Error()}, nil}
		case err != nil:
			return made{nil, err}
		}
		c := &contextCheck{passages: passages, counts: map[string]int{}}
		c.all(in.Case.Agent.Response)
		return made{c, nil}
	})
	return m.c, m.err
}

// all checks every statement of a response.
func (c *contextCheck) all(response string) {
	if len(response) > maxContextBytes {
		c.problem = "the response is too long to be compared with passages"
		return
	}
	if len(c.passages) == 0 {
		c.applicable = "no retrieved passages given"
		return
	}
	statements, ok := statementsOf(response, c.passages)
	if !ok {
		c.problem = fmt.Sprintf("the response makes more than %d statements or has more than %d figures", maxStatements, maxFigures)
		return
	}
	if len(statements) == 0 {
		c.applicable = "the response makes no statement"
		return
	}
	c.statements = statements
	everywhere := positions(len(c.passages))
	for i := range statements {
		st := &statements[i]
		v := c.verdict(st, st.scope(everywhere))
		if len(st.unknown) > 0 {
			v = checkedStatement{Verdict: claimUnsupported, Why: unknownCitation}
		}
		v.Statement, v.Unknown = printable.Short(st.text), st.unknown
		for _, k := range st.cites {
			if name := c.passageName(k); !slices.Contains(v.Cites, name) {
				v.Cites = append(v.Cites, name)
			}
		}
		c.list = append(c.list, v)
		c.counts[v.Verdict]++
		if v.Verdict != undecidedClaim {
			c.decided++
			c.cite(st)
		}
		if c.work > maxComparisons {
			c.problem = "the response and the passages are too long to be compared"
			return
		}
	}
}

// undecided returns the reason why too few statements are decided, or "".
func (c *contextCheck) undecided() string {
	if c.decided > 0 && c.counts[undecidedClaim]*2 <= len(c.list) {
		return ""
	}
	by := "by figures and quotations"
	switch {
	case c.asked:
		by = "by figures, quotations and the judge"
	case c.unheard != "":
		by += "; " + c.unheard
	}
	return fmt.Sprintf("%d of %s not decided %s", c.counts[undecidedClaim], are(len(c.list), "statement"), by)
}

// cite counts the citations of a statement.
func (c *contextCheck) cite(st *statement) {
	c.citations += len(st.groups) + len(st.unknown)
	supports := func(scope []int) bool { return len(scope) > 0 && c.verdict(st, scope).Verdict == claimSupported }
	if !supports(st.cites) {
		return
	}
	c.recalled++
	for i, one := range st.groups {
		others := slices.Concat(slices.Concat(st.groups[:i]...), slices.Concat(st.groups[i+1:]...))
		if supports(one) || !supports(others) {
			c.precise++
		}
	}
}

func (c *contextCheck) passageName(k int) string {
	if id := c.passages[k].id; id != "" {
		return printable.Short(id)
	}
	return fmt.Sprint(k + 1)
}

// severity orders the verdicts: that of a statement is the worst of its parts.
var severity = map[string]int{claimSupported: 0, undecidedClaim: 1, claimUnsupported: 2, claimContradicted: 3}

// verdict returns the verdict on a statement from the passages in scope.
func (c *contextCheck) verdict(st *statement, scope []int) checkedStatement {
	out := checkedStatement{Verdict: claimSupported, Why: inPassage}
	worst := func(v checkedStatement) {
		if severity[v.Verdict] > severity[out.Verdict] || out.Passage == "" && v.Verdict == out.Verdict {
			out = v
		}
	}
	for _, q := range st.quotes {
		worst(c.words(q, scope, checkedStatement{Verdict: claimUnsupported, Why: misquoted}))
	}
	for i := range st.figures {
		worst(c.figure(st, &st.figures[i], scope))
	}
	if len(st.quotes)+len(st.figures) == 0 {
		worst(c.words(st.text, scope, checkedStatement{Verdict: undecidedClaim, Why: notDecided}))
	}
	return out
}

// words looks for the words of a text in the passages in scope, then in the others.
func (c *contextCheck) words(text string, scope []int, otherwise checkedStatement) checkedStatement {
	norm := normWords(text)
	for k := range c.passages {
		c.work += 1 + len(c.passages[k].norm)/1000
	}
	if c.work > maxComparisons {
		return otherwise
	}
	for _, k := range scope {
		if strings.Contains(c.passages[k].norm, norm) {
			return checkedStatement{Verdict: claimSupported, Why: inPassage, Passage: c.passageName(k)}
		}
	}
	for k := range c.passages {
		if strings.Contains(c.passages[k].norm, norm) {
			return checkedStatement{Verdict: claimUnsupported, Why: otherPassage, Passage: c.passageName(k)}
		}
	}
	return otherwise
}

// figure looks for a figure next to the words of its statement.
func (c *contextCheck) figure(st *statement, f *textFigure, scope []int) checkedStatement {
	in := map[int]bool{}
	for _, k := range scope {
		in[k] = true
	}
	rank, out := 0.0, checkedStatement{Verdict: claimUnsupported, Why: nowhere}
	better := func(r float64, verdict, why string, k int, expected string) {
		if r > rank {
			rank, out = r, checkedStatement{Verdict: verdict, Why: why, Passage: c.passageName(k), Expected: expected}
		}
	}
	for k := range c.passages {
		for i := range c.passages[k].sentences {
			if c.work++; c.work > maxComparisons {
				return out
			}
			s := &c.passages[k].sentences[i]
			if in[k] && rank < 1 && st.mayBeInWords(s) {
				better(0.5, undecidedClaim, notDecided, k, "")
			}
			if len(s.figures) == 0 {
				continue
			}
			c.work += 10 * len(s.figures)
			has, differ := f.in(st, s)
			if has == figuresApart {
				continue
			}
			n := st.near(s)
			related, same, open := n.share >= relatedShare, has == figuresSame, n.open || n.lacks || has == figuresOpen
			if related {
				c.work += len(st.text) * len(s.text) / 1000
			} else {
				c.work += len(st.stems) / 20
			}
			switch {
			case same && related && n.contrary && in[k]:
				better(6, claimContradicted, oppositeWords, k, "")
			case has >= figuresOpen && related && open && in[k]:
				better(4, undecidedClaim, notDecided, k, "")
			case same && related && !n.contrary && in[k]:
				better(7, claimSupported, inPassage, k, "")
			case same && related && !n.contrary && !open:
				better(5, claimUnsupported, otherPassage, k, "")
			case has == figuresDiffer && related && n.open && in[k]:
				better(2, undecidedClaim, notDecided, k, "")
			case has == figuresDiffer && related && in[k]:
				better(3+n.share/2, claimContradicted, otherFigure, k, f.instead(differ))
			case has >= figuresOpen && in[k]:
				better(2, undecidedClaim, notDecided, k, "")
			case same:
				better(1, claimUnsupported, otherPassage, k, "")
			}
		}
	}
	out.Figure = f.text
	return out
}

// mayBeInWords reports whether a sentence about the same has a number in words, such as twelve for 12.
func (st *statement) mayBeInWords(s *passageSentence) bool {
	return len(s.says().amounts) > 0 && st.near(s).share >= relatedShare
}

// in returns what the figures of a sentence say of a figure of a statement, at best, and those that differ from it.
// One that is another figure of the statement does not differ: 200 of 418 people are not contradicted by 418 people.
func (f *textFigure) in(st *statement, s *passageSentence) (best figureRelation, differ []*textFigure) {
	var words signs
	if f.sign != unsigned || slices.ContainsFunc(s.figures, func(g textFigure) bool { return g.sign != unsigned }) {
		own, other := st.said, s.says()
		words = signs{own.fall, other.fall, own.language == "en" && other.language == "en"}
	}
	for j := range s.figures {
		g := &s.figures[j]
		how := f.is(g, words)
		if how == figuresDiffer {
			differ = append(differ, g)
			continue
		}
		best = max(best, how)
	}
	if best != figuresApart {
		return best, nil
	}
	differ = slices.DeleteFunc(differ, func(g *textFigure) bool {
		return slices.ContainsFunc(st.figures, func(o textFigure) bool { return o.is(g, words) == figuresSame })
	})
	if len(differ) > 0 {
		best = figuresDiffer
	}
	return best, differ
}

// instead returns the text of the figure that the sentence has instead of that of the statement: that of the same kind
// and the closest words, or "" if there is none that is written otherwise.
func (f *textFigure) instead(differ []*textFigure) string {
	best, points := "", -1
	for _, g := range differ {
		if p := f.closeTo(g); p > points && !strings.HasSuffix(f.text, g.text) {
			best, points = g.text, p
		}
	}
	return best
}

// contextScore returns the score without a value if there is none.
func contextScore(c *contextCheck, err error) (*contextCheck, scoring.Score, error) {
	switch {
	case err != nil:
		return nil, scoring.Score{}, err
	case c.applicable != "":
		return nil, scoring.NotApplicable(c.applicable), nil
	}
	if why := cmp.Or(c.problem, c.undecided()); why != "" {
		s := scoring.Abstain(why)
		if s.Warnings = c.warnings; c.passages != nil {
			s.Detail = c.detail()
		}
		return nil, s, nil
	}
	return c, scoring.Score{}, nil
}

func (c *contextCheck) detail() any {
	return struct {
		Passages     int                `json:"passages"`
		Supported    int                `json:"supported"`
		Contradicted int                `json:"contradicted"`
		Unsupported  int                `json:"unsupported"`
		Undecided    int                `json:"undecided"`
		Citations    int                `json:"citations"`
		Statements   []checkedStatement `json:"statements"`
	}{len(c.passages), c.counts[claimSupported], c.counts[claimContradicted], c.counts[claimUnsupported],
		c.counts[undecidedClaim], c.citations, c.list}
}

func contextFaithfulness(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	c, s, err := contextScore(judgedContext(ctx, in))
	if c == nil {
		return s, err
	}
	return c.share(c.counts[claimSupported], c.decided, "statement", "supported by the passages"), nil
}

// share returns the score part/whole, where whole is not 0.
func (c *contextCheck) share(part, whole int, noun, how string) scoring.Score {
	s := scoring.OK(ratio(part, whole), fmt.Sprintf("%d of %s %s", part, were(whole, noun), how))
	s.Detail, s.Warnings = c.detail(), c.warnings
	return s
}

// are returns "1 statement is" or "2 statements are", with the given noun.
func are(n int, noun string) string {
	return printable.Count(n, noun) + " " + printable.Verb(n, "is", "are")
}
