package metric

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// peerPair is a pair of tables with everything the published comparisons look at.
type peerPair struct {
	gold, pred       peerTable
	ordered          bool
	question         string
	category         string
	goldSQL, predSQL string
	conditionCols    []int
	ignoreOrder      bool
}

type peerTable struct {
	names []string
	rows  [][]scoring.Value
}

func (t peerTable) clone() peerTable {
	out := peerTable{names: slices.Clone(t.names)}
	for _, r := range t.rows {
		out.rows = append(out.rows, slices.Clone(r))
	}
	return out
}

// table types every column by its values, as an inline result without types does.
func (t peerTable) table() *scoring.Table {
	columns := make([]scoring.Column, len(t.names))
	for j, name := range t.names {
		kind := scoring.Null
		for _, r := range t.rows {
			switch {
			case r[j].IsNull() || r[j].Type == kind:
			case kind == scoring.Null:
				kind = r[j].Type
			default:
				kind = scoring.Any
			}
		}
		b := scoring.NewBuilder(name, kind, len(t.rows))
		for _, r := range t.rows {
			b.Append(r[j])
		}
		columns[j] = b.Column()
	}
	out, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	if len(columns) == 0 {
		return scoring.EmptyTable(len(t.rows))
	}
	return out
}

func (t peerTable) appendJSON(b []byte) []byte {
	names, _ := json.Marshal(t.names)
	b = append(append(b, `{"names":`...), names...)
	b = append(b, `,"rows":[`...)
	for i, r := range t.rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for j, v := range r {
			if j > 0 {
				b = append(b, ',')
			}
			switch v.Type {
			case scoring.Float64:
				switch f := v.Float(); {
				case math.IsNaN(f):
					b = append(b, "NaN"...) // as Python's JSON has it
				case math.IsInf(f, -1):
					b = append(b, "-Infinity"...)
				default:
					b = appendPythonFloat(b, f) // 1.0 stays a float
				}
			case scoring.Int64:
				b = strconv.AppendInt(b, v.Int(), 10)
			case scoring.Decimal:
				b = append(strconv.AppendQuote(append(b, `{"decimal":`...), v.String()), '}')
			case scoring.Timestamp:
				b = append(strconv.AppendQuote(append(b, `{"timestamp":`...), v.String()), '}')
			case scoring.Date:
				b = append(strconv.AppendQuote(append(b, `{"date":`...), v.String()), '}')
			default:
				b = v.AppendJSON(b)
			}
		}
		b = append(b, ']')
	}
	return append(b, "]}"...)
}

func (p peerPair) line() []byte {
	b := p.gold.appendJSON([]byte(`{"gold":`))
	b = p.pred.appendJSON(append(b, `,"pred":`...))
	rest, _ := json.Marshal(map[string]any{
		"ordered": p.ordered, "question": p.question, "category": p.category, "gold_sql": p.goldSQL, "pred_sql": p.predSQL,
		"condition_cols": p.conditionCols, "ignore_order": p.ignoreOrder,
	})
	return append(append(append(b, ','), rest[1:]...), '\n')
}

// peerKinds are the kinds of columns: what one cell may hold.
var peerKinds = [][]scoring.Value{
	{scoring.IntValue(0), scoring.IntValue(1), scoring.IntValue(2), scoring.IntValue(10)},
	{scoring.FloatValue(0), scoring.FloatValue(1), scoring.FloatValue(2), scoring.FloatValue(0.5)},
	{scoring.FloatValue(0.30000000000000004), scoring.FloatValue(0.3), scoring.FloatValue(0.304), scoring.FloatValue(1e16), scoring.FloatValue(-1e-5)},
	{scoring.StringValue("a"), scoring.StringValue("b"), scoring.StringValue("B"), scoring.StringValue("a b")},
	{scoring.StringValue("1"), scoring.StringValue("1.0"), scoring.StringValue("10"), scoring.StringValue("x")},
	{scoring.StringValue("NA"), scoring.StringValue("0"), scoring.StringValue(""), scoring.StringValue("1e0")},
	{scoring.BoolValue(true), scoring.BoolValue(false)},
	{scoring.StringValue("True"), scoring.StringValue("false")},
	{scoring.DecimalValue(50, 2), scoring.DecimalValue(1, 1), scoring.DecimalValue(200, 2)},
	{scoring.DateValue(0), scoring.DateValue(18262)},
	{scoring.TimestampValue(scoring.Timestamp, 0, 0), scoring.TimestampValue(scoring.Timestamp, 86400, 0)},
	{scoring.TimestampValue(scoring.Timestamp, 3600, 0), scoring.TimestampValue(scoring.Timestamp, 0, 0)},
	{scoring.StringValue("1970-01-01"), scoring.StringValue("1970-01-01 00:00:00"), scoring.StringValue("1970-01-02")},
	{scoring.IntValue(1), scoring.StringValue("a"), scoring.FloatValue(1.5)},
	{scoring.StringValue("null"), scoring.StringValue("None"), scoring.StringValue(" 1"), scoring.StringValue("+1")},
	{scoring.StringValue("9223372036854775808"), scoring.StringValue("-1"), scoring.StringValue("99999999999999999999"), scoring.StringValue("1")},
	{scoring.StringValue("9223372036854775808"), scoring.StringValue("1"), scoring.StringValue("1.5"), scoring.StringValue("NA")},
	{scoring.StringValue("inf"), scoring.StringValue("-Infinity"), scoring.StringValue("1e3"), scoring.StringValue("1e"), scoring.StringValue(".5")},
	{scoring.StringValue("é"), scoring.StringValue("z"), scoring.StringValue("\U0001f600"), scoring.StringValue("\uffee")},
	{scoring.IntValue(1), scoring.IntValue(math.MaxInt64), scoring.IntValue(math.MaxInt64 - 1)},
	{scoring.FloatValue(1), scoring.FloatValue(math.NaN()), scoring.FloatValue(math.Inf(-1))},
	{scoring.IntValue(100000), scoring.IntValue(100001), scoring.FloatValue(100000.5)},
}

