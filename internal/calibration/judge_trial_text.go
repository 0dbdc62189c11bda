package calibration

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

const casesShown = 50

// Render writes the scores of the cases and the figures. Unless all is set, it writes only the first 50 cases.
func (t *JudgeTrial) Render(out io.Writer, all bool) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(out, "%s version %d (%s): %s\n\n", t.Judge.Name, t.Judge.Version, t.Judge.Kind, t.Judge.Summary)
	fmt.Fprintln(w, "case\tscore\tpassed\tpeople\treason")
	for i := range t.Rows {
		if i == casesShown && !all {
			break
		}
		s := &t.Rows[i].Score
		score := string(s.Status)
		if s.Status == scoring.StatusOK {
			if score = strconv.FormatFloat(s.Value, 'g', 4, 64); s.Label != "" {
				score = s.Label
			}
		}
		width := 70
		if s.Status == scoring.StatusFailed {
			width = 300
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", printable.Cell(t.Rows[i].CaseID, 30), printable.Cell(score, 30),
			passedWord(s.Passed), passedWord(t.human[i]), printable.Cell(s.Reason, width))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := len(t.Rows) - casesShown; more > 0 && !all {
		fmt.Fprintf(out, "… and %d more; --all shows them\n", more)
	}
	fmt.Fprintf(out, "\n%s", printable.Count(len(t.Rows), "case"))
	for _, s := range []scoring.Status{scoring.StatusOK, scoring.StatusAbstained, scoring.StatusNotApplicable,
		scoring.StatusFailed} {
		if n := t.Statuses[s]; n > 0 {
			fmt.Fprintf(out, ", %d %s", n, strings.ReplaceAll(string(s), "_", " "))
		}
	}
	if t.Statuses[scoring.StatusOK] > 0 {
		fmt.Fprintf(out, "; mean %.4g", t.Mean)
	}
	fmt.Fprintln(out)
	if len(t.Labels) > 0 {
		fmt.Fprintln(w, "\nlabel\tanswers\tpeople pass\tpeople fail")
		for _, l := range t.Labels {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", l.Label, l.N, l.PeoplePass, l.PeopleFail)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return t.renderAgreement(out)
}

func (t *JudgeTrial) renderAgreement(out io.Writer) error {
	c := t.Confusion
	labelled := t.Labelled()
	switch {
	case labelled == 0:
		_, err := fmt.Fprintln(out, "\nno case has a label (human.label), so there is no agreement to measure")
		return err
	case c.N() == 0 && t.Statuses[scoring.StatusFailed] == len(t.Rows):
		_, err := fmt.Fprintln(out,
			"\nthe judge failed on every case, so there is no agreement to measure; see the reasons above")
		return err
	case c.N() == 0 && t.Judge.Metric().Threshold != nil:
		_, err := fmt.Fprintln(out,
			"\nthe judge gave none of the labelled answers a value, so there is no agreement to measure")
		return err
	case c.N() == 0:
		_, err := fmt.Fprintln(out,
			"\nthe judge passes no verdict on the labelled answers: give it a threshold, or let it return passed")
		return err
	}
	text := func(s agreement.Stat) string {
		if !s.Defined {
			return "not defined (" + s.Why + ")"
		}
		return strconv.FormatFloat(s.Value, 'f', 3, 64)
	}
	kappa := text(c.LabelKappa())
	if t.Interval.Defined {
		kappa += fmt.Sprintf(" (95 %% CI %.2f to %.2f)", t.Interval.Lo, t.Interval.Hi)
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "\nagreement with people\tpeople pass\tpeople fail\njudge passes\t%d\t%d\njudge fails\t%d\t%d\n", c.TP,
		c.FP, c.FN, c.TN)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d of %s: accuracy %s, kappa %s\n", c.N(), printable.Count(labelled, "labelled answer"),
		text(c.Accuracy()), kappa)
	return err
}

func passedWord(b *bool) string {
	switch {
	case b == nil:
		return "-"
	case *b:
		return "pass"
	}
	return "fail"
}
