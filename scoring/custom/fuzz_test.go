package custom

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Whatever bytes a judge file holds, loading it ends in a judge that scores or in a coded error
// that names the file; nothing panics or runs on.
func FuzzLoad(f *testing.F) {
	for _, k := range kinds {
		files, err := Template(k, "j")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(k == Starlark, files[0].Text)
	}
	examples, _ := filepath.Glob("../../examples/judges/*/*")
	for _, path := range examples {
		if ext := filepath.Ext(path); ext == ".star" || ext == ".yaml" {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(ext == ".star", string(text))
		}
	}
	for _, body := range []string{"x = 'x' * 1000000000", "x = [0]\nx += x", "return {'value': row.response[::2]}", "d = {}\nd[row] = 1", "f = lambda *a, **k: a"} {
		f.Add(true, starlarkJudge(body))
	}
	f.Add(false, "kind: expression\nname: j\nversion: 1\nsummary: x\nneeds: [response]\nresult: {value: '1 if'}\n")
	f.Add(false, "a: &a [*a]\n")
	limits := Limits{Steps: 20_000, Memory: 1 << 20}
	f.Fuzz(func(t *testing.T, script bool, source string) {
		file := "j.yaml"
		if script {
			file = "j.star"
		}
		j, err := Load(context.Background(), file, []byte(source), &Options{SQL: &fakeSQL{answer: `{"columns":["value"],"rows":[[1]]}`}, Limits: limits})
		if err != nil {
			if code := errcode.Of(err); code == errcode.Unknown || code == errcode.Internal || !strings.Contains(err.Error(), file) {
				t.Errorf("%v (%v)", err, code)
			}
			return
		}
		e, err := scoring.NewEngine([]scoring.Metric{j.Metric()}, &scoring.EngineOptions{Replies: replies{}})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := e.Score(context.Background(), &scoring.Case{
			ID: "c", Question: "How many?", Golds: []scoring.Query{{SQL: "SELECT 1"}}, Pred: scoring.Query{SQL: "SELECT 2", Ran: true}, Agent: scoring.Agent{Response: "three"},
		})
		if err != nil || scores[0].Code == errcode.Internal {
			t.Errorf("%v %+v", err, scores)
		}
	})
}
