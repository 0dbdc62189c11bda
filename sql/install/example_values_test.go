package install_test

import (
	"io"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// The example of each way is valid as it is, and has every value that the way needs. Lines that are commented out are valid,
// too, but for files that are read.
func TestExamples(t *testing.T) {
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		text, err := install.Example(w.Name, via.Name)
		if err != nil {
			t.Fatal(err)
		}
		read := func(text string) install.Values {
			v, err := install.ReadValues(strings.NewReader(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if v.Warehouse != w.Name || v.Via != via.Name {
				t.Errorf("the example is for %s via %s", v.Warehouse, v.Via)
			}
			return v
		}
		plan(t, read(text), few)
		if len(via.Required) > 0 && !strings.Contains(text, "# <-") {
			t.Error("no value is marked")
		}
		var all []string
		for line := range strings.SplitSeq(text, "\n") {
			if option, is := strings.CutPrefix(strings.TrimSpace(line), "# "); is && strings.Contains(option, ": ") && !strings.HasSuffix(option, ".") && !strings.HasPrefix(option, "ca_file") && !strings.HasPrefix(option, "endpoint") && !strings.HasPrefix(option, "report") && !strings.Contains(option, "<-") {
				line = line[:len(line)-len(strings.TrimLeft(line, " "))] + option
			}
			all = append(all, line)
		}
		plan(t, read(strings.Join(all, "\n")), few)
	})
	for i := range install.Clients {
		c := &install.Clients[i]
		text, err := install.Example(c.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		v, err := install.ReadValues(strings.NewReader(strings.ReplaceAll(text, "\n# judges", "\njudges")))
		if err != nil || v.Warehouse != c.Name || len(v.Judges) != 1 || !strings.Contains(text, "# <-") {
			t.Errorf("%+v, %v of\n%s", v, err, text)
		}
		if err := c.Print(io.Discard, "", v, few); err != nil {
			t.Error(err)
		}
		if _, err := install.New(v, driver.Dialect{Name: c.Name}, few); err == nil || !strings.Contains(err.Error(), "--print writes") {
			t.Errorf("a plan for %s: %v", c.Name, err)
		}
	}
	if _, err := install.Example("snowflake", "smoke"); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("of no way: %v", err)
	}
}

// All values that are missing are told at once, each with an example.
func TestMissingValues(t *testing.T) {
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		_, err := install.New(install.Values{Warehouse: w.Name, Via: via.Name}, dialects[w.Name], few)
		if len(via.Required) == 0 {
			if err != nil {
				t.Error(err)
			}
			return
		}
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "--example") {
			t.Fatalf("without values: %v", err)
		}
		for _, key := range via.Required {
			if w.Name == "bigquery" && key == "endpoint" { // which follows from it
				key = "deploy.cloud_run.project_number"
			}
			if !strings.Contains(err.Error(), key+", such as "+key+": ") {
				t.Errorf("%s is not told: %v", key, err)
			}
		}
	})
	v := install.Values{Warehouse: "snowflake", Via: "spcs"}
	v.Deploy.Judge.Backend = "anthropic"
	_, err := install.New(v, dialects["snowflake"], few)
	for _, key := range []string{"database", "deploy.image", "deploy.snowflake.query_warehouse", "deploy.judge.model", "deploy.judge.url", "deploy.judge.secret", "deploy.judge.budget"} {
		if err == nil || !strings.Contains(err.Error(), key+", such as") {
			t.Errorf("%s is not told: %v", key, err)
		}
	}
}
