package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// familySize is the minimum number of metrics with the same first word that share one section.
const familySize = 12

// prefix returns the first word of a metric's name, with the underscore after it.
func prefix(name string) string {
	word, _, _ := strings.Cut(name, "_")
	return word + "_"
}

// family returns the metrics that share a section with the named one, or nil if it has a separate section.
func family(metrics []scoring.Metric, name string) (of []*scoring.Metric) {
	for i := range metrics {
		if strings.HasPrefix(metrics[i].Name, prefix(name)) {
			of = append(of, &metrics[i])
		}
	}
	if len(of) < familySize {
		return nil
	}
	return of
}

// familySection renders metrics that differ in few properties: a table with a row for each, then each property once,
// with the metrics that it holds for if it does not hold for all.
func familySection(b *strings.Builder, name string, of []*scoring.Metric) {
	common := commonEnd(of)
	fmt.Fprintf(
		b,
		"\n### `%s*`\n\n| metric | on pages | what it measures | range | passes | version | formula |\n| --- | --- | --- | --- | --- | --- | --- |\n",
		name,
	)
	var order []string                 // names of properties
	texts := map[string][]string{}     // their different texts
	having := map[[2]string][]string{} // metrics by property and text
	for _, m := range of {
		formula := strings.TrimSuffix(m.Formula, common)
		fmt.Fprintf(
			b,
			"| `%s` | %s | %s | %s | %s | %d | %s |\n",
			m.Name,
			tableCell(m.Display),
			tableCell(m.Summary),
			tableCell(m.Range),
			passes(m),
			m.Version,
			tableCell(formula),
		)
		for _, p := range properties(m) {
			if slices.Contains([]string{"On pages", "Range", "Passes", "Version", "Formula"}, p.name) {
				continue
			}
			if !slices.Contains(order, p.name) {
				order = append(order, p.name)
			}
			if !slices.Contains(texts[p.name], p.text) {
				texts[p.name] = append(texts[p.name], p.text)
			}
			having[[2]string{p.name, p.text}] = append(having[[2]string{p.name, p.text}], "`"+m.Name+"`")
		}
	}
	b.WriteString("\n")
	for _, property := range order {
		slices.SortStableFunc(texts[property], func(x, y string) int {
			return len(having[[2]string{property, x}]) - len(having[[2]string{property, y}])
		})
		for i, text := range texts[property] {
			title := property
			switch with := having[[2]string{property, text}]; {
			case len(with) == len(of):
			case i == len(texts[property])-1 && i > 0 && len(with) > len(of)/2:
				title += " (others)"
			default:
				title += " (" + strings.Join(with, ", ") + ")"
			}
			fmt.Fprintf(b, "- %s:%s\n", title, text)
		}
	}
	if common != "" {
		fmt.Fprintf(b, "- In all formulas: %s\n", prose(common))
	}
}

// commonEnd returns the sentences that all formulas end with, or "" if there are none.
func commonEnd(of []*scoring.Metric) string {
	end := of[0].Formula
	for _, m := range of[1:] {
		for !strings.HasSuffix(m.Formula, end) {
			_, rest, found := strings.Cut(end, ". ")
			if !found {
				return ""
			}
			end = rest
		}
	}
	return end
}
