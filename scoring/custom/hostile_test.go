package custom

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

// starlarkJudge is a judge with that body of process_row.
func starlarkJudge(body string) string {
	return `judge(name = "j", version = 1, summary = "A test.", needs = ["response", "question?"])

def process_row(row, config):
    ` + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
}

func loadTest(t *testing.T, file, source string, o *Options) *Judge {
	t.Helper()
	j, err := Load(t.Context(), file, []byte(source), o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func scoreTest(t *testing.T, ctx context.Context, j *Judge, c *scoring.Case, o *scoring.EngineOptions) (scoring.Score, error) {
	t.Helper()
	e, err := scoring.NewEngine([]scoring.Metric{j.Metric()}, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Score(ctx, c)
	if err != nil {
		return scoring.Score{}, err
	}
	return s[0], nil
}

var answer = &scoring.Case{ID: "c", Question: "How many?", Agent: scoring.Agent{Response: "There are three, says alice@example.com."}}

// What would use up a machine ends in a failed score, soon and without having made more than the
// budget allows.
func TestHostileScriptsAreStopped(t *testing.T) {
	for _, c := range sample.Of([]struct{ why, body string }{
		{"a loop that never ends in practice", "for i in range(1000000000000):\n    pass"},
		{"nested loops", "n = 0\nfor i in range(100000):\n    for k in range(100000):\n        n += 1"},
		{"a text repeated", "x = 'x' * 1000000000"},
		{"a text repeated, the other way round", "x = 1000000000 * 'x'"},
		{"a text repeated beyond 64 bits", "x = 'x' * (1 << 100)"},
		{"a list repeated", "x = [0] * 100000000"},
		{"a tuple repeated", "x = (0,) * 100000000"},
		{"repeated in place", "x = 'xxxx'\nx *= 1000000000"},
		{"a text that doubles", "x = 'x'\nfor i in range(60):\n    x = x + x"},
		{"a text that doubles in place", "x = 'x'\nfor i in range(60):\n    x += x"},
		{"a list that doubles", "x = [0]\nfor i in range(60):\n    x = x + x"},
		{"a list that doubles in place", "x = [0]\nfor i in range(60):\n    x += x"},
		{"a list in a dict that doubles in place", "x = {'a': [0]}\nfor i in range(60):\n    x['a'] += x['a']"},
		{"extend with itself", "x = [0]\nfor i in range(60):\n    x.extend(x)"},
		{"a list of a range", "x = list(range(1000000000000))"},
		{"a sorted range", "x = sorted(range(1000000000000))"},
		{"the greatest of a range", "x = max(range(1000000000000))"},
		{"a set of a range", "x = set(range(1000000000))"},
		{"pairs of a range", "x = zip(range(1000000000), range(1000000000))"},
		{"a list extended by a range", "x = []\nx.extend(range(1000000000000))"},
		{"a list that a range is added to", "x = []\nx += range(1000000000000)"},
		{"a range as arguments", "x = max(*range(1000000000))"},
		{"nested lists written out", "x = [1]\nfor i in range(60):\n    x = [x, x]\ny = str(x)"},
		{"nested lists in a format string", "x = [1]\nfor i in range(60):\n    x = [x, x]\ny = '%s' % x"},
		{"nested lists as format arguments", "x = [1]\nfor i in range(60):\n    x = [x, x]\ny = '{}'.format(x)"},
		{"nested lists as JSON", "x = [1]\nfor i in range(60):\n    x = [x, x]\ny = json.encode(x)"},
		{"nested lists as detail", "x = [1]\nfor i in range(60):\n    x = [x, x]\nreturn {'value': 1, 'detail': x}"},
		{"nested lists compared", "def deep(n):\n    x = [1]\n    for i in range(8):\n        x = [x] * 50\n    return x\ny = deep(1) == deep(2)"},
		{"nested tuples as a key", "x = (1,)\nfor i in range(60):\n    x = (x, x)\ny = {x: 1}"},
		{"nested tuples looked up", "x = (1,)\nfor i in range(60):\n    x = (x, x)\ny = {}\ny[x] = 1"},
		{"nested tuples in a set", "x = (1,)\nfor i in range(60):\n    x = (x, x)\ny = set()\ny.add(x)"},
		{"nested tuples of arguments", "def f(*a):\n    return a\nx = (1,)\nfor i in range(60):\n    x = f(x, x)\ny = {x: 1}"},
		{"a search in a long list again and again", "x = list(range(200000))\nn = 0\nfor i in range(100000):\n    n += 1 if -1 in x else 0"},
		{"a long text compared again and again", "x = 'x' * 4000000\ny = 'x' * 4000000\nn = 0\nfor i in range(100000):\n    n += 1 if x == y else 0"},
		{"a long text sliced again and again", "x = [0] * 100000\nfor i in range(100000):\n    y = x[1:]"},
		{"a text joined to many", "x = 'x' * 100000\ny = x.join(['a'] * 100000)"},
		{"nothing replaced by much", "x = 'x' * 100000\ny = x.replace('', x)"},
		{"a mapping formatted often", "x = 'x' * 100000\ny = ('%(a)s' * 10000) % {'a': x}"},
		{"a format field used often", "x = 'x' * 100000\ny = ('{0}' * 10000).format(x)"},
		{"lists nested deep", "x = []\nfor i in range(150000):\n    x = [x]\ny = str(x)"},
		{"tuples nested deep, as a key", "x = ()\nfor i in range(150000):\n    x = (x,)\ny = {x: 1}"},
		{"dicts nested deep, as evidence", "x = {}\nfor i in range(20000):\n    x = {'a': x}\nreturn {'value': 1, 'detail': x}"},
		{"an integer that is squared", "x = 3\nfor i in range(60):\n    x = x * x"},
		{"an integer that is squared in place", "x = 3\nfor i in range(60):\n    x *= x"},
		{"an integer of many digits", "x = int('9' * 1000000)"},
		{"an integer that is shifted", "x = 1\nfor i in range(100000):\n    x = x << 500"},
		{"a decimal that is squared", "x = decimal('1.1')\nfor i in range(60):\n    x = x * x"},
		{"a decimal of a huge exponent", "x = decimal('1e30000')"},
		{"a JSON number of a huge exponent", "x = json.decode('1e30000')"},
		{"JSON nested deeply", "x = json.decode('[' * 100000)"},
		{"an expression that takes long on a long text", "x = 'x' * 1000000\nfor i in range(1000):\n    y = re.findall('(x+x+)+y', x)"},
		{"an expression that is written out to much", "x = re.search('x{1000}' * 500, 'x')"},
		{"many expressions", "for i in range(1000000):\n    x = re.search('(?:abc){%d}x{%d}' % (i % 900, i // 900), 'x')"},
		{"a substitution that multiplies", "x = 'x' * 1000000\ny = re.sub('x', 'y' * 1000, x)"},
		{"many dicts", "x = [{} for i in range(10000000)]"},
		{"a dict that grows", "x = {}\nfor i in range(10000000):\n    x[i] = i"},
		{"a list that grows", "x = []\nfor i in range(100000000):\n    x.append(i)"},
		{"characters of a long text", "x = ('x' * 10000000).codepoints()\ny = list(x)"},
		{"unions that double", "x = {1: 1}\nfor i in range(100000000):\n    x = x | {i: i}"},
		{"integer keys of one hash", "d = {}\nfor i in range(1000000):\n    d[i << 32] = 1"},
		{"a set of such", "s = set(range(0, 1 << 60, 1 << 42))"},
		{"float keys of one hash", "d = {}\nfor i in range(1000000):\n    d[i / 10000000] = 1"},
		{"a set of such floats", "s = set([i / 10000000 for i in range(100000)])"},
		{"a dict of such pairs", "s = dict([(i / 10000000, 1) for i in range(50000)])"},
		{"a union of such", "s = set()\nfor i in range(1000000):\n    s = s | set([i / 10000000])"},
		{"tuple keys of one hash", "d = {}\nfor i in range(1000000):\n    d[(i << 32,)] = 1"},
		{"functions of one name as keys", "d = {}\nfor i in range(1000000):\n    d[lambda: i] = 1"},
		{"attributes got by name", "x = getattr('x', 'replace')('', 'x' * 10000000)\ny = getattr('x' * 10000, 'replace')('', 'x' * 1000000)"},
		{"a function that a sort calls", "x = sorted(range(100000), key = lambda i: sorted(range(100000)))"},
	}, 4) {
		t.Run(c.why, func(t *testing.T) {
			j := loadTest(t, "j.star", starlarkJudge(c.body+"\nreturn {'value': 1}"), &Options{Limits: Limits{Steps: 1_000_000, Memory: 16 << 20}})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := scoreTest(t, t.Context(), j, answer, nil)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if s.Status != scoring.StatusFailed || s.Code != errcode.ResourceExhausted {
				t.Errorf("%s (%v): %s, want resource_exhausted", s.Status, s.Code, s.Reason)
			}
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 400 && !raceDetector {
				t.Errorf("made %d MiB", made)
			}
		})
	}
}

// What a run is charged does not depend on what ran before: a script that just fits its limit fits
// it again, and one that does not never does.
func TestChargesAreTheSameEveryTime(t *testing.T) {
	steps := func() uint64 {
		s := &script{file: "j.star", limits: defaultLimits}
		f, err := parse("j.star", []byte("def f():\n    d = {'a': [1, 2.5]}\n    for w in re.findall('(?:charge){3}|[a-z]+', 'ab cd ab'):\n        d[w] = d.get(w, 0) + 1\n    return str(d) + json.encode(d)\n"))
		if err != nil {
			t.Fatal(err)
		}
		if s, err = compile(t.Context(), "j.star", f, options{limits: defaultLimits}); err != nil {
			t.Fatal(err)
		}
		th, stop := s.thread(t.Context())
		defer stop()
		if _, err := starlark.Call(th, s.globals["f"], nil, nil); err != nil {
			t.Fatal(err)
		}
		return th.Steps
	}
	first := steps()
	for range 5 {
		if next := steps(); next != first {
			t.Fatalf("%d steps, the first time %d", next, first)
		}
	}
}

// A result is examined where it lies: what would copy it all is charged by its size.
func TestLargeResults(t *testing.T) {
	b := scoring.NewBuilder("n", scoring.Int64, 1_000_000)
	for i := range 1_000_000 {
		b.AppendInt(int64(i))
	}
	big, err := scoring.NewTable(b.Column())
	if err != nil {
		t.Fatal(err)
	}
	c := &scoring.Case{ID: "c", Pred: scoring.Query{Ran: true, Result: scoring.Result{Table: big}}}
	for _, x := range []struct {
		why, body string
		status    scoring.Status
	}{
		{"its size", "return {'value': len(row.result)}", scoring.StatusOK},
		{"one cell", "return {'value': row.result[-1]['n']}", scoring.StatusOK},
		{"its beginning", "n = 0\nfor i in range(100):\n    n += row.result[i][0]\nreturn {'value': n}", scoring.StatusOK},
		{"all of it as JSON", "return {'value': len(json.encode(row.result))}", scoring.StatusFailed},
		{"all of it as evidence", "return {'value': 1, 'detail': row.result}", scoring.StatusFailed},
		{"a column again and again", "x = [row.result.column(0) for i in range(1000)]\nreturn {'value': 1}", scoring.StatusFailed},
		{"all rows in a list", "return {'value': len([r for r in row.result])}", scoring.StatusFailed},
	} {
		t.Run(x.why, func(t *testing.T) {
			source := strings.Replace(starlarkJudge(x.body), `["response", "question?"]`, `["result"]`, 1)
			j := loadTest(t, "j.star", source, &Options{Limits: Limits{Steps: 1_000_000, Memory: 16 << 20}})
			s, err := scoreTest(t, t.Context(), j, c, nil)
			if err != nil || s.Status != x.status || x.status == scoring.StatusFailed && s.Code != errcode.ResourceExhausted {
				t.Errorf("%v %s (%v): %s", err, s.Status, s.Code, s.Reason)
			}
		})
	}
}

// What does not exist cannot be used: neither the world outside nor what would make a score depend on
// more than its input.
func TestScriptsHaveNoWayOut(t *testing.T) {
	for _, c := range []struct{ why, source, says string }{
		{"load", "load('other.star', 'x')\n" + starlarkJudge("return {'value': 1}"), "line 1: load is unsupported"},
		{"open", starlarkJudge("open('/etc/passwd')"), "undefined: open"},
		{"import", "import os\n" + starlarkJudge("return {'value': 1}"), "line 1"},
		{"exec", starlarkJudge("exec('1')"), "undefined: exec"},
		{"time", starlarkJudge("return {'value': time.now()}"), "undefined: time"},
		{"random", starlarkJudge("return {'value': random()}"), "undefined: random"},
		{"while", starlarkJudge("while True:\n    pass"), "while"},
		{"the guards by name", starlarkJudge("return guard key"), "line 4"},
		{"another judge", starlarkJudge("judge(name = 'k')\nreturn {'value': 1}"), ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			j, err := Load(t.Context(), "j.star", []byte(c.source), nil)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), `judge file "j.star"`) {
					t.Errorf("%v, want the file and %q", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s, _ := scoreTest(t, t.Context(), j, answer, nil); s.Status != scoring.StatusFailed {
				t.Errorf("%+v, want a failed score", s)
			}
		})
	}
}

func TestTheTopOfAFileIsBounded(t *testing.T) {
	for _, c := range []struct{ why, top, says string }{
		{"a loop", "def f():\n    for i in range(1000000000000):\n        pass\n\nx = f()", "takes more than"},
		{"a text", "x = 'x' * 1000000000", "MiB of values"},
		{"lists nested deep", "def f():\n    x = []\n    for i in range(100000):\n        x = [x]\n    return x\n\nx = f()", "nested more than 1000 deep"},
	} {
		_, err := Load(t.Context(), "j.star", []byte(c.top+"\n"+starlarkJudge("return {'value': 1}")), nil)
		if errcode.Of(err) != errcode.ResourceExhausted || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.why, err, c.says)
		}
	}
}

