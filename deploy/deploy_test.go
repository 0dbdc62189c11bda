package deploy_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/udf"
)

var update = flag.Bool("update", false, "write golden files anew; look at them before they are committed")

var dialects = map[string]driver.Dialect{
	"snowflake": snowflake.Dialect, "bigquery": bigquery.Dialect, "databricks": databricks.Dialect, "postgres": postgres.Dialect,
}

// Each target has sets of values in testdata/TARGET/SET.values.yaml. What is rendered from them is
// in testdata/TARGET/SET, for whoever reviews a change of it.
func TestRenderedFiles(t *testing.T) {
	eachSet(t, func(t *testing.T, target *deploy.Target, set string, files []deploy.File) {
		dir := filepath.Join("testdata", target.Name, set)
		if *update {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[string]bool{}
		for _, f := range files {
			if f.Copied {
				continue
			}
			name := filepath.Join(dir, filepath.FromSlash(f.Name))
			seen[name] = true
			if *update {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, f.Content, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Errorf("%s is rendered and not golden", f.Name)
				continue
			}
			was, is := bytes.Split(want, []byte("\n")), bytes.Split(f.Content, []byte("\n"))
			for i := range max(len(was), len(is)) {
				if i >= len(was) || i >= len(is) || !bytes.Equal(was[i], is[i]) {
					t.Errorf("%s differs in line %d; -update writes the files, look at what changes", name, i+1)
					break
				}
			}
		}
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !seen[name] {
				t.Errorf("%s is golden and not rendered", name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Every target has at least three sets of values.
func TestEachTargetHasSets(t *testing.T) {
	for _, target := range deploy.Targets {
		if n := len(sets(t, target.Name)); n < 3 {
			t.Errorf("%s has %d sets of values", target.Name, n)
		}
	}
}

func sets(t *testing.T, target string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", target, "*.values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// eachSet calls f for what is rendered for each target from each of its sets of values, or for some
// targets only.
func eachSet(t *testing.T, f func(t *testing.T, target *deploy.Target, set string, files []deploy.File), only ...string) {
	for i := range deploy.Targets {
		target := &deploy.Targets[i]
		if len(only) > 0 && !slices.Contains(only, target.Name) {
			continue
		}
		for _, file := range sets(t, target.Name) {
			set := strings.TrimSuffix(filepath.Base(file), ".values.yaml")
			t.Run(target.Name+"/"+set, func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				plan, err := planFrom(t, text)
				if err != nil {
					t.Fatal(err)
				}
				files, err := deploy.Render(target, plan, "v1.2.3")
				if err != nil {
					t.Fatal(err)
				}
				f(t, target, set, files)
			})
		}
	}
}

// functions are those of the catalogue.
var functions = sync.OnceValues(func() ([]udf.Function, error) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		return nil, err
	}
	catalogue, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		return nil, err
	}
	return catalogue.Functions(), nil
})

// planFrom plans an installation from the text of values.
func planFrom(t *testing.T, values []byte) (*install.Plan, error) {
	t.Helper()
	all, err := functions()
	if err != nil {
		t.Fatal(err)
	}
	v, err := install.ReadValues(bytes.NewReader(values))
	if err != nil {
		return nil, err
	}
	v.Deploying = true
	return install.New(v, dialects[v.Warehouse], few(all))
}

// The example of each target is valid as it is, has every value that the target needs, and names a digest. Without values,
// all that is missing is told at once.
func TestExamplesOfTargets(t *testing.T) {
	all, err := functions()
	if err != nil {
		t.Fatal(err)
	}
	render := func(target *deploy.Target, v install.Values) error {
		v.Deploying, v.Needs = true, target.Missing(&v)
		plan, err := install.New(v, dialects[v.Warehouse], few(all))
		if err != nil {
			return err
		}
		_, err = deploy.Render(target, plan, "1.2.3")
		return err
	}
	for i := range deploy.Targets {
		target := &deploy.Targets[i]
		t.Run(target.Name, func(t *testing.T) {
			v, err := install.ReadValues(strings.NewReader(target.Example()))
			if err != nil {
				t.Fatal(err)
			}
			if err := render(target, v); err != nil {
				t.Error(err)
			}
			if v.Deploy.Tagged() {
				t.Error("the image of the example is a tag")
			}
			judged, err := install.ReadValues(strings.NewReader(strings.Replace(target.Example(), "# judge:", "judge:", 1)))
			if err != nil {
				t.Fatal(err)
			}
			if err := render(target, judged); err != nil {
				t.Errorf("with the judge of the example: %v", err)
			}
			if strings.Contains(target.Example(), "# judge:") && judged.Deploy.Judge.Budget == "" {
				t.Error("the judge of the example has no budget")
			}
			least := install.Values{Warehouse: v.Warehouse, Via: v.Via}
			err = render(target, least)
			for _, key := range target.Missing(&least) {
				if err == nil || !strings.Contains(err.Error(), key+", such as "+key+": ") || !strings.Contains(err.Error(), "--example") {
					t.Errorf("%s is not told: %v", key, err)
				}
			}
		})
	}
}
