package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
)

// nightsFrom are daily batches from 1 March with so many right answers of 100; a negative number is a day without a
// run. The version changes before the places in starts.
func nightsFrom(rights []int, starts ...int) (out []night) {
	version := 1
	for i, right := range rights {
		if slices.Contains(starts, i) {
			version++
		}
		if right < 0 {
			continue
		}
		share := float64(right) / 100
		n := night{Right: right, Asked: 100, Share: &share, Address: fmt.Sprintf("/run?run=%d", i)}
		n.Of = analysis.Batch{
			By: scoring.By{Agent: "a", Version: fmt.Sprintf("%d.0", version)},
			At: time.Date(2026, 3, 1+i, 2, 0, 0, 0, time.UTC),
		}
		n.Name = day(n.Of.At)
		out = append(out, n)
	}
	return out
}

// TestUsualRange holds the limits against values computed by hand: of 70, 72 and so on in turn the mean is 71 and each
// step is 2, so the limits are 71 ± 2.66 · 2. The first batches of a version are judged by the version before.
func TestUsualRange(t *testing.T) {
	steady := []int{70, 72, 70, 72, 70, 72, 70, 72}
	for _, c := range []struct {
		name    string
		rights  []int
		starts  []int
		outside string // a sign for each batch
		limits  string // for each version
	}{
		{"seven are too few", steady[:7], nil, "       ", "0"},
		{"eight", steady, nil, "        ", "65.68-76.32"},
		{"the newest does not move its own limits", append(slices.Clone(steady), 40), nil, "        -", "65.68-76.32"},
		{"a new version below", append(slices.Clone(steady), 65), []int{8}, "        -", "65.68-76.32 0"},
		{"a new version at the limit", append(slices.Clone(steady), 66), []int{8}, "         ", "65.68-76.32 0"},
		{"a new version above", append(slices.Clone(steady), 77), []int{8}, "        +", "65.68-76.32 0"},
	} {
		nights := nightsFrom(c.rights, c.starts...)
		var limits []string
		for _, u := range usuals(nights) {
			text := "0"
			if u.Limits {
				text = fmt.Sprintf("%.2f-%.2f", 100*u.Low, 100*u.High)
			}
			limits = append(limits, text)
		}
		var outside strings.Builder
		for i := range nights {
			outside.WriteByte("- +"[nights[i].Outside+1])
		}
		if got := strings.Join(limits, " "); got != c.limits || outside.String() != c.outside {
			t.Errorf("%s: limits %s, outside %q; want %s, %q", c.name, got, outside.String(), c.limits, c.outside)
		}
	}
}

// TestNightsChart holds that a line is broken where there was no run, that answers that are missing have a hollow dot,
// that versions are marked where they start, and that dates are along the axis.
func TestNightsChart(t *testing.T) {
	nights := nightsFrom([]int{70, 72, 71, -1, 73, 40}, 4, 5)
	nights[1].Part = true
	nights[4].Outside = -1
	c := chartOf(nights, usuals(nights), true, chartOfTrend)
	if n := strings.Count(c.Line, "M"); n != 2 {
		t.Errorf("the line has %d parts, want 2: %s", n, c.Line)
	}
	if n := strings.Count(chartOf(nights, usuals(nights), false, chartOfTrend).Line, "M"); n != 1 {
		t.Errorf("the line of batches that are not daily has %d parts, want 1", n)
	}
	if len(c.Dots) != 5 || c.Dots[1].Class != "part" || c.Dots[4].Class != "out" || c.Dots[0].Class != "" ||
		c.Dots[0].Address != "/run?run=0" {
		t.Errorf("dots %+v", c.Dots)
	}
	if c.Dots[0].Tip != "Sun 1 Mar, 1.0: 70 %, 70 of 100 right" {
		t.Errorf("tip %q", c.Dots[0].Tip)
	}
	var versions []string
	for _, v := range c.Versions {
		versions = append(versions, v.Text)
	}
	if strings.Join(versions, " ") != "1.0 2.0 3.0" || c.Versions[1].X <= c.Dots[2].X ||
		c.Versions[1].X >= c.Dots[3].X {
		t.Errorf("versions %q, the second starts at %s", versions, c.Versions[1].X)
	}
	if n := len(c.Days); n < 3 || c.Days[0].Text != "1 Mar" || c.Days[n-1].Text != "6 Mar" {
		t.Errorf("days %+v", c.Days)
	}
	// Days lie as far apart as they are: two days without a run between them twice as far.
	if one, two := c.Dots[2].X-c.Dots[1].X, c.Dots[3].X-c.Dots[2].X; two < 2*one-1 || two > 2*one+1 {
		t.Errorf("a day is %s wide, two are %s", one, two)
	}
	if got := chartOf(nightsFrom(nil), nil, true, chartOfTrend); got != nil {
		t.Error("a picture of nothing")
	}
	for last := range 400 { // many batches keep their dates apart
		if last%97 != 3 {
			continue
		}
		many := nightsFrom(slices.Repeat([]int{70}, last+1))
		days := chartOf(many, usuals(many), true, chartOfPhone).Days
		for i := 1; i < len(days); i++ {
			if days[i].X-days[i-1].X < 50 {
				t.Errorf("%d batches: %s and %s are too close", last+1, days[i-1].Text, days[i].Text)
			}
		}
	}
}

