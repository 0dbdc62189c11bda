package custom

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/sample"
)

// expressions makes random expressions and statements over a few variables.
type expressions struct{ *rand.Rand }

func (g expressions) pick(of ...string) string { return of[g.IntN(len(of))] }

// of makes an expression that is an int, text, a list or a dict, most of the time; now and then it
// is of another kind, so that errors are compared too.
func (g expressions) of(kind byte, depth int) string {
	if g.IntN(300) == 0 {
		kind = "islde"[g.IntN(5)]
	}
	e := func(kind byte) string { return g.of(kind, depth-1) }
	any := func() string { return e("isld"[g.IntN(4)]) }
	bound := func() string { return g.pick("", "0", "1", "-1", "2", "-2", "5", "-9", "100") }
	slice := func() string {
		return "[" + bound() + ":" + bound() + ":" + g.pick("", "1", "-1", "2", "-2", "3") + "]"
	}
	if depth == 0 {
		switch kind {
		case 'i':
			return g.pick("(0)", "(1)", "(-3)", "(7)", "(2.5)", "n", "(1 << 40)", "True")
		case 's':
			return g.pick("'ab'", "''", "'a,b,c'", "t", "'é x'")
		case 'l':
			return g.pick("[]", "[1, 2, 3]", "[1, 'x']", "a", "d", "list(range(4))", "[[1], [2]]")
		case 'd':
			return g.pick("{}", "{'a': 1, 2: 'b'}", "c", "{(1, 2): 3}", "{2.5: 1, 1 << 40: 2}")
		}
		return g.pick("None", "(1, 'x')", "range(4)", "set([1, 2])", "b'xy'")
	}
	switch kind {
	case 'i':
		switch g.IntN(9) {
		case 0, 1, 2:
			return "(" + e('i') + g.pick(" + ", " - ", " * ", " / ", " // ", " % ", " & ", " | ", " ^ ") + e('i') + ")"
		case 3:
			return "(" + any() + g.pick(" == ", " != ") + any() + ")"
		case 4:
			return "(" + e('i') + g.pick(" < ", " <= ", " > ", " >= ") + e('i') + ")"
		case 5:
			return "(" + any() + g.pick(" in ", " not in ") + e('l') + ")"
		case 6:
			return g.pick("len", "bool", "len", "any", "all") + "(" + e('l') + ")"
		case 7:
			return e('s') + "." + g.pick("find('b')", "count('a')", "rfind(',')", "startswith('a')", "isdigit()")
		}
		return "max(" + e('i') + ", " + e('i') + ")"
	case 's':
		switch g.IntN(8) {
		case 0, 1:
			return "(" + e('s') + " + " + e('s') + ")"
		case 2:
			return "(" + e('s') + " * (" + e('i') + " % 5))"
		case 3:
			return e('s') + slice()
		case 4:
			return g.pick("str(", "repr(", "'%s' % (", "'{}'.format(") + any() + ")"
		case 5:
			return e('s') + "." + g.pick("upper()", "strip('a')", "replace('a', 'bb')", "replace('', '-')", "title()", "lstrip()", "removeprefix('a')")
		case 6:
			return "('%s-%r' % (" + any() + ", " + any() + "))"
		}
		return e('s') + ".join([str(x) for x in " + e('l') + "])"
	case 'l':
		switch g.IntN(9) {
		case 0, 1:
			return "(" + e('l') + " + " + e('l') + ")"
		case 2:
			return "(" + e('l') + " * (" + e('i') + " % 3))"
		case 3, 4:
			return e('l') + slice()
		case 5:
			return "[(x, " + e('i') + ") for x in " + e('l') + g.pick("", " if x", " if x != 1") + "]"
		case 6:
			return g.pick("list(reversed(", "list(enumerate(", "list(tuple(", "sorted(map_(") + e('l') + "))"
		case 7:
			return e('s') + g.pick(".split(',')", ".split()", ".split('a', 1)", ".splitlines()", ".rsplit(',', 1)")
		}
		return e('d') + g.pick(".keys()", ".values()", ".items()")
	case 'd':
		switch g.IntN(4) {
		case 0:
			return "(" + e('d') + " | " + e('d') + ")"
		case 1:
			return "{x: " + any() + " for x in " + g.pick("range(3)", "'a,b'.split(',')", "[1 << 40, 2.5, (1,)]") + "}"
		case 2:
			return "dict([('k', " + any() + ")], z = " + any() + ")"
		}
		return "{" + e('s') + ": " + any() + ", " + e('i') + ": 1}"
	}
	return "(" + any() + " if " + any() + " else " + any() + ")"
}

