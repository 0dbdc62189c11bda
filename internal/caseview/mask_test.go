package caseview_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

var salt = []byte("sixteen or more bytes")

func mask(t testing.TB, columns ...string) *caseview.Mask {
	t.Helper()
	m, err := caseview.NewMask(columns, salt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// secrets are what no part of a masked case may say, in whatever letter case.
var secrets = []string{"ada@example.org", "bob@example.org", "eve@example.org", "741852", "963147"}

// people is a result of people with their addresses and salaries.
func people(t testing.TB, name, email, salary string, rows string) *scoring.Table {
	return table(t, fmt.Sprintf(`{"columns":[{"name":%q,"type":"STRING"},{"name":%q,"type":"STRING"},{"name":%q,"type":"INT64"}],"rows":[%s]}`, name, email, salary, rows))
}

// secretive is a case that has its secrets everywhere.
func secretive(t testing.TB, goldSQL, agentSQL string, gold, agent *scoring.Table) caseview.Input {
	c := pairOf(gold, agent)
	c.Question, c.Evidence = "What does Ada@example.org earn, is it 741,852?", "bob@example.org earns 963147"
	c.Golds[0].SQL, c.Pred.SQL = goldSQL, agentSQL
	c.Pred.Error = ""
	c.Agent = scoring.Agent{Name: "atlas", Interpretation: "the salary of ada@example.org", Response: "It is 741852.", ToolCalls: []scoring.ToolCall{{Name: "run", Arguments: json.RawMessage(`{"who": "ada@example.org"}`)}}}
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	passed := true
	scores = append(scores, scoring.Score{Metric: "own_judge", Status: scoring.StatusOK, Reason: "ada@example.org earns 741852", Passed: &passed, Warnings: []string{"bob@example.org"}, AssessmentIDs: []string{"a1"}},
		scoring.Score{Metric: "other_judge", Status: scoring.StatusFailed, Reason: "eve@example.org is not known"})
	return caseview.Input{Case: c, Scores: scores, Assessments: []judgebackend.Assessment{{
		ID: "a1", Kind: "own", Reply: `{"reason": "741852 is what ada@example.org earns"}`, RequestHash: "r", CreatedAt: time.Unix(0, 0),
		Request: &judgebackend.Request{Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "ada@example.org: 741852"}}},
	}}}
}