// TestChartOfTrendFits holds that the chart of few batches is narrower than a window of 1280 pixels, that it widens with
// their number, up to a limit, and that its axis stays while it scrolls.
func TestChartOfTrendFits(t *testing.T) {
	before := 0.0
	for _, n := range []int{2, 10, 25, 200} {
		nights := nightsFrom(slices.Repeat([]int{70}, n))
		width := float64(chartOf(nights, usuals(nights), true, chartOfTrend).Width)
		if n <= 10 && width > 1200 || n == 25 && width <= before || width > chartOfTrend.most {
			t.Errorf("%d batches: %g pixels, %g with fewer", n, width, before)
		}
		before = width
	}
	if style := string(assets()["site.css"].data); !strings.Contains(style, ".nights > .yaxis { position: sticky; left: 0;") {
		t.Error("the axis scrolls away")
	}
}

// TestHeadline holds the sentences of the overview.
func TestHeadline(t *testing.T) {
	change := func(before, now, of int, outcome string, unlike ...analysis.Unlike) *analysis.Change {
		return &analysis.Change{PassedBefore: before, PassedAfter: now, Rated: of, Outcome: outcome, Unlike: unlike}
	}
	for _, c := range []struct {
		rate float64
		ch   *analysis.Change
		want string
		of   int // 0: 44
	}{
		{20. / 44, change(35, 20, 44, analysis.Degraded), "45 % of the answers are right, down from 80 % on Sunday (77 % the night before).", 0},
		{35. / 44, change(30, 35, 44, analysis.Improved), "80 % of the answers are right, up from 68 % on Sunday (77 % the night before).", 0},
		{35. / 44, change(35, 35, 44, analysis.Same), "80 % of the answers are right, as on Sunday (77 % the night before).", 0},
		{32. / 44, change(35, 32, 44, analysis.Chance), "73 % of the answers are right; 80 % on Sunday (77 % the night before).", 0},
		{20. / 44, nil, "45 % of the answers are right.", 0},
		{35. / 44, change(29, 28, 35, analysis.Chance, analysis.Unlike{Why: "golden set", Cases: 9}),
			"80 % of 35 answers are right; 83 % on Sunday (77 % the night before).", 0},
		{22. / 50, change(30, 22, 40, analysis.Degraded), "55 % of 40 answers are right, down from 75 % on Sunday (77 % the night before).", 50},
		{20. / 30, change(0, 0, 0, "", analysis.Unlike{Why: "configuration", Cases: 30}),
			"67 % of the answers are right; they cannot be compared with Sunday.", 30},
		{20. / 30, change(0, 0, 0, "", analysis.Unlike{Why: analysis.NoValue, Cases: 30}), "67 % of the answers are right.", 30},
	} {
		if got := sentence(c.rate, cmp.Or(c.of, 44), c.ch, "Sunday", " (77 % the night before)"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for p, want := range map[float64]string{
		0.0059: "in 6 of 1,000 nights", 0.0001: "in fewer than 1 of 1,000 nights", 0.049: "in 49 of 1,000 nights",
		0.25: "in 25 of 100 nights", 1: "in 100 of 100 nights",
	} {
		if got := inThousand(p, "night"); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
}

// TestTimeline holds which batches are nights: those about a day apart.
func TestTimeline(t *testing.T) {
	batches := func(hours ...int) (out []analysis.Batch) {
		for i, h := range hours {
			out = append(
				out,
				analysis.Batch{
					By: scoring.By{Agent: "a", Batch: fmt.Sprintf("b%d", i)},
					At: time.Date(2026, 3, 1, h, 0, 0, 0, time.UTC),
				},
			)
		}
		return out
	}
	for _, c := range []struct {
		hours []int
		noun  string
	}{
		{[]int{0, 24, 48}, "night"}, {[]int{0, 24}, "batch"}, {[]int{0, 20, 40}, "night"}, {[]int{0, 19, 38}, "batch"},
		{[]int{0, 28, 56}, "night"}, {[]int{0, 29, 58}, "batch"}, {[]int{0, 24, 168, 192}, "night"},
	} {
		if got := (&Site{}).newTimeline(batches(c.hours...), nil, nil).noun("a"); got != c.noun {
			t.Errorf("batches after %v hours are called %s, want %s", c.hours, got, c.noun)
		}
	}
}
