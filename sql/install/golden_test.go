package install_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/udf"
)

var update = flag.Bool("update", false, "write golden files anew; look at them before they are committed")

// few are functions of every kind: of some arguments and of none, with a cost of each class, with
// optional arguments, and the two that the evaluation calls. They are no catalogue's, so that the
// golden files change with what installs and not with the metrics.
var few = []udf.Function{
	{Name: "badger_version", Doc: "The version of badger.", Result: udf.VARCHAR},
	{
		Name: "small", Doc: "A share\nof it's \\ \"texts\".", Result: udf.DOUBLE, Cost: "small", Metric: "small", Version: 1,
		Params: []udf.Param{{Name: "gold_sql", Type: udf.VARCHAR, Doc: "One."}, {Name: "agent_latency_ms", Type: udf.DOUBLE, Doc: "Two."}},
	},
	{
		Name: "large_json", Doc: "Evidence.", Result: udf.JSON, Cost: "large", Metric: "large", Version: 2,
		Params: []udf.Param{{Name: "gold_result", Type: udf.JSON, Doc: "It's one."}, {Name: "options", Type: udf.JSON, Doc: "Three.", Optional: true}},
	},
	{
		Name: "run_settings", Doc: "What a run is made with.", Result: udf.JSON,
		Params: []udf.Param{{Name: "metrics", Type: udf.VARCHAR, Doc: "Names."}},
	},
	{
		Name: "score_row", Doc: "Scores a row.", Result: udf.JSON, Cost: "judged",
		Params: []udf.Param{{Name: "row", Type: udf.JSON, Doc: "The row."}, {Name: "metrics", Type: udf.VARCHAR, Doc: "Names.", Optional: true}},
	},
}

// What is printed for each way of calling is in golden files, for whoever reviews a change of it.
// The flag -update writes them. Whether it is right is what the other tests say.
func TestPrintedText(t *testing.T) {
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		v := plain(w.Name, via.Name)
		if !w.Global {
			v = nightly(w, via.Name)
			v.Schedule.Metrics = []string{"small", "large"}
		}
		var got bytes.Buffer
		p := plan(t, v, few)
		if err := p.Print(&got); err != nil {
			t.Fatal(err)
		}
		got.WriteString("\n\n")
		if err := p.PrintDrop(&got, true); err != nil {
			t.Fatal(err)
		}
		golden(t, w.Name+"."+via.Name+".sql", got.Bytes())
	})
}

// The files of engines that badger does not connect to.
func TestPrintedClients(t *testing.T) {
	for i := range install.Clients {
		c := &install.Clients[i]
		t.Run(c.Name, func(t *testing.T) {
			var got bytes.Buffer
			v := install.Values{Endpoint: "https://badger.example.com:7433", TokenFile: "/etc/badger/<token>&"}
			if err := c.Print(&got, "Made by badger 1.0.0: "+c.File, v, few); err != nil {
				t.Fatal(err)
			}
			golden(t, c.Name+"."+c.File, got.Bytes())
			if err := c.Print(&got, "", install.Values{}, few); err == nil || !strings.Contains(err.Error(), "needs endpoint") {
				t.Errorf("without an endpoint: %v", err)
			}
			if c.Name == "clickhouse" {
				v.TokenFile = "/etc/a b"
				if err := c.Print(io.Discard, "", v, few); err == nil || !strings.Contains(err.Error(), "without blanks") {
					t.Errorf("a path with a blank: %v", err)
				}
				d := xml.NewDecoder(&got)
				for {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "printed", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, is := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || !bytes.Equal(was[i], is[i]) {
			t.Fatalf("%s, line %d is another: %s\nwant %s\n-update writes the files; look at what changes", file, i+1, line(is, i), line(was, i))
		}
	}
}

func line(of [][]byte, i int) []byte {
	if i >= len(of) {
		return []byte("(the end)")
	}
	return of[i]
}
