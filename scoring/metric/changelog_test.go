package metric_test

import (
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/metric"
)

// CHANGELOG.md says which version every metric has, and what its rules are. A pattern of several metrics
// stands after the metrics that it would match, too.
func TestChangelogHasVersions(t *testing.T) {
	text, err := os.ReadFile(path.Join("..", "..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| Metrics | Version |")
	type row struct {
		pattern string
		version int
	}
	var rows []row
	for _, line := range regexp.MustCompile("(?m)^\\| (`.*) \\| ([0-9]+) \\|").FindAllStringSubmatch(table, -1) {
		version, err := strconv.Atoi(line[2])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile("`([a-z0-9_*]+)`").FindAllStringSubmatch(line[1], -1) {
			rows = append(rows, row{name[1], version})
		}
	}
	used := map[string]bool{}
	for _, m := range metric.All() {
		said := 1
		for _, r := range rows {
			if ok, err := path.Match(r.pattern, m.Name); err != nil {
				t.Fatal(err)
			} else if ok {
				said, used[r.pattern] = r.version, true
				break
			}
		}
		if m.Version != said {
			t.Errorf("%s has version %d, CHANGELOG.md says %d", m.Name, m.Version, said)
		}
	}
	for _, r := range rows {
		if !used[r.pattern] {
			t.Errorf("CHANGELOG.md: no metric is called %s", r.pattern)
		}
	}
}
