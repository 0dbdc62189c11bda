package cases

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/resultfile"
)

// ResultFiles lists each file that Snapshots would read, in whatever form a case refers to it.
func TestResultFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cases.jsonl")
	text := "\ufeff" + `{"case_id":"1","gold":{"result":"file:one.csv"},"agent":{"result":"FILE:sub/two.csv"}}
{"case_id":"2","gold":[{"result":"file:one.csv"},{"result":"fil\u0065:three.csv"}],"agent":{"result":"query:file"}}
{"case_id":"3","gold_result":"file:four.csv","alternatives":[{"result":"file:/abs/five.csv"}],"result":"file:six.csv"}
no case
{"case_id":"4","question":"see file:none.csv","gold":{"result":{"columns":["a"],"rows":[["file:none.csv"]]}}}

{"case_id":"5","agent":{"result":"file:seven.csv"}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ResultFiles(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{"/abs/five.csv"}
	for _, name := range strings.Fields("four.csv one.csv seven.csv six.csv sub/two.csv three.csv") {
		want = append(want, filepath.Join(dir, name))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// what the reader opens is what is listed
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "two.csv"), []byte("n\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	snapshots := Snapshots{Files: &resultfile.Snapshots{Options: resultfile.Options{Dir: dir}}}
	if table, err := snapshots.ReadSnapshot(t.Context(), "FILE:sub/two.csv"); err != nil || table.Rows() != 1 {
		t.Errorf("reading: %v", err)
	}
}
