package mcp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/sample"
)

// An adversary knows that the accepted answer is one of the numbers from 1 to n, knows how the server replies for each
// of them, and has one question a time: it keeps the numbers that fit all replies. It gains no more bits than the
// verdicts that it saw can carry, and a search that halves the numbers needs that each reply tells which half: the
// replies to all answers but a few numbers are one and the same.
func TestAdversary(t *testing.T) {
	const n, days = 128, 2
	const secret = 60
	candidates := func() (out []int) {
		for i := range n {
			out = append(out, i+1)
		}
		return out
	}
	columns := func(numbers []int) string {
		var names, cells []string
		for i, x := range numbers {
			names, cells = append(names, fmt.Sprintf(`{"name":"n%d"}`, i)), append(cells, fmt.Sprint(x))
		}
		return `{"columns":[` + strings.Join(names, ",") + `],"rows":[[` + strings.Join(cells, ",") + `]]}`
	}
	rows := func(numbers []int) string {
		var cells []string
		for _, x := range numbers {
			cells = append(cells, fmt.Sprintf("[%d]", x))
		}
		return table("[" + strings.Join(cells, ",") + "]")
	}
	half := func(of []int) []int { return of[:len(of)/2] }
	var golds []string
	for i := range n {
		golds = append(golds, fmt.Sprintf(`{"case_id":"%d","question":"%d?","gold":{"sql":"SELECT n FROM boats","result":%s}}`, i+1, i+1, table(fmt.Sprintf("[[%d]]", i+1))))
	}
	mind := open(t, Options{Golden: items(golds...)})
	// the outcome that the adversary expects if the number is x
	outcome := func(x int, result string) Outcome {
		q := mind.golden.byID[fmt.Sprint(x)]
		counted, end := mind.pool.With(t.Context())
		defer end()
		c, err := mind.answer(counted, q, &checkInput{SQL: "SELECT n FROM boats", Result: []byte(result)})
		if err != nil {
			t.Fatal(err)
		}
		score := mind.score(counted, q, c)
		return outcomeOf(c, &score)
	}
	for name, probe := range map[string]func(possible []int) string{
		"the middle":       func(p []int) string { return rows(p[len(p)/2 : len(p)/2+1]) },
		"half, in columns": func(p []int) string { return columns(half(p)) },
		"half, in rows":    func(p []int) string { return rows(half(p)) },
		"half, in a text": func(p []int) string {
			return table(fmt.Sprintf(`[[%q]]`, strings.Trim(fmt.Sprint(half(p)), "[]")))
		},
		"as many rows":    func(p []int) string { return rows(make([]int, p[len(p)/2])) },
		"scaled":          func(p []int) string { return rows([]int{p[len(p)/2] * 100}) },
		"spare columns":   func(p []int) string { return columns(p[:min(len(p), 1+spareColumns)]) },
		"a bound":         func(p []int) string { return table(fmt.Sprintf(`[["<= %d"]]`, p[len(p)/2])) },
		"a share of them": func(p []int) string { return table(fmt.Sprintf(`[[%d.5]]`, p[len(p)/2])) },
	} {
		at := &clock{day1}
		s := open(t, Options{Golden: items(goldenCase("a", table(fmt.Sprintf("[[%d]]", secret)))), Now: at.now})
		possible, seen, most := candidates(), 0, 0
		for day := range days {
			at.at = day1.AddDate(0, 0, day)
			for try := range defaultVerdicts + 2 {
				turn := 11 * (7*day + try) % len(possible) // another probe than the last
				turned := slices.Concat(possible[turn:], possible[:turn])
				result := probe(turned)
				got := check(t, s, "a", result)
				if try >= defaultVerdicts {
					if want := `{"case_id":"a","verdict":"none","reason":"limit_reached","left":0}`; got != want {
						t.Errorf("%s: beyond the limit: %s, want %s", name, got, want)
					}
					continue
				}
				seen++
				before := len(possible)
				possible = slices.DeleteFunc(possible, func(x int) bool {
					o := outcome(x, result)
					return outcomeIn(got) != fmt.Sprintf(`:%q,"reason":%q`, o.Verdict, o.Reason)
				})
				most = max(most, before-len(possible))
			}
		}
		if !slices.Contains(possible, secret) {
			t.Fatalf("%s: the adversary excluded the number", name)
		}
		gained, bound := math.Log2(n)-math.Log2(float64(len(possible))), float64(seen)*math.Log2(float64(len(outcomes)))
		if gained > bound {
			t.Errorf("%s: %.2f bits are gained by %d verdicts, which carry %.2f", name, gained, seen, bound)
		}
		// halving would leave 2 of 128 numbers after 6 verdicts; each may exclude the numbers of one guess alone, with
		// the scales and roundings of it that pass
		if few := 3 * (1 + spareColumns); most > few || len(possible) < n-seen*few {
			t.Errorf("%s: a reply excludes %d numbers, and %d of %d are left", name, most, len(possible), n)
		}
		t.Logf("%s: %d verdicts exclude %d of %d numbers, %.3f bits of %.1f", name, seen, n-len(possible), n, gained, bound)
	}
}

