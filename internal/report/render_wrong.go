package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
		return analysis.NoReason
	}
	return relation.DisplayName(reason)
}

// reasonsOf returns a line for each reason of the cases ids on a side of a comparison, the most frequent first; nil if
// no reason is known.
func reasonsOf(ids []string, reasons *analysis.SideReasons, side int) (lines []string) {
	if reasons == nil {
		return nil
	}
	byReason := map[string][]string{}
	for _, id := range ids {
		r := reasons[side][id]
		byReason[r] = append(byReason[r], id)
	}
	order := slices.SortedFunc(maps.Keys(byReason), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byReason[b]), len(byReason[a])), strings.Compare(a, b))
	})
	if len(order) == 1 && order[0] == analysis.ReasonNotExplained {
		return nil
	}
	for _, r := range order {
		lines = append(lines, reasonName(r)+": "+strings.Join(byReason[r], ", "))
	}
	return lines
}

// groupNames returns the groups of reasons in the order of pages, and the reasons that have no group.
func groupNames() (names []string) {
	for _, g := range relation.Groups() {
		names = append(names, string(g))
	}
	return append(names, reasonName(analysis.ReasonNoAnswer), reasonName(analysis.ReasonNotExplained))
}

// wrongGroups prints the sums of the wrong answers of one agent version by group of reasons, if there are several
// reasons.
func (v analysisView) wrongGroups(w *analysis.WrongAnswers) {
	if len(w.Reasons) < 2 {
		return
	}
	var g grid
	g.words("group", 23)
	g.number("wrong")
	g.number("new")
	for _, name := range groupNames() {
		wrong, fresh := 0, 0
		for i := range w.Reasons {
			if r := &w.Reasons[i]; cmp.Or(r.Group, reasonName(r.Reason)) == name {
				wrong, fresh = wrong+r.N, fresh+r.New
			}
		}
		if wrong == 0 {
			continue
		}
		row := []cellSpans{text(name), text(strconv.Itoa(wrong)), nil}
		if w.NewlyWrong != nil {
			row[2] = v.count(fresh, red)
		}
		g.add(row...)
	}
	g.print(v.printer)
	v.line()
}

// wrong prints the reasons why the answers of one agent version are wrong.
func (v analysisView) wrong(w *analysis.WrongAnswers, primary string, o FailureView) {
	said := fmt.Sprintf("%d of %s wrong by %s", w.Wrong, printable.Count(w.Judged, "answer"), printable.Text(primary))
	if w.NewlyWrong != nil {
		said += fmt.Sprintf(", %d of them newly against %s", *w.NewlyWrong, printable.Text(w.Baseline))
		if w.Compared < w.Judged {
			said += fmt.Sprintf(" (%d compared)", w.Compared)
		}
	}
	name := w.System
	if w.Batch != "" {
		name += ", batch " + w.Batch
	}
	name = printable.Text(name)
	for i, l := range printable.Wrap(name+": "+said, v.Width) {
		if rest, ok := strings.CutPrefix(l, name); ok && i == 0 {
			v.line(span{name, bold}, span{rest, plain})
		} else {
			v.line(span{l, plain})
		}
	}
	for _, u := range w.Unlike {
		if u.Why != analysis.NoValue {
			v.paragraph("  ! ", "not compared with "+w.Baseline+" on "+u.String())
		}
	}
	v.wrongGroups(w)
	const most = 10
	shown := w.Reasons
	if !o.All && !o.Cases && len(shown) > most {
		shown = shown[:most]
	}
	var g grid
	g.words("reason", 30)
	g.words("group", 23)
	g.number("wrong")
	g.number("new")
	g.words("relation", 8)
	g.cols[4].drop = 2
	g.words("example", 8)
	g.cols[5].drop = 1
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
			r := &shown[i]
			if r.New > 0 {
				v.paragraph("  ", reasonName(r.Reason)+", new: "+strings.Join(r.Cases[:r.New], ", "))
			}
			head := reasonName(r.Reason) + ": "
			if w.NewlyWrong != nil {
				head = reasonName(r.Reason) + ", not new: "
			}
			if r.New < len(r.Cases) {
				v.paragraph("  ", head+strings.Join(r.Cases[r.New:], ", "))
			}
		}
	}
	v.line()
}