// TestMaskedCaseHoldsNoSecret holds that masked values are in no part of a case, wherever they stand
// and whatever the answer calls the column: neither on the page, nor in the list of cells, nor in
// what is exported as JSON.
func TestMaskedCaseHoldsNoSecret(t *testing.T) {
	const rows = `["Ada","ada@example.org",741852],["Bob","bob@example.org",963147],["Eve","eve@example.org",741852]`
	const other = `["Ada","ada@example.org",741852],["Bob","eve@example.org",963147]`
	const goldSQL = "SELECT name, email, salary FROM staff WHERE email <> 'eve@example.org' AND salary > 741852 -- not eve@example.org\n"
	for name, c := range map[string]struct {
		agentSQL        string
		names           [3]string
		hidden, visible string // columns of the answer, by what the query calls them
	}{
		"same names":           {"SELECT name, email, salary FROM staff WHERE email = 'ada@example.org'", [3]string{"name", "email", "salary"}, "email", "name"},
		"aliases":              {"SELECT name AS who, email AS contact, salary + 0 AS pay FROM staff", [3]string{"who", "contact", "pay"}, "contact", "who"},
		"a function":           {"SELECT name, LOWER(email), MAX(salary) FROM staff GROUP BY 1, 2", [3]string{"name", "lower(email)", "max(salary)"}, "lower(email)", "name"},
		"an unnamed function":  {"SELECT name, LOWER(email), MAX(salary) FROM staff GROUP BY 1, 2", [3]string{"name", "?column?", "?column? "}, "?column?", "name"},
		"an expression table":  {"WITH a(x, y, z) AS (SELECT name, email, salary FROM staff), b AS (SELECT x AS p, y AS q, z AS r FROM a) SELECT p, q, r FROM b", [3]string{"p", "q", "r"}, "q", "p"},
		"a derived table":      {"SELECT t.p, t.q, t.r FROM (SELECT name, email, salary FROM staff) AS t(p, q, r)", [3]string{"p", "q", "r"}, "q", "p"},
		"a union":              {"SELECT name AS p, 'x' AS q, 1 AS r FROM t UNION SELECT name, email, salary FROM staff", [3]string{"p", "q", "r"}, "q", "p"},
		"without a query":      {"", [3]string{"p", "q", "r"}, "q", "p"},
		"not understood":       {"SELECT name ))) email AS q, salary FROM ((( staff", [3]string{"p", "q", "r"}, "q", ""},
		"a star of a subquery": {"SELECT * FROM (SELECT name AS p, email AS q, salary AS r FROM staff) t", [3]string{"p", "q", "r"}, "q", "p"},
	} {
		for _, agentRows := range []string{rows, other} {
			in := secretive(t, goldSQL, c.agentSQL, people(t, "name", "email", "salary", rows), people(t, c.names[0], c.names[1], c.names[2], agentRows))
			open, _ := json.Marshal(build(t, in, caseview.Options{}))
			for _, s := range secrets[:3] {
				if !strings.Contains(strings.ToLower(string(open)), s) {
					t.Fatalf("%s: the case does not hold %s, so that nothing is tested", name, s)
				}
			}
			in.Mask = mask(t, "EMAIL", "sal*")
			for _, layout := range []caseview.Arrangement{caseview.Merged, caseview.List} {
				v := build(t, in, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All, Layout: layout}})
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				all := strings.ToLower(string(text) + fmt.Sprintf("%+v", v.Queries) + shown(v))
				for _, s := range secrets {
					if at := strings.Index(all, s); at >= 0 {
						t.Errorf("%s: %s is told: …%s…", name, s, all[max(0, at-80):min(len(all), at+40)])
					}
				}
				if !v.Masked {
					t.Errorf("%s: not masked", name)
				}
				if layout == caseview.List || v.Cells == nil {
					continue
				}
				for i, col := range v.Cells.Columns {
					for _, row := range v.Cells.Page {
						for _, x := range []*caseview.Value{row.Cells[i].Gold, row.Cells[i].Agent} {
							if x == nil {
								continue
							}
							if hide := col.Label != "name" && col.Label != c.visible; x.Masked != hide && (hide || c.visible != "") {
								t.Errorf("%s: column %s: %q, masked %t", name, col.Label, x.Text, x.Masked)
							}
						}
					}
				}
			}
		}
	}
}

// shown is everything of the cells that a page could show.
func shown(v *caseview.View) string {
	var b strings.Builder
	value := func(x *caseview.Value) {
		if x != nil {
			fmt.Fprintf(&b, "%+v ", *x)
		}
	}
	if v.Cells != nil {
		for _, r := range v.Cells.Page {
			for _, c := range r.Cells {
				value(c.Gold)
				value(c.Agent)
				fmt.Fprintf(&b, "%s %+v ", c.How, c.Change)
			}
		}
		for _, d := range v.Cells.List {
			value(d.Gold)
			value(d.Agent)
		}
	}
	return b.String()
}

