package mcp

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

// An adversary knows that the accepted answer is one of 128 numbers, knows how the server replies for each
// of them, and has one question a time: it keeps the numbers that fit all replies. It gains no more bits than the
// verdicts that it saw can carry, and a search that halves the numbers needs that each reply tells which half: the
// replies to all answers but a few numbers are one and the same.
func TestAdversary(t *testing.T) {
	small, far := make([]int, 128), make([]int, 128)
	for i := range small {
		small[i], far[i] = i+1, 1_090_137+10_000*i // 1,690,137 is one of far
	}
	t.Run("1 to 128", func(t *testing.T) { search(t, small, 60) })
	t.Run("10,000 apart", func(t *testing.T) { search(t, far, 1_690_137) })
}

// guess is an answer that tests numbers.
type guess struct{ sql, result string }

// strategies are ways to test some of the numbers that are possible, those in the middle of p first.
var strategies = map[string]func(p []int) guess{
	"the middle":       func(p []int) guess { return plain(inRows(p[len(p)/2 : len(p)/2+1])) },
	"half, in columns": func(p []int) guess { return plain(inColumns("%d", p[:len(p)/2])) },
	"half, in rows":    func(p []int) guess { return plain(inRows(p[:len(p)/2])) },
	"half, in a text": func(p []int) guess {
		return plain(table(fmt.Sprintf(`[[%q]]`, strings.Trim(fmt.Sprint(p[:len(p)/2]), "[]"))))
	},
	"as many rows":    func(p []int) guess { return plain(inRows(make([]int, p[len(p)/2]%1000))) },
	"scaled":          func(p []int) guess { return plain(inRows([]int{p[len(p)/2] * 100})) },
	"four columns":    func(p []int) guess { return plain(inColumns("%d", p[:min(len(p), 4)])) },
	"four texts":      func(p []int) guess { return plain(inColumns(`"%d"`, p[:min(len(p), 4)])) },
	"two classes":     func(p []int) guess { return plain(inColumns(`"%d pieces"`, p[:min(len(p), 2)], p[len(p)/2])) },
	"a bound":         func(p []int) guess { return plain(table(fmt.Sprintf(`[["<= %d"]]`, p[len(p)/2]))) },
	"a share of them": func(p []int) guess { return plain(table(fmt.Sprintf(`[[%d.5]]`, p[len(p)/2]))) },
	"a short form":    func(p []int) guess { return plain(table(fmt.Sprintf(`[["%.1fM"]]`, float64(p[len(p)/2])/1e6))) },
	"short forms": func(p []int) guess {
		var forms []string
		for i := range 4 {
			forms = append(forms, fmt.Sprintf(`"%.1fM"`, float64(slices.Sorted(slices.Values(p))[i*len(p)/4])/1e6))
		}
		return plain(columnsOf(forms))
	},
	"short forms in rows": func(p []int) guess {
		return plain(table(fmt.Sprintf(`[["%.1fM"],["%.1fM"]]`, float64(p[0])/1e6, float64(p[len(p)/2])/1e6)))
	},
	"thousands": func(p []int) guess { return plain(table(fmt.Sprintf(`[["%.1fK"]]`, float64(p[len(p)/2])/1e3))) },
	"rounded":   func(p []int) guess { return plain(table(fmt.Sprintf(`[[%.1e]]`, float64(p[len(p)/2])))) },
	"approximate": func(p []int) guess {
		return guess{"SELECT APPROX_COUNT_DISTINCT(id) AS n FROM boats", table(fmt.Sprintf(`[[%d]]`, p[len(p)/2]))}
	},
	"approximate, shadowed": func(p []int) guess {
		return guess{"WITH boats AS (SELECT 1 AS id) SELECT APPROX_COUNT_DISTINCT(id) AS n FROM boats", table(fmt.Sprintf(`[[%d]]`, p[len(p)/2]))}
	},
	"a percentage": func(p []int) guess { return plain(table(fmt.Sprintf(`[["%d%%"]]`, p[len(p)/2]))) },
}

func plain(result string) guess { return guess{"SELECT COUNT(DISTINCT id) AS n FROM boats", result} }

func columnsOf(cells []string) string {
	var names []string
	for i := range cells {
		names = append(names, fmt.Sprintf(`{"name":"n%d"}`, i))
	}
	return `{"columns":[` + strings.Join(names, ",") + `],"rows":[[` + strings.Join(cells, ",") + `]]}`
}

// inColumns returns a row of numbers, each in a form, and then of others.
func inColumns(form string, numbers []int, others ...int) string {
	var cells []string
	for _, x := range numbers {
		cells = append(cells, fmt.Sprintf(form, x))
	}
	for _, x := range others {
		cells = append(cells, fmt.Sprint(x))
	}
	return columnsOf(cells)
}

