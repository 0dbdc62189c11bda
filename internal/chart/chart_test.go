package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/chart/charttest"
)

var update = flag.Bool("update", false, "write golden files anew; look at them before they are committed")

func at(v float64) *float64 { return &v }

func golden() []*chart.Picture {
	return []*chart.Picture{
		(&chart.Lines{
			Name: "versions", Title: "hybrid_ex over versions", Desc: "It rose from 60 % to 80 %, and fell when the golden set changed.", X: "version", Y: "passed",
			Steps: []string{"atlas 1.0", "atlas 1.1", "atlas 2.0", "atlas 2.1 of an especially long name"}, Percent: true,
			Series: []chart.Series{
				{Name: "atlas", Points: []chart.Point{{X: 0, Y: 0.6, Low: at(0.5), High: at(0.7), Tip: "60 % of 100"}, {X: 1, Y: 0.8, Low: at(0.7), High: at(0.9)}, {X: 2, Y: 0.65, Cut: true}, {X: 3, Y: 0.7}}},
				{Name: "other", Points: []chart.Point{{X: 1, Y: 0.62}, {X: 3, Y: 0.71}}},
			},
			Marks: []chart.Mark{{X: 1.5, Text: "G J"}},
		}).Picture(),
		(&chart.Lines{
			Name: "threshold", Title: "Kappa over the threshold", X: "threshold", Y: "kappa", Low: 0, High: 1,
			Series: []chart.Series{{Bare: true, Step: chart.Before, Points: []chart.Point{{X: 0, Y: 0}, {X: 0.5, Y: 0.4}, {X: 0.75, Y: 0.7}, {X: 1, Y: -0.1}}}},
			Marks:  []chart.Mark{{X: 0.8, Text: "own"}},
		}).Picture(),
		(&chart.Bars{
			Name: "cost", Title: "Cost by metric", X: "cost", Rows: []chart.Bar{
				{Name: "rose", Value: at(12.5), Text: "12.5"}, {Name: "flex", Value: at(3), Low: at(2), High: at(4), Text: "3", Class: "two"}, {Name: "unknown"},
			},
		}).Picture(),
		(&chart.Histogram{Name: "changes", Title: "Changes of cases", X: "change", Y: "cases", From: -1, Width: 0.25, Counts: []int{1, 0, 3, 40, 7, 0, 0, 2}}).Picture(),
		(&chart.Lines{Name: "nothing", Title: "Nothing", Steps: []string{}}).Picture(),
	}
}

// People look at these files, in a browser, before they are committed.
func TestGolden(t *testing.T) {
	for _, p := range golden() {
		got := charttest.Check(t, p)
		path := filepath.Join("testdata", p.Name+".svg")
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil { //nolint:gosec // to be read by others
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the golden file; look at it and run with -update", path)
		}
	}
}

// Between two thresholds a statistic has one value, so its line has horizontal and vertical parts only.
func TestSteps(t *testing.T) {
	points := []chart.Point{{X: 0, Y: 0}, {X: 0.8, Y: 1}, {X: 0.9, Y: 1}, {X: 1, Y: 0.5}}
	for step, want := range map[chart.Step]string{
		chart.Straight: "82,274 578,44 640,44 702,159",
		chart.Before:   "82,274 82,44 578,44 640,44 640,159 702,159",
		chart.After:    "82,274 578,274 578,44 640,44 702,44 702,159",
	} {
		p := (&chart.Lines{Name: "steps", Title: "Steps", High: 1, Series: []chart.Series{{Bare: true, Step: step, Points: points}}}).Picture()
		if got := string(charttest.Check(t, p)); !strings.Contains(got, want) {
			t.Errorf("step %d: expected a line over %s in %s", step, want, got[strings.LastIndex(got, "</style>"):])
		}
	}
}

// circles are the points of a picture, in their order.
func circles(t *testing.T, svg []byte) (out [][2]float64) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			var p [2]float64
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "cx":
					_, err = fmt.Sscan(a.Value, &p[0])
				case "cy":
					_, err = fmt.Sscan(a.Value, &p[1])
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			out = append(out, p)
		}
	}
}

// A value higher than another is drawn higher, by as much as it is higher, whatever the values are.
func TestPointsAreInProportion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		scale := math.Pow(10, r.Float64()*8-3)
		offset := (r.Float64() - 0.5) * scale
		var s chart.Series
		var steps []string
		for i := range 3 + r.IntN(20) {
			s.Points = append(s.Points, chart.Point{X: float64(i), Y: r.Float64()*scale + offset})
			steps = append(steps, fmt.Sprint("v", i))
		}
		l := chart.Lines{Name: "x", Title: "x", Steps: steps, Series: []chart.Series{s}}
		drawn := circles(t, charttest.Check(t, l.Picture()))
		if len(drawn) != len(s.Points) {
			t.Fatalf("%d points are drawn of %d", len(drawn), len(s.Points))
		}
		for i := 2; i < len(drawn); i++ {
			// by the rule of three from the first two
			dy := (drawn[1][1] - drawn[0][1]) * (s.Points[i].Y - s.Points[0].Y)
			is := (drawn[i][1] - drawn[0][1]) * (s.Points[1].Y - s.Points[0].Y)
			if span := scale * 0.4; math.Abs(dy-is) > span {
				t.Fatalf("%v is drawn at %v", s.Points, drawn)
			}
			if d := drawn[i][0] - drawn[i-1][0]; math.Abs(d-(drawn[1][0]-drawn[0][0])) > 0.21 {
				t.Fatalf("the steps are %v apart", d)
			}
		}
	}
}