func (g expressions) script() string {
	var out strings.Builder
	out.WriteString("def map_(l):\n    return [str(x) for x in l]\n\ndef f():\n    a = [5, 6]\n    t = 'hello'\n    c = {'k': [1], 'n': 2}\n    d = a\n    n = 3\n")
	for range 1 + g.IntN(4) {
		switch g.IntN(7) {
		case 0:
			fmt.Fprintf(&out, "    n %s= %s\n", g.pick("+", "-", "*", "//", "%", "|", "&", "^"), g.of('i', 1))
		case 1:
			fmt.Fprintf(&out, "    %s += %s\n", g.pick("a", "c['k']"), g.of('l', 1))
		case 2:
			fmt.Fprintf(&out, "    %s %s= %s\n", g.pick("a[0]", "a[-1]", "c['n']", "c['none']", "a[9]"), g.pick("+", "-", "*"), g.of('i', 1))
		case 3:
			fmt.Fprintf(&out, "    %s\n", g.pick("c |= {'y': n}", "t += 'x'", "t *= 2", "c['k'] *= 2", "a[0], n = n, a[1]", "(n, a[1]) = (a[0], n)"))
		case 4:
			fmt.Fprintf(&out, "    %s = %s\n", g.pick("a[1]", "c['z']", "c[(1, 2)]", "n"), g.of('i', 2))
		case 5:
			fmt.Fprintf(&out, "    %s\n", g.pick("a.append(4)", "c.update(c)", "c.pop('k')", "a.extend([n])", "c.setdefault('q', []).append(1)", "a.insert(0, n)", "a.remove(6)"))
		default:
			fmt.Fprintf(&out, "    for x in %s:\n        n += 1\n", g.of('l', 1))
		}
	}
	fmt.Fprintf(&out, "    return [a, t, c, d, n, %s, %s]\n", g.of("isld"[g.IntN(4)], 3), g.of('i', 2))
	return out.String()
}

// A rewritten script computes (but for "…".elems() and the like, which are lists and no views) what
// the script computes, and fails where it fails.
func TestRewritingChangesNothing(t *testing.T) {
	n := sample.Count(8_000, 5)
	run := func(src string, rewritten bool) (string, error) {
		f, err := parse("f.star", []byte(src))
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if rewritten {
			s, err := compile(context.Background(), "f.star", f, options{limits: defaultLimits})
			if err != nil {
				return "", err
			}
			v, err := s.call(context.Background(), "f", nil)
			if err != nil {
				return "", err
			}
			return v.String(), nil
		}
		program, err := starlark.FileProgram(f, func(string) bool { return false })
		if err != nil {
			return "", err
		}
		th := &starlark.Thread{}
		th.SetMaxExecutionSteps(1_000_000)
		globals, err := program.Init(th, nil)
		if err != nil {
			return "", err
		}
		v, err := starlark.Call(th, globals["f"], nil, nil)
		if err != nil {
			return "", err
		}
		return v.String(), nil
	}
	same, failed := 0, 0
	for seed := range uint64(n) { //nolint:gosec // not negative
		g := expressions{rand.New(rand.NewPCG(seed, 7))}
		src := g.script()
		want, wantErr := run(src, false)
		got, gotErr := run(src, true)
		if (wantErr == nil) != (gotErr == nil) || got != want {
			t.Fatalf("seed %d:\n%s\nplain     %s, %v\nrewritten %s, %v", seed, src, want, wantErr, got, gotErr)
		}
		if wantErr == nil {
			same++
		} else {
			failed++
		}
	}
	t.Logf("%d scripts with a value, %d that fail", same, failed)
	if same < n/10 || failed < n/20 {
		t.Errorf("%d scripts with a value, %d that fail: the test looks at one of them only", same, failed)
	}
}
