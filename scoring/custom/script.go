package custom

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/lib/math"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// dialect is standard Starlark with sets: without while, recursion, and loops at the top level.
var dialect = &syntax.FileOptions{Set: true}

// maxSource is the maximum size of a judge file in bytes, which also limits the nesting of expressions.
const maxSource = 64 << 10

// script is a compiled script whose top-level statements have been executed.
type script struct {
	file     string
	limits   Limits
	print    func(string)
	globals  starlark.StringDict
	literals map[string]bool
	idents   map[string]bool
	trust    *trust // nil if the script cannot ask a model
}

// names are the predeclared names of every script.
var names = func() starlark.StringDict {
	d := starlark.StringDict{
		"re": reModule, "json": jsonModule, "math": math.Module,
		"decimal": starlark.NewBuiltin("decimal", decimalFunction),
	}
	for _, more := range []starlark.StringDict{universe, guards} {
		for name, v := range more {
			d[name] = v
		}
	}
	return d
}()

// options are the options of compile. more holds additional predeclared names.
type options struct {
	limits Limits
	print  func(string)
	more   starlark.StringDict
}

// compile compiles a parsed file and executes its top-level statements within the limits.
func compile(ctx context.Context, file string, f *syntax.File, o options) (*script, error) {
	var r rewriter
	if err := r.rewrite(f); err != nil {
		return nil, err
	}
	s := &script{file: file, limits: o.limits, print: o.print, literals: r.literals, idents: r.idents}
	predeclared := make(starlark.StringDict, len(names)+len(o.more))
	for _, d := range []starlark.StringDict{names, o.more} {
		for name, v := range d {
			predeclared[name] = v
		}
	}
	program, err := starlark.FileProgram(f, predeclared.Has)
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "%s", syntaxMessage(err))
	}
	t, stop := s.thread(ctx)
	defer stop()
	if s.globals, err = program.Init(t, predeclared); err != nil {
		return nil, s.explain(ctx, t, err)
	}
	for _, v := range s.globals {
		if _, err := budgetOf(t).walk(v); err != nil {
			return nil, err
		}
	}
	s.globals.Freeze()
	if s.idents["llm_complete"] {
		s.trust = newTrust(s.literals, s.globals)
	}
	return s, nil
}

// parse parses a Starlark file.
func parse(file string, source []byte) (*syntax.File, error) {
	f, err := dialect.Parse(file, source, 0)
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "%s", syntaxMessage(err))
	}
	return f, nil
}

// syntaxMessage returns the first error of the parser or resolver, with its line.
func syntaxMessage(err error) string {
	var s syntax.Error
	var r resolve.ErrorList
	switch {
	case errors.As(err, &s):
		return fmt.Sprintf("line %d: %s", s.Pos.Line, s.Msg)
	case errors.As(err, &r) && len(r) > 0:
		return fmt.Sprintf("line %d: %s", r[0].Pos.Line, r[0].Msg)
	}
	return "the script cannot be read"
}

// thread returns a new thread for one run of the script, which stops when ctx ends, and a function that releases it.
func (s *script) thread(ctx context.Context) (*starlark.Thread, func() bool) {
	t := &starlark.Thread{Name: s.file, Print: func(_ *starlark.Thread, msg string) {
		if s.print != nil {
			s.print(msg)
		}
	}}
	t.SetMaxExecutionSteps(uint64(s.limits.Steps)) //nolint:gosec // not negative
	b := &budget{limits: s.limits, thread: t}
	if s.trust != nil {
		b.trust = &trust{base: s.trust.base, made: map[string]trusted{}}
	}
	t.SetLocal(budgetKey, b)
	t.SetLocal(literalsKey, s.literals)
	return t, context.AfterFunc(ctx, func() { t.Cancel("the context has ended") })
}

// call calls the function name of the script. locals are values of the thread for the functions of this package.
func (s *script) call(ctx context.Context, name string, locals map[string]any,
	args ...starlark.Value) (starlark.Value, error) {
	t, stop := s.thread(ctx)
	defer stop()
	for k, v := range locals {
		t.SetLocal(k, v)
	}
	if settings, ok := locals[trustKey].(*record); ok {
		if tr := budgetOf(t).trust; tr != nil {
			for _, v := range settings.fields {
				trustTexts(tr.made, v, own)
			}
		}
	}
	v, err := starlark.Call(t, s.globals[name], args, nil)
	if err != nil {
		return nil, s.explain(ctx, t, err)
	}
	return v, nil
}

