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

// Group is the group of the metrics of judge files.
const Group = "custom"

// Options are the resources that judges may use.
type Options struct {
	SQL    SQLEngine    // runs judges of kind sql; nil: loading one is an error
	Limits Limits       // the highest limits that a judge file may set; zero: maxLimits
	Print  func(string) // called with the output of scripts, which may contain data; may be nil
}

// SQLEngine runs the queries of judges of kind sql. SQL must not be able to access files or a network.
type SQLEngine interface {
	// EvaluateSQL runs a query that can read only these tables, by their names. It may be called concurrently.
	EvaluateSQL(ctx context.Context, query string, tables map[string]*scoring.Table) (*scoring.Table, error)
}

// Judge is a loaded judge file.
type Judge struct {
	Name    string
	Version int
	Kind    Kind
	Summary string
	File    string // base name, for errors
	Source  string // the file's text
	Hash    string // SHA-256 of the file in hexadecimal

	header *header
	needs  []need
	config map[string]*setting
	asks   bool // whether it may ask a model
	score  func(ctx context.Context, in *scoring.Input, row *record, settings map[string]any) (scoring.Score, error)
}

// Load parses and validates a judge file. The extension determines the kind: .star and .py are Starlark, .yaml and
// .yml the other kinds. Errors are coded and name the file and, if known, the line and the key or function. They
// contain no data.
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
		return fail(errcode.New(errcode.ResourceExhausted, "has %d KiB, expected at most %d", len(source)>>10, maxSource>>10))
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

// FileName returns the file name under which a judge with this name and kind can be loaded.
func FileName(name string, k Kind) string {
	if k == Starlark {
		return name + ".star"
	}
	return name + ".yaml"
}

// take checks a header and sets the judge's fields from it.
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
			return errcode.New(errcode.InvalidArgument, "scores: the judge would depend on itself")
		}
	}
	j.header, j.Name, j.Version, j.Kind, j.Summary = h, h.Name, h.Version, h.Kind,
		strings.Join(strings.Fields(h.Summary), " ")
	return nil
}

// Metric returns the judge as a metric.
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

// Asks reports whether the judge may ask a model.
func (j *Judge) Asks() bool { return j.asks }

// Settings returns the defaults of the judge's settings, for listings.
func (j *Judge) Settings() map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(j.config)) {
		out[name] = j.config[name].Default
	}
	return out
}

// metricScore is the Score function of the judge's metric. It runs the judge on the case's fields and settings.
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
