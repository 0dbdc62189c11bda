// Package docs renders the pages of docs/ that describe metrics, functions, relations between results, the laws
// of equality, badger's tables and case files, from what these say of themselves, so that a page cannot say
// anything else than they do.
package docs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// groups are the families of metrics with their titles, in the order of the page. Other groups
// follow under their own names.
var groups = []struct{ name, title, about string }{
	{"verdict", "Verdict", "This says whether an answer is right, from the evidence and, where that leaves it open, from a judge."},
	{"execution", "Results", "These compare the result that the agent's query returned with the accepted one."},
	{"sql", "SQL text", "These read the queries and run nothing. SQL that is not understood in places is scored all the same; a warning names the line."},
	{"judge", "Judges", "These ask a judge model. Its reply is recorded as an assessment, and the score is computed from that."},
	{"agent", "Agents", "These look at what an agent did and said besides its query."},
}

// Metrics renders one Markdown page: for each group a table of its metrics, then each metric with all
// that it says of itself.
func Metrics(metrics []scoring.Metric) []byte {
	var b strings.Builder
	b.WriteString("# Metrics\n\n" +
		"Every metric gives a score with a status. Only a score that is `ok` has a value; `not_applicable` says what the case lacks, `abstained` that the metric looked and could\n" +
		"not decide, `failed` what broke. Of several accepted answers the best counts. A metric with a threshold also gives a verdict; thresholds can be set in the configuration.\n")
	for _, g := range groupsOf(metrics) {
		title, about := g, ""
		for _, known := range groups {
			if known.name == g {
				title, about = known.title, known.about
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		if about != "" {
			b.WriteString(about + "\n\n")
		}
		b.WriteString("| metric | what it says | range |\n| --- | --- | --- |\n")
		for _, m := range metrics {
			if m.Group == g {
				fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", m.Name, m.Name, tableCell(m.Summary), tableCell(m.Range))
			}
		}
		for i := range metrics {
			if metrics[i].Group == g {
				section(&b, &metrics[i])
			}
		}
	}
	return []byte(b.String())
}

// groupsOf are the groups that the metrics have, known ones first.
func groupsOf(metrics []scoring.Metric) []string {
	var out []string
	for _, g := range groups {
		if slices.ContainsFunc(metrics, func(m scoring.Metric) bool { return m.Group == g.name }) {
			out = append(out, g.name)
		}
	}
	for _, m := range metrics {
		if !slices.Contains(out, m.Group) {
			out = append(out, m.Group)
		}
	}
	return out
}

func section(b *strings.Builder, m *scoring.Metric) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n", m.Name, prose(m.Summary))
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "- %s: %s\n", name, text)
		}
	}
	line("Range", prose(m.Range))
	if len(m.Labels) > 0 {
		line("Labels", "`"+strings.Join(m.Labels, "`, `")+"`")
	}
	line("Needs", prose(inWords(m.Needs)))
	if m.Reads != 0 {
		line("Reads, if given", prose(inWords(m.Reads)))
	}
	line("Branch", m.Branch.String())
	if m.OnRequest {
		line("Computed", "on request only: where it is named, or all metrics are")
	}
	if m.FailedQuery.Declared() {
		line("If the agent's query failed", prose(m.FailedQuery.String()))
	}
	if len(m.Options.List) > 0 {
		b.WriteString("- Options:\n")
		for i := range m.Options.List {
			option(b, &m.Options.List[i])
		}
	}
	if m.Threshold != nil {
		way := "from"
		if m.LowerIsBetter {
			way = "up to"
		}
		line("Passes", way+" "+strconv.FormatFloat(*m.Threshold, 'g', -1, 64))
	} else if m.LowerIsBetter {
		line("Better", "lower")
	}
	line("Formula", prose(m.Formula))
	line("Source", prose(m.Source))
	if m.Gaming != "" {
		line("How it can be gamed", prose(m.Gaming))
	}
	line("Example", prose(m.Example))
	line("Version", strconv.Itoa(m.Version))
}

// option renders one option: its name, type, range and default, and what it does.
func option(b *strings.Builder, o *scoring.Option) {
	fmt.Fprintf(b, "  - `%s` %s\n", o.Name, prose(strings.TrimPrefix(o.String(), o.Name)))
}

func inWords(n scoring.Field) string {
	var list []string
	for _, f := range scoring.Fields() {
		if n&f.Field != 0 {
			list = append(list, f.Words)
		}
	}
	if len(list) == 0 {
		return "nothing in particular"
	}
	return strings.Join(list, ", ")
}

// prose keeps Markdown from reading signs of formulae as its own.
func prose(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "<", `\<`, "`", "\\`", "[", `\[`, "$", `\$`).Replace(strings.TrimSpace(s))
}

// tableCell is prose in a table.
func tableCell(s string) string { return strings.ReplaceAll(prose(s), "|", `\|`) }
