package metrictest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring"
)

const everything = `# a comment
properties m row_order repeats

case all of it
why it reads every directive
question How many?
dialect duckdb
gold sql
  SELECT a
  FROM t
gold: a INT64, "b, c" STRING, d
  1, "x", null

  # not a row
  2, "y,z", 0.5
gold latency 12.5
gold: a
  3
pred sql SELECT 1
pred: x DECIMAL
  "1.10"
pred latency 20
response There are
  two lines.
interpretation Count.
options m {"order": "keep"}
set expected.behaviour "answer"
set agent.name "A"
reply align {"score": 1}
expect m 3/4 ~0.01 label near pass
detail m rows.0.n 5
expect other not_applicable
case another
why a table without columns may have rows
gold:
  .
  .
pred error it broke
expect m failed invalid_argument
`

func TestParse(t *testing.T) {
	f, err := parse("x.test", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Properties{"m": {RowOrder, Repeats}}, f.Properties); diff != "" {
		t.Error(diff)
	}
	if len(f.Cases) != 2 {
		t.Fatalf("%d cases, want 2", len(f.Cases))
	}
	k := f.Cases[0]
	want := `{"agent":{"interpretation":"Count.","latency_ms":20,"name":"A","response":"There are\ntwo lines.","result":{"columns":[{"name":"x","type":"DECIMAL"}],"rows":[["1.10"]]},"sql":"SELECT 1"},` +
		`"case_id":"x.test/all of it","dialect":"duckdb","expected":{"behaviour":"answer"},` +
		`"gold":[{"latency_ms":12.5,"result":{"columns":[{"name":"a","type":"INT64"},{"name":"b, c","type":"STRING"},{"name":"d"}],"rows":[[1,"x",null],[2,"y,z",0.5]]},"sql":"SELECT a\nFROM t"},` +
		`{"result":{"columns":[{"name":"a"}],"rows":[[3]]}}],"options":{"m":{"order":"keep"}},"question":"How many?"}`
	if diff := cmp.Diff(want, string(k.JSON)); diff != "" {
		t.Error(diff)
	}
	value, label, passed := 0.75, "near", true
	expects := []Expectation{
		{Line: 30, Metric: "m", Status: scoring.StatusOK, Value: &value, Within: 0.01, Label: &label, Passed: &passed,
			Detail: []DetailExpectation{{Line: 31, Path: []string{"rows", "0", "n"}, JSON: []byte("5")}}},
		{Line: 32, Metric: "other", Status: scoring.StatusNotApplicable, Within: 1e-9},
	}
	if diff := cmp.Diff(expects, k.Expects); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"align": `{"score": 1}`}, k.Replies); diff != "" {
		t.Error(diff)
	}
	c, err := scoring.DecodeCase(f.Cases[1].JSON)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Golds[0].Result.Table; got.Rows() != 2 || len(got.Columns) != 0 {
		t.Errorf("a table of %d rows and %d columns, want 2 and 0", got.Rows(), len(got.Columns))
	}
	if c.Pred.Error != "it broke" || f.Cases[1].Expects[0].Code != "invalid_argument" {
		t.Errorf("error %q, code %q", c.Pred.Error, f.Cases[1].Expects[0].Code)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "case c\nwhy w\n"
	for _, tc := range []struct{ why, text, want string }{
		{"directives belong to cases", "gold: n\n", "x.test:1: gold: before the first case"},
		{"a case must expect something", head + "case d\n", "x.test:1: the case expects nothing"},
		{"and say why", "case c\nexpect m 1\n", "x.test:1: the case does not say why"},
		{"titles name cases", head + "expect m 1\ncase c\n", "x.test:4: duplicate title; the first is in line 1"},
		{"a misspelt directive has a neighbour", head + "expct m 1\n", "did you mean expect?"},
		{"rows are as wide as the header", head + "gold: a, b\n  1\n", "x.test:4: 1 cells, expected one for each of the 2 columns"},
		{"rows are JSON values", head + "gold: a\n  one\n", "x.test:4: cells are JSON values"},
		{"types are known", head + "gold: a NUMERAL\n", `unknown type "NUMERAL"`},
		{"a comma is followed by a column", head + "gold: a,\n", "a column is missing"},
		{"values fit their types", head + "gold: a INT64\n  \"x\"\nexpect m 1\n", `x.test:1: gold: result: row 1, column 1 ("a"): expected an integer`},
		{"one result for the agent", head + "pred: a\npred: a\n", "duplicate directive pred:"},
		{"gold needs a word", head + "gold n\n", "gold is followed by a colon"},
		{"a metric is expected once", head + "expect m 1\nexpect m 2\n", "m is expected twice"},
		{"outcomes are known", head + "expect m right\n", `"right" is not a value`},
		{"NaN is no value", head + "expect m NaN\n", "is not a value"},
		{"nor is a division by zero", head + "expect m 1/0\n", "is not a value"},
		{"a status without a value has none", head + "expect m 1 not_applicable\n", "has no value"},
		{"detail follows expect", head + "detail m a 1\n", "which the case does not expect above"},
		{"options are JSON", head + "options m {\n", "want a path and a JSON value"},
		{"set is set once", head + "set a.b 1\nset a.b 2\n", "a.b is set twice"},
		{"set goes through objects", head + "set a 1\nset a.b 2\n", "a holds a value already"},
		{"gold has its own directive", head + "set gold.sql \"x\"\n", "is not set this way"},
		{"indentation belongs to something", "  1, 2\n", "an indented line belongs below"},
		{"and not to everything", head + "options m {}\n  1\n", "takes no further lines"},
		{"properties are known", "properties m colour\n", `unknown property "colour"`},
		{"latency is a number", head + "gold latency fast\n", "takes milliseconds"},
		{"the case must be one", head + "set expected.behaviour \"dance\"\nexpect m 1\n", "expected.behaviour"},
	} {
		_, err := parse("x.test", []byte(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.why, err, tc.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("case c\nwhy w\ngold: \"a\\u0000\" ANY\n  [1, {}]\nexpect m 1\n")
	f.Add("properties m row_order\n\tx")
	f.Add("case\x00\nset . {}\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parse("f.test", []byte(text))
		if err != nil {
			if file != nil || !strings.HasPrefix(err.Error(), "f.test:") {
				t.Errorf("error without a place, or with a file: %v", err)
			}
			return
		}
		for _, k := range file.Cases {
			c, err := scoring.DecodeCase(k.JSON)
			if err != nil {
				t.Fatalf("an accepted case cannot be read: %v", err)
			}
			if c.ID != "f.test/"+k.Title || len(k.Expects) == 0 || k.Why == "" {
				t.Errorf("case %q of title %q, %d expectations, why %q", c.ID, k.Title, len(k.Expects), k.Why)
			}
		}
	})
}
