package calibration

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/badger-eval/badger/internal/printable"
)

// Render writes the figures of the judge and of the proposals, and which proposal was chosen.
func (r *ImproveReport) Render(out io.Writer) error {
	fmt.Fprintf(out, "%s version %d, asked of %s; split by %s, seed %d\n", r.Judge.Name, r.Judge.Version,
		printable.Text(r.Model), r.Split, r.Seed)
	for _, part := range []struct {
		name string
		size partSize
	}{{"to propose from", r.Propose}, {"to choose on", r.Choose}, {"held out", r.HeldOut}} {
		fmt.Fprintf(out, "%s: %s to %s, %d pass, %d fail\n", part.name,
			printable.Count(part.size.Answers, "labelled answer"), printable.Count(part.size.Questions, "question"),
			part.size.Pass, part.size.Fail)
	}
	fmt.Fprintln(out, "\nagreement with the labels held out")
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "judge\tchoice\tverdicts\taccuracy\t95 % CI\tkappa\tfixed\tbroken\tchange\tp (Holm)\tcalls\ttokens in\tout\tUSD")
	row := func(name string, c choiceFigures, f *judgeFigures, tested string) {
		fmt.Fprintf(w, "%s\t%d/%d\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", name, c.Agree, c.Answers, f.Verdicts,
			decimals(f.Accuracy, 3), rangeText(f.AccuracyCI), decimals(f.Kappa, 3), tested, f.Calls,
			tokenText(int64(f.TokensIn)), tokenText(int64(f.TokensOut)), cmp.Or(f.Money, "-"))
	}
	row("old", r.OldChoice, &r.Old, "-\t-\t-\t-")
	for i := range r.Proposals {
		if p := &r.Proposals[i]; p.Figures != nil {
			row(p.Name, p.Choice, p.Figures, fmt.Sprintf("%d\t%d\t%+.3f\t%s", p.Fixed, p.Broken, p.Change,
				decimals(p.Adjusted, 4)))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range r.Proposals {
		p := &r.Proposals[i]
		if p.Why != "" {
			fmt.Fprintf(out, "%s: the model's reason: %s\n", p.Name, printable.Cell(p.Why, 300))
		}
		if p.Rejected != "" {
			fmt.Fprintf(out, "%s: no proposal: %s\n", p.Name, printable.Cell(p.Rejected, 300))
		}
	}
	if r.Old.KappaWhy != "" {
		fmt.Fprintf(out, "kappa is not defined: %s\n", r.Old.KappaWhy)
	}
	_, err := fmt.Fprintln(out, "\n"+r.verdict())
	return err
}

// verdict describes the test of the chosen proposal.
func (r *ImproveReport) verdict() string {
	if r.Chosen == "" {
		return "no proposal could be made"
	}
	for i := range r.Proposals {
		p := &r.Proposals[i]
		switch {
		case p.Name != r.Chosen:
		case r.Shown:
			return fmt.Sprintf("%s is better than the judge on labels held out: %d fixed, %d broken, p %s", p.Name, p.Fixed,
				p.Broken, decimals(p.Adjusted, 4))
		case !p.Choice.better(r.OldChoice):
			return fmt.Sprintf("no improvement is shown: %s is best on the labels to choose on, and not better than the judge there",
				p.Name)
		default:
			return fmt.Sprintf("no improvement is shown: %s is best on the labels to choose on, and on those held out the "+
				"difference may be chance (%d fixed, %d broken, p %s)", p.Name, p.Fixed, p.Broken, decimals(p.Adjusted, 4))
		}
	}
	return ""
}

// decimals formats a number with n decimals, or - if it is undefined.
func decimals(v *float64, n int) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', n, 64)
}

func rangeText(ends *[2]float64) string {
	if ends == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f to %.2f", ends[0], ends[1])
}

func tokenText(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return strconv.FormatInt(n, 10)
}
