package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Took records what an answer took whose scores were added, also if nothing is known of it. A later call for the same
// answer replaces it.
func (s *Summary) Took(of scoring.AnswerID, spent scoring.Spent) {
	agent, n := Agent{of.Agent, of.Version}, int(s.cases.known(caseKey{of.CaseID, of.Batch}))
	if n < 0 {
		return
	}
	list := s.spent[agent]
	if n >= len(list) {
		list = append(list, make([]*scoring.Spent, n+1-len(list))...)
		s.spent[agent] = list
	}
	if list[n] = &unknownSpent; !spent.Unknown() {
		list[n] = &spent
	}
}

var unknownSpent scoring.Spent

// spending returns what the answers of the newest batch of each agent version took, and the changes between versions;
// nil if nothing is known.
func (s *Summary) spending(agents []Agent) *analysis.Spending {
	var sides []analysis.Spent
	at := map[Agent]int{}
	for _, a := range agents {
		byBatch := map[string][]analysis.AnswerSpent{}
		for n, spent := range s.spent[a] {
			if spent != nil {
				key := &s.cases.keys[n]
				byBatch[key.batch] = append(byBatch[key.batch], analysis.AnswerSpent{CaseID: key.id, Spent: *spent,
					Right: s.agents[a][s.o.Primary].at(int32(n)).passed()}) //nolint:gosec // as in caseNumbers
			}
		}
		if len(byBatch) == 0 {
			continue
		}
		by := func(batch string) scoring.By { return scoring.By{Agent: a.Name, Version: a.Version, Batch: batch} }
		newest := slices.MaxFunc(slices.Collect(maps.Keys(byBatch)), func(x, y string) int {
			return cmp.Or(s.dates[by(x)].Compare(s.dates[by(y)]), printable.CompareNatural(x, y), strings.Compare(x, y))
		})
		answers := byBatch[newest]
		slices.SortFunc(answers, func(a, b analysis.AnswerSpent) int { return strings.Compare(a.CaseID, b.CaseID) })
		at[a] = len(sides)
		sides = append(sides,
			analysis.Spent{Batch: analysis.Batch{By: by(newest), At: s.dates[by(newest)]}, Answers: answers})
	}
	var pairs [][2]int
	for _, p := range s.pairs(agents) {
		from, has := at[p[0]]
		if to, is := at[p[1]]; has && is {
			pairs = append(pairs, [2]int{from, to})
		}
	}
	return analysis.NewSpending(s.o.Primary, sides, pairs)
}

// SpendingRow is a quantity in one batch, formatted.
type SpendingRow struct {
	Quantity string // such as cost; "" in rows after the first of a quantity
	Of       string // the batch
	Total    string
	Median   string
	P95      string
	Known    string // number of answers with a value, of all
	Before   string // mean of an answer on the questions that both batches have; "" without a change
	After    string
	Compared int    // number of these questions
	Change   string // relative change of the mean, or its change
	P, Word  string // adjusted p-value, and the conclusion
	More     bool   // more than chance, and more is taken
	Less     bool   // more than chance, and less is taken
}

// SpendingRows formats the figures of s. A row of a batch has its first change.
func SpendingRows(s *analysis.Spending) (out []SpendingRow) {
	names := spendingNames(s)
	for _, of := range []struct{ quantity, name string }{{analysis.QuantityCost, "cost"},
		{analysis.QuantityTokensIn, "tokens in"}, {analysis.QuantityTokensOut, "tokens out"},
		{analysis.QuantityLatency, "latency"}} {
		name := of.name
		for i := range s.Batches {
			b := &s.Batches[i]
			q := b.Of(of.quantity)
			if q == nil {
				continue
			}
			row := SpendingRow{Quantity: name, Of: names[i], Total: Took(q.Name, q.Total), Median: Took(q.Name, q.Median),
				P95: Took(q.Name, q.P95), Known: fmt.Sprintf("%d/%d", q.N, b.Answers)}
			for k := range s.Changes {
				if s.Changes[k].To.By == b.Batch.By {
					row.change(s.Changes[k].Of(of.quantity))
					break
				}
			}
			out = append(out, row)
			name = ""
		}
	}
	return out
}

// change sets the columns of the change.
func (r *SpendingRow) change(c *analysis.QuantityChange) {
	if c == nil {
		return
	}
	r.Before, r.After, r.Compared = Took(c.Name, c.Before), Took(c.Name, c.After), c.Compared
	r.Change = Relative(c)
	r.P, r.Word = analysis.PValue(c.PAdjusted), c.Chance
	if c.Chance == "" {
		r.Word = analysis.Same
	}
	if c.Chance == analysis.MoreThanChance {
		r.More, r.Less = c.Mean.Float() > 0, c.Mean.Float() < 0
	}
}

// Relative formats the relative change of a mean in percent, such as +12%, or its change if it was 0 before.
func Relative(c *analysis.QuantityChange) string {
	if c.Ratio == nil {
		return Took(c.Name, c.Mean)
	}
	digits := 0
	if math.Abs(*c.Ratio) < 0.1 {
		digits = 1
	}
	return fmt.Sprintf("%+.*f%%", digits, rounded(100**c.Ratio, digits))
}

