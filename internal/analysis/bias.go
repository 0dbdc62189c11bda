package analysis

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Probes of a judge's biases. Each changes a case in a way that should not change the verdict.
const (
	ProbeRepeat   = "repeat"   // nothing is changed: the noise of the judge
	ProbePosition = "position" // the answer and gold change places
	ProbeLength   = "length"   // text without a meaning is added to the answer
	ProbeStyle    = "style"    // the letter case of keywords, and Markdown in the response
)

// Probes lists the probes in order.
var Probes = []string{ProbeRepeat, ProbePosition, ProbeLength, ProbeStyle}

// Probed returns a copy of a case with the change of a probe; ok is false if the probe does not apply to the case.
// Length and style keep every token of the query (Zheng et al. 2023, arXiv:2306.05685, describe verbosity bias and
// measure it with padded answers). Position exchanges the only accepted answer with the agent's; both need a query, and
// neither may have failed.
func Probed(c *scoring.Case, probe string) (out *scoring.Case, ok bool) {
	x := *c
	switch probe {
	case ProbeRepeat:
		return &x, true
	case ProbePosition:
		if len(c.Golds) != 1 || c.Golds[0].SQL == "" || c.Pred.SQL == "" || c.Golds[0].Error+c.Pred.Error != "" {
			return nil, false
		}
		x.Golds, x.Pred = []scoring.Query{c.Pred}, c.Golds[0]
		return &x, true
	case ProbeLength:
		x.Pred.SQL, x.Agent.Response = padSQL(c.Pred.SQL, c.Dialect), padText(c.Agent.Response)
	case ProbeStyle:
		x.Pred.SQL, x.Agent.Response = restyleSQL(c.Pred.SQL, c.Dialect), restyleText(c.Agent.Response)
	}
	return &x, x.Pred.SQL != c.Pred.SQL || x.Agent.Response != c.Agent.Response
}

// neutral are sentences that claim nothing about an answer.
var neutral = []string{"This is the answer to the question above.", "It was written in reply to that question.",
	"The text of the answer is given in full.", "Nothing else belongs to it."}

// padded appends parts to a text until it is twice as long.
func padded(text string, part func(i int) string) string {
	var b strings.Builder
	b.WriteString(text)
	for i := 0; b.Len() < 2*len(text); i++ {
		b.WriteString(part(i))
	}
	return b.String()
}

// padText appends sentences until a text is about twice as long.
func padText(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return padded(text, func(i int) string { return " " + neutral[i%len(neutral)] })
}

// padSQL appends comments until a query is about twice as long; it returns the query if its tokens would change.
func padSQL(sql, dialect string) string {
	if strings.TrimSpace(sql) == "" {
		return sql
	}
	out := padded(sql, func(int) string { return "\n/* end of this part of the text */" })
	return sameTokens(sql, out, dialect)
}

// clauseWords are the keywords whose letter case is changed. They are reserved everywhere, so that none is a name.
var clauseWords = map[string]bool{"select": true, "from": true, "where": true, "group": true, "order": true, "by": true,
	"having": true, "join": true, "on": true, "and": true, "or": true, "as": true, "in": true, "case": true, "when": true,
	"then": true, "else": true, "union": true, "distinct": true, "not": true, "null": true, "is": true, "between": true}

// restyleSQL returns a query with its keywords in the other letter case, as the first one has.
func restyleSQL(sql, dialect string) string {
	var b strings.Builder
	end, change := 0, strings.ToLower
	first := true
	for _, t := range sqlparts.Tokens(sql, sqlparts.DialectOf(dialect)) {
		word := sql[t.Start:t.End]
		if t.Kind != sqlparts.TokenWord || !clauseWords[strings.ToLower(word)] {
			continue
		}
		if first && word == strings.ToLower(word) {
			change = strings.ToUpper
		}
		first = false
		b.WriteString(sql[end:t.Start] + change(word))
		end = int(t.End)
	}
	return sameTokens(sql, b.String()+sql[end:], dialect)
}

// sameTokens returns changed if it has the tokens of sql, else sql.
func sameTokens(sql, changed, dialect string) string {
	d := sqlparts.DialectOf(dialect)
	same := slices.EqualFunc(sqlparts.Lexemes(sql, d), sqlparts.Lexemes(changed, d),
		func(a, b sqlparts.Lexeme) bool { return a.Text == b.Text })
	if !same {
		return sql
	}
	return changed
}

