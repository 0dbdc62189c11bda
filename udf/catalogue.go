package udf

import (
	"context"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Function declares one scoring function: its SQL declaration, its documentation, and how to call it. Exactly one of
// Columns and Row is set.
type Function struct {
	Name    string  `json:"name"` // as typed in SQL, in lower case
	Group   string  `json:"group"`
	Params  []Param `json:"params"` // required ones first
	Result  Type    `json:"result"` // JSON is never NULL
	Doc     string  `json:"doc"`
	Version int     `json:"version"` // incremented whenever the result for any arguments may change

	Metric  string           `json:"metric,omitempty"`  // the metric it computes
	Range   string           `json:"range,omitempty"`   // of a DOUBLE result, such as "0 to 1"
	Labels  []string         `json:"labels,omitempty"`  // all possible values of a VARCHAR result
	Options []scoring.Option `json:"options,omitempty"` // of the metric; the function's parameter options accepts them
	// equal arguments may give different results: query engines must not fold or deduplicate calls
	Volatile bool         `json:"volatile"`
	Cost     scoring.Cost `json:"cost,omitempty"` // of a row; a costlier function gets fewer rows a call; empty is small
	// rows wait for something external, such as a judge: many run concurrently
	Waits bool `json:"waits"`

	// Once reports whether a row depends only on its arguments and the cached replies of judges: equal rows are
	// computed only once, and a row continues after its caller's deadline. It requires Row.
	Once bool `json:"-"`

	// Columns computes all rows in one call. It is for functions that take nanoseconds a row and cannot fail.
	Columns func(ctx context.Context, in *Batch, out *Column) `json:"-"`
	// Row computes row i into out, or returns an error. Rows run concurrently. A row is NULL if Row calls
	// out.SetNull, or if it returns an error and the result is not JSON.
	Row func(ctx context.Context, in *Batch, i int, out *Column) error `json:"-"`
	// Envelope returns the JSON result of a row with an error; if it is nil, the result is
	// {"status":"failed","code":…,"reason":…}. It is for JSON functions only.
	Envelope func(err error) string `json:"-"`

	fingerprint string // of the build and the configuration; part of a row's key for deduplication
}

// Param is one parameter.
type Param struct {
	Name     string `json:"name"`
	Type     Type   `json:"type"`
	Optional bool   `json:"optional,omitempty"` // may be omitted, with all after it; NULL is the same as omitted
	Doc      string `json:"doc"`
}

// Required returns the minimum number of arguments of a call; the maximum is len(Params).
func (f *Function) Required() int {
	for i, p := range f.Params {
		if p.Optional {
			return i
		}
	}
	return len(f.Params)
}

// Signature returns the declaration for documentation: name(arg TYPE, … [, arg TYPE]) -> TYPE.
func (f *Function) Signature() string {
	var b strings.Builder
	b.WriteString(f.Name + "(")
	for i, p := range f.Params {
		arg := p.Name + " " + p.Type.String()
		switch {
		case i > 0 && p.Optional:
			b.WriteString(" [, " + arg + "]")
		case p.Optional:
			b.WriteString("[" + arg + "]")
		case i > 0:
			b.WriteString(", " + arg)
		default:
			b.WriteString(arg)
		}
	}
	b.WriteString(") -> " + f.Result.String())
	return b.String()
}

// CheckArity returns an error if fn does not accept n arguments.
func (f *Function) CheckArity(n int) error {
	if n >= f.Required() && n <= len(f.Params) {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "%s takes %s, got %d arguments", f.Name, f.Arity(), n)
}

// Arity returns the parameter list for error messages, such as (a, b [, c]).
func (f *Function) Arity() string {
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		names[i] = p.Name
	}
	switch req := f.Required(); {
	case len(f.Params) == 0:
		return "no arguments"
	case req == len(f.Params):
		return "(" + strings.Join(names, ", ") + ")"
	default:
		return "(" + strings.Join(names[:req], ", ") + " [, " + strings.Join(names[req:], ", ") + "])"
	}
}

// CatalogueOptions are optional inputs of a catalogue in addition to an engine.
type CatalogueOptions struct {
	Version string // of the build, what badger_version returns
	Judge   string // the judge's name for the column judge of eval_runs; empty if there is no judge
	Workers int    // rows of functions that run concurrently, over all calls; 0: 64
	// Fingerprint identifies the configuration: thresholds, options, the judge. It is part of the key by which equal
	// rows are recognized, because another configuration may give other results.
	Fingerprint string
	Calls       CallStore  // where replicas share calls that last longer than a connection; nil: they share none
	Extra       []Function // functions in addition to those of the metrics
	// Panicked is called when a function panics; it may be nil.
	Panicked func(function string, value any, stack []byte)
}

// Catalogue is the list of functions and the way to call them. It is safe for concurrent use.
type Catalogue struct {
	current  atomic.Pointer[listing]
	slots    chan struct{} // a semaphore: one element for each running row
	waiting  atomic.Int64  // rows that wait for a slot
	panicked func(string, any, []byte)

	jobs  *jobs
	calls CallStore // may be nil
}

// listing is the part that [Catalogue.Renew] replaces. Calls in flight keep the functions that they started with.
type listing struct {
	engine    *scoring.Engine
	functions []Function
	index     map[string]int
}