// Lines are not areas: no rule fills what may be a line but through the kind of its element.
func TestLinesAreNotFilled(t *testing.T) {
	for _, rule := range regexp.MustCompile(`(?m)^(\.chart [^{]+)\{[^}]*\bfill: var`).FindAllStringSubmatch(chart.CSS, -1) {
		for _, selector := range strings.Split(rule[1], ",") {
			if last := strings.Fields(selector)[1]; strings.HasPrefix(last, ".") && last != ".paper" && last != ".shade" {
				t.Errorf("the rule %s fills lines, too", selector)
			}
		}
	}
}

// No line joins points that cannot be compared.
func TestCutLines(t *testing.T) {
	lines := func(cut ...bool) int {
		s := chart.Series{}
		for i, c := range cut {
			s.Points = append(s.Points, chart.Point{X: float64(i), Y: float64(i), Cut: c})
		}
		svg := charttest.Check(t, (&chart.Lines{Name: "x", Title: "x", Steps: make([]string, len(cut)), Series: []chart.Series{s}}).Picture())
		return bytes.Count(svg, []byte(`<polyline class="one"`))
	}
	for _, tc := range []struct {
		cut  []bool
		want int
	}{{[]bool{false, false, false}, 1}, {[]bool{false, false, true, false}, 2}, {[]bool{false, true, true}, 0}, {[]bool{true, false, true}, 1}} {
		if got := lines(tc.cut...); got != tc.want {
			t.Errorf("%v: %d lines, want %d", tc.cut, got, tc.want)
		}
	}
}

// Text from outside makes no element and no attribute, in a file and in a page.
func TestTextIsText(t *testing.T) {
	page := template.Must(template.Must(template.New("page").Parse(`{{template "chart" .}}`)).Parse(chart.Template))
	for _, hostile := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='x`, `</title><script>`, `]]>`, "\x00\x01\x1b[31m\u202e", `{{.Name}}`, "</style><b>", strings.Repeat("long", 200)} {
		p := []*chart.Picture{
			(&chart.Lines{Name: "x", Title: hostile, Desc: hostile, X: hostile, Y: hostile, Steps: []string{hostile, hostile}, Series: []chart.Series{{Name: hostile, Points: []chart.Point{{Tip: hostile}, {X: 1, Tip: hostile}}}}, Marks: []chart.Mark{{Text: hostile}}}).Picture(),
			(&chart.Bars{Name: "x", Title: hostile, X: hostile, Rows: []chart.Bar{{Name: hostile, Text: hostile, Value: at(1)}}}).Picture(),
			(&chart.Histogram{Name: "x", Title: hostile, X: hostile, Y: hostile, Width: 1, Counts: []int{1}}).Picture(),
		}
		for _, p := range p {
			charttest.Check(t, p)
			var b strings.Builder
			if err := page.Execute(&b, p); err != nil {
				t.Fatal(err)
			}
			for _, tag := range regexp.MustCompile(`<[a-z]+`).FindAllString(b.String(), -1) {
				if !strings.Contains("<svg <title <desc <rect <line <polyline <circle <text", tag) {
					t.Errorf("%q makes an element %s", hostile, tag)
				}
			}
			if strings.ContainsAny(b.String(), "\x00\x1b\u202e") || strings.Contains(b.String(), "<img") || strings.Contains(b.String(), ` onload='`) {
				t.Errorf("%q is not escaped", hostile)
			}
		}
	}
}

// A file needs no variables: not every reader of SVG knows them. Every class that a picture uses has
// a rule.
func TestFilesHaveTheirColours(t *testing.T) {
	for _, p := range golden() {
		svg := string(charttest.Check(t, p))
		if strings.Contains(svg, "var(") || strings.Contains(svg, "light-dark") || !strings.Contains(svg, "fill: #1f2933") {
			t.Errorf("%s: its rules are not plain", p.Name)
		}
		for _, m := range regexp.MustCompile(` class="([^"]+)"`).FindAllStringSubmatch(svg, -1) {
			for _, class := range strings.Fields(m[1]) {
				if class != "chart" && !strings.Contains(chart.CSS, "."+class+" ") && !strings.Contains(chart.CSS, "."+class+",") {
					t.Errorf("%s: the class %s has no rule", p.Name, class)
				}
			}
		}
	}
}
