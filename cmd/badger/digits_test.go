//go:build !no_duckdb

package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/report"
)

// TestSameDigits holds that one run has the same figures with the same digits on the page, in the
// terminal, JSON, CSV, JSON Lines, Markdown and JUnit.
func TestSameDigits(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	db := demoDatabase(t)
	must(t, "report", "--db", db, "--html", file("report"), "--csv", file("r.csv"), "--jsonl", file("r.jsonl"), "--markdown", file("r.md"), "--junit", file("r.xml"))
	terminal, _ := must(t, "report", "--db", db, "--width", "200")
	document, _ := must(t, "report", "--db", db, "--json")
	var figures report.Figures
	if err := json.Unmarshal([]byte(document), &figures); err != nil {
		t.Fatal(err)
	}
	page := metricsOfPage(t, file("report/index.html"))
	table, list := valuesOfCSV(t, file("r.csv")), valuesOfJSONLines(t, file("r.jsonl"))
	means := meansOfJUnit(t, file("r.xml"))
	markdown := readText(t, file("r.md"))
	seen := 0
	for _, m := range figures.Metrics {
		r := m.Rates[0]
		row, there := page[m.Name]
		if !there {
			t.Errorf("the page lacks %s", m.Name)
			continue
		}
		values, covered := strconv.Itoa(r.N), r.Coverage.Text()
		if r.Coverage.Nowhere() {
			values, covered = "–", "–"
		}
		if row["with a value"] != values || row["coverage"] != covered {
			t.Errorf("%s: %s values and %s on the page, %s and %s in JSON", m.Name, row["with a value"], row["coverage"], values, covered)
		}
		if r.Mean == nil {
			if row["mean"] != "–" || len(table[m.Name]) > 0 || len(list[m.Name]) > 0 || means[m.Name] != "" {
				t.Errorf("%s has no value, and the forms say %q, %v, %v, %q", m.Name, row["mean"], table[m.Name], list[m.Name], means[m.Name])
			}
			continue
		}
		seen++
		want, zeros := report.Value(*r.Mean), r.Coverage.Unanswered // a missing answer counts as 0
		if m.LowerIsBetter {
			zeros = 0
		}
		for form, got := range map[string]string{"page": row["mean"], "CSV": mean(table[m.Name], zeros), "JSON Lines": mean(list[m.Name], zeros), "JUnit": means[m.Name]} {
			if got != want {
				t.Errorf("%s: the mean is %s in JSON and %s in the %s", m.Name, want, got, form)
			}
		}
		line := regexp.MustCompile(`(?m)^` + m.Name + ` .*$`).FindString(terminal)
		if line == "" {
			continue // a part of another metric: the terminal has it in a table of means
		}
		cases := strconv.Itoa(r.Coverage.Scored) + "/" + strconv.Itoa(r.Coverage.Asked)
		if !strings.Contains(line, " "+cases+" ") || !strings.Contains(line+" ", " "+want+" ") {
			t.Errorf("%s: JSON has %s and %s, the terminal %q", m.Name, cases, want, line)
		}
		inMarkdown := regexp.MustCompile("(?m)^\\| `" + m.Name + "` .*$").FindString(markdown)
		if inMarkdown != "" && (!strings.Contains(inMarkdown, " "+cases+" ") || !strings.Contains(inMarkdown, " "+want+" ")) {
			t.Errorf("%s: JSON has %s and %s, Markdown %q", m.Name, cases, want, inMarkdown)
		}
		if r.Passed == nil {
			continue
		}
		share := report.Percent(r.Passed.Rate)
		if row["pass rate"] != share || !strings.Contains(line, share) || inMarkdown != "" && !strings.Contains(inMarkdown, share) {
			t.Errorf("%s: JSON has the pass rate %s, the page %s, the terminal %q, Markdown %q", m.Name, share, row["pass rate"], line, inMarkdown)
		}
		if row["passed"] != strconv.Itoa(r.Passed.Passed) {
			t.Errorf("%s: %s passed on the page, %d in JSON", m.Name, row["passed"], r.Passed.Passed)
		}
	}
	if seen < 50 {
		t.Errorf("%d metrics have a mean", seen)
	}
	if !strings.Contains(markdown, "`"+figures.Primary+"`") {
		t.Errorf("Markdown lacks the primary metric")
	}
}

