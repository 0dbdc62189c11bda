package metric_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// The table of SPIDER2.md. Spider 2.0 compares chosen columns, one by one; hybrid_ex compares rows.
// Both must score every pair.
func TestHybridBesideSpider2(t *testing.T) {
	path := sharedData(t, "spider2", "cases.jsonl")
	engine, err := scoring.NewEngine(metric.All(), &scoring.EngineOptions{Snapshots: &resultfile.Snapshots{Options: resultfile.Options{Dir: filepath.Dir(path)}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var table [2][2]int
	pairs := 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); pairs++ {
		if !sample.Takes(pairs, 645, 16) {
			continue
		}
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		s, err := engine.Score(context.Background(), c, "hybrid_ex", "match_spider2")
		if err != nil {
			t.Fatal(err)
		}
		if s[0].Status != scoring.StatusOK || s[1].Status != scoring.StatusOK {
			t.Errorf("%s: %s %s, %s %s", c.ID, s[0].Status, s[0].Reason, s[1].Status, s[1].Reason)
			continue
		}
		var at [2]int
		for i := range at {
			if s[i].Value == 1 {
				at[i] = 1
			}
		}
		table[at[0]][at[1]]++
		if at[0] != at[1] {
			t.Logf("%-32s hybrid_ex %.3f, match_spider2 %v: %.160s", c.ID, s[0].Value, s[1].Value, s[0].Reason)
		}
	}
	t.Logf("of %d pairs: both accept %d, hybrid_ex alone %d, match_spider2 alone %d, neither %d", pairs, table[1][1], table[1][0], table[0][1], table[0][0])
	if pairs != 645 {
		t.Errorf("%d pairs, want 645", pairs)
	}
}
