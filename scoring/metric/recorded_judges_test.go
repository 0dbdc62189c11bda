package metric

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// recordedRun is what one backend answered under one method: the replies, and the score that was
// published with them.
type recordedRun struct {
	backend, method string
	replies         map[string]map[string]string // by case, then purpose
	scores          map[string]float64           // by case, where a reply is recorded
}

func (r *recordedRun) Reply(caseID, purpose string) (reply, assessmentID string, ok bool) {
	reply, ok = r.replies[caseID][purpose]
	return reply, r.backend + "/" + caseID + "/" + purpose, ok
}

// recordedRuns reads assessments as published: whole reply texts of FLEX, the reply objects of
// ROSE's two judges.
func recordedRuns(t *testing.T, name string) []*recordedRun {
	t.Helper()
	f, err := os.Open(referenceData(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs := map[[2]string]*recordedRun{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a struct {
			CaseID    string          `json:"case_id"`
			Backend   string          `json:"backend"`
			Method    string          `json:"method"`
			Score     float64         `json:"score"`
			Prover    json.RawMessage `json:"prover"`
			Refuter   json.RawMessage `json:"refuter"`
			ReplyText string          `json:"reply_text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		replies := map[string]string{}
		for purpose, reply := range map[string]string{"rose/prover": string(a.Prover), "rose/refuter": string(a.Refuter), "flex": a.ReplyText} {
			if reply != "" {
				replies[purpose] = reply
			}
		}
		if len(replies) == 0 {
			continue // a score whose replies were not published
		}
		key := [2]string{a.Backend, a.Method}
		r := runs[key]
		if r == nil {
			r = &recordedRun{a.Backend, a.Method, map[string]map[string]string{}, map[string]float64{}}
			runs[key] = r
		}
		r.replies[a.CaseID], r.scores[a.CaseID] = replies, a.Score
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(maps.Values(runs), func(a, b *recordedRun) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.backend, b.backend))
	})
}

// Every score that was published with its replies comes out of those replies again: each can be
// read, and the cascade decides as the run did.
func TestRecordedJudgesScoreAsPublished(t *testing.T) {
	for _, set := range []struct {
		dir  string
		runs int // backend and method
		n    int // scores with replies
	}{
		{"rosevec", 11, 1679 + 478 + 1191 + 644},
		{"flex200", 1, 200},
	} {
		t.Run(set.dir, func(t *testing.T) {
			cases := map[string]*scoring.Case{}
			for _, c := range recordedCases(t, set.dir+"/cases.jsonl") {
				cases[c.ID] = c.Case
			}
			runs := recordedRuns(t, set.dir+"/assessments.jsonl")
			n := 0
			for _, r := range runs {
				metric, options := "rose", `{}`
				switch r.method {
				case "flex":
					metric = "flex"
				case "rose_prover_only":
					options = `{"refuter": false}`
				}
				engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{
					Replies: r, Config: scoring.Config{Options: map[string]json.RawMessage{metric: json.RawMessage(options)}},
				})
				if err != nil {
					t.Fatal(err)
				}
				equal, unread := 0, 0
				for _, id := range slices.Sorted(maps.Keys(r.scores)) {
					scores, err := engine.Score(t.Context(), cases[id], metric)
					if err != nil {
						t.Fatal(err)
					}
					switch s := scores[0]; {
					case s.Status != scoring.StatusOK:
						unread++
						t.Errorf("%s %s %s: %s: %s", r.backend, r.method, id, s.Status, s.Reason)
					case s.Value != r.scores[id]:
						t.Errorf("%s %s %s: %v, published %v: %s", r.backend, r.method, id, s.Value, r.scores[id], s.Reason)
					default:
						equal++
					}
				}
				n += len(r.scores)
				t.Logf("%-30s %-18s n %3d  equal %3d  unread %d", r.backend, r.method, len(r.scores), equal, unread)
			}
			if len(runs) != set.runs || n != set.n {
				t.Errorf("%d runs with %d scores, want %d with %d", len(runs), n, set.runs, set.n)
			}
		})
	}
}

// If both results are given, badger asks the Prover exactly where the published runs did: it
// calls the same results the same.
func TestROSEAsksTheProverAsPublished(t *testing.T) {
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Replies: anyReplies{}})
	if err != nil {
		t.Fatal(err)
	}
	same := map[string]bool{}
	for _, c := range recordedCases(t, "rosevec/cases.jsonl") {
		scores, err := engine.Score(t.Context(), c.Case, "rose")
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := scores[0].Detail.(roseDetail); ok && d.Results != resultsUnknown {
			same[c.ID] = d.Results == resultsSame
		}
	}
	if len(same) != 183 {
		t.Fatalf("%d cases with both results, want 183", len(same))
	}
	for _, r := range recordedRuns(t, "rosevec/assessments.jsonl") {
		if r.method != "rose" {
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(same)) {
			if replies, ok := r.replies[id]; ok && same[id] != (replies["rose/prover"] == "") {
				t.Errorf("%s: %s: results are the same here: %v; the Prover was asked: %v", r.backend, id, same[id], replies["rose/prover"] != "")
			}
		}
	}
}

// anyReplies has a reply to every question of ROSE.
type anyReplies struct{}

func (anyReplies) Reply(_, purpose string) (reply, assessmentID string, ok bool) {
	if purpose == "rose/prover" {
		return `{"reason": "", "verdict": false}`, "p", true
	}
	return `{"judgement": "", "verdict": false, "ambiguity": "na", "gold_correct": true}`, "r", true
}
