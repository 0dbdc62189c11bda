package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The verdicts on a claim. The judge gives one of the first four; the last two result from our checks. Only the first
// three count in the score.
const (
	claimSupported    = "supported"
	claimContradicted = "contradicted"
	claimUnsupported  = "unsupported"
	claimNotShown     = "not_shown" // its subject was cut from the material that the judge saw
	claimRepeated     = "repeated"  // another claim has the same content
	claimNotMade      = "not_made"  // the response does not make it
)

const faithful = 0.8

// Shares above which the metric abstains: of claims that are ignored because their subject was not shown to the
// judge, and of the response that was not shown to the judge.
const (
	mostLeftOut  = 0.5
	mostUnjudged = 0.2
)

func init() {
	const source = "BADGER, section 7.2 and Table 2, after the decompose-and-verify protocol of RAGAS; the check of figures is an extension"
	register(scoring.Metric{
		Name: "faithfulness", Display: "Statements that the result supports",
		Version: 5, Group: "agent",
		Context: scoring.FieldClarifications,
		Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("a response may be faithful to the failure"),
		Needs: responseNeeds, Reads: responseReads,
		Summary: "Share of the statements in the agent's response that the result of its query supports.",
		Range:   "0 to 1",
		Formula: "claims supported / claims that can be verified. The judge lists the factual claims and calls each " +
			"supported, contradicted, unsupported or not_shown. badger counts them, after it checked the figures that " +
			"stand for cells of the result. A claim counts once: one with the same words is repeated, and counts with the worse verdict. A claim that the response does not make (one of its " +
			"figures, or most of its words, are not in the response or the question) is not_made. Neither counts. A supported claim becomes unsupported if the result does not " +
			"hold a figure where it should: in the cell, if the claim names a row and a column; in the row or the column, if it names one; otherwise anywhere. A row that does not exist holds nothing, and a " +
			"result without rows holds nothing but zero. A cell holds a figure if it is equal to it, exactly computed and rounded or truncated to the digits that the figure shows. The zeros at the end of a figure count as digits unless it is called rough (about 1,200). " +
			"Words for a bound, in sixteen languages, make it one: at least, up to, more than, under. Nearly is up to 5% less. Percent, per mille and basis points may be of a fraction or of a percentage. " +
			"Thousand, lakh, million, crore, billion and their forms in those languages, with 万 and 億, multiply a figure. Another scale counts only if the name of the column, the query, the question, the hint or the claim states it: wrong by a thousand is misscaled. " +
			"A figure without a sign does not contradict a negative cell of its size: it is unchecked, and the judge decides, unless an English word for a fall makes it right. A bound that words such as over may or may not contain is unchecked too. " +
			"A claim of a total, of a number of rows or of different values, or of a share of a total is computed from one column of the result; it becomes unsupported only if every word of the claim is known, so that it can mean nothing else, the result has no row of totals, and no LIMIT cuts rows off. " +
			"A not_shown claim becomes supported if rows were truncated and every " +
			"such figure is in the cell named or computed from all rows, and unsupported if a figure is not where it should be or if nothing was truncated that it could be about. Otherwise it is left out. " +
			"Detail: the claims with the judge's verdict, where each figure was found " +
			"(cell, row, column, elsewhere, scaled, computed, misscaled, absent, unchecked) and what the claim counts as. Not applicable " +
			"without a result (unless the query failed) and if the response makes no claim. Abstained if no claim can " +
			"be verified, if more than half of the claims are left out, or if more than a fifth of the response is too long to be judged." + responseCall,
		Source:    source,
		Gaming:    "A response that says one safe thing has 1, whether or not it answers; read it with geval_relevance. A figure computed from several columns or rows is not computed again, so that a judge that is too kind can let it pass; the detail counts it as unchecked. Repeated claims, and claims that only the judge makes, are ignored.",
		Example:   "\"Oslo leads with 3 orders, Rome has 2; sales doubled\" over the rows Oslo 3, Rome 2: two claims supported, the last unsupported: 2/3.",
		Threshold: scoring.At(faithful),
		Options:   faithfulnessDeclared.OptionSet,
		Score:     faithfulness,
	})
	register(scoring.Metric{
		Name: "faithfulness_verdict", Display: "Response true to the result",
		Version: 4, Group: "agent",
		Context: scoring.FieldClarifications,
		Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("a response may be faithful to the failure"),
		Needs: responseNeeds, Reads: responseReads,
		Summary: "Whether the agent's response is faithful to the result of its query.",
		Range:   "0 or 1",
		Formula: "1 if faithfulness passes (at least 0.8, or its configured threshold), else 0. No value if faithfulness " +
			"has none. The options are those of faithfulness." + responseCall,
		Source:    source,
		Gaming:    "As faithfulness: a response that says one safe thing passes. Read it with geval_relevance.",
		Example:   "4 of 5 claims supported: 1. 3 of 4: 0.",
		Threshold: scoring.At(1),
		Score:     faithfulnessVerdict,
	})
}

