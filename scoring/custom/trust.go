package custom

import (
	"iter"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// trust records which strings of a run consist of text by the judge's author, so that a prompt may contain other text
// only as material. Initially these are the strings of the script and of the settings. The results of operators,
// methods and functions are added if all their operands are trusted, but not if one includes another string, such as
// one of the case or of a model's reply. Numbers and truth values are trusted, since they cannot contain
// instructions.
//
// Strings are distinguished by their content, not by their origin: a string of the case that equals one of the
// author's contains nothing that the author would not write.
type trust struct {
	base map[string]trusted // strings of the script and its top level; shared by its runs
	made map[string]trusted // strings of the settings and those created in this run
}

// trusted is the degree to which a string is trusted.
type trusted int

const (
	foreign trusted = iota
	framed          // text by the author with complete material in its markers: it may be concatenated but not split
	own             // text by the author
)

// trustKey is the key under which a thread stores the settings whose strings are trusted.
const trustKey = "trusted settings"

// elements returns the values in a list, tuple, set or dict, including keys, or nil for any other value.
func elements(v starlark.Value) iter.Seq[starlark.Value] {
	switch v := v.(type) {
	case *starlark.List:
		return starlark.Elements(v)
	case starlark.Tuple:
		return starlark.Elements(v)
	case *starlark.Set:
		return starlark.Elements(v)
	case *starlark.Dict:
		return func(yield func(starlark.Value) bool) {
			for k, e := range v.Entries() {
				if !yield(k) || !yield(e) {
					return
				}
			}
		}
	}
	return nil
}

// of returns the trust in a value: that of the least trusted string in it. The value must not contain a cycle, which
// walk checks.
func (tr *trust) of(v starlark.Value) trusted {
	switch v := v.(type) {
	case starlark.String:
		if v == "" {
			return own
		}
		return max(tr.base[string(v)], tr.made[string(v)])
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, *decimal:
		return own
	}
	inside := elements(v)
	if inside == nil {
		return foreign
	}
	least := own
	for e := range inside {
		if least = min(least, tr.of(e)); least == foreign {
			break
		}
	}
	return least
}

// trustTexts records the strings in a value as trusted to the degree how, unless they are trusted more.
func trustTexts(into map[string]trusted, v starlark.Value, how trusted) {
	if text, ok := v.(starlark.String); ok {
		into[string(text)] = max(into[string(text)], how)
	}
	if inside := elements(v); inside != nil {
		for e := range inside {
			trustTexts(into, e, how)
		}
	}
}

// newTrust returns the trust with which every run of a script starts: its string literals, and the strings that its
// top level created.
func newTrust(literals map[string]bool, globals starlark.StringDict) *trust {
	tr := &trust{base: make(map[string]trusted, len(literals))}
	for text := range literals {
		tr.base[text] = own
	}
	for _, v := range globals {
		trustTexts(tr.base, v, own)
	}
	return tr
}

// derived records the result of an operation as trusted to the degree of its least trusted operand. If whole is
// false, the operation may split strings, and a result from framed operands is not trusted.
func (b *budget) derived(out starlark.Value, whole bool, from ...starlark.Value) error {
	tr := b.trust
	if tr == nil || starlark.Len(out) <= 0 { // numbers and truths are trusted anyway
		return nil
	}
	least := own
	for _, v := range from {
		if err := b.work(1 + sizeOf(v)/perStep); err != nil {
			return err
		}
		if least = min(least, tr.of(v)); least == foreign || least == framed && !whole {
			return nil
		}
	}
	trustTexts(tr.made, out, least)
	return b.alloc(entryBytes)
}

// derivedBy is derived for the result of x op y.
func (b *budget) derivedBy(op syntax.Token, out, x, y starlark.Value) error {
	if b.trust == nil {
		return nil
	}
	if _, ok := out.(starlark.String); !ok {
		return nil // the elements of lists existed before
	}
	switch op {
	case syntax.PERCENT:
		if b.trust.of(x) != own || converts(x, 'c') {
			return nil
		}
		return b.derived(out, !converts(x, 'r') && b.trust.keepsWhole(y), y)
	case syntax.PLUS, syntax.STAR:
		return b.derived(out, true, x, y)
	}
	return nil
}

// keepsWhole reports whether formatting v into a string keeps its framed strings unchanged. It does for a string, but
// not for strings in a list, which are quoted.
func (tr *trust) keepsWhole(v starlark.Value) bool {
	list, ok := v.(starlark.Tuple)
	if !ok {
		list = starlark.Tuple{v}
	}
	for _, e := range list {
		if _, text := e.(starlark.String); !text && tr.of(e) != own {
			return false
		}
	}
	return true
}

// converts reports whether a format string has a conversion, such as %c, which converts numbers to text, or %r, which
// quotes.
func converts(format starlark.Value, conversion byte) bool {
	text, _ := starlark.AsString(format)
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		i++
		if text[i] == '(' { // %(name)s
			for i < len(text) && text[i] != ')' {
				i++
			}
			i++
		}
		if i < len(text) && text[i] == conversion {
			return true
		}
	}
	return false
}

// derivedByMethod is derived for the result of recv.name(args).
func (b *budget) derivedByMethod(out, recv starlark.Value, name string, args starlark.Tuple,
	kwargs []starlark.Tuple) error {
	text, ok := recv.(starlark.String)
	if b.trust == nil || !ok {
		return nil // methods of lists and dicts return values that existed before
	}
	from := append(starlark.Tuple{}, args...)
	for _, kv := range kwargs {
		from = append(from, kv[1])
	}
	switch name {
	case "join":
		if b.trust.of(text) != own {
			return nil
		}
		return b.derived(out, true, from...)
	case "format":
		if b.trust.of(text) != own {
			return nil
		}
		return b.derived(out, !strings.Contains(string(text), "!r") && b.trust.keepsWhole(from), from...)
	case "strip", "lstrip", "rstrip":
		return b.derived(out, len(args) == 0, append(from, text)...)
	}
	return b.derived(out, false, append(from, text)...)
}

// textMakers are the built-in functions whose result is derived from their arguments. Functions such as min and
// sorted return existing values. chr is not one, since its numbers may come from a string of the case.
var textMakers = map[string]bool{"str": true, "repr": true}
