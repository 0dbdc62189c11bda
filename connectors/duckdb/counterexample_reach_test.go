package duckdb_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// warehouseGolds are published gold queries of Spider 2.0.
func warehouseGolds(t *testing.T) []struct {
	ID      string `json:"instance_id"`
	Dialect string `json:"dialect"`
	SQL     string `json:"sql"`
} {
	t.Helper()
	var out []struct {
		ID      string `json:"instance_id"`
		Dialect string `json:"dialect"`
		SQL     string `json:"sql"`
	}
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "spider2", "gold_sql.jsonl"))
	if err != nil {
		t.Skipf("the reference data is not here: %v", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		out = append(out, struct {
			ID      string `json:"instance_id"`
			Dialect string `json:"dialect"`
			SQL     string `json:"sql"`
		}{})
		if err := json.Unmarshal(lines.Bytes(), &out[len(out)-1]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Most queries of warehouses are carried over: they run on small databases, and equal themselves there.
// The log lists what is refused, by frequency.
func TestCounterexampleReadsWarehouses(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	e := duckdb.NewSmallDatabases(1)
	defer e.Close()
	all, carried := map[string]int{}, map[string]int{}
	reasons := map[string][]string{}
	idle := 0
	golds := warehouseGolds(t)
	for i, gold := range golds {
		if left(i, len(golds), 30) {
			continue
		}
		o, err := counterexample.Find(t.Context(), e, &counterexample.Problem{Gold: gold.SQL, Pred: gold.SQL, Dialect: gold.Dialect, Tries: 24, Time: 60_000})
		if err != nil {
			t.Fatalf("%s: %v", gold.ID, err)
		}
		all[gold.Dialect]++
		switch {
		case strings.Contains(o.Why, "neither query returns a row"), strings.Contains(o.Why, "which no small database has"):
			carried[gold.Dialect]++ // it runs
			idle++
		case o.Found:
			t.Errorf("%s differs from itself: %s", gold.ID, o.Sentence)
		case o.Why != "" || o.Tries == 0:
			why := cmp.Or(strings.TrimPrefix(o.Why, "the gold SQL: "), "no database on which it runs")
			reasons[why] = append(reasons[why], gold.ID)
		default:
			carried[gold.Dialect]++
		}
	}
	sum, of := 0, 0
	for _, dialect := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %d of %d are carried over", dialect, carried[dialect], all[dialect])
		sum, of = sum+carried[dialect], of+all[dialect]
	}
	for _, why := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(reasons[b]), len(reasons[a])), cmp.Compare(a, b))
	}) {
		t.Logf("%3d  %s  %v", len(reasons[why]), why, reasons[why])
	}
	t.Logf("%d of %d are carried over; %d of them return no row on a few small databases", sum, of, idle)
	least := of * 19 / 20
	if of < len(golds) {
		least -= 3 // with room for chance
	}
	if sum < least {
		t.Errorf("%d of %d are carried over, want at least %d", sum, of, least)
	}
}