type faithfulnessOptions struct {
	Figures bool `json:"figures"`
}

var faithfulnessDeclared = scoring.DeclareOptions(faithfulnessOptions{Figures: true}, nil,
	scoring.Option{Name: "figures", Doc: "Whether claims with a figure are looked up in the result."},
)

// claim is one statement of the response, as the judge sees it.
type claim struct {
	Claim   string   `json:"claim"`
	Figures []figure `json:"figures"`
	Support string   `json:"support"`
	Verdict string   `json:"verdict"`
}

// countedClaim is a claim with the verdict that counts in the score.
type countedClaim struct {
	Claim   string `json:"claim"`
	Verdict string `json:"verdict"` // the judge's
	// supported, contradicted, unsupported; not_shown, repeated, not_made: ignored
	Counts  string          `json:"counts_as"`
	Support string          `json:"support,omitempty"`
	Figures []checkedFigure `json:"figures,omitempty"`
}

// faithfulnessDetail is the evidence of the metric faithfulness.
type faithfulnessDetail struct {
	Supported int            `json:"supported"`
	Verified  int            `json:"verified"` // supported, contradicted and unsupported claims, the denominator
	LeftOut   int            `json:"left_out"`
	Repeated  int            `json:"repeated,omitempty"`
	NotMade   int            `json:"not_made,omitempty"` // claims listed by the judge that are not in the response
	Overruled int            `json:"overruled"`          // claims that do not count as the judge labels them
	Claims    []countedClaim `json:"claims"`
}

func faithfulness(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := faithfulnessDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	if !hasEvidence(in) {
		return scoring.NotApplicable(noEvidence), nil
	}
	if share := prompt.Unshown(in.Case.Agent.Response); share > mostUnjudged {
		return scoring.Abstain(
			fmt.Sprintf("%.0f%% of the response is beyond the %d characters that are judged", 100*share,
				prompt.MostResponse)), nil
	}
	reply, _, err := judgedResponse(ctx, in)
	if err != nil {
		return scoring.Score{}, err
	}
	if len(reply.Claims) == 0 {
		return scoring.NotApplicable("the response claims nothing that could be verified"), nil
	}
	result := in.Pred.Result.Table
	d := faithfulnessDetail{Claims: make([]countedClaim, len(reply.Claims))}
	var figures [][]checkedFigure
	if o.Figures {
		figures = lookUp(result, in.Pred.SQL, in.Case.Question+"\n"+in.Case.Evidence, reply.Claims)
	}
	gaps := gapsOf(result)
	made := claimsMade(in.Case.Agent.Response, in.Case.Question, reply.Claims)
	for i, c := range reply.Claims {
		counted := countedClaim{Claim: c.Claim, Verdict: c.Verdict, Counts: c.Verdict, Support: c.Support}
		if figures != nil {
			counted.Figures = figures[i]
		}
		counted.Counts = weighClaim(c.Verdict, counted.Figures, gaps)
		if !made[i] {
			counted.Counts = claimNotMade
		}
		d.Claims[i] = counted
	}
	d.count()
	switch {
	case d.Verified == 0 && d.LeftOut == 0:
		return d.abstain("the response makes none of the claims that the judge lists"), nil
	case d.Verified == 0:
		return d.abstain("every claim is about rows or columns that the judge was not shown"), nil
	case float64(d.LeftOut) > mostLeftOut*float64(d.LeftOut+d.Verified):
		return d.abstain(
			fmt.Sprintf("%d of %s about what the judge was not shown", d.LeftOut, were(d.LeftOut+d.Verified, "claim"))), nil
	}
	s := scoring.OK(float64(d.Supported)/float64(d.Verified),
		fmt.Sprintf("%d of %s supported", d.Supported, were(d.Verified, "claim")))
	s.Detail = d
	s.Warnings = append(d.warnings(), unjudged(in)...)
	return s, nil
}

func (d faithfulnessDetail) abstain(why string) scoring.Score {
	s := scoring.Abstain(why)
	s.Detail = d
	return s
}