// TestMaskShowsWhatItMay holds that masking hides no more than it must.
func TestMaskShowsWhatItMay(t *testing.T) {
	gold := people(t, "name", "email", "salary", `["Ada","ada@example.org",741852],["Bob",null,3]`)
	in := secretive(t, "SELECT name, email, salary FROM staff WHERE name = 'Ada'", "SELECT name, email, salary FROM staff", gold, gold)
	in.Mask = mask(t, "email")
	v := build(t, in, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	first, second := v.Cells.Page[0], v.Cells.Page[1]
	if first.Cells[0].Gold.Text != "Ada" || first.Cells[2].Gold.Text != "741852" || !first.Cells[1].Gold.Masked || first.Cells[1].Gold.Text != first.Cells[1].Agent.Text || !strings.HasPrefix(first.Cells[1].Gold.Text, "#") {
		t.Errorf("%+v", lines(v.Cells.Page))
	}
	if !second.Cells[1].Gold.Null || second.Cells[1].Gold.Text != "" {
		t.Errorf("NULL: %+v", second.Cells[1].Gold)
	}
	if v.Question == in.Case.Question || !strings.HasPrefix(v.Question, "What does #") || !strings.Contains(v.Question, " earn, is it 741,852?") {
		t.Errorf("the question: %s", v.Question)
	}
	for _, s := range v.Scores {
		switch s.Metric {
		case "hybrid_ex":
			if s.Reason == caseview.Withheld {
				t.Errorf("the reason of %s says counts only", s.Metric)
			}
		case "own_judge", "rose":
			if s.Reason != caseview.Withheld && s.Metric == "own_judge" {
				t.Errorf("the reason of %s: %s", s.Metric, s.Reason)
			}
		}
	}
	if v.Relations == nil || v.Relations.Holds[0].Text != v.Relations.Holds[0].Meaning {
		t.Errorf("relations: %+v", v.Relations)
	}
	// The hashes depend on the salt, and are the same under the same one.
	other, err := caseview.NewMask([]string{"email"}, []byte("another secret of the team"))
	if err != nil {
		t.Fatal(err)
	}
	again := build(t, in, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	in.Mask = other
	differ := build(t, in, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	if a, b, c := first.Cells[1].Gold.Text, again.Cells.Page[0].Cells[1].Gold.Text, differ.Cells.Page[0].Cells[1].Gold.Text; a != b || a == c {
		t.Errorf("hashes %s, %s, %s", a, b, c)
	}
}

// A case that touches no masked column is shown whole, and so is a count of one.
func TestMaskLeavesOthersAlone(t *testing.T) {
	n := table(t, `{"columns":[{"name":"n","type":"INT64"}],"rows":[[741852]]}`)
	for _, c := range []struct {
		sql    string
		masked bool
	}{{"SELECT SUM(x) AS n FROM t", false}, {"SELECT COUNT(email) AS n FROM t", false}, {"SELECT COUNT(DISTINCT email) AS n FROM t", false}, {"SELECT MIN(email) AS n FROM t", true}} {
		in := secretive(t, c.sql, c.sql, n, n)
		in.Mask = mask(t, "email", "salary")
		v := build(t, in, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
		if got := v.Cells.Page[0].Cells[0].Gold.Masked; got != c.masked {
			t.Errorf("%s: masked %t", c.sql, got)
		}
		if !strings.Contains(c.sql, "email") && (v.Masked || v.Response != in.Case.Agent.Response || v.Scores[0].Reason == caseview.Withheld) {
			t.Errorf("%s: %t %s", c.sql, v.Masked, v.Response)
		}
	}
}

func TestMaskOfLists(t *testing.T) {
	m := mask(t, "email")
	for _, c := range []struct{ metric, reason, want string }{
		{"hybrid_ex", "3 of 4 rows agree", "3 of 4 rows agree"}, {"flex", "ada@example.org", caseview.Withheld}, {"my_judge", "x", caseview.Withheld}, {"my_judge", "", ""}, {"flex", scoring.NoPredSQL, scoring.NoPredSQL},
	} {
		if got := m.Reason(c.metric, c.reason); got != c.want {
			t.Errorf("%s %q: %q", c.metric, c.reason, got)
		}
		if got := (*caseview.Mask)(nil).Reason(c.metric, c.reason); got != c.reason {
			t.Errorf("without a mask, %s: %q", c.metric, got)
		}
	}
	if (*caseview.Mask)(nil).None() != true || mask(t).None() != true || m.None() {
		t.Error("None")
	}
}

func TestMaskOptions(t *testing.T) {
	for _, c := range []struct {
		columns []string
		salt    []byte
	}{{[]string{""}, nil}, {[]string{"a", " "}, nil}, {[]string{"a\xff"}, nil}, {[]string{"a"}, []byte("short")}, {[]string{"a"}, []byte{}}} {
		if _, err := caseview.NewMask(c.columns, c.salt); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%q %q: %v", c.columns, c.salt, err)
		}
	}
	for pattern, names := range map[string][2][]string{
		"e*mail": {{"email", "e-mail", "E_MAIL", "e/mail"}, {"mail", "emails", "xemail"}},
		"[a]":    {{"[a]", "[A]"}, {"a"}},
		"a?b":    {{"a?b"}, {"axb"}},
		`a\b`:    {{`a\b`}, {"ab"}},
		"a/b":    {{"a/b"}, {"ab"}},
	} {
		for i, list := range names {
			for _, name := range list {
				b := scoring.NewBuilder(name, scoring.String, 1)
				b.Append(scoring.StringValue("x"))
				g, _ := scoring.NewTable(b.Column())
				v := build(t, caseview.Input{Case: pairOf(g, g), Mask: mask(t, pattern)}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
				if got := v.Cells.Page[0].Cells[0].Gold.Masked; got != (i == 0) {
					t.Errorf("%s, column %s: masked %t", pattern, name, got)
				}
			}
		}
	}
}