// restyleText writes the lines of a text as a list in Markdown.
func restyleText(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "- ") && !strings.HasPrefix(l, "|") {
			lines[i] = "- " + l
		}
	}
	return "### Answer\n\n" + strings.Join(lines, "\n")
}

// ProbedVerdict is the verdict of a metric on a case before and after a probe.
type ProbedVerdict struct {
	scoring.AnswerID
	Metric, Probe string
	Before, After bool
}

// Bias is the comparison of verdicts before and after probes.
type Bias struct {
	Alpha float64   `json:"alpha"`
	Rows  []biasRow `json:"probes"`
	// Unmeasured says which probes gave no pair of verdicts, or on less than half of the cases with a verdict, and why.
	Unmeasured []string `json:"unmeasured,omitempty"`
}

// biasRow is the outcome of a probe for one metric.
type biasRow struct {
	Metric string `json:"metric"`
	Probe  string `json:"probe"`
	Pairs  int    `json:"pairs"`
	// Consistent is the share of pairs whose verdict stayed: for position the position consistency of Shi et al. 2024
	// (arXiv:2406.07791, section 2).
	Consistent   float64    `json:"consistent"`
	ConsistentCI [2]float64 `json:"consistent_ci"`
	ToPass       int        `json:"to_pass"` // failed before, and pass after
	ToFail       int        `json:"to_fail"`
	// Change is the share that passes after the probe minus that before: the direction of the bias, as the preference
	// score of Shi et al. is for position.
	Change   float64    `json:"change"`
	CI       [2]float64 `json:"ci"`
	P        float64    `json:"p,omitzero"`          // McNemar's exact test
	Adjusted float64    `json:"p_adjusted,omitzero"` // among all probes and metrics (Holm)
	Biased   bool       `json:"biased"`
}

// NewBias compares verdicts before and after probes. A judge without a bias flips in both directions equally often,
// however noisy it is, so that the exact test of the flips (McNemar 1947) needs no model of its noise. The verdicts of
// repeat are counted and not tested.
func NewBias(verdicts []ProbedVerdict, alpha float64) *Bias {
	b := &Bias{Alpha: alpha, Rows: []biasRow{}}
	at := map[[2]string]int{}
	for _, v := range verdicts {
		key := [2]string{v.Metric, v.Probe}
		i, is := at[key]
		if !is {
			i = len(b.Rows)
			at[key], b.Rows = i, append(b.Rows, biasRow{Metric: v.Metric, Probe: v.Probe})
		}
		r := &b.Rows[i]
		r.Pairs++
		switch {
		case v.After && !v.Before:
			r.ToPass++
		case v.Before && !v.After:
			r.ToFail++
		}
	}
	var p []float64
	var tested []int
	for i := range b.Rows {
		r := &b.Rows[i]
		same := r.Pairs - r.ToPass - r.ToFail
		r.Consistent, r.Change = float64(same)/float64(r.Pairs), float64(r.ToPass-r.ToFail)/float64(r.Pairs)
		in := agreement.Wilson(same, r.Pairs, agreement.DefaultLevel)
		r.ConsistentCI = [2]float64{in.Lo, in.Hi}
		in = agreement.PairedShares(r.ToPass, r.ToFail, r.Pairs, agreement.DefaultLevel)
		r.CI = [2]float64{in.Lo, in.Hi}
		if r.Probe != ProbeRepeat { // else left out: it is not tested
			r.P = agreement.McNemar(r.ToPass, r.ToFail)
			p, tested = append(p, r.P), append(tested, i)
		}
	}
	for k, adjusted := range agreement.Holm(p) {
		r := &b.Rows[tested[k]]
		r.Adjusted, r.Biased = adjusted, adjusted < alpha
	}
	slices.SortStableFunc(b.Rows, func(x, y biasRow) int {
		if x.Metric != y.Metric {
			return strings.Compare(x.Metric, y.Metric)
		}
		return slices.Index(Probes, x.Probe) - slices.Index(Probes, y.Probe)
	})
	return b
}
