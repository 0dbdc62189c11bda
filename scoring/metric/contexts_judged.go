package metric

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The reasons for the verdict on a statement that a judge was to decide.
const (
	quoted         = "quoted"          // the judge's verdict, whose quotation is in the passage
	notFound       = "not_found"       // the judge found nothing on it in the passages
	notAsked       = "not_asked"       // more statements than the judge is asked about
	notShown       = "not_shown"       // the judge found nothing on it, but was not shown all passages
	notAnswered    = "not_answered"    // the reply leaves it out
	answeredTwice  = "answered_twice"  // the reply has it more than once
	quoteTooShort  = "quote_too_short" // or missing
	quoteNotFound  = "quote_not_found" // the passage does not have the words of the quotation
	quoteElsewhere = "quote_elsewhere" // the quotation is from a passage that is not cited, or that does not exist
)

// leastQuoted is the least number of words of a judge's quotation, unless it is a whole passage.
const leastQuoted = 3

// contextCall documents the call of the judge.
const contextCall = " With a judge, the statements that this does not decide are put to it, in one call for context_faithfulness and citation_recall together (none if all are decided): it calls each supported, contradicted or not_found from the cited passages, " +
	"or from all if none is cited, and quotes a passage. The verdict counts only if the passage has the words of the quotation and is one of those cited; not_found counts as unsupported, unless the judge was not shown all of the passages. " +
	"What is decided without a judge stays. The judge sees the response (cut beyond 12000 characters), at most 50 of these statements, and the passages: if they have more than 48000 characters, the parts that share most words with the statements. " +
	"If it gives no reply that can be used, the statements stay undecided, with a warning."

// shownQuote is the maximum number of columns of a quotation in the detail of a score.
const shownQuote = 300

// askedStatements is a question about the statements that evidence leaves undecided.
type askedStatements struct {
	request  judgebackend.Request
	list     []int        // their positions among all statements
	whole    map[int]bool // positions of the passages that are shown completely
	all      bool         // every passage in question is
	open     int          // undecided statements, also those that are not asked about
	shown    map[int]bool // positions of the passages that are shown at least in part
	everyone []int        // positions of all passages
}

// scope returns the positions of the passages that a statement may rest on.
func (st *statement) scope(everywhere []int) []int {
	if st.cited {
		return st.cites
	}
	return everywhere
}

// ask returns the question about the undecided statements, or nil if there are none.
func (c *contextCheck) ask(response string) *askedStatements {
	q := &askedStatements{whole: map[int]bool{}, shown: map[int]bool{}, all: true, everyone: positions(len(c.passages))}
	var statements []prompt.Statement
	chars, of := 0, map[int]bool{}
	for i := range c.list {
		if c.list[i].Verdict != undecidedClaim {
			continue
		}
		q.open++
		st := &c.statements[i]
		if n := prompt.Chars(st.text); len(q.list) == prompt.MostStatements || chars+n > prompt.MostStatementChars {
			continue
		} else {
			chars += n
		}
		q.list = append(q.list, i)
		one := prompt.Statement{Number: len(q.list), Text: st.text}
		for _, k := range st.scope(q.everyone) {
			of[k] = true
		}
		for _, k := range st.cites {
			one.Passages = append(one.Passages, k+1)
		}
		slices.Sort(one.Passages)
		statements = append(statements, one)
	}
	if len(q.list) == 0 {
		return nil
	}
	passages := c.excerpts(q, of)
	q.request = prompt.Contexts.Request(prompt.Material{Response: response, Statements: statements, Passages: passages})
	return q
}

// excerptChars is the size of the parts of passages that are chosen if not all can be shown.
const excerptChars = 1200

// gapChars is the room for a note that characters are left out.
const gapChars = 50

// excerpt is a part of a passage: consecutive sentences.
type excerpt struct {
	passage int
	text    string
	chars   int
	stems   map[string]bool
}

// excerpts returns the passages in question. If they are too long to be shown completely, it returns the parts that
// share the most words with the statements: of each statement the best part, then of each the second best.
func (c *contextCheck) excerpts(q *askedStatements, of map[int]bool) (out []prompt.Passage) {
	total := 0
	for _, k := range q.everyone {
		if of[k] {
			total += c.passages[k].promptChars() + prompt.Chars(c.passages[k].text)
		}
	}
	if total <= prompt.MostPassageChars {
		for _, k := range q.everyone {
			if of[k] {
				q.whole[k], q.shown[k] = true, true
				out = append(out, prompt.Passage{Number: k + 1, Title: c.passages[k].title, Text: c.passages[k].text})
			}
		}
		return out
	}
	q.all = false
	var parts []excerpt
	for _, k := range q.everyone {
		if of[k] {
			parts = append(parts, c.passages[k].parts(k)...)
		}
	}
	chosen := c.choose(q, parts)
	for at := 0; at < len(parts); {
		k, end := parts[at].passage, at
		for end < len(parts) && parts[end].passage == k {
			end++
		}
		if text, whole := joined(parts[at:end], chosen[at:end]); text != "" {
			q.shown[k], q.whole[k] = true, whole
			out = append(out, prompt.Passage{Number: k + 1, Title: c.passages[k].title, Text: text})
		}
		at = end
	}
	return out
}

