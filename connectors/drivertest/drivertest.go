// Package drivertest is the conformance suite of warehouse connectors. A connector's test is a
// [Harness] and one call of [Run].
//
// Types are tested by files, testdata/types/*.txtar: the comment is the reason for the values, "sql" is a query, and
// "expect" its expected result, one line for each column as [Show] writes it. For a connector whose SQL differs, the
// file has a part "NAME.sql"; for one whose warehouse has another type, "NAME.expect"; for one whose warehouse does not
// support the type, "NAME.skip" with the reason.
package drivertest

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

//go:embed testdata/types/*.txtar
var typeFiles embed.FS

// Harness describes a connector to the suite.
type Harness struct {
	Name     string // the connector's name in the type files
	Dialect  driver.Dialect
	Features driver.Features

	// Open opens an empty warehouse that can be written to, or that of OpenReadOnly if Features.Source is set.
	// Records come from mem.
	Open func(t *testing.T, mem memory.Allocator) driver.Conn

	// OpenReadOnly opens a warehouse for reading only, with a table called present of one row and one column; nil if
	// Features.ReadOnly is not set.
	OpenReadOnly func(t *testing.T, mem memory.Allocator) driver.Conn

	// Types are files like those of testdata/types, with the parts sql and expect, for an engine with other types; nil
	// is the suite's own.
	Types fs.FS

	// Spelled maps statements, references and values of the suite to this warehouse's syntax. An empty string skips
	// one.
	Spelled map[string]string

	// Slow is a query that would run for minutes and return many rows.
	Slow string

	// Skip maps parts of the suite that do not apply to the reason: "Errors", "Types/floats", "Cancel/while it runs".
	// It is for emulators, and for features that a warehouse lacks.
	Skip map[string]string
}

// Run runs the suite. Of the parts about badger's tables, and of their many cases, it runs a sample, or all in a
// thorough test run.
func Run(t *testing.T, h Harness) {
	h.reading(t)
	h.storing(t)
}

// RunWays runs the suite for each way in which a server delivers results. Parts that only read run for all ways. The
// others run for one way, chosen by a seed, or for all in a thorough test run.
func RunWays(t *testing.T, ways []string, harness func(way string) Harness) {
	drawn := ways[sample.One(t.Name(), len(ways))]
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			h := harness(way)
			h.reading(t)
			if sample.Thorough() || way == drawn {
				h.storing(t)
			}
		})
	}
}

// reading runs the parts about queries and their results.
func (h Harness) reading(t *testing.T) {
	h.run(t, "Types", h.types)
	h.run(t, "Results", h.results)
	h.run(t, "Parameters", h.parameters)
	if !h.Features.Source {
		h.run(t, "Snapshots", h.snapshots)
	}
	h.run(t, "Errors", h.errors)
	h.run(t, "Cancel", h.cancel)
	h.run(t, "Features", h.features)
	h.run(t, "Parallel reads", h.parallelReads)
}

// storing runs the parts about writing and badger's tables, unless Features.Source is set.
func (h Harness) storing(t *testing.T) {
	if h.Features.Source {
		return
	}
	h.run(t, "Writes", h.writes)
	h.run(t, "Merges", h.merges)
	h.run(t, "Adds", h.testUpsert)
	h.run(t, "Marks", h.marks)
	h.run(t, "Parallel", h.parallel)
	// Each part about badger's tables installs them, and has the same statements for each connector: a test run takes
	// a third of the parts, of each connector others.
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"Round trips", h.roundTrips}, {"Tables", h.tables}, {"Pruning", h.pruning}, {"Pages", h.pages},
		{"Judges", h.judges}, {"Claims", h.claims}, {"Labelling", h.labelling}, {"Examination", h.examination},
	} {
		if sample.Thorough() || sample.One(h.Name+" "+part.name, 3) == 0 {
			h.run(t, part.name, part.run)
		}
	}
	if h.Features.Functions {
		h.run(t, "Functions", h.functions)
	}
}

