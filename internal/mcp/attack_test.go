package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

// attacker may store runs of three versions, which it changes as it likes, and read their verdicts with every tool. It
// knows all gold answers but the number of the case a.
type attacker struct {
	golds func(secret int) []string
	guess map[string]guess // the answers to a by version
	right int              // of the other cases that each version answers right
}

const others = leastCases - 1

func newAttacker() *attacker {
	return &attacker{guess: map[string]guess{}, golds: func(secret int) []string {
		return append([]string{goldenCase("a", table(fmt.Sprintf("[[%d]]", secret)))},
			manyCases(others, func(i int) string { return table(fmt.Sprintf("[[%d]]", 7000+i)) })...)
	}}
}

// answers yields what a version answers.
func (k *attacker) answers(_ context.Context, by scoring.By) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for i := range others + 1 {
			id, result := "a", k.guess[by.Version].result
			if i > 0 {
				id, result = fmt.Sprintf("c%d", i), table("[[1]]")
				if i <= k.right {
					result = table(fmt.Sprintf("[[%d]]", 7000+i-1))
				}
			}
			c := &scoring.Case{ID: id, Agent: scoring.Agent{Name: by.Agent, Version: by.Version, BatchID: by.Batch},
				Pred: scoring.Query{SQL: k.guess[by.Version].sql, Result: scoring.ParseResultText([]byte(result))}}
			if !yield(batch.ItemOf(c, ""), nil) {
				return
			}
		}
	}
}

// world opens a server whose number is secret.
func (k *attacker) world(t *testing.T, secret int, o Options) *Server {
	o.Golden = items(k.golds(secret)...)
	score := strings.Repeat("f", others)
	o = runs(t, o, score, score, score) // versions 1, 2 and 3
	o.AnswersOf = k.answers
	o.Stored = func(ctx context.Context, sought *evaluation.Sought) (caseview.Input, error) {
		for item := range k.answers(ctx, scoring.By{Agent: "nova", Version: sought.Of.Version, Batch: "mon"}) {
			if item.CaseID == sought.Case {
				c, err := item.Load(ctx)
				return caseview.Input{Case: c, RunID: "r1"}, err
			}
		}
		return caseview.Input{}, io.EOF
	}
	return open(t, o)
}