// DefaultWorkers is the default number of rows that run concurrently.
const DefaultWorkers = 64

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// NewCatalogue returns a catalogue of the engine's metrics, two functions each (the value and, as NAME_json, the
// whole score), of the general functions, and of the extra ones. Names must be unique.
func NewCatalogue(engine *scoring.Engine, o *CatalogueOptions) (*Catalogue, error) {
	if o == nil {
		o = &CatalogueOptions{}
	}
	workers := o.Workers
	if workers == 0 {
		workers = DefaultWorkers
	}
	if workers < 0 {
		return nil, errcode.New(errcode.InvalidArgument, "workers is %d, expected at least 1", workers)
	}
	c := &Catalogue{slots: make(chan struct{}, workers), panicked: o.Panicked}
	if o.Calls != nil {
		c.calls = boundedStore{o.Calls}
	}
	c.jobs = newJobs(c, workers)
	return c, c.Renew(engine, o)
}

// Renew replaces the functions by those of another engine, for later calls. Workers, Calls and Panicked of o are
// ignored. After an error the catalogue is unchanged.
func (c *Catalogue) Renew(engine *scoring.Engine, o *CatalogueOptions) error {
	if o == nil {
		o = &CatalogueOptions{}
	}
	l := &listing{engine: engine}
	for i := range engine.Metrics() {
		m := &engine.Metrics()[i]
		l.functions = append(l.functions, metricFunctions(engine, m)...)
	}
	l.functions = append(l.functions, generalFunctions(c, engine, o.Version)...)
	l.functions = append(l.functions, rowFunctions(engine, o.Version, o.Judge)...)
	l.functions = append(l.functions, o.Extra...)
	for i := range l.functions { // the pairs have copies of these
		l.functions[i].fingerprint = o.Version + "\x00" + o.Fingerprint
	}
	l.functions = append(l.functions, c.submitPairs(l.functions)...)
	slices.SortStableFunc(l.functions, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	l.index = make(map[string]int, len(l.functions))
	for i := range l.functions {
		f := &l.functions[i]
		if err := checkDeclaration(f); err != nil {
			return err
		}
		if _, dup := l.index[f.Name]; dup {
			return errcode.New(errcode.AlreadyExists, "function %q is declared twice", f.Name)
		}
		l.index[f.Name] = i
	}
	c.current.Store(l)
	return nil
}

func checkDeclaration(f *Function) error {
	if !nameForm.MatchString(f.Name) {
		return errcode.New(errcode.InvalidArgument, "function name %q: expected lower-case letters, digits and _", f.Name)
	}
	if (f.Row == nil) == (f.Columns == nil) {
		return errcode.New(errcode.InvalidArgument, "function %q: expected either Row or Columns, and not both", f.Name)
	}
	for i, p := range f.Params {
		if !nameForm.MatchString(p.Name) {
			return errcode.New(errcode.InvalidArgument,
				"function %q, parameter %d: name %q: expected lower-case letters, digits and _", f.Name, i+1, p.Name)
		}
		if i >= f.Required() && !p.Optional {
			return errcode.New(errcode.InvalidArgument, "function %q: the required parameter %q follows an optional one", f.Name,
				p.Name)
		}
	}
	return nil
}

// Functions lists all functions by name. The slice must not be modified.
func (c *Catalogue) Functions() []Function { return c.current.Load().functions }

// Function returns the function with that name. The error for an unknown name suggests similar names.
func (c *Catalogue) Function(name string) (*Function, error) {
	l := c.current.Load()
	if i, ok := l.index[name]; ok {
		return &l.functions[i], nil
	}
	names := make([]string, len(l.functions))
	for i := range l.functions {
		names[i] = l.functions[i].Name
	}
	return nil, errcode.New(errcode.NotFound, "unknown function %.60q%s", name, scoring.Suggest(name, names))
}

// Call computes fn for all rows of the batch. A row that fails is NULL, or a JSON envelope with the reason. An error
// means that the call has no result: a wrong number of arguments, columns of another length or type, or the end of
// ctx.
func (c *Catalogue) Call(ctx context.Context, fn *Function, in *Batch) (*Column, error) {
	if err := fn.CheckArity(len(in.Args)); err != nil {
		return nil, err
	}
	for k := range in.Args {
		if a := &in.Args[k]; a.Len() != in.Rows || a.Type != fn.Params[k].Type {
			return nil, errcode.New(errcode.InvalidArgument, "argument %d (%s): %d rows of %v, expected %d of %v",
				k+1, fn.Params[k].Name, a.Len(), a.Type, in.Rows, fn.Params[k].Type)
		}
	}
	out := columnar.New(fn.Result, in.Rows)
	if err := c.Run(ctx, fn, in, out, Deadline{}); err != nil {
		return nil, err
	}
	return out, nil
}

// guarded runs f and converts a panic to an error. The panic's value is passed only to the hook Panicked, because it
// may quote a cell.
func (c *Catalogue) guarded(fn *Function, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if c.panicked != nil {
				c.panicked(fn.Name, v, debug.Stack())
			}
			err = errcode.New(errcode.Internal, "function %s panicked on this input; this is a bug in badger", fn.Name)
		}
	}()
	return f()
}
