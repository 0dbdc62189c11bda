package connectors

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Inspect finds out what is there of badger's tables and views. It only reads.
func (w *Warehouse) Inspect(ctx context.Context) (badgersql.Found, error) {
	f := badgersql.Found{Tables: map[string]map[string]badgersql.FoundColumn{}}
	// Before the tables: where another program installs them meanwhile, no view is seen whose tables
	// were not.
	f.Views, f.Shown = w.views(ctx)
	for i := range badgersql.Tables {
		t := &badgersql.Tables[i]
		columns, err := w.look(ctx, t)
		if errcode.Of(err) == errcode.NotFound {
			continue
		}
		if err != nil {
			return f, err
		}
		f.Tables[t.Name] = columns
	}
	if _, old := f.Tables["scores"]; old {
		f.Version = 1
	}
	prints := ""
	if _, is := f.Tables["schema_version"]; is {
		err := w.each(ctx, "reading schema_version", badgersql.Versions(), nil, func(t *scoring.Table, row int) bool {
			r := record{t: t, row: row}
			f.Version, f.Program, prints = max(1, r.count(0)), r.text(1), r.text(2)
			return false
		})
		if err != nil {
			return f, err
		}
	}
	f.Record(prints)
	return f, nil
}

// views reads what the warehouse shows of the views; false if it shows none to this user.
func (w *Warehouse) views(ctx context.Context) (map[string]badgersql.FoundView, bool) {
	out := map[string]badgersql.FoundView{}
	query := w.dialect.ShownViews
	if query == "" {
		return out, false
	}
	err := w.each(ctx, "looking at badger's views", query, nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out[strings.ToLower(r.text(0))] = badgersql.FoundView{Shown: r.text(1)}
		return true
	})
	return out, err == nil
}

// look finds the columns of a table, by their names in lower case.
func (w *Warehouse) look(ctx context.Context, t *badgersql.Table) (out map[string]badgersql.FoundColumn, err error) {
	err = w.use("looking at "+t.FullName(), func() error {
		rows, err := w.conn.Query(ctx, t.Look())
		if err != nil {
			return err
		}
		defer rows.Release()
		out = map[string]badgersql.FoundColumn{}
		for _, f := range rows.Schema().Fields() {
			c := badgersql.FoundColumn{Type: typeOf(f), Name: f.Type.String()}
			if c.Type != "" {
				c.Name = w.dialect.Types[c.Type]
			}
			out[strings.ToLower(f.Name)] = c
		}
		return nil
	})
	return out, err
}

// typeOf is the type of badger's tables that holds a column's values; "" if there is none.
func typeOf(f arrow.Field) driver.Type {
	name, extended := f.Metadata.GetValue("ARROW:extension:name")
	switch f.Type.ID() {
	case arrow.STRING, arrow.LARGE_STRING:
		switch {
		case !extended:
			return driver.Text
		case name == "arrow.json":
			return driver.JSON
		}
	case arrow.INT64:
		return driver.BigInt
	case arrow.DECIMAL128:
		if d, is := f.Type.(*arrow.Decimal128Type); is && d.Scale == 0 && d.Precision >= 19 {
			return driver.BigInt
		}
	case arrow.FLOAT64:
		return driver.Double
	case arrow.BOOL:
		return driver.Boolean
	case arrow.TIMESTAMP:
		return driver.Timestamp
	}
	return ""
}

// Install creates missing parts of badger's schema, tables and views, and migrates older tables to the current
// version. The tables that users fill may also be views, and may lack columns: they are read unchanged. Tables of a
// newer version of badger, and columns of a type that cannot hold what is written, are errors (FailedPrecondition),
// before anything is changed. The next call completes a partial installation. Processes that install concurrently
// can conflict: Install retries a few times.
func (w *Warehouse) Install(ctx context.Context) error {
	for try := 1; ; try++ {
		begun, err := w.install(ctx)
		if err == nil || !begun || try == installTries || errcode.Of(err) == errcode.PermissionDenied {
			return err
		}
		select {
		case <-time.After(time.Duration(float64(try) * (0.5 + rand.Float64()) * float64(installPause))): //nolint:gosec // no secret
		case <-ctx.Done():
			return err
		}
	}
}

const (
	installTries = 5
	installPause = 200 * time.Millisecond
)

// install is one attempt of Install; begun reports whether it started to change something.
func (w *Warehouse) install(ctx context.Context) (begun bool, err error) {
	f, err := w.Inspect(ctx)
	if err != nil {
		return false, err
	}
	if err := f.Check(w.dialect); err != nil {
		return false, err
	}
	return true, w.bringUp(ctx, &f)
}

// bringUp makes what was found badger's present schema.
func (w *Warehouse) bringUp(ctx context.Context, f *badgersql.Found) (err error) {
	var noSchema error
	if len(f.Tables) == 0 {
		// PostgreSQL rejects CREATE SCHEMA of an existing schema for a role without permission to create one: the
		// first table shows whether the schema exists.
		noSchema = w.use("installing badger's tables", func() error { return w.conn.Exec(ctx, badgersql.CreateSchema()) })
		if noSchema != nil && errcode.Of(noSchema) != errcode.PermissionDenied {
			return noSchema
		}
	}
	statements := f.Upgrade(w.dialect)
	for _, s := range statements {
		what := "installing badger's tables"
		if s.Table != "" {
			what = "installing " + badgersql.TableNamed(s.Table).FullName()
		}
		err := w.use(what, func() error { return w.conn.Exec(ctx, s.SQL) })
		switch {
		case err == nil || s.Optional:
		case noSchema != nil:
			return noSchema
		default:
			return err
		}
	}
	from := f.Version
	if len(statements) > 0 {
		if *f, err = w.Inspect(ctx); err != nil {
			return err
		}
	}
	views, r := from < badgersql.Version || f.ViewsDiffer(w.dialect), f.Reader(w.dialect)
	if views {
		if err := w.use("installing badger's views", func() error { return w.replaceViews(ctx, r) }); err != nil {
			return err
		}
	}
	if len(statements) == 0 && !views && from == badgersql.Version {
		// A missing permission to write is reported before anything is scored.
		for _, sql := range badgersql.TableNamed("eval_runs").TryWrite() {
			if err := w.use("writing eval_runs", func() error { return w.conn.Exec(ctx, sql) }); err != nil {
				return err
			}
		}
		return nil
	}
	shown, _ := w.views(ctx)
	b := newRows("schema_version")
	defer b.release()
	b.row(int64(badgersql.Version), optional(w.program), time.Now(), badgersql.Fingerprints(r, shown))
	return b.merge(ctx, w)
}

// replaceViews replaces the existing views.
func (w *Warehouse) replaceViews(ctx context.Context, r badgersql.Reader) error {
	if w.dialect.ViewsAtOnce {
		return w.conn.Exec(ctx, badgersql.ReplaceViews(r))
	}
	if w.createViews(ctx, r) == nil {
		return nil
	}
	// Redshift does not replace a view of an earlier version where its columns are others.
	for i := range slices.Backward(badgersql.Views) {
		if err := w.conn.Exec(ctx, badgersql.Views[i].Drop()); err != nil {
			return err
		}
	}
	return w.createViews(ctx, r)
}

func (w *Warehouse) createViews(ctx context.Context, r badgersql.Reader) error {
	for i := range badgersql.Views {
		if err := w.conn.Exec(ctx, badgersql.Views[i].Create(r)); err != nil {
			return err
		}
	}
	return nil
}