// TookInterval formats the 95 % interval of the change of a mean.
func TookInterval(c *analysis.QuantityChange) string {
	format := func(f float64) string {
		text := Took(c.Name, analysis.AmountOf(f))
		if f > 0 {
			text = "+" + text
		}
		return text
	}
	return format(c.Low) + " to " + format(c.High)
}

// spendingNames returns the display name of each batch: the parts of agent, version and batch that distinguish it.
func spendingNames(s *analysis.Spending) []string {
	out := make([]string, len(s.Batches))
	first := &s.Batches[0].Batch
	sameAgent, versions := true, map[string]int{}
	for i := range s.Batches {
		b := &s.Batches[i].Batch
		sameAgent = sameAgent && b.Agent == first.Agent
		versions[b.System()]++
	}
	for i := range s.Batches {
		b := &s.Batches[i].Batch
		switch {
		case versions[b.System()] > 1 && b.Batch != "":
			out[i] = b.Batch
			if !sameAgent || len(versions) > 1 {
				out[i] = b.System() + " " + b.Batch
			}
		case sameAgent && b.Version != "" && b.Origin == "":
			out[i] = b.Version
		default:
			out[i] = b.System()
		}
	}
	return out
}

// Took formats an amount of a quantity: $0.0031, 1840 tokens as 1840, 57 ms or 2.3 s. Amounts are rounded to cents,
// whole tokens and milliseconds, but keep two significant digits.
func Took(quantity string, a *analysis.Amount) string {
	switch quantity {
	case analysis.QuantityCost:
		text := a.Rounded(2)
		if _, cents, is := strings.Cut(text, "."); is && len(cents) == 1 {
			text += "0"
		}
		if rest, negative := strings.CutPrefix(text, "-"); negative {
			return "-$" + rest
		}
		return "$" + text
	case analysis.QuantityLatency:
		switch ms := math.Abs(a.Float()); {
		case ms < 1000:
			return a.Rounded(0) + " ms"
		case ms < 60_000:
			return strconv.FormatFloat(a.Float()/1000, 'f', 1, 64) + " s"
		}
		return time.Duration(a.Float() * float64(time.Millisecond)).Round(time.Second).String()
	}
	return a.Rounded(0)
}

// PerRight describes the cost of a right answer of each batch with a known cost, one sentence for each.
func PerRight(s *analysis.Spending) (out []string) {
	names := spendingNames(s)
	for i := range s.Batches {
		b := &s.Batches[i]
		cost := b.Of(analysis.QuantityCost)
		if cost == nil {
			continue
		}
		of := printable.Count(b.RightOfKnown, "right answer")
		text := fmt.Sprintf("%s: %s for %s", names[i], Took(cost.Name, cost.Total), of)
		if b.PerRight != nil {
			text = fmt.Sprintf("%s: %s for each of %s", names[i], Took(cost.Name, b.PerRight), of)
		}
		if cost.N < b.Answers {
			text += fmt.Sprintf("; %d of %s have a known cost", cost.N, printable.Count(b.Answers, "answer"))
		}
		out = append(out, text)
	}
	return out
}

// UnreadableSpending returns a note for each batch with values that cannot be read.
func UnreadableSpending(s *analysis.Spending) (out []string) {
	for i := range s.Batches {
		if b := &s.Batches[i]; b.Unreadable > 0 {
			out = append(out, fmt.Sprintf("%s of %s: a cost, tokens or latency cannot be read, and is unknown; first: %s",
				printable.Count(b.Unreadable, "answer"), b.Batch.Name(), b.Unread))
		}
	}
	return out
}

// spendingHelp explains the table.
const spendingHelp = "total, median, P95: of the answers with a value, known of all. change: of the mean, on the questions whose answers have a value in both; " +
	"p: paired sign-flip test of that mean, adjusted among these rows (Holm); below 0.05 is more than chance. " +
	"A right answer costs the sum of all known costs, of right and wrong answers, divided by the right answers with a known cost."

// spending prints what the answers took.
func (p *printer) spending(s *analysis.Spending) {
	if s == nil {
		return
	}
	p.title("Cost and time", "of the newest batch of each version; right by "+printable.Text(s.Primary))
	var g grid
	g.words("", 10)
	g.words("", 12)
	g.number("total").drop = 4
	g.number("median")
	g.number("P95").drop = 2
	g.number("known").drop = 3
	g.number("change")
	g.number("p").drop = 1
	g.column("")
	for _, r := range SpendingRows(s) {
		word := inStyle(r.Word, dim)
		switch {
		case r.More:
			word = inStyle(r.Word, red)
		case r.Less:
			word = inStyle(r.Word, green)
		}
		g.add(text(r.Quantity), text(printable.Text(r.Of)), text(r.Total), text(r.Median), text(r.P95), text(r.Known),
			text(r.Change), text(r.P), word)
	}
	g.print(p)
	if lines := PerRight(s); len(lines) > 0 {
		p.line()
		for _, l := range lines {
			p.paragraph("", l)
		}
	}
	p.line()
	p.paragraph("", spendingHelp)
	for _, n := range UnreadableSpending(s) {
		p.paragraph("note: ", n)
	}
}