// metricsOfPage is the table of metrics on the page of a run: what stands under each heading, by
// metric.
func metricsOfPage(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(readText(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	table := doc.Find(`[aria-label="Metrics"] table`)
	var heads []string
	table.Find("thead th").Each(func(_ int, th *goquery.Selection) { heads = append(heads, th.Text()) })
	table.Find("tbody tr").Each(func(_ int, tr *goquery.Selection) {
		cells := tr.Children()
		if cells.Length() != len(heads) {
			return // the head of a group
		}
		row := map[string]string{}
		cells.Each(func(i int, c *goquery.Selection) { row[heads[i]] = strings.TrimSpace(c.Text()) })
		name := cells.First().Find("small.quiet").First().Text() // after the display name, if that is another one
		if name == "" || strings.Contains(name, " ") {
			name = strings.Fields(row["metric"])[0]
		}
		out[name] = row
	})
	return out
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mean is the mean of values and a number of zeros as reports show it.
func mean(values []float64, zeros int) string {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return report.Value(sum / float64(len(values)+zeros))
}

func valuesOfCSV(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(readText(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]float64{}
	for i, head := range lines[0] {
		metric, is := strings.CutPrefix(head, "score_")
		for _, line := range lines[1:] {
			if !is || line[i] == "" {
				continue
			}
			v, err := strconv.ParseFloat(line[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			out[metric] = append(out[metric], v)
		}
	}
	return out
}

func valuesOfJSONLines(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for line := range strings.Lines(readText(t, path)) {
		var a struct {
			Scores []struct {
				Metric string
				Value  *float64
			}
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Scores {
			if s.Value != nil {
				out[s.Metric] = append(out[s.Metric], *s.Value)
			}
		}
	}
	return out
}

func meansOfJUnit(t *testing.T, path string) map[string]string {
	t.Helper()
	var doc struct {
		Suites []struct {
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(readText(t, path)), &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range doc.Suites[0].Properties {
		if metric, is := strings.CutPrefix(p.Name, "mean "); is {
			out[metric] = p.Value
		}
	}
	return out
}

// TestMaskedForms holds that no form of a report has a value of a masked column.
func TestMaskedForms(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	db := demoDatabase(t)
	// The totals of bank-07, which the answer gets wrong, as its page shows them.
	total := regexp.MustCompile(`\d{6,}\.\d\d`)
	must(t, "report", "--db", db, "--against", "demo-atlas-1.0", "--html", file("open.html"))
	_, section, _ := strings.Cut(readText(t, file("open.html")), `<p class="kick"><bdi dir="auto">bank-07</bdi>`)
	section, _, _ = strings.Cut(section, `<p class="kick"><bdi dir="auto">`)
	values := total.FindAllString(section, -1)
	if len(values) < 6 {
		t.Fatalf("the page of bank-07 shows %d totals", len(values))
	}
	terminal, _ := must(t, "report", "--db", db, "--mask", "total_*")
	must(t, "report", "--db", db, "--against", "demo-atlas-1.0", "--mask", "total_*", "--html", file("r.html"), "--csv", file("r.csv"), "--jsonl", file("r.jsonl"), "--markdown", file("r.md"), "--junit", file("r.xml"), "--sarif", file("r.sarif"))
	masked := terminal
	for _, name := range []string{"r.html", "r.csv", "r.jsonl", "r.md", "r.xml", "r.sarif"} {
		masked += readText(t, file(name))
	}
	for _, v := range values {
		if strings.Contains(masked, v) {
			t.Errorf("%s is there", v)
		}
	}
	if !strings.Contains(masked, "withheld: a column is masked") {
		t.Error("nothing says that something is withheld")
	}
}