func outcomeIn(reply string) string {
	_, after, _ := strings.Cut(reply, `"verdict"`)
	before, _, _ := strings.Cut(after, `,"left"`)
	return before
}

// Whatever a caller calls: as long as check_answer has the same outcomes for two golden sets, every reply of every tool is
// the same bytes, errors and limits included.
func TestNonInterference(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(sample.One("mcp", 1<<30)), 1))
	mask, err := caseview.NewMask([]string{"n", "name"}, []byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"1", "2", "42", "null", "0.125", `"Ida"`, `"2024-01-05"`, "9007199254740993"}
	result := func() string {
		names := []string{"n", "name", "total", "kind"}
		columns := 1 + r.IntN(2)
		var heads, rows []string
		for i := range columns {
			heads = append(heads, fmt.Sprintf(`{"name":%q}`, names[i]))
		}
		for range r.IntN(4) {
			var cells []string
			for range columns {
				cells = append(cells, values[r.IntN(len(values))])
			}
			rows = append(rows, "["+strings.Join(cells, ",")+"]")
		}
		return `{"columns":[` + strings.Join(heads, ",") + `],"rows":[` + strings.Join(rows, ",") + `]}`
	}
	queries := []string{"SELECT n FROM boats", "SELECT name, COUNT(*) AS n FROM boats GROUP BY name ORDER BY n DESC LIMIT 3", "SELECT DISTINCT name FROM ships WHERE kind = 'Ida'", "SELEC"}
	rounds, alike := 60, 0
	if sample.Thorough() {
		rounds = 2000
	}
	for range rounds {
		left, right := result(), result()
		gold := func(result, sql string) []string {
			return []string{fmt.Sprintf(`{"case_id":"c1","question":"Which boats named Ida are there?","gold":{"sql":%q,"result":%s}}`, sql, result),
				goldenCase("c2", table("[[1]]"))}
		}
		var servers [2]*Server
		for i, g := range [][]string{gold(left, queries[r.IntN(len(queries))]), gold(right, queries[r.IntN(len(queries))])} {
			servers[i] = open(t, runs(t, Options{Golden: items(g...), Mask: mask}, "fp", "pp"))
		}
		calls := []struct{ tool, arguments string }{
			{"explain_case", `{"case_id":"c1"}`}, {"explain_case", `{"case_id":"c1","run":"r1"}`}, {"compare_runs", `{}`}, {"failing_cases", `{}`},
			{"golden_gaps", `{}`}, {"golden_gaps", `{"kind":"suspect"}`}, {"failing_cases", `{"agent":"nova@1"}`},
			{"check_answer", `{"case_id":"c1","result":` + result()}, {"check_answer", `{"case_id":"c1","result":[`},
		}
		for range 5 {
			answer := result()
			if r.IntN(4) == 0 {
				answer = left
			}
			sql := queries[r.IntN(len(queries))]
			calls = append(calls, struct{ tool, arguments string }{"check_answer", fmt.Sprintf(`{"case_id":"c1","sql":%q,"result":%s}`, sql, answer)})
		}
		r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		for _, c := range calls {
			a, b := ask(t, servers[0], c.tool, c.arguments), ask(t, servers[1], c.tool, c.arguments)
			if c.tool == "check_answer" && outcomeIn(a) != outcomeIn(b) {
				if !strings.Contains(a, "left") || len(a)-len(outcomeIn(a)) != len(b)-len(outcomeIn(b)) {
					t.Errorf("replies differ in more than the outcome:\n%s\n%s", a, b)
				}
				alike--
				break // the verdict tells them apart
			}
			if a != b {
				t.Errorf("%s %s tells the gold answers %s and %s apart:\n%s\n%s", c.tool, c.arguments, left, right, a, b)
			}
		}
		alike++
		servers[0].Close()
		servers[1].Close()
	}
	if alike < rounds/4 {
		t.Errorf("only %d of %d pairs were compared to the end", alike, rounds)
	}
}

// A reply after a comparison leaves at one of few times.
func TestPace(t *testing.T) {
	p := pace{time.Now().Add(-firstPace - time.Millisecond/2)}
	p.wait(t.Context())
	if spent := time.Since(p.begun); spent < 2*firstPace {
		t.Errorf("a reply left after %v, expected %v at least", spent, 2*firstPace)
	}
}
