package metric

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// attack is a line of testdata/redteam/attacks.jsonl; see the README there.
type attack struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	In     string `json:"in"`
	Tables string `json:"tables"`
	Text   string `json:"text"`
	Repeat int    `json:"repeat"`
}

func (a *attack) text() string { return strings.Repeat(a.Text, max(1, a.Repeat)) }

// wrongAnswer is a pair of results of tables.json.
type wrongAnswer struct {
	Why    string          `json:"why"`
	Most   float64         `json:"most"`
	Cell   [2]int          `json:"cell"`
	Column int             `json:"column"`
	Gold   json.RawMessage `json:"gold"`
	Pred   json.RawMessage `json:"pred"`
}

func redTeam(t *testing.T) ([]attack, map[string]wrongAnswer) {
	t.Helper()
	text, err := os.ReadFile("testdata/redteam/tables.json")
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]wrongAnswer
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/redteam/attacks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var attacks []attack
	seen := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var a attack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if _, ok := tables[a.Tables]; !ok || seen[a.ID] || a.Text == "" {
			t.Fatalf("%s: no text, no tables, or its name is there twice", a.ID)
		}
		seen[a.ID] = true
		attacks = append(attacks, a)
	}
	if len(attacks) < 100 {
		t.Fatalf("%d attacks", len(attacks))
	}
	return attacks, tables
}

func (w *wrongAnswer) tables(t *testing.T) (gold, pred *scoring.Table) {
	t.Helper()
	var err error
	if gold, err = scoring.ParseResult(w.Gold); err == nil {
		pred, err = scoring.ParseResult(w.Pred)
	}
	if err != nil {
		t.Fatal(err)
	}
	return gold, pred
}

// fullCase is a case that lacks nothing that a metric may want.
func fullCase(gold, pred *scoring.Table) *scoring.Case {
	ms := 100 * time.Millisecond
	return &scoring.Case{
		ID: "case", Question: "What did each region earn?", Evidence: "revenue is the sum of amounts", Dialect: "duckdb",
		Schema: "CREATE TABLE sale (region TEXT, amount DOUBLE)",
		Golds: []scoring.Query{{
			SQL: "SELECT region, sum(amount) AS revenue FROM sale GROUP BY region", Result: scoring.Result{Table: gold}, Ran: true, Latency: &ms,
		}},
		Pred: scoring.Query{
			SQL: "SELECT region, sum(amount) - 100 AS revenue FROM sale WHERE amount > 0 GROUP BY region", Result: scoring.Result{Table: pred}, Ran: true, Latency: &ms,
		},
		Agent: scoring.Agent{
			Name: "agent", Version: "1", Interpretation: "The revenue of each region.", Response: "The north earned 1100.5, the south 780.25.",
			ToolCalls: []scoring.ToolCall{{Name: "run_sql"}},
			Contexts:  json.RawMessage(`[{"id": "d1", "title": "Regions", "text": "The north did not earn 1100.5, the south 780.25."}]`),
		},
		Expected: scoring.Expected{Tools: json.RawMessage(`["run_sql"]`), Clarifications: []string{"Which year?"}},
	}
}

// on writes the attack into its place.
func (a *attack) on(t *testing.T, w wrongAnswer) *scoring.Case {
	t.Helper()
	gold, pred := w.tables(t)
	switch a.In {
	case "cell":
		pred = withCell(pred, w.Cell[0], w.Cell[1], a.text())
	case "column":
		pred = withName(pred, w.Column, a.text())
	}
	c := fullCase(gold, pred)
	switch text := a.text(); a.In {
	case "question":
		c.Question = text
	case "evidence":
		c.Evidence = text
	case "schema":
		c.Schema = text
	case "gold_sql":
		c.Golds[0].SQL = text
	case "pred_sql":
		c.Pred.SQL = text
	case "response":
		c.Agent.Response = text
	case "interpretation":
		c.Agent.Interpretation = text
	case "passage", "passage_title":
		p := map[string]string{"text": "The north did not earn 1100.5, the south 780.25.", "title": "Regions"}
		p[map[string]string{"passage": "text", "passage_title": "title"}[a.In]] += " " + text
		raw, err := json.Marshal([]any{p})
		if err != nil {
			t.Fatal(err)
		}
		c.Agent.Contexts = raw
	case "cell", "column":
	default:
		t.Fatalf("%s: an attack in %q", a.ID, a.In)
	}
	return c
}

func withName(t *scoring.Table, column int, name string) *scoring.Table {
	columns := slices.Clone(t.Columns)
	columns[column].Name = name
	return tableOfColumns(columns)
}

func withCell(t *scoring.Table, row, column int, text string) *scoring.Table {
	columns := slices.Clone(t.Columns)
	b := scoring.NewBuilder(columns[column].Name, scoring.Null, t.Rows())
	for i := range t.Rows() {
		if i == row {
			b.Append(scoring.StringValue(strings.ToValidUTF8(text, "?")))
		} else {
			b.Append(columns[column].Value(i))
		}
	}
	columns[column] = b.Column()
	return tableOfColumns(columns)
}

func tableOfColumns(columns []scoring.Column) *scoring.Table {
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	return t
}
