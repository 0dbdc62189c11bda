//go:build !no_duckdb && !no_postgres

package labelling_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/labelling"
)

// Whoever passes over an answer in one queue, or takes a label of it back there, says nothing of what
// they said of it elsewhere.
func TestQueuesApart(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		queues := map[string]*labelling.Queue{"": {}}
		for _, name := range []string{"a", "b", "c"} {
			queues[name] = queue(t, s, 9, labelling.Plan{Name: name, Annotators: 3})
		}
		for i, tc := range []struct {
			steps string // each QUEUE:VERDICT, or QUEUE:undo
			want  string // what counts of it
		}{
			{"b:fail a:pass a:undo", "fail"},
			{"a:pass b:pass c:skip", "pass"},
			{"a:pass b:fail b:skip", "pass"},
			{"a:fail a:skip", ""},
			{"a:pass a:skip a:undo", "pass"},
			{":fail a:pass a:undo", "fail"},
			{"a:pass :skip", "pass"},
			{"a:pass b:fail", "fail"},
			{"a:pass b:skip b:undo b:undo", "pass"},
		} {
			caseID := caseIDs(9)[i]
			for j, step := range strings.Fields(tc.steps) {
				c.pass(time.Second)
				name, verdict, _ := strings.Cut(step, ":")
				q, id := queues[name], fmt.Sprintf("s%d-%d", i, j)
				var err error
				if verdict == "undo" {
					_, err = s.Undo(t.Context(), q, "lee", id)
				} else if l := say(q, id, "lee", caseID, verdict); name == "" {
					_, err = s.Save(t.Context(), nil, l)
				} else {
					_, err = s.Save(t.Context(), q, l)
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", tc.steps, step, err)
				}
			}
			table, err := s.Warehouse.Query(t.Context(), "SELECT passes FROM badger.consensus WHERE case_id = '"+caseID+"'")
			if err != nil {
				t.Fatal(err)
			}
			counted := ""
			if table.Rows() == 1 {
				counted = map[string]string{"1": "pass", "0": "fail"}[table.Columns[0].Value(0).String()]
			}
			mine, err := s.Mine(t.Context(), say(queues[""], "", "lee", caseID, ""))
			if err != nil {
				t.Fatal(err)
			}
			shown := ""
			if mine != nil && mine.Verdict != labelling.Skip {
				shown = mine.Verdict
			}
			var file bytes.Buffer
			if _, err := s.Export(t.Context(), &file, ""); err != nil {
				t.Fatal(err)
			}
			exported := map[string]string{}
			for line := range strings.Lines(file.String()) {
				var of struct {
					CaseID string `json:"case_id"`
					Human  struct {
						Label string `json:"label"`
					} `json:"human"`
				}
				if err := json.Unmarshal([]byte(line), &of); err != nil {
					t.Fatal(err)
				}
				exported[of.CaseID] = of.Human.Label
			}
			if counted != tc.want || shown != tc.want || exported[caseID] != tc.want {
				t.Errorf("%s: the consensus says %q, lee is shown %q, exported is %q, want %q", tc.steps, counted, shown, exported[caseID], tc.want)
			}
		}
	})
}

// A third verdict is taken back by undo like any label, and nothing else is.
func TestUndoDecision(t *testing.T) {
	onEngines(t, 1, func(t *testing.T, c *clock, of []*labelling.Store) {
		s := of[0]
		q := queue(t, s, 2, labelling.Plan{Annotators: 2})
		n := 0
		give := func(who, caseID, verdict string, decides bool) {
			t.Helper()
			n++
			c.pass(time.Second)
			l := say(q, fmt.Sprintf("g%d", n), who, caseID, verdict)
			l.Decides = decides
			save(t, s, q, l)
		}
		says := func(want string) {
			t.Helper()
			rows, err := s.Warehouse.LoggedLabels(t.Context(), connectors.LabelFilter{Queue: q.ID, Newest: true}, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range rows {
				if l.Verdict != labelling.Withdrawn {
					got = append(got, map[bool]string{true: "!"}[l.Decides]+l.Annotator+" "+l.CaseID+" "+l.Verdict)
				}
			}
			if g := strings.Join(got, ", "); g != want {
				t.Errorf("%s, want %s", g, want)
			}
		}
		for _, caseID := range caseIDs(2) {
			give("kim", caseID, "fail", false)
			give("lee", caseID, "pass", false)
		}
		const votes = "kim c001 fail, lee c001 pass, kim c002 fail, lee c002 pass"
		give("kim", "c001", "pass", true)
		says("kim c001 fail, lee c001 pass, !kim c001 pass, kim c002 fail, lee c002 pass")
		c.pass(time.Second)
		if l, err := s.Undo(t.Context(), q, "kim", "u1"); err != nil || !l.Decides || l.CaseID != "c001" || l.Verdict != labelling.Withdrawn {
			t.Errorf("undo of a third verdict: %+v, %v", l, err)
		}
		says(votes)
		give("sam", "c001", "unsure", true)
		give("sam", "c001", "fail", true)
		give("sam", "c002", "pass", true)
		// Of one case, though the last is of another; then what it was before.
		for i, want := range []string{"unsure", "fail"} {
			for range 2 { // the second time it is the same request sent again
				c.pass(time.Second)
				if l, err := s.UndoDecision(t.Context(), q, "sam", "c001", fmt.Sprintf("d%d", i)); err != nil || l.Verdict != want {
					t.Errorf("%+v, %v", l, err)
				}
			}
		}
		says("kim c001 fail, lee c001 pass, !sam c001 fail, kim c002 fail, lee c002 pass, !sam c002 pass")
	})
}