func inRows(numbers []int) string {
	var cells []string
	for _, x := range numbers {
		cells = append(cells, fmt.Sprintf("[%d]", x))
	}
	return table("[" + strings.Join(cells, ",") + "]")
}

func search(t *testing.T, candidates []int, secret int) {
	const days = 2
	n := len(candidates)
	counting := func(id string, x int) string {
		return fmt.Sprintf(`{"case_id":%q,"question":"%s?","gold":{"sql":"SELECT COUNT(DISTINCT id) AS n FROM boats","result":%s}}`, id, id, table(fmt.Sprintf("[[%d]]", x)))
	}
	var golds []string
	for _, x := range candidates {
		golds = append(golds, counting(fmt.Sprint(x), x))
	}
	mind := open(t, Options{Golden: items(golds...)})
	// the outcome that the adversary expects if the number is x
	outcome := func(x int, g guess) Outcome {
		q := mind.golden.byID[fmt.Sprint(x)]
		counted, end := mind.pool.With(t.Context())
		defer end()
		c, err := mind.answer(counted, q, &checkInput{SQL: g.sql, Result: []byte(g.result)})
		if err == nil {
			err = mind.fill(counted, q, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		score := mind.score(counted, c)
		return outcomeOf(c, &score)
	}
	for _, name := range sample.Of(slices.Sorted(maps.Keys(strategies)), 4) { // one in four, or where tests are thorough each
		at, probe := &clock{day1}, strategies[name]
		s := open(t, Options{Golden: items(counting("a", secret)), Now: at.now})
		possible, seen, most := slices.Clone(candidates), 0, 0
		for day := range days {
			at.at = day1.AddDate(0, 0, day)
			for try := range defaultVerdicts + 2 {
				turn := 11 * (7*day + try) % len(possible) // another probe than the last
				g := probe(slices.Concat(possible[turn:], possible[:turn]))
				before := len(possible)
				got := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":"a","sql":%q,"result":%s}`, g.sql, g.result))
				if strings.Contains(got, "limit_reached") {
					if want := `{"case_id":"a","verdict":"none","reason":"limit_reached","left":0}`; got != want || try < defaultVerdicts {
						t.Errorf("%s: beyond the limit: %s, want %s", name, got, want)
					}
					continue
				}
				seen++
				possible = slices.DeleteFunc(possible, func(x int) bool {
					o := outcome(x, g)
					return outcomeIn(got) != fmt.Sprintf(`:%q,"reason":%q`, o.Verdict, o.Reason)
				})
				most = max(most, before-len(possible))
				if !slices.Contains(possible, secret) {
					t.Fatalf("%s: the adversary excluded the number by %s to %s", name, got, g.result)
				}
			}
		}
		gained, bound := math.Log2(float64(n))-math.Log2(float64(len(possible))), float64(seen)*math.Log2(float64(len(outcomes)))
		if gained > bound {
			t.Errorf("%s: %.2f bits are gained by %d verdicts, which carry %.2f", name, gained, seen, bound)
		}
		// halving would leave 2 of 128 numbers after 6 verdicts; each may exclude one guess, and what it is in percent
		if few := len(scales); most > few || len(possible) < n-seen*few {
			t.Errorf("%s: a reply excludes %d numbers, and %d of %d are left", name, most, len(possible), n)
		}
		t.Logf("%s: %d verdicts exclude %d of %d numbers, %.3f bits of %.1f", name, seen, n-len(possible), n, gained, bound)
	}
}

// A number is right if it states gold to four significant digits or to all of its digits, however it is written.
func TestDigitsThatAreStated(t *testing.T) {
	for _, tc := range []struct {
		gold  string
		right []string
		wrong []string
	}{
		{`1840`, []string{`1840`, `"1840"`, `"1,840"`, `"1.84K"`, `"$1,840"`, `1840.0`}, []string{`"1.8K"`, `"0.0018M"`, `1800`, `"2K"`, `1845`}},
		{`1690137`, []string{`"1,690,137"`, `"1.690137M"`, `"1.69M"`}, []string{`"1.7M"`, `1700000`, `1.7e6`, `"€1.7M"`}},
		{`0.4217`, []string{`"42.17%"`, `0.4217`}, []string{`"42%"`, `0.42`, `"42.2%"`}},
		{`5`, []string{`5`, `"5"`, `"5.0"`}, []string{`6`, `"5K"`, `5.4`}},
		{`"2024-03-05"`, []string{`"2024-03-05"`, `"5 March 2024"`}, []string{`"2024"`, `"2024-03"`, `"2024-03-06"`}},
		{`"Ida"`, []string{`"Ida"`, `" ida"`}, []string{`"WRONG"`, `"Ada, Ida"`, `"I"`}},
	} {
		s := open(t, Options{Config: Config{Verdicts: 99}, Golden: items(goldenCase("a", table(`[[`+tc.gold+`]]`)))})
		for _, x := range tc.right {
			if got := check(t, s, "a", table(`[[`+x+`]]`)); !strings.Contains(got, `"accepted"`) {
				t.Errorf("gold %s, answer %s: %s", tc.gold, x, got)
			}
		}
		for _, x := range tc.wrong {
			if got := check(t, s, "a", table(`[[`+x+`]]`)); !strings.Contains(got, `"other_data"`) {
				t.Errorf("gold %s, answer %s: %s", tc.gold, x, got)
			}
		}
	}
}

// Relations that rest on the query of the answer, which nobody ran, do not make an answer without the value right.
func TestAnswersWithoutTheValue(t *testing.T) {
	for _, tc := range []struct{ why, question, goldSQL, gold, sql, answer string }{
		{"an approximate count", "How many boats?", "SELECT COUNT(DISTINCT id) AS n FROM boats", table("[[1000000]]"),
			"SELECT APPROX_COUNT_DISTINCT(id) AS n FROM boats", table("[[1020000]]")},
		{"keys in place of names", "Which boats are there?", "SELECT name FROM boats", `{"columns":[{"name":"name"}],"rows":[["Ida"],["Ada"],["Eva"]]}`,
			"SELECT boat_id FROM boats", `{"columns":[{"name":"boat_id"}],"rows":[[0],[1],[2]]}`},
		{"another row of a tie", "Which boat is longest?", "SELECT name FROM boats ORDER BY length DESC LIMIT 1", `{"columns":[{"name":"name"}],"rows":[["Ida"]]}`,
			"SELECT name FROM boats WHERE length = (SELECT MAX(length) FROM boats) LIMIT 1", `{"columns":[{"name":"name"}],"rows":[["WRONG"]]}`},
		{"all rows of a tie", "Which boat is longest?", "SELECT name FROM boats ORDER BY length DESC LIMIT 1", `{"columns":[{"name":"name"}],"rows":[["Ida"]]}`,
			"SELECT name FROM boats WHERE length = (SELECT MAX(length) FROM boats)", `{"columns":[{"name":"name"}],"rows":[["Ida"],["Ada"],["Eva"]]}`},
		{"a text in two columns", "Who?", "SELECT name FROM people", `{"columns":[{"name":"name"}],"rows":[["Ida Berg"],["Ada Lund"]]}`,
			"SELECT first, last FROM people", `{"columns":[{"name":"first"},{"name":"last"}],"rows":[["Ida","Berg"],["Ada","Lund"]]}`},
	} {
		golden := items(fmt.Sprintf(`{"case_id":"a","question":%q,"gold":{"sql":%q,"result":%s}}`, tc.question, tc.goldSQL, tc.gold))
		s := open(t, Options{Golden: golden})
		if got := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":"a","sql":%q,"result":%s}`, tc.sql, tc.answer)); !strings.Contains(got, `"verdict":"fail"`) {
			t.Errorf("%s: %s", tc.why, got)
		}
		if got := ask(t, s, "check_answer", fmt.Sprintf(`{"case_id":"a","sql":%q,"result":%s}`, tc.goldSQL, tc.gold)); !strings.Contains(got, "accepted") {
			t.Errorf("%s, the gold answer: %s", tc.why, got)
		}
	}
}

// Every relation that is not listed is denied, also one of a later version.
func TestRelationsAreDenied(t *testing.T) {
	result := scoring.ParseResultText([]byte(table("[[42]]")))
	c := &scoring.Case{Golds: []scoring.Query{{Result: result}}, Pred: scoring.Query{Result: result}}
	names := []string{"", "one_of_a_later_version", policy.NoResults, policy.SameQuery}
	for _, k := range relation.Kinds() {
		names = append(names, k.Name)
	}
	var let []string
	for _, name := range names {
		if decided(c, true, name) == accepted {
			let = append(let, name)
		}
	}
	slices.Sort(let)
	if want := "both_empty equivalent_query extra_columns formatted permuted rounded same scaled tolerance"; strings.Join(let, " ") != want {
		t.Errorf("accepted: %s\nwant %s", let, want)
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
			servers[i] = open(t, runs(t, Options{Golden: items(g...), Mask: mask}, "fp", "fp"))
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
