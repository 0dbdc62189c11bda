package custom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Group is the family that metrics of judge files are listed in.
const Group = "custom"

// Options are the resources that judges may use.
type Options struct {
	SQL    SQLEngine    // runs judges of kind sql; nil: they are refused
	Limits Limits       // the most that a judge may ask for; zero: maxLimits
	Print  func(string) // called with the output of scripts, which may contain data; may be nil
}

// SQLEngine runs the query of a judge of kind sql. The engine must not let SQL reach files or a
// network.
type SQLEngine interface {
	// EvaluateSQL runs one query that sees the tables by their names, and nothing else. It may be
	// called from many goroutines at once.
	EvaluateSQL(ctx context.Context, query string, tables map[string]*scoring.Table) (*scoring.Table, error)
}

// Judge is a judge file, ready to score.
type Judge struct {
	Name    string
	Version int
	Kind    Kind
	Summary string
	File    string // base name, for errors
	Source  string // the file's text
	Hash    string // of the file: SHA-256 in hexadecimal

	header *header
	needs  []need
	config map[string]*setting
	asks   bool // a model
	score  func(ctx context.Context, in *scoring.Input, row *record, settings map[string]any) (scoring.Score, error)
}

// Load reads a judge from a file. The extension decides the kind: .star and .py are Starlark, .yaml and .yml the
// other kinds. Errors are coded and name the file and, if known, the line and the key or function; they contain no
// data.
func Load(ctx context.Context, file string, source []byte, o *Options) (*Judge, error) {
	if o == nil {
		o = &Options{}
	}
	most := o.Limits
	if most == (Limits{}) {
		most = maxLimits
	}
	base := filepath.Base(file)
	j := &Judge{File: base, Source: string(source)}
	fail := func(err error) (*Judge, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errcode.New(errcode.Of(err), "judge file %.100q: %w", base, err)
	}
	switch {
	case len(source) > maxSource:
		return fail(errcode.New(errcode.ResourceExhausted, "has %d KiB, at most %d are read", len(source)>>10, maxSource>>10))
	case !utf8.Valid(source) || strings.ContainsRune(j.Source, 0):
		return fail(errcode.New(errcode.InvalidArgument, "is not UTF-8 text"))
	}
	sum := sha256.Sum256(source)
	j.Hash = hex.EncodeToString(sum[:])
	var err error
	switch ext := strings.ToLower(filepath.Ext(base)); ext {
	case ".star", ".py":
		err = j.loadStarlark(ctx, most, o)
	case ".yaml", ".yml":
		err = j.loadYAML(ctx, most, o)
	default:
		err = errcode.New(errcode.InvalidArgument,
			"expected a name that ends in .star (Starlark) or .yaml (expression, prompt, sql)")
	}
	if err != nil {
		return fail(err)
	}
	return j, nil
}

// FileName is a name under which a judge of that kind can be loaded.
func FileName(name string, k Kind) string {
	if k == Starlark {
		return name + ".star"
	}
	return name + ".yaml"
}

// take checks a header and makes it the judge's.
func (j *Judge) take(h *header) (err error) {
	if err := h.check(); err != nil {
		return err
	}
	if j.needs, err = parseNeeds(h.Needs); err != nil {
		return err
	}
	if j.config, err = parseConfig(h.Config); err != nil {
		return err
	}
	for _, s := range h.Scores {
		if s == h.Name {
			return errcode.New(errcode.InvalidArgument, "scores: the judge would rest on itself")
		}
	}
	j.header, j.Name, j.Version, j.Kind, j.Summary = h, h.Name, h.Version, h.Kind,
		strings.Join(strings.Fields(h.Summary), " ")
	return nil
}

// Metric is the judge as a metric.
func (j *Judge) Metric() scoring.Metric {
	h := j.header
	m := scoring.Metric{
		Name: j.Name, Version: j.Version, Group: Group, Branch: scoring.BranchSQL | scoring.BranchAgentic, Summary: j.Summary,
		Range: h.rangeText(), Labels: slices.Clone(h.Labels),
		Formula: h.Formula, Source: h.Source, Example: h.Example, Threshold: h.Threshold, LowerIsBetter: h.LowerIsBetter,
		Score: j.metricScore,
	}
	m.Needs, m.Reads = fieldsOf(j.needs)
	if m.Formula == "" {
		m.Formula = "as the judge file computes it"
	}
	if m.Source != "" {
		m.Source += "; "
	}
	m.Source += "judge file " + j.File + ", sha256 " + j.Hash
	if j.asks {
		m.Needs |= scoring.FieldJudge
	}
	if len(h.Scores) > 0 {
		m.Needs |= scoring.FieldCase
	}
	m.Options = j.options()
	switch {
	case m.Needs&scoring.FieldPredResult == 0:
		m.FailedQuery = scoring.FailedIsIgnored("the judge does not read the result")
	case h.FailedQuery != nil:
		m.FailedQuery = scoring.FailedQuery{Status: scoring.StatusOK, Value: *h.FailedQuery}
	default:
		m.FailedQuery = scoring.FailedIsNotApplicable
	}
	return m
}

// Asks reports whether the judge asks a model.
func (j *Judge) Asks() bool { return j.asks }

// Settings are the judge's settings with their defaults, for listings.
func (j *Judge) Settings() map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(j.config)) {
		out[name] = j.config[name].Default
	}
	return out
}

// metricScore is the metric's function: it runs the judge on the row and the settings.
func (j *Judge) metricScore(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	settings, err := j.settings(in)
	if err != nil {
		return scoring.Score{}, err
	}
	row, lacking, err := j.rowOf(in)
	if err != nil {
		return scoring.Score{}, j.located(ctx, err)
	}
	if lacking != nil {
		return *lacking, nil
	}
	s, err := j.score(ctx, in, row, settings)
	if err != nil {
		return scoring.Score{}, j.located(ctx, err)
	}
	return s, nil
}

func (j *Judge) located(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errcode.New(errcode.Of(err), "judge file %.100q: %w", j.File, err)
}