// promptChars is the number of characters of a prompt for what stands around the text of a passage.
func (p *passage) promptChars() int { return prompt.PassageMarkersChars + prompt.Chars(p.title) }

// parts splits a passage into excerpts.
func (p *passage) parts(k int) (out []excerpt) {
	for i := range p.sentences {
		s := &p.sentences[i]
		n := prompt.Chars(s.text) + 1
		if len(out) == 0 || out[len(out)-1].chars+n > excerptChars {
			out = append(out, excerpt{passage: k, stems: map[string]bool{}})
		}
		last := &out[len(out)-1]
		last.text = strings.TrimSpace(last.text + " " + s.text)
		last.chars += n
		for w := range s.stems {
			last.stems[w] = true
		}
	}
	return out
}

// choose reports which parts are shown.
func (c *contextCheck) choose(q *askedStatements, parts []excerpt) []bool {
	ranked := make([][]int, len(q.list)) // for each statement, the parts in its scope, the best first
	for n, i := range q.list {
		st := &c.statements[i]
		in := map[int]bool{}
		for _, k := range st.scope(q.everyone) {
			in[k] = true
		}
		common := make([]int, len(parts))
		for j := range parts {
			if !in[parts[j].passage] {
				continue
			}
			ranked[n] = append(ranked[n], j)
			for w := range st.stems {
				if parts[j].stems[w] {
					common[j]++
				}
			}
		}
		slices.SortStableFunc(ranked[n], func(a, b int) int { return cmp.Compare(common[b], common[a]) })
	}
	chosen, titled, left := make([]bool, len(parts)), map[int]bool{}, prompt.MostPassageChars
	for round, more := 0, true; more && left > excerptChars/2; round++ {
		more = false
		for n := range ranked {
			if round >= len(ranked[n]) {
				continue
			}
			more = true
			j := ranked[n][round]
			need := parts[j].chars + gapChars
			if !titled[parts[j].passage] {
				need += c.passages[parts[j].passage].promptChars()
			}
			if chosen[j] || need > left {
				continue
			}
			chosen[j], titled[parts[j].passage] = true, true
			left -= need
		}
	}
	return chosen
}

// joined returns the chosen parts of a passage with a note for those that are left out, and whether none is.
func joined(parts []excerpt, chosen []bool) (text string, whole bool) {
	if !slices.Contains(chosen, true) {
		return "", false
	}
	var out []string
	left := 0
	note := func() {
		if left > 0 {
			out = append(out, fmt.Sprintf("... (%d characters are left out) ...", left))
		}
		left = 0
	}
	for i := range parts {
		if !chosen[i] {
			left += parts[i].chars
			continue
		}
		note()
		out = append(out, parts[i].text)
	}
	note()
	return strings.Join(out, "\n"), !slices.Contains(chosen, false)
}

// contextReply is the reply of a judge about statements.
type contextReply struct {
	Statements []judgedStatement `json:"statements"`
}

type judgedStatement struct {
	Statement int    `json:"statement"` // from 1
	Passage   int    `json:"passage"`   // from 1; 0: none
	Quote     string `json:"quote"`
	Verdict   string `json:"verdict"` // supported, contradicted or not_found
}

// judgedContext returns the check with the verdicts of the judge on the statements that evidence leaves undecided.
// Without a judge, or with nothing to ask, it returns the check by evidence itself.
func judgedContext(ctx context.Context, in *scoring.Input) (*contextCheck, error) {
	c, err := contextCheckOf(in)
	if err != nil || c.counts[undecidedClaim] == 0 || c.problem != "" || !in.HasJudge(prompt.Contexts.Purpose) {
		return c, err
	}
	type key struct{}
	q := scoring.Memo(in, key{}, func() *askedStatements { return c.ask(in.Case.Agent.Response) })
	if q == nil {
		return c, nil
	}
	var reply contextReply
	err = in.AskOnce(ctx, q.request, &reply)
	why := "the judge gave no reply"
	switch kind := judgebackend.KindOf(err); {
	case kind == "":
		type key struct{}
		return scoring.MemoReply(in, key{}, func() *contextCheck { return c.with(q, &reply) }), nil
	case kind == judgebackend.KindInternal, kind == judgebackend.KindCancelled, ctx.Err() != nil,
		in.AsksPanel(prompt.Contexts.Purpose): // the panel's rule decides without this judge
		return nil, err
	case judgebackend.HasReply(kind):
		why = "the judge's reply could not be used"
	}
	out := *c
	out.unheard = why
	out.warnings = []string{fmt.Sprintf("%s: %s undecided", why, printable.Count(q.open, "statement")+" "+
		printable.Verb(q.open, "stays", "stay"))}
	return &out, nil
}