// session is a client of a server over standard input and output.
type session struct {
	write *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

func dial(t *testing.T, s *Server) *session {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	c := &session{write, bufio.NewScanner(read), make(chan error, 1)}
	c.lines.Buffer(nil, 1<<20)
	go func() {
		err := s.Stdio(t.Context(), in, out)
		_ = out.Close()
		c.ended <- err
	}()
	c.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// send sends messages and returns the reply.
func (c *session) send(t *testing.T, text string) string {
	t.Helper()
	if _, err := io.WriteString(c.write, text+"\n"); err != nil {
		t.Fatal(err)
	}
	if !c.lines.Scan() {
		t.Fatalf("no reply to %s: %v", text, c.lines.Err())
	}
	return c.lines.Text()
}

func (c *session) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	message := c.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	var m struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil || len(m.Result.Content) != 1 {
		t.Fatalf("%v in %s", err, message)
	}
	return m.Result.Content[0].Text
}

func (c *session) close(t *testing.T) {
	t.Helper()
	_ = c.write.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

var leftIn = regexp.MustCompile(`"left":\d+`)

// Whoever may store runs gains no more by reading their verdicts than by asking for them, with every tool and way to
// guess: a reply excludes few numbers for each verdict on the case that it counted, and carries no more bits than these.
// The bits are exact: the attacker keeps the numbers with which a server gives the same reply, byte by byte.
func TestAttackByStoredRuns(t *testing.T) {
	const secret, days, tries = 1_230_137, 2, 5
	var candidates []int
	for i := range 16 {
		candidates = append(candidates, 1_090_137+10_000*i)
	}
	ways := map[string]func(k *attacker, c *session, try int) string{
		"explain_case": func(_ *attacker, c *session, try int) string {
			return c.call(t, "explain_case", fmt.Sprintf(`{"case_id":"a","version":"%d"}`, 1+try%2))
		},
		"failing_cases": func(_ *attacker, c *session, try int) string {
			return c.call(t, "failing_cases", fmt.Sprintf(`{"agent":"nova@%d","limit":1}`, 1+try%2))
		},
		"golden_gaps": func(_ *attacker, c *session, _ int) string {
			return c.call(t, "golden_gaps", `{"kind":"saturated","limit":1}`)
		},
		"compare_runs": func(_ *attacker, c *session, _ int) string {
			return c.call(t, "compare_runs", `{"from":"nova@1","to":"nova@2"}`)
		},
	}
	names := []string{"the middle", "half, in columns", "half, in rows", "half, in a text", "short forms", "approximate, shadowed"}
	for tool, way := range ways {
		some := names
		if !sample.Thorough() {
			some = names[sample.One(tool, len(names)):][:1]
		}
		for _, name := range some {
			t.Run(tool+", "+name, func(t *testing.T) {
				k, at := newAttacker(), &clock{day1}
				k.guess["3"] = plain(table("[[1]]"))
				s := k.world(t, secret, Options{Now: at.now})
				c := dial(t, s)
				minds := map[int]*session{}
				for _, x := range candidates {
					minds[x] = dial(t, k.world(t, x, Options{Config: Config{Verdicts: 1 << 20}}))
				}
				possible, counted := slices.Clone(candidates), 0
				for day := range days {
					at.at = day1.AddDate(0, 0, day)
					for try := range tries {
						turn := 11 * (7*day + try) % len(possible)
						p := slices.Concat(possible[turn:], possible[:turn])
						for p[0] == secret || p[len(p)/2] == secret { // who guesses right has it
							p = append(p[1:], p[0])
						}
						one := strategies[name](p)
						two := strategies[name](slices.Concat(p[len(p)-len(p)/2:], p[:len(p)-len(p)/2])) // p[0] in the middle
						k.guess["1"], k.guess["2"], k.right = one, two, 1                                // 1 of 40 is 0 %, and 2 are 10 %
						if tool == "golden_gaps" {
							k.guess["2"], k.guess["3"] = one, one // all must pass
						}
						before := s.countedOn("a")
						got := leftIn.ReplaceAllString(way(k, c, try), "")
						more := s.countedOn("a") - before
						counted += more
						if strings.Contains(got, "limit_reached") || strings.Contains(got, `"withheld":1`) {
							continue
						}
						var wait sync.WaitGroup
						same := make([]bool, len(possible))
						for i, x := range possible {
							wait.Go(func() { same[i] = leftIn.ReplaceAllString(way(k, minds[x], try), "") == got })
						}
						wait.Wait()
						was := len(possible)
						var kept []int
						for i, x := range possible {
							if same[i] {
								kept = append(kept, x)
							}
						}
						possible = kept
						if most := more * len(scales); was-len(possible) > most { // also if nothing was counted
							t.Errorf("%s excludes %d of %d numbers, want at most %d", got, was-len(possible), was, most)
						}
						if !slices.Contains(possible, secret) {
							t.Fatalf("the number is excluded by %s", got)
						}
					}
				}
				gained, bound := math.Log2(float64(len(candidates)))-math.Log2(float64(len(possible))), float64(counted)*math.Log2(float64(len(outcomes)))
				if gained > bound || counted > days*defaultVerdicts {
					t.Errorf("%.2f bits are gained by %d verdicts, which carry %.2f", gained, counted, bound)
				}
				t.Logf("%d verdicts exclude %d of %d numbers, %.3f bits of %.1f", counted, len(candidates)-len(possible), len(candidates), gained, bound)
				c.close(t)
				for _, m := range minds {
					m.close(t)
				}
			})
		}
	}
}

// countedOn returns the verdicts on a case that were counted today.
func (s *Server) countedOn(id string) int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	if s.ledger.day != s.ledger.now().UTC().Format(time.DateOnly) {
		return 0
	}
	return s.ledger.left[budget{s.user, s.golden.byID[id].topic}]
}