// explain returns the error of a run with the line and the function, without data that its message may contain.
func (s *script) explain(ctx context.Context, t *starlark.Thread, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	where := ""
	var e *starlark.EvalError
	if errors.As(err, &e) {
		for i := range e.CallStack {
			fr := e.CallStack.At(i)
			if fr.Pos.Filename() != s.file {
				continue
			}
			where = fmt.Sprintf("line %d", fr.Pos.Line)
			if fr.Name != "<toplevel>" && !strings.HasPrefix(fr.Name, "guard ") {
				where += ", in " + fr.Name
			}
			where += ": "
			break
		}
	}
	var coded *errcode.Error
	switch {
	case errors.As(err, &coded):
		return errcode.New(coded.Code, "%s%w", where, coded)
	case int64(t.Steps) >= s.limits.Steps: //nolint:gosec // bounded by the limit
		return errcode.New(errcode.ResourceExhausted, "%stakes more than %d steps", where, s.limits.Steps)
	}
	return errcode.New(errcode.InvalidArgument, "%s%s", where, message(err.Error()))
}

// plain returns the error of a built-in function without data that its message may contain.
func plain(function string, err error) error {
	var e *starlark.EvalError
	if errcode.Of(err) != errcode.Unknown || errors.As(err, &e) { // the latter: of a function of the script that it called
		return err
	}
	msg := message(err.Error())
	if !strings.HasPrefix(msg, function) {
		msg = function + ": " + msg
	}
	return errcode.New(errcode.InvalidArgument, "%s", msg)
}

// harmless matches messages of the interpreter that contain only types, counts and names in the script. telling
// matches messages that contain values, and has replacements without them.
var (
	harmless = lazyregexp.New(`^(unknown (binary|unary) op: [\w. ]+ \S+( [\w. ]+)?` +
		`|[\w.]+: got \d+ arguments?, want (at (most|least) )?\d+|[\w.]+: missing argument for \w+|[\w.]+: for parameter \w+: got [\w. ]+, want [\w. ]+` +
		`|got [\w. ]+, want [\w. ]+|[\w. ]+ value is not iterable|[\w. ]+ value does not support item assignment` +
		`|[\w. ]+ index -?\d+ out of range \[-?\d+:-?\d+\]|index -?\d+ out of range: empty [\w. ]+|unhandled index operation [\w. \[\]]+` +
		`|(local|global) variable \w+ referenced before assignment|function \w+ called recursively` +
		`|function \w+ (accepts|missing) [\w, ()]+|[\w-]+ (division|modulo) by zero|floored division by zero|integer modulo by zero` +
		`|too (many|few) values to unpack \(got \d+, want \d+\)|got [\w. ]+ in sequence assignment|unhashable( type)?: [\w. ]+` +
		`|invalid call of non-function \([\w. ]+\)|cannot [\w ]+ frozen [\w ]+|cannot [\w ]+ during iteration|[\w. ]+ \S{1,2} [\w. ]+ not implemented` +
		`|[\w.]+: (missing key|value not in list|substring not found|empty (dict|list|set|separator)|argument is an empty sequence)|not enough arguments for format string` +
		`|too many arguments for format string|invalid slice operand [\w. ]+|comparison exceeded maximum recursion depth|Starlark stack overflow)$`)
	telling = []struct {
		sign *lazyregexp.Regexp
		says string
	}{
		{lazyregexp.New(`^key .* not in `), "a key is not in the dict"},
		{lazyregexp.New(`^key not found`), "a key is not in the mapping"},
		{lazyregexp.New(`^int: invalid literal`), "int: the string is not a whole number"},
		{lazyregexp.New(`^float: |float literal`), "float: the value is not a number"},
		{lazyregexp.New(`unexpected keyword argument`), "an unexpected keyword argument"},
		{lazyregexp.New(`multiple values for`), "duplicate parameter"},
		{lazyregexp.New(`^duplicate key`), "duplicate key in the dict"},
		{lazyregexp.New(`format requires`), "a value does not fit its place in the format string"},
		{lazyregexp.New(`shift count`), "a shift by so many bits is not possible"},
	}
)

func message(text string) string {
	if harmless.MatchString(text) {
		return text
	}
	for _, m := range telling {
		if m.sign.MatchString(text) {
			return m.says
		}
	}
	return "the script failed: a value is not of the kind that is wanted here"
}
