package relation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/relation"
)

// TestSpider2Report logs which relation explains the pairs of results that the annotators of Spider
// 2.0 both accepted: those that its comparison takes for the same and those that it refuses.
// SPIDER2.md says what is behind the latter.
func TestSpider2Report(t *testing.T) {
	cases := recordedCases(t, "spider2/cases.jsonl")
	dir := filepath.Dir(referenceData(t, "spider2/cases.jsonl"))
	passed, refused := map[string]*tally{}, map[string]*tally{}
	for _, c := range sample.Of(cases, 6) { // one in six, or where tests are thorough each
		for _, q := range []*struct{ ref *string }{{&c.Golds[0].Result.Ref}, {&c.Pred.Result.Ref}} {
			*q.ref = filepath.Join(dir, strings.TrimPrefix(*q.ref, "file:"))
		}
		gold, err := resultfile.Read(t.Context(), c.Golds[0].Result.Ref, nil)
		if err != nil {
			t.Fatal(err)
		}
		pred, err := resultfile.Read(t.Context(), c.Pred.Result.Ref, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := relation.Find(relation.Input{Gold: gold, Pred: pred, Dialect: c.Dialect})
		by := refused
		if c.verdict["match_spider2"] {
			by = passed
		}
		first := found[0]
		if by[first.Name] == nil {
			by[first.Name] = &tally{databases: map[string]bool{}}
		}
		by[first.Name].fired++
		file, _, _ := strings.Cut(c.ID, "~")
		by[first.Name].databases[file[:strings.LastIndexByte(file, '_')]] = true // the question
		if os.Getenv("BADGER_RELATIONS") != "" && (!c.verdict["match_spider2"] || os.Getenv("BADGER_RELATIONS") == "all") {
			var names []string
			for _, r := range found[1:] {
				names = append(names, r.Name)
			}
			fmt.Printf("%s %s: %s [%s] %dx%d %dx%d\n", c.ID, first.Name, first.Text, strings.Join(names, " "), gold.Rows(), len(gold.Columns), pred.Rows(), len(pred.Columns))
		}
	}
	for what, by := range map[string]map[string]*tally{"taken for the same": passed, "refused": refused} {
		var b strings.Builder
		n := 0
		for _, k := range relation.Kinds() {
			if x := by[k.Name]; x != nil {
				fmt.Fprintf(&b, "%-26s %-15s %3d pairs of %2d questions\n", k.Name, k.Class, x.fired, len(x.databases))
				n += x.fired
			}
		}
		t.Logf("%d pairs %s by the official comparison\n%s", n, what, b.String())
	}
}
