package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/relation"
)

// reasonName returns the display name of the reason of a wrong answer.
func reasonName(reason string) string {
	switch reason {
	case analysis.ReasonNoAnswer:
		return "No answer"
	case analysis.ReasonNotExplained:
		return "Not explained"
	}
	return relation.DisplayName(reason)
}

// wrong prints the reasons why the answers of one agent version are wrong.
func (v analysisView) wrong(w *analysis.WrongAnswers, primary string, o FailureView) {
	said := fmt.Sprintf("%d of %s wrong by %s", w.Wrong, printable.Count(w.Judged, "answer"), printable.Text(primary))
	if w.NewlyWrong != nil {
		said += fmt.Sprintf(", %d of them newly against %s", *w.NewlyWrong, printable.Text(w.Baseline))
	}
	v.line(span{printable.Text(w.System), bold}, span{": " + said, plain})
	const most = 10
	shown := w.Reasons
	if !o.All && len(shown) > most {
		shown = shown[:most]
	}
	var g grid
	g.words("reason", 30)
	g.words("group", 23)
	g.cols[1].drop = 3
	g.number("wrong")
	g.number("new").drop = 1
	g.words("relation", 8)
	g.cols[4].drop = 2
	g.words("example", 8)
	for i := range shown {
		r := &shown[i]
		row := []cellSpans{text(printable.Text(reasonName(r.Reason))), inStyle(printable.Text(r.Group), dim),
			text(strconv.Itoa(r.N)), nil, inStyle(printable.Text(r.Reason), dim), inStyle(printable.Text(r.Cases[0]), dim)}
		if w.NewlyWrong != nil {
			row[3] = v.count(r.New, red)
		}
		g.add(row...)
	}
	g.print(v.printer)
	if n := len(w.Reasons) - len(shown); n > 0 {
		v.line(span{fmt.Sprintf("%s %s: --all", v.ellipsis, printable.Count(n, "more reason")), dim})
	}
	if o.Cases {
		for i := range shown {
			v.paragraph("  ", reasonName(shown[i].Reason)+": "+strings.Join(shown[i].Cases, ", "))
		}
	}
	v.line()
}
