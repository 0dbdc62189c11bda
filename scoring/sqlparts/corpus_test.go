package sqlparts

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// corpusQuery is one query of the reference data.
type corpusQuery struct {
	ID, Corpus, Dialect, SQL string
}

// sharedData is the directory of reference data next to the project; the test is skipped if there is
// none.
func sharedData(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Skip("no go.mod above the package: cannot find the reference data")
		}
		dir = up
	}
	data := filepath.Join(dir, "..", "shared", "data")
	if _, err := os.Stat(data); err != nil {
		tb.Skip("no reference data at ../shared/data beside the project")
	}
	return data
}

// loadCorpus reads all queries of the reference data: the published gold queries of Spider 2.0, and
// gold and agent queries of the labelled cases.
func loadCorpus(tb testing.TB) []corpusQuery {
	tb.Helper()
	data := sharedData(tb)
	var out []corpusQuery
	readLines(tb, filepath.Join(data, "spider2", "gold_sql.jsonl"), func(line []byte) error {
		var c struct {
			ID      string `json:"instance_id"`
			Dialect string `json:"dialect"`
			SQL     string `json:"sql"`
		}
		err := json.Unmarshal(line, &c)
		out = append(out, corpusQuery{c.ID, "spider2", c.Dialect, c.SQL})
		return err
	})
	for _, corpus := range []string{"rosevec", "flex200"} {
		readLines(tb, filepath.Join(data, corpus, "cases.jsonl"), func(line []byte) error {
			var c struct {
				ID      string `json:"case_id"`
				Dialect string `json:"dialect"`
				Gold    struct{ SQL string }
				Agent   struct{ SQL string }
			}
			err := json.Unmarshal(line, &c)
			out = append(out, corpusQuery{c.ID + "/gold", corpus, c.Dialect, c.Gold.SQL},
				corpusQuery{c.ID + "/agent", corpus, c.Dialect, c.Agent.SQL})
			return err
		})
	}
	return out
}

func readLines(tb testing.TB, path string, each func([]byte) error) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Skipf("reference data are not complete: %v", err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		if err := each(s.Bytes()); err != nil {
			tb.Fatalf("%s line %d: %v", filepath.Base(path), n, err)
		}
	}
	if err := s.Err(); err != nil {
		tb.Fatal(err)
	}
}
