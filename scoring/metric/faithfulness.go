package metric

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The verdicts on a claim, the judge's and ours. Only the first three count.
const (
	claimSupported    = "supported"
	claimContradicted = "contradicted"
	claimUnsupported  = "unsupported"
	claimNotShown     = "not_shown" // what it is about was cut from what the judge saw
)

const faithful = 0.8

func init() {
	const source = "BADGER, section 7.2 and Table 2, after the decompose-and-verify protocol of RAGAS; the check of figures is an extension"
	register(scoring.Metric{
		Name: "faithfulness", Version: 1, Group: "agent",
		Context: scoring.FieldClarifications,
		Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("a response may be faithful to the failure"),
		Needs: responseNeeds, Reads: responseReads,
		Summary: "Share of the statements in the agent's response that the result of its query supports.",
		Range:   "0 to 1",
		Formula: "claims supported / claims that can be verified. The judge lists the factual claims and calls each " +
			"supported, contradicted, unsupported or not_shown. badger counts them, after it checked the figures that " +
			"stand for cells of the result. A supported claim becomes unsupported if the row and column that the judge " +
			"names do not contain the figure and, if there is no such row, no cell does. Figures may be rounded or " +
			"truncated as stated, in any scale. A not_shown claim becomes supported if rows were truncated and every " +
			"such figure is in the row and column named. Otherwise it is left out if something was truncated, and " +
			"unsupported if nothing was. Detail: the claims with the judge's verdict, where each figure was found " +
			"(cell, row, column, elsewhere, scaled, absent, unchecked) and what the claim counts as. Not applicable " +
			"without a result (unless the query failed) and if the response makes no claim. Abstained if no claim can " +
			"be verified." + responseCall,
		Source:    source,
		Example:   "\"Oslo leads with 3 orders, Rome has 2; sales doubled\" over the rows Oslo 3, Rome 2: two claims supported, the last unsupported: 2/3.",
		Threshold: scoring.At(faithful),
		Options:   faithfulnessDeclared.OptionSet,
		Score:     faithfulness,
	})
	register(scoring.Metric{
		Name: "faithfulness_verdict", Version: 1, Group: "agent",
		Context: scoring.FieldClarifications,
		Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("a response may be faithful to the failure"),
		Needs: responseNeeds, Reads: responseReads,
		Summary: "Whether the agent's response is faithful to the result of its query.",
		Range:   "0 or 1",
		Formula: "1 if faithfulness passes (at least 0.8, or its configured threshold), else 0. No value if faithfulness " +
			"has none. The options are those of faithfulness." + responseCall,
		Source:    source,
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

// countedClaim is a claim with what it counts as.
type countedClaim struct {
	Claim   string          `json:"claim"`
	Verdict string          `json:"verdict"`   // the judge's
	Counts  string          `json:"counts_as"` // supported, contradicted, unsupported, or not_shown: left out
	Support string          `json:"support,omitempty"`
	Figures []checkedFigure `json:"figures,omitempty"`
}

// faithfulnessDetail is the evidence of the metric faithfulness.
type faithfulnessDetail struct {
	Supported int            `json:"supported"`
	Verified  int            `json:"verified"` // claims that can be verified, the denominator
	LeftOut   int            `json:"left_out"`
	Overruled int            `json:"overruled"` // claims that count as something else than the judge says
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
		figures = lookUp(result, reply.Claims)
	}
	cut := prompt.Cut(result)
	for i, c := range reply.Claims {
		counted := countedClaim{Claim: c.Claim, Verdict: c.Verdict, Counts: c.Verdict, Support: c.Support}
		if figures != nil {
			counted.Figures = figures[i]
			counted.Counts = weighClaim(c.Verdict, figures[i], cut)
		} else if c.Verdict == claimNotShown && !cut {
			counted.Counts = claimUnsupported
		}
		d.add(counted, i)
	}
	if d.Verified == 0 {
		s := scoring.Abstain("every claim is about rows or columns that the judge was not shown")
		s.Detail = d
		return s, nil
	}
	s := scoring.OK(float64(d.Supported)/float64(d.Verified), fmt.Sprintf("%d of %s supported", d.Supported, were(d.Verified, "claim")))
	s.Detail = d
	s.Warnings = d.warnings()
	return s, nil
}

func (d *faithfulnessDetail) add(c countedClaim, i int) {
	d.Claims[i] = c
	if c.Counts != c.Verdict {
		d.Overruled++
	}
	switch c.Counts {
	case claimNotShown:
		d.LeftOut++
		return
	case claimSupported:
		d.Supported++
	}
	d.Verified++
}

func (d *faithfulnessDetail) warnings() (said []string) {
	if d.LeftOut > 0 {
		said = append(said, fmt.Sprintf("%s left out: the judge was not shown what they are about", were(d.LeftOut, "claim")))
	}
	if len(d.Claims) >= prompt.MostClaims {
		said = append(said, fmt.Sprintf("the judge was asked for no more than %d claims", prompt.MostClaims))
	}
	if d.Overruled > 0 {
		said = append(said, fmt.Sprintf("the result overrules the judge on %d of %d claims", d.Overruled, len(d.Claims)))
	}
	return said
}

// weighClaim is what a claim counts as, by the judge's verdict and by what the result holds. A
// figure that the result does not hold where it should takes a claim's support away; the figure
// alone does not make a claim true that the judge has read and found wrong.
func weighClaim(verdict string, figures []checkedFigure, cut bool) string {
	absent, cells, quoted := 0, 0, 0
	for _, f := range figures {
		if f.Found == figureUnchecked {
			continue
		}
		quoted++
		switch f.Found {
		case figureAbsent:
			absent++
		case figureCell:
			cells++
		}
	}
	switch {
	case verdict == claimSupported && absent > 0:
		return claimUnsupported
	case verdict != claimNotShown:
		return verdict
	case !cut:
		return claimUnsupported
	case quoted > 0 && cells == len(figures):
		return claimSupported
	}
	return claimNotShown
}

func faithfulnessVerdict(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	f, err := in.ScoreOf("faithfulness")
	if err != nil {
		return scoring.Score{}, err
	}
	verdict := scoring.Score{Status: f.Status, Code: f.Code, Reason: f.Reason, Warnings: f.Warnings, AssessmentIDs: f.AssessmentIDs}
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
