package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/demo"
)

func TestGoldenSetIsComplete(t *testing.T) {
	golden := demo.Golden()
	ids, tiers, behaviours, tags := map[string]bool{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range golden {
		if ids[c.ID] || c.Question == "" || c.Dialect != "duckdb" {
			t.Errorf("case %q: the id is taken, or question or dialect is missing", c.ID)
		}
		ids[c.ID] = true
		behaviours[c.Expected.Behaviour]++
		tiers[c.Tag("tier")]++
		tags[c.Tag("edge")]++
		if demo.SchemaDDL(c.Tag("domain")) == "" {
			t.Errorf("case %s: no domain with tables in tags %q", c.ID, c.Tags)
		}
		answer, clarify := c.Expected.Behaviour == "answer", c.Expected.Behaviour == "clarify"
		if (c.Gold != nil) != answer || (c.Tag("tier") != "") != answer || (c.Tag("edge") != "") == answer || (len(c.Expected.Clarifications) > 0) != clarify {
			t.Errorf("case %s: gold, tier, edge or clarifications do not suit behaviour %q", c.ID, c.Expected.Behaviour)
		}
		if answer && !slices.Contains(c.Expected.Tools, "run_sql") {
			t.Errorf("case %s: expected tools %q do not run SQL", c.ID, c.Expected.Tools)
		}
	}
	if len(golden) < 48 {
		t.Errorf("%d cases, want at least 48", len(golden))
	}
	for _, tier := range []string{"easy", "medium", "hard", "extra hard"} {
		if tiers[tier] < 8 {
			t.Errorf("tier %s has %d cases, want at least 8", tier, tiers[tier])
		}
	}
	if behaviours["refuse"] < 6 || behaviours["clarify"] < 3 || tags["out_of_scope"] < 3 || tags["destructive"] < 3 {
		t.Errorf("behaviours %v, edges %v: want at least 6 refusals of both kinds and 3 clarifications", behaviours, tags)
	}
	if len(behaviours) != 3 || len(tiers) != 5 {
		t.Errorf("unknown behaviour or tier: %v, %v", behaviours, tiers)
	}
}

func TestGoldQueriesReturnRows(t *testing.T) {
	db := built(t)
	for _, c := range demo.Golden() {
		if c.Gold == nil {
			continue
		}
		snap, err := demo.Execute(context.Background(), db, c.Gold.SQL)
		if err != nil {
			t.Errorf("case %s: %v", c.ID, err)
			continue
		}
		if empty := c.Tag("result") == "empty"; (len(snap.Rows) == 0) != empty {
			t.Errorf("case %s: %d rows, tagged as empty: %v", c.ID, len(snap.Rows), empty)
		}
		if len(snap.Rows) > 100 {
			t.Errorf("case %s: %d rows are more than a reader of the demonstration looks at", c.ID, len(snap.Rows))
		}
		if orders := regexp.MustCompile(`ORDER BY [^()]*$`).MatchString(c.Gold.SQL); (c.Ordered() || slices.Contains(c.Tags, "top-n")) != orders {
			t.Errorf("case %s: tags %q, but the gold query ends in ORDER BY: %v", c.ID, c.Tags, orders)
		}
		for i := range snap.Columns {
			if slices.Contains(names(snap)[:i], snap.Columns[i].Name) {
				t.Errorf("case %s: two columns are called %q", c.ID, snap.Columns[i].Name)
			}
		}
	}
}

// Rows stored the other way round must not change what a question's answer is: where the order of
// rows counts, or which ones are kept, ORDER BY must decide it down to the last tie.
func TestGoldDoesNotDependOnStorage(t *testing.T) {
	db, ctx := open(t, ""), context.Background()
	if err := demo.Build(ctx, db, nil); err != nil {
		t.Fatal(err)
	}
	for _, table := range dump(t, db, "SELECT schema_name || '.' || table_name FROM duckdb_tables()") {
		exec(t, db, "CREATE TEMP TABLE turned AS SELECT * FROM "+table+" ORDER BY rowid DESC; DROP TABLE "+table+"; CREATE TABLE "+table+" AS FROM turned; DROP TABLE turned")
	}
	if got := scalar[int](t, db, "SELECT order_id FROM retail.orders LIMIT 1"); got != 120000 {
		t.Fatalf("the first order is %d, want the last one: nothing was turned", got)
	}
	for _, c := range demo.Golden() {
		if c.Gold == nil {
			continue
		}
		want, err := demo.Execute(ctx, built(t), c.Gold.SQL)
		if err != nil {
			t.Fatal(err)
		}
		got, err := demo.Execute(ctx, db, c.Gold.SQL)
		if err != nil {
			t.Fatal(err)
		}
		if why := sameRows(want, got, c.Ordered() || slices.Contains(c.Tags, "top-n")); why != "" {
			t.Errorf("case %s: %s when tables are stored in another order", c.ID, why)
		}
	}
}

// Every answer must differ from gold as its note says, and stay right or not as its label says.
func TestAnswersAreFlawedAsNoted(t *testing.T) {
	db := built(t)
	ctx := context.Background()
	golden := map[string]demo.Case{}
	for _, c := range demo.Golden() {
		golden[c.ID] = c
	}
	seen := map[string]bool{}
	for _, a := range demo.Answers() {
		c, id := golden[a.CaseID], a.CaseID+" "+a.Agent.Version
		flaw := a.Note.Flaw
		seen[flaw] = true
		var pred demo.Snapshot
		if a.Note.Execution == demo.Runs || a.Note.Execution == demo.Fails {
			var err error
			pred, err = demo.Execute(ctx, db, a.Agent.SQL)
			var refused *demo.QueryError
			if err != nil && !errors.As(err, &refused) || (err != nil) != (a.Note.Execution == demo.Fails) {
				t.Errorf("%s: note says %q, got %v", id, a.Note.Execution, err)
				continue
			}
			switch flaw {
			case "syntax_error":
				if err == nil || !strings.HasPrefix(refused.Text, "Parser Error") {
					t.Errorf("%s: got %v, want a syntax error", id, err)
				}
			case "missing_column":
				if err == nil || !strings.HasPrefix(refused.Text, "Binder Error") {
					t.Errorf("%s: got %v, want a missing column", id, err)
				}
			}
		}
		if (a.Agent.SQL == "") != (a.Note.Execution == demo.None) {
			t.Errorf("%s: SQL %q, note says %q", id, a.Agent.SQL, a.Note.Execution)
		}
		if c.Gold == nil {
			wantLabel := flaw == "proper_refusal" || flaw == "proper_clarification"
			known := slices.Contains([]string{"hallucinated_answer", "destructive_statement", "no_clarification"}, flaw)
			if a.Human.Label != wantLabel || !wantLabel && !known {
				t.Errorf("%s: flaw %s with label %v", id, flaw, a.Human.Label)
			}
			continue
		}
		accept, reject := accepting[flaw], rejecting[flaw]
		switch {
		case flaw == "unfaithful_response": // the table is right, the text is not
			accept = accepting["exact"]
			if a.Human.Label {
				t.Errorf("%s: a response that contradicts its table serves nobody", id)
			}
		case a.Human.Label != (accept != nil):
			t.Errorf("%s: flaw %s with label %v", id, flaw, a.Human.Label)
		case a.Note.Execution == demo.Fails || flaw == "over_refusal":
			continue
		case accept == nil && reject == nil:
			t.Errorf("%s: flaw %q is not known here", id, flaw)
			continue
		}
		gold, err := demo.Execute(ctx, db, c.Gold.SQL)
		if err != nil {
			t.Fatal(err)
		}
		if accept != nil {
			if why := accept(gold, pred, c.Ordered()); why != "" {
				t.Errorf("%s: not %s: %s", id, flaw, why)
			}
			continue
		}
		if why := reject(gold, pred, c.Ordered()); why != "" {
			t.Errorf("%s: not %s: %s", id, flaw, why)
		}
		if why := otherRows(gold, pred, c.Ordered()); why != "" {
			t.Errorf("%s: labelled wrong, but %s", id, why)
		}
	}
	for flaw := range accepting {
		if !seen[flaw] {
			t.Errorf("no answer has flaw %s", flaw)
		}
	}
	for flaw := range rejecting {
		if !seen[flaw] {
			t.Errorf("no answer has flaw %s", flaw)
		}
	}
	for _, flaw := range []string{"syntax_error", "missing_column", "over_refusal", "unfaithful_response", "hallucinated_answer", "destructive_statement", "no_clarification"} {
		if !seen[flaw] {
			t.Errorf("no answer has flaw %s", flaw)
		}
	}
}

func TestVersionsAreWorthComparing(t *testing.T) {
	label := map[string]map[string]bool{}
	accepted, odd := map[string]int{}, map[string]int{}
	for i, a := range demo.Answers() {
		if want := demo.Golden()[i%len(demo.Golden())].ID; a.CaseID != want {
			t.Fatalf("answer %d is to case %s, want the order of the golden set: %s", i, a.CaseID, want)
		}
		if label[a.CaseID] == nil {
			label[a.CaseID] = map[string]bool{}
		}
		label[a.CaseID][a.Agent.Version] = a.Human.Label
		if a.Human.Label {
			accepted[a.Agent.Version]++
		}
		odd[a.Note.Tools]++
	}
	better, worse := 0, 0
	for _, l := range label {
		switch {
		case l["2.0"] && !l["1.0"]:
			better++
		case l["1.0"] && !l["2.0"]:
			worse++
		}
	}
	if better < 3*worse || worse < 2 || accepted["2.0"] == len(label) || accepted["1.0"] < len(label)/3 {
		t.Errorf("accepted %v, %d better, %d worse: 2.0 should be clearly better, neither perfect nor without regressions", accepted, better, worse)
	}
	for _, o := range []string{"missing_tool", "wrong_order", "repeated_calls", "extra_tool"} {
		if odd[o] == 0 {
			t.Errorf("no answer has tool calls with %s", o)
		}
	}
}

// The tools called must be odd in the way the note says, and the SQL that ran must be the SQL of
// the answer.
func TestToolCalls(t *testing.T) {
	golden := demo.Golden()
	for i, a := range demo.Answers() {
		c, id := golden[i%len(golden)], a.CaseID+" "+a.Agent.Version
		var called []string
		for _, call := range a.Agent.ToolCalls {
			called = append(called, call.Name)
			var arguments map[string]any
			if err := json.Unmarshal(call.Arguments, &arguments); err != nil || len(arguments) == 0 {
				t.Errorf("%s: arguments of %s: %v", id, call.Name, err)
			}
			if call.Name == "run_sql" && arguments["sql"] != a.Agent.SQL {
				t.Errorf("%s: run_sql ran something else than the answer's SQL", id)
			}
		}
		if slices.Contains(called, "run_sql") != (a.Agent.SQL != "") {
			t.Errorf("%s: tools %q, SQL %q", id, called, a.Agent.SQL)
		}
		if c.Gold == nil || a.Agent.SQL == "" {
			continue
		}
		want := c.Expected.Tools
		missing := len(without(want, called)) > 0
		once := slices.Compact(slices.Clone(called))
		var got string
		switch {
		case slices.Equal(called, want):
		case missing:
			got = "missing_tool"
		case len(once) < len(called) && slices.Equal(once, want):
			got = "repeated_calls"
		case len(called) == len(want):
			got = "wrong_order"
		default:
			got = "extra_tool"
		}
		if got != a.Note.Tools {
			t.Errorf("%s: tools %q for expected %q are %q, note says %q", id, called, want, got, a.Note.Tools)
		}
	}
}

// A number in a response must come from the agent's own result or from the question, except where
// the flaw is that it does not.
func TestResponsesAreFaithful(t *testing.T) {
	db := built(t)
	digits := regexp.MustCompile(`\d[\d,]*(\.\d+)?`)
	golden := demo.Golden()
	for i, a := range demo.Answers() {
		c, id := golden[i%len(golden)], a.CaseID+" "+a.Agent.Version
		if a.Agent.Response == "" || a.Agent.Interpretation == "" {
			t.Errorf("%s: interpretation or response is missing", id)
		}
		if a.Note.Execution != demo.Runs || a.Agent.SQL == "" {
			continue
		}
		snap, err := demo.Execute(context.Background(), db, a.Agent.SQL)
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{c.Question, a.Agent.SQL}
		known := []string{strconv.Itoa(len(snap.Rows))}
		for _, row := range snap.Rows {
			for _, v := range row {
				if n, ok := number(v); ok {
					n.Abs(n) // the sign is not part of what is searched for below
					known = append(known, n.FloatString(0), n.FloatString(2))
				}
				texts = append(texts, fmt.Sprint(v))
			}
		}
		for _, x := range texts {
			known = append(known, digits.FindAllString(x, -1)...)
		}
		faithful := true
		for _, n := range digits.FindAllString(a.Agent.Response, -1) {
			n = strings.TrimSuffix(n, ",")
			faithful = faithful && (slices.Contains(known, n) || slices.Contains(known, strings.ReplaceAll(n, ",", "")))
		}
		if faithful != (a.Note.Flaw != "unfaithful_response") {
			t.Errorf("%s: flaw %s, but faithful is %v: %q", id, a.Note.Flaw, faithful, a.Agent.Response)
		}
	}
}