// with returns the check with the verdicts of a reply. It does not change c.
func (c *contextCheck) with(q *askedStatements, reply *contextReply) *contextCheck {
	out := *c
	out.asked = true
	out.list, out.counts = slices.Clone(c.list), map[string]int{}
	replies := map[int][]judgedStatement{}
	for _, r := range reply.Statements {
		replies[r.Statement] = append(replies[r.Statement], r)
	}
	asked, refused := map[int]int{}, 0
	for n, i := range q.list {
		asked[i] = n + 1
	}
	for i := range out.list {
		v := &out.list[i]
		if v.Verdict == undecidedClaim {
			if n := asked[i]; n > 0 {
				c.weigh(q, i, replies[n], v)
				if len(replies[n]) > 0 && v.Verdict == undecidedClaim && v.Why != notShown {
					refused++
				}
			} else {
				v.Why = notAsked
			}
			if v.Verdict != undecidedClaim {
				out.decided++
				if st := &c.statements[i]; v.Verdict == claimSupported && st.cited {
					out.recalled++
				}
			}
		}
		out.counts[v.Verdict]++
	}
	out.warn(q, refused)
	return &out
}

// weigh sets the verdict on a statement from what the judge replied about it.
func (c *contextCheck) weigh(q *askedStatements, i int, replies []judgedStatement, v *checkedStatement) {
	switch len(replies) {
	case 0:
		v.Why = notAnswered
		return
	case 1:
	default:
		v.Why = answeredTwice
		return
	}
	st, r := &c.statements[i], replies[0]
	scope := st.scope(q.everyone)
	k := r.Passage - 1
	v.Judge = r.Verdict
	if r.Verdict == notFound {
		if slices.ContainsFunc(scope, func(k int) bool { return !q.whole[k] }) {
			v.Why = notShown
			return
		}
		v.Verdict, v.Why, v.Passage = claimUnsupported, notFound, ""
		return
	}
	v.Quote = printable.Cut(printable.Text(strings.TrimSpace(r.Quote)), shownQuote, "...")
	switch {
	case !slices.Contains(scope, k) || !q.shown[k]:
		v.Why = quoteElsewhere
	case !c.passages[k].enough(r.Quote):
		v.Why = quoteTooShort
	case !c.passages[k].has(r.Quote):
		v.Why = quoteNotFound
	default:
		v.Verdict, v.Why, v.Passage = r.Verdict, quoted, c.passageName(k)
	}
}

// has reports whether a passage has the words of a quotation, in this order. Letter case, blanks and punctuation are
// ignored, as in quotations of a response. Characters may be spelled out, as the judge sees them.
func (p *passage) has(quote string) bool {
	words := normWords(quote)
	return strings.Contains(p.norm, words) ||
		strings.Contains(quote, "<U+") && strings.Contains(normWords(prompt.Visible(p.text)), words)
}

// enough reports whether a quotation is long enough to show what a passage says: leastQuoted words, or the whole
// passage. In scripts without spaces two characters count as a word.
func (p *passage) enough(quote string) bool {
	n := 0
	for _, w := range words(quote) {
		first, _ := utf8.DecodeRuneInString(w)
		if unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			n += utf8.RuneCountInString(w) / 2
			continue
		}
		n++
	}
	return n >= leastQuoted || n > 0 && normWords(quote) == p.norm
}

// warn sets the warnings about what the judge was not asked or shown, and about verdicts that do not count.
func (c *contextCheck) warn(q *askedStatements, refused int) {
	c.warnings = nil
	if n := len(q.list); n < q.open {
		c.warnings = append(c.warnings, fmt.Sprintf("the judge was asked about %d of %s", n,
			printable.Count(q.open, "undecided statement")))
	}
	if !q.all {
		c.warnings = append(c.warnings, fmt.Sprintf("the judge was shown parts of the passages, of %d characters",
			prompt.MostPassageChars))
	}
	if refused > 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("%s of the judge %s not counted: see the reasons of the statements",
			printable.Count(refused, "verdict"), printable.Verb(refused, "is", "are")))
	}
}