func randomPeerPair(rng *rand.Rand) peerPair {
	p := peerPair{ordered: rng.IntN(3) == 0, ignoreOrder: rng.IntN(3) > 0}
	gold := peerTable{}
	letters := rng.Perm(6)
	for j := range 1 + rng.IntN(4) {
		if rng.IntN(20) == 0 {
			j = 0 // a name that repeats
		}
		gold.names = append(gold.names, string(rune('a'+letters[j])))
	}
	kinds := make([][]scoring.Value, len(gold.names))
	for j := range kinds {
		kinds[j] = peerKinds[rng.IntN(len(peerKinds))]
	}
	nulls := rng.IntN(3) == 0
	for range rng.IntN(6) {
		row := make([]scoring.Value, len(kinds))
		for j, kind := range kinds {
			if row[j] = kind[rng.IntN(len(kind))]; nulls && rng.IntN(4) == 0 {
				row[j] = scoring.NullValue
			}
		}
		gold.rows = append(gold.rows, row)
	}
	p.gold, p.pred = gold, gold.clone()
	for range rng.IntN(4) {
		mutate(rng, &p.pred, kinds)
	}
	switch rng.IntN(4) {
	case 0:
		p.question = "List them in order of a."
		p.goldSQL, p.predSQL = "SELECT * FROM t ORDER BY t.a DESC, b", "SELECT * FROM t ORDER BY "+string(rune('a'+rng.IntN(3)))
	case 1:
		p.category, p.goldSQL, p.predSQL = "order_by", "select 1 order by a asc limit 3;", "select 1"
	}
	if n := len(gold.names); rng.IntN(2) == 0 {
		for range rng.IntN(n + 1) {
			p.conditionCols = append(p.conditionCols, rng.IntN(n))
		}
	}
	if p.conditionCols == nil {
		p.conditionCols = []int{}
	}
	return p
}

// mutate changes a table in one of the ways in which answers differ.
func mutate(rng *rand.Rand, t *peerTable, kinds [][]scoring.Value) {
	rows, cols := len(t.rows), len(t.names)
	switch rng.IntN(8) {
	case 0:
		rng.Shuffle(rows, func(i, j int) { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] })
	case 1: // other order of columns
		perm := rng.Perm(cols)
		u := t.clone()
		for j, k := range perm {
			t.names[j] = u.names[k]
			for i := range t.rows {
				t.rows[i][j] = u.rows[i][k]
			}
		}
	case 2:
		t.names[rng.IntN(cols)] = string(rune('a' + rng.IntN(8)))
	case 3:
		if rows > 0 {
			t.rows = append(t.rows, slices.Clone(t.rows[rng.IntN(rows)]))
		}
	case 4:
		if rows > 0 {
			t.rows = slices.Delete(t.rows, rows-1, rows)
		}
	case 5: // one cell
		if rows > 0 {
			kind := kinds[rng.IntN(len(kinds))]
			t.rows[rng.IntN(rows)][rng.IntN(cols)] = kind[rng.IntN(len(kind))]
		}
	case 6: // a column of another type
		j := rng.IntN(cols)
		for _, r := range t.rows {
			switch v := r[j]; v.Type {
			case scoring.Int64:
				if r[j] = scoring.FloatValue(float64(v.Int())); rng.IntN(8) == 0 {
					r[j] = scoring.StringValue(v.String())
				}
			case scoring.Float64:
				if f := v.Float(); f == math.Trunc(f) && f < 1e9 {
					r[j] = scoring.IntValue(int64(f))
				}
			}
		}
	case 7: // one column more
		j := rng.IntN(cols)
		t.names = append(t.names, "z")
		for i, r := range t.rows {
			t.rows[i] = append(r, r[j])
		}
	}
}

