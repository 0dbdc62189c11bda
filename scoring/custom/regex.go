package custom

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// reModule is the module re with Python's functions search, fullmatch, findall, finditer, sub and split. Regular
// expressions have RE2 syntax, which guarantees linear time. Positions are in bytes, as for strings in scripts.
var reModule = &starlarkstruct.Module{Name: "re", Members: starlark.StringDict{
	"search":    reFunction("search"),
	"fullmatch": reFunction("fullmatch"),
	"findall":   reFunction("findall"),
	"finditer":  reFunction("finditer"),
	"split":     reFunction("split"),
	"sub":       starlark.NewBuiltin("re.sub", reSub),
}}

// pattern is a compiled regular expression and the size of its program, which determines the charge for searching a
// text.
type pattern struct {
	*regexp.Regexp
	size int64
}

const (
	maxPattern = 4000      // characters
	maxProgram = 20_000    // maximum size of one program, in instructions
	maxKept    = 1_000_000 // maximum total size of the cached programs
)

// patterns caches compiled regular expressions of all scripts.
var patterns = struct {
	sync.Mutex
	m    map[string]*pattern
	kept int64
}{m: map[string]*pattern{}}

// programSize returns an estimate of the number of instructions of a regular expression before it is compiled.
// x{1000} has a thousand.
func programSize(re *syntax.Regexp) int64 {
	n := int64(1 + len(re.Rune)/2)
	for _, sub := range re.Sub {
		n += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		n = times(n, int64(max(re.Min+1, re.Max, 1)))
	}
	return min(n, 1<<40)
}

// compilePattern returns the compiled expression, from the cache if possible. The first use of an expression in a run
// is charged as a compilation even if it is cached, so that the charge does not depend on other scripts. Later uses
// in the run cost one step.
func compilePattern(b *budget, text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, errcode.New(errcode.ResourceExhausted, "a regular expression of more than %d characters", maxPattern)
	}
	if p := b.patterns[text]; p != nil {
		return p, b.work(1)
	}
	if err := b.alloc(64 * int64(len(text))); err != nil {
		return nil, err
	}
	patterns.Lock()
	p := patterns.m[text]
	patterns.Unlock()
	if p == nil {
		tree, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument,
				"invalid regular expression; expected RE2 syntax, without lookahead, backreferences and more than 1000 repetitions")
		}
		p = &pattern{size: programSize(tree)}
	}
	if p.size > maxProgram {
		return nil, errcode.New(errcode.ResourceExhausted,
			"the regular expression is too big: its repetitions are written out")
	}
	if err := b.alloc(64 * p.size); err != nil {
		return nil, err
	}
	if err := b.work(16 * p.size); err != nil {
		return nil, err
	}
	if p.Regexp == nil {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "the regular expression cannot be compiled")
		}
		p.Regexp = re
		keepPattern(text, p)
	}
	if b.patterns == nil {
		b.patterns = map[string]*pattern{}
	}
	b.patterns[text] = p
	return p, nil
}

func keepPattern(text string, p *pattern) {
	patterns.Lock()
	defer patterns.Unlock()
	if patterns.kept += p.size; patterns.kept > maxKept {
		clear(patterns.m)
		patterns.kept = p.size
	}
	patterns.m[text] = p
}

// charge charges one search of a text.
func (p *pattern) charge(b *budget, text string) error {
	return b.work(1 + times(int64(len(text)), p.size)/(2*perStep))
}