func TestRecursionIsRefused(t *testing.T) {
	source := "def f(n):\n    return f(n + 1)\n\n" + starlarkJudge("return {'value': f(0)}")
	s, err := scoreTest(t, t.Context(), loadTest(t, "j.star", source, nil), answer, nil)
	if err != nil || s.Status != scoring.StatusFailed || !strings.Contains(s.Reason, "line 2, in f: function f called recursively") {
		t.Errorf("%v %+v, want a failed score that names the function and its line", err, s)
	}
}

func TestTheContextStopsAScript(t *testing.T) {
	j := loadTest(t, "j.star", `judge(name = "j", version = 1, summary = "A test.", needs = ["response"], limits = {"steps": 50000000})

def process_row(row, config):
    for i in range(1000000000000):
        pass
`, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := scoreTest(t, ctx, j, answer, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error and no score", err)
	}
}

// A script that is nested as deep as its size allows ends in an error, not in a crash.
func TestDeepNesting(t *testing.T) {
	for _, unit := range []string{"(", "[", "{1:", "-", "not ", "lambda: ", "f(", "x[", "1 if 1 else ", "x.y(*", "[a for a in ", "1 + ", "x = "} {
		source := starlarkJudge("return " + strings.Repeat(unit, (maxSource-1000)/len(unit)))
		if _, err := Load(t.Context(), "j.star", []byte(source), nil); err == nil {
			t.Errorf("%q: loaded", unit)
		}
	}
	long := starlarkJudge("return {'value': 1" + strings.Repeat(" + 1", 10000) + "}")
	if _, err := Load(t.Context(), "j.star", []byte(long), nil); err != nil {
		t.Errorf("a long sum: %v", err)
	}
}

// An error says where and what, and nothing of the data.
func TestErrorsShowNoData(t *testing.T) {
	for _, c := range []struct{ why, body, says string }{
		{"a key", "return {}[row.response]", "line 4, in process_row: a key is not in the dict"},
		{"a conversion", "return {'value': int(row.response)}", "the string is not a whole number"},
		{"a conversion to float", "return {'value': float(row.response)}", "the value is not a number"},
		{"the author's message", "fail(row.response)", "the script called fail()"},
		{"the author's message as it stands", "fail('no words')", "fail: no words"},
		{"a message that is made", "fail('no words: ' + row.response)", "the script called fail()"},
		{"an attribute", "return getattr(row, row.response)", "row has no such field"},
		{"a field by its name", "return row[row.response]", "row[…]: there is no such field; there are question, response"},
		{"a method", "return getattr('', row.response)", "field or method"},
		{"an index", "return [1][7]", "out of range"},
		{"types", "return 1 + row.response", "unknown binary op: int + string"},
		{"keywords", "return dict(**{row.response: 1})[1]", "a key is not in the dict"},
		{"unexpected keywords", "return len(**{row.response: 1})", "keyword"},
		{"a format", "return '%d' % row.response", "a value does not fit its place in the format string"},
		{"a member of the score", "return {row.response: 1}", "unknown member"},
		{"a label", "return {'label': row.response}", "declares no labels"},
		{"JSON", "return json.decode(row.response)", "invalid JSON"},
		{"a decimal", "return decimal(row.response)", "the string is not a decimal number"},
		{"an expression", "return re.search('(' + row.response, '')", "invalid regular expression"},
		{"a call", "return row.response()", "invalid call of non-function (string)"},
		{"a field that is not needed", "return row.gold_sql", "the judge's needs do not name gold_sql"},
		{"a field that is misspelt", "return row.respons", "did you mean response?"},
	} {
		t.Run(c.why, func(t *testing.T) {
			s, err := scoreTest(t, t.Context(), loadTest(t, "j.star", starlarkJudge(c.body), nil), answer, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Status != scoring.StatusFailed || !strings.Contains(s.Reason, c.says) || !strings.Contains(s.Reason, "j.star") || !strings.Contains(s.Reason, "line 4") && !strings.Contains(s.Reason, "process_row") {
				t.Errorf("%s: %s, want %q with file and line", s.Status, s.Reason, c.says)
			}
			if strings.Contains(s.Reason, "alice") {
				t.Errorf("%s shows the answer", s.Reason)
			}
		})
	}
}