// askPeer runs a published program over the pairs and returns its verdicts.
func askPeer(t *testing.T, program string, pairs []peerPair) []json.RawMessage {
	t.Helper()
	dir, python := os.Getenv("BADGER_PEERS_DIR"), os.Getenv("BADGER_PEERS_PYTHON")
	if dir == "" || python == "" {
		t.Skip("BADGER_PEERS_DIR and BADGER_PEERS_PYTHON do not say where the published programs are; see testdata/peers/README.md")
	}
	var in, errs bytes.Buffer
	for _, p := range pairs {
		in.Write(p.line())
	}
	cmd := exec.Command(python, "testdata/peers/driver.py", dir, program)
	cmd.Stdin, cmd.Stderr = &in, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, errs.String())
	}
	var verdicts []json.RawMessage
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		verdicts = append(verdicts, json.RawMessage(bytes.Clone(lines.Bytes())))
	}
	if len(verdicts) != len(pairs) {
		t.Fatalf("%s answered %d of %d pairs", program, len(verdicts), len(pairs))
	}
	return verdicts
}

// peerTables is how many pairs are compared; BADGER_PEERS_TABLES may ask for more.
func peerTables() int {
	if n, err := strconv.Atoi(os.Getenv("BADGER_PEERS_TABLES")); err == nil {
		return n
	}
	return 2000
}

func TestParityWithPublishedPrograms(t *testing.T) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	value := func(s scoring.Score) string { return strconv.FormatFloat(s.Value, 'g', 12, 64) }
	for _, tc := range []struct {
		metric  string
		options func(p peerPair) string
		verdict func(s scoring.Score) string
		skip    func(p peerPair) bool
	}{
		{metric: "ex_bird", options: func(peerPair) string { return `{"typed_text": false}` }, verdict: value},
		{metric: "ex_multiset", options: func(peerPair) string { return `{"typed_text": false}` }, verdict: value},
		{metric: "soft_f1_bird", options: func(peerPair) string { return `{"typed_text": false}` }, verdict: value},
		{metric: "ex_permuted", verdict: value, options: func(p peerPair) string {
			if p.ordered {
				return `{"order": "keep"}`
			}
			return `{"order": "ignore"}`
		}},
		{metric: "match_spider2", verdict: value, options: func(p peerPair) string {
			cols, _ := json.Marshal(p.conditionCols)
			return fmt.Sprintf(`{"condition_cols": %s, "ignore_order": %t}`, cols, p.ignoreOrder)
		}},
		{
			metric: "match_defog", options: func(p peerPair) string { return fmt.Sprintf(`{"category": %q}`, p.category) },
			verdict: func(s scoring.Score) string { return s.Detail.(defogDetail).Match }, //nolint:forcetypeassert // its own type
		},
	} {
		t.Run(tc.metric, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			pairs := make([]peerPair, peerTables())
			for i := range pairs {
				pairs[i] = randomPeerPair(rng)
			}
			verdicts := askPeer(t, tc.metric, pairs)
			seen, wrong := map[string]int{}, 0
			for i, p := range pairs {
				gold, pred := p.gold.table(), p.pred.table()
				c := &scoring.Case{
					ID: strconv.Itoa(i), Question: p.question,
					Golds:   []scoring.Query{{SQL: p.goldSQL, Result: scoring.Result{Table: gold}}},
					Pred:    scoring.Query{SQL: p.predSQL, Result: scoring.Result{Table: pred}},
					Options: map[string]json.RawMessage{tc.metric: json.RawMessage(tc.options(p))},
				}
				scores, err := engine.Score(context.Background(), c, tc.metric)
				if err != nil {
					t.Fatal(err)
				}
				if scores[0].Status != scoring.StatusOK {
					t.Fatalf("%s: %s", scores[0].Status, scores[0].Reason)
				}
				got := tc.verdict(scores[0])
				var want any
				if err := json.Unmarshal(verdicts[i], &want); err != nil {
					t.Fatal(err)
				}
				published := fmt.Sprint(want)
				if f, ok := want.(float64); ok {
					published = strconv.FormatFloat(f, 'g', 12, 64)
				}
				seen[published]++
				if got != published {
					if wrong++; wrong <= 5 {
						t.Errorf("%s is %s, the published program says %s, of %s", tc.metric, got, published, p.line())
					}
				}
			}
			t.Logf("%d of %d pairs equal; verdicts of the published program: %v", len(pairs)-wrong, len(pairs), seen)
		})
	}
}