// count sets the numbers of claims by class. Claims with the same words count once, with the worst of their classes.
func (d *faithfulnessDetail) count() {
	worst := []string{claimNotMade, claimSupported, claimNotShown, claimUnsupported, claimContradicted}
	first := map[string]int{}
	for i := range d.Claims {
		c := &d.Claims[i]
		key := strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(c.Claim)), " "), ".!")
		at, seen := first[key]
		switch {
		case key == "" || c.Counts == claimNotMade:
		case !seen:
			first[key] = i
		case slices.Index(worst, c.Counts) > slices.Index(worst, d.Claims[at].Counts):
			d.Claims[at].Counts, first[key] = claimRepeated, i
		default:
			c.Counts = claimRepeated
		}
	}
	for _, c := range d.Claims {
		switch c.Counts {
		case claimRepeated:
			d.Repeated++
			continue
		case claimNotMade:
			d.NotMade++
			continue
		case claimNotShown:
			d.LeftOut++
			continue
		case claimSupported:
			d.Supported++
		}
		d.Verified++
		if c.Counts != c.Verdict {
			d.Overruled++
		}
	}
}

func (d *faithfulnessDetail) warnings() (said []string) {
	if d.LeftOut > 0 {
		said = append(said, fmt.Sprintf("%s left out: the judge was not shown what they are about", were(d.LeftOut, "claim")))
	}
	if d.NotMade > 0 {
		said = append(said, fmt.Sprintf("%s not counted: the response does not make them", were(d.NotMade, "claim")))
	}
	if len(d.Claims) >= prompt.MostClaims {
		said = append(said, fmt.Sprintf("the judge was asked for no more than %d claims", prompt.MostClaims))
	}
	if d.Overruled > 0 {
		said = append(said,
			fmt.Sprintf("the result overrules the judge on %d of %s", d.Overruled, printable.Count(len(d.Claims), "claim")))
	}
	return said
}

// gaps describes the parts of the result that were not shown to the judge.
type gaps struct {
	prompt.Gaps
	columns []string
}

func gapsOf(t *scoring.Table) gaps {
	g := gaps{Gaps: prompt.GapsOf(t)}
	if g.Columns > 0 {
		for _, c := range t.Columns[g.Columns:] {
			g.columns = append(g.columns, nameKey(c.Name))
		}
	}
	return g
}

// mayHold reports whether a claim with these figures may be about a part of the result that was not shown to the
// judge. If only the ends of long strings were not shown, a claim with figures cannot be.
func (g *gaps) mayHold(figures []checkedFigure) bool {
	if g.From == g.To && len(g.columns) == 0 {
		return g.Cells && len(figures) == 0
	}
	if len(figures) == 0 {
		return true
	}
	return slices.ContainsFunc(figures, func(f checkedFigure) bool {
		switch {
		case f.rows == nil: // no row is named
			return g.From < g.To || f.Column == "" || slices.Contains(g.columns, nameKey(f.Column))
		case slices.Contains(g.columns, nameKey(f.Column)):
			return true
		}
		return slices.ContainsFunc(f.rows, func(i int32) bool { return int(i) >= g.From && int(i) < g.To })
	})
}

// weighClaim returns the class of a claim. An absent figure makes a supported or not_shown claim unsupported. A
// not_shown claim is unsupported if the omitted parts cannot contain its subject, and supported if all its figures
// are in their cells. Otherwise it is the judge's verdict.
func weighClaim(verdict string, figures []checkedFigure, g gaps) string {
	absent, cells := 0, 0
	for _, f := range figures {
		switch f.Found {
		case figureAbsent, figureMisscaled:
			absent++
		case figureCell:
			cells++
		case figureComputed:
			if f.sure {
				cells++
			}
		}
	}
	switch {
	case (verdict == claimSupported || verdict == claimNotShown) && absent > 0:
		return claimUnsupported
	case verdict != claimNotShown:
		return verdict
	case !g.mayHold(figures):
		return claimUnsupported
	case cells > 0 && cells == len(figures):
		return claimSupported
	}
	return claimNotShown
}

func faithfulnessVerdict(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	f, err := in.ScoreOf("faithfulness")
	if err != nil {
		return scoring.Score{}, err
	}
	verdict := scoring.Score{Status: f.Status, Code: f.Code, Reason: f.Reason, Warnings: f.Warnings,
		AssessmentIDs: f.AssessmentIDs}
	if f.Status == scoring.StatusOK && f.Passed != nil {
		if verdict.Reason = "not faithful: " + f.Reason; *f.Passed {
			verdict.Value = 1
			verdict.Reason = strings.TrimPrefix(verdict.Reason, "not ")
		}
		verdict.Detail = struct {
			Faithfulness float64 `json:"faithfulness"`
		}{f.Value}
	}
	return verdict, nil
}