// run runs a part of the suite unless the harness skips it.
func (h Harness) run(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		for part, why := range h.Skip {
			if strings.HasSuffix(t.Name(), "/"+strings.ReplaceAll(part, " ", "_")) {
				t.Skip(why)
			}
		}
		f(t)
	})
}

// spelled returns this warehouse's form of a string of the suite.
func (h Harness) spelled(text string) string {
	if own, ok := h.Spelled[text]; ok {
		return own
	}
	return text
}

// open opens a warehouse. When the test ends, it is closed and its memory is checked for leaks.
func (h Harness) open(t *testing.T) driver.Conn {
	t.Helper()
	return closing(t, h.Open)
}

func closing(t *testing.T, open func(t *testing.T, mem memory.Allocator) driver.Conn) driver.Conn {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	c := open(t, mem)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if n := mem.CurrentAlloc(); n != 0 {
			t.Errorf("%d bytes of records are still held", n)
		}
	})
	return c
}

// Until waits for a condition, which the server fulfils soon.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for range 300 {
		if is() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: not within six seconds", what)
}

// Read reads a whole result into memory.
func Read(ctx context.Context, c driver.Conn, query string, args ...any) (*scoring.Table, error) {
	r, err := c.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return arrowtable.Read(r, arrowtable.Limits{})
}

func mustRead(t *testing.T, c driver.Conn, query string, args ...any) *scoring.Table {
	t.Helper()
	table, err := Read(context.Background(), c, query, args...)
	if err != nil {
		t.Fatalf("%v (%v)", err, code(c, err))
	}
	return table
}

func code(c driver.Conn, err error) errcode.Code {
	if code := errcode.Of(err); code != errcode.Unknown {
		return code
	}
	return c.ErrorCode(err)
}

// Show formats a table, one line for each column: name, type, and values separated by |. Strings are quoted.
func Show(t *scoring.Table) string {
	var b strings.Builder
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Fprintf(&b, "%s %v:", strconv.Quote(c.Name), c.Type)
		for r := range t.Rows() {
			b.WriteString([]string{" ", "|"}[min(r, 1)])
			switch v := c.Value(r); v.Type {
			case scoring.String, scoring.JSON:
				b.WriteString(strconv.Quote(v.Text()))
			default:
				b.WriteString(v.String())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TypeQuery returns the query of a file of testdata/types, named without its extension, in a connector's SQL. It is ""
// if the connector skips the file.
func TypeQuery(connector, file string) string {
	data, err := typeFiles.ReadFile(path.Join("testdata/types", file+".txtar"))
	if err != nil {
		return ""
	}
	query := ""
	for _, f := range txtar.Parse(data).Files {
		switch f.Name {
		case connector + ".skip":
			return ""
		case connector + ".sql":
			return string(f.Data)
		case "sql":
			query = string(f.Data)
		}
	}
	return query
}

func (h Harness) types(t *testing.T) {
	from := h.Types
	if from == nil {
		from, _ = fs.Sub(typeFiles, "testdata/types") // the name is valid
	}
	files, err := fs.ReadDir(from, ".")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of types: %v", err)
	}
	c := h.open(t)
	for _, f := range files {
		h.run(t, strings.TrimSuffix(f.Name(), ".txtar"), func(t *testing.T) {
			data, err := fs.ReadFile(from, f.Name())
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			parts := map[string]string{}
			for _, f := range a.Files {
				parts[f.Name] = string(f.Data)
			}
			if reason := parts[h.Name+".skip"]; reason != "" {
				t.Skip(strings.TrimSpace(reason))
			}
			if len(strings.TrimSpace(string(a.Comment))) == 0 {
				t.Fatal("the file does not explain its values")
			}
			pick := func(name string) string {
				if own, ok := parts[h.Name+"."+name]; ok {
					return own
				}
				return parts[name]
			}
			got := Show(mustRead(t, c, pick("sql")))
			if diff := cmp.Diff(pick("expect"), got); diff != "" {
				t.Errorf("%s\nwant (-), got (+):\n%s", strings.TrimSpace(string(a.Comment)), diff)
			}
		})
	}
}