func reFunction(name string) *starlark.Builtin {
	return starlark.NewBuiltin("re."+name,
		func(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var expr, text string
			if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "pattern", &expr, "text", &text); err != nil {
				return nil, err
			}
			b := budgetOf(t)
			if name == "fullmatch" {
				expr = `\A(?:` + expr + `)\z`
			}
			p, err := compilePattern(b, expr)
			if err != nil {
				return nil, err
			}
			if err := p.charge(b, text); err != nil {
				return nil, err
			}
			switch name {
			case "search", "fullmatch":
				at := p.FindStringSubmatchIndex(text)
				if at == nil {
					return starlark.None, nil
				}
				return newMatch(text, at), nil
			case "split":
				parts := p.Split(text, -1)
				out := make([]starlark.Value, len(parts))
				for i, s := range parts {
					out[i] = starlark.String(s)
				}
				return starlark.NewList(out), b.alloc(3 * wordBytes * int64(len(out)))
			}
			all := p.FindAllStringSubmatchIndex(text, -1)
			if err := b.alloc(times(int64(len(all)), 8*wordBytes+int64(p.NumSubexp())*4*wordBytes)); err != nil {
				return nil, err
			}
			out := make([]starlark.Value, len(all))
			for i, at := range all {
				m := newMatch(text, at)
				switch {
				case name == "finditer":
					out[i] = m
				case len(m.groups) == 0:
					out[i] = m.text
				case len(m.groups) == 1:
					out[i] = m.groups[0]
				default:
					out[i] = m.groups
				}
			}
			return starlark.NewList(out), nil
		})
}

// reSub implements re.sub(pattern, replacement, text, count=0). In the replacement, \1 and \g<name> refer to groups.
func reSub(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	var expr, replacement, text string
	count := 0
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "pattern", &expr, "replacement", &replacement, "text", &text,
		"count?", &count); err != nil {
		return nil, err
	}
	b := budgetOf(t)
	p, err := compilePattern(b, expr)
	if err != nil {
		return nil, err
	}
	if err := p.charge(b, text); err != nil {
		return nil, err
	}
	template := groupReference.ReplaceAllString(strings.ReplaceAll(replacement, "$", "$$"), "$${$1$2}")
	if count <= 0 {
		count = -1
	}
	all := p.FindAllStringSubmatchIndex(text, count)
	references := int64(strings.Count(template, "${"))
	if err := b.alloc(
		int64(len(text)) + times(int64(len(all)), int64(len(template))) + times(references, int64(len(text)))); err != nil {
		return nil, err
	}
	var out []byte
	last := 0
	for _, at := range all {
		out = append(out, text[last:at[0]]...)
		out = p.ExpandString(out, template, text, at)
		last = at[1]
	}
	made := starlark.String(append(out, text[last:]...))
	return made, b.derived(made, false, starlark.String(replacement), starlark.String(text))
}

var groupReference = lazyregexp.New(`\\(?:([0-9]{1,2})|g<([A-Za-z0-9_]+)>)`)

// match is the result of a search: m.text, m.start, m.end, m.groups.
type match struct {
	text       starlark.String
	groups     starlark.Tuple // None for a group that did not match
	start, end int
}

func newMatch(text string, at []int) *match {
	m := &match{text: starlark.String(text[at[0]:at[1]]), start: at[0], end: at[1]}
	for i := 2; i < len(at); i += 2 {
		if at[i] < 0 {
			m.groups = append(m.groups, starlark.None)
		} else {
			m.groups = append(m.groups, starlark.String(text[at[i]:at[i+1]]))
		}
	}
	return m
}

func (m *match) String() string       { return "match" }
func (m *match) Type() string         { return "match" }
func (m *match) Freeze()              {}
func (m *match) Truth() starlark.Bool { return true }
func (m *match) Hash() (uint32, error) {
	return 0, errcode.New(errcode.InvalidArgument, "a match cannot be a key")
}

// AttrNames returns the names of the attributes.
func (m *match) AttrNames() []string { return []string{"end", "groups", "start", "text"} }

// Attr returns the attribute with a name, or nil if there is none.
func (m *match) Attr(name string) (starlark.Value, error) {
	switch name {
	case "text":
		return m.text, nil
	case "groups":
		return m.groups, nil
	case "start":
		return starlark.MakeInt(m.start), nil
	case "end":
		return starlark.MakeInt(m.end), nil
	}
	return nil, nil
}
