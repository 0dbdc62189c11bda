package custom

import (
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
)

// attribute returns x.name. A method of one of Starlark's own types is wrapped so that its calls are charged; the
// methods of this package's types charge themselves.
func attribute(b *budget, x starlark.Value, name string) (starlark.Value, error) {
	h, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "%s has no .%.40s field or method", x.Type(), name)
	}
	v, err := h.Attr(name)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errcode.New(errcode.InvalidArgument, "%s has no .%.40s field or method", x.Type(), name)
	}
	m, ok := v.(*starlark.Builtin)
	if !ok {
		return v, nil
	}
	switch x.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
	default:
		return v, nil
	}
	if err := b.alloc(wordBytes * 4); err != nil {
		return nil, err
	}
	return starlark.NewBuiltin(m.Name(),
		func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return method(t, x, m, args, kwargs)
		}), nil
}

// method calls a method of one of Starlark's own types, after charging its work and the memory of its result.
func method(t *starlark.Thread, recv starlark.Value, m *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple) (starlark.Value, error) {
	b := budgetOf(t)
	var err error
	switch recv := recv.(type) {
	case starlark.String:
		err = chargeText(b, string(recv), m.Name(), args, kwargs)
	case starlark.Bytes:
		err = b.read(int64(len(recv)))
	case *starlark.List:
		err = chargeList(b, recv, m.Name(), args)
	default:
		err = chargeTable(b, recv, m.Name(), args, kwargs)
	}
	if err != nil {
		return nil, err
	}
	v, err := m.CallInternal(t, args, kwargs)
	if err != nil {
		return nil, plain(m.Name(), err)
	}
	switch m.Name() {
	case "codepoints", "codepoint_ords", "elems", "elem_ords": // some of these sequences do not report their length
		if it, ok := v.(starlark.Iterable); ok {
			if v, err = collect(b, it); err != nil {
				return nil, err
			}
		}
	}
	return v, b.derivedByMethod(v, recv, m.Name(), args, kwargs)
}

// collect returns a list of the elements of an iterable, and charges for them.
func collect(b *budget, it starlark.Iterable) (starlark.Value, error) {
	var out []starlark.Value
	for v := range starlark.Elements(it) {
		if err := b.alloc(2*wordBytes + 8); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return starlark.NewList(out), nil
}

func chargeText(b *budget, s, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	n := int64(len(s))
	arg := func(i int) string {
		if i < len(args) {
			text, _ := starlark.AsString(args[i])
			return text
		}
		return ""
	}
	switch name {
	case "join":
		if len(args) == 0 {
			return nil
		}
		inner, err := b.walk(args[0])
		if err != nil {
			return err
		}
		return b.alloc(inner + times(n, sizeOf(args[0])))
	case "replace":
		count := int64(strings.Count(s, arg(0)))
		return b.alloc(n + times(count, int64(len(arg(1)))))
	case "format":
		var each int64
		for _, list := range append([]starlark.Tuple{args}, kwargs...) {
			size, err := b.walk(list)
			if err != nil {
				return err
			}
			each += size
		}
		return b.alloc(n + times(int64(strings.Count(s, "{")), each))
	case "split", "rsplit", "splitlines":
		pieces := n/2 + 1
		if sep := arg(0); sep != "" {
			pieces = int64(strings.Count(s, sep)) + 1
		} else if name == "splitlines" {
			pieces = int64(strings.Count(s, "\n")) + 1
		} else if fields := int64(len(strings.Fields(s))); fields < pieces {
			pieces = fields + 1
		}
		return b.alloc(n/perStep + 3*wordBytes*pieces)
	case "strip", "lstrip", "rstrip":
		return b.read(n + times(n, int64(len(arg(0)))/4))
	case "lower", "upper", "title", "capitalize":
		return b.alloc(n + n/2)
	}
	var others int64
	for _, a := range args {
		size := sizeOf(a)
		if list, ok := a.(starlark.Tuple); ok { // s.startswith((a, b))
			for _, e := range list {
				size += sizeOf(e)
			}
		}
		others += size
	}
	return b.read(n + others)
}

func chargeList(b *budget, l *starlark.List, name string, args starlark.Tuple) error {
	n := int64(l.Len())
	switch name {
	case "append":
		return b.alloc(2 * wordBytes)
	case "extend":
		if len(args) > 0 {
			return b.alloc(2 * wordBytes * sizeOf(args[0]))
		}
	case "index", "remove":
		if len(args) > 0 {
			return chargeIn(b, args[0], l)
		}
	case "insert":
		if err := b.alloc(2 * wordBytes); err != nil {
			return err
		}
	}
	return b.read(wordBytes * n)
}

// chargeTable charges a method call of a dict or a set.
func chargeTable(b *budget, recv starlark.Value, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	n := sizeOf(recv)
	switch name {
	case "get", "pop", "setdefault", "add", "discard", "remove":
		if len(args) > 0 {
			if err := key(b, args[0]); err != nil {
				return err
			}
		}
		if name == "setdefault" || name == "add" {
			return b.alloc(entryBytes)
		}
		return nil
	case "popitem", "clear":
		return b.work(1 + n)
	case "keys", "values":
		return b.alloc(wordBytes * n)
	case "items":
		return b.alloc(4 * wordBytes * n)
	}
	for _, list := range append([]starlark.Tuple{args}, kwargs...) { // update, union and similar methods
		for _, a := range list {
			if err := b.alloc(entryBytes * (sizeOf(a) + 1)); err != nil {
				return err
			}
			if err := eachKey(b, a); err != nil {
				return err
			}
		}
	}
	return b.alloc(entryBytes * (n + 1))
}
