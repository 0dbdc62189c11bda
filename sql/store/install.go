package store

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Inspect returns which of badger's tables and views exist. It only reads.
func (w *Store) Inspect(ctx context.Context) (Found, error) {
	f := Found{Tables: map[string]map[string]FoundColumn{}}
	// Views first: if another program is installing, a view is then only seen if its tables are, too.
	f.Views, f.Shown = w.views(ctx, cmp.Or(w.SQL().RawViews, w.SQL().ShownViews))
	for i := range Tables {
		t := &Tables[i]
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
		v, found, err := firstIfAny(ctx, w, versions())
		if err != nil {
			return f, err
		}
		if found {
			f.Version, f.Program, prints = max(1, v.version), v.program, v.views
		}
	}
	f.Record(prints)
	if w.SQL().RawViews != "" && slices.ContainsFunc(slices.Collect(maps.Values(f.Views)), FoundView.reshown) {
		if views, is := w.views(ctx, w.SQL().ShownViews); is {
			f.Views = views
			f.Record(prints)
		}
	}
	return f, nil
}

// views returns the definitions of the views that a query of the dialect finds; false if the warehouse returns none to
// this user.
func (w *Store) views(ctx context.Context, query string) (map[string]FoundView, bool) {
	out := map[string]FoundView{}
	if query == "" {
		return out, false
	}
	views, err := all(ctx, w, shownViews(query))
	for _, v := range views {
		out[strings.ToLower(v.name)] = FoundView{Shown: v.text}
	}
	return out, err == nil
}

type shownView struct{ name, text string }

// shownViews returns the statement for the views and their definitions: ShownViews or RawViews of a dialect.
func shownViews(query string) Select[shownView] {
	return Select[shownView]{
		What: "looking at badger's views", Text: query,
		Fields: []field[shownView]{
			{In: func(v *shownView) any { return &v.name }},
			{In: func(v *shownView) any { return &v.text }},
		},
	}
}

// reachedVersion is a row of schema_version.
type reachedVersion struct {
	version        int64
	program, views string
}

// versions returns the statement for the versions of the tables, the highest first.
func versions() Select[reachedVersion] {
	return Select[reachedVersion]{
		What: "reading schema_version",
		Fields: []field[reachedVersion]{
			{SQL: "version", In: func(v *reachedVersion) any { return &v.version }},
			{SQL: "badger", In: func(v *reachedVersion) any { return &v.program }},
			{SQL: "views", In: func(v *reachedVersion) any { return &v.views }},
		},
		From: " FROM badger.schema_version ORDER BY version DESC",
	}
}

// look returns the columns of a table, by their names in lower case.
func (w *Store) look(ctx context.Context, t *Table) (out map[string]FoundColumn, err error) {
	err = w.Use("looking at "+t.FullName(), func(conn driver.Conn) error {
		rows, err := conn.Query(ctx, t.look())
		if err != nil {
			return err
		}
		defer rows.Release()
		out = map[string]FoundColumn{}
		for _, f := range rows.Schema().Fields() {
			c := FoundColumn{Type: typeOf(f), Name: f.Type.String()}
			if c.Type != "" {
				c.Name = w.SQL().Types[c.Type]
			}
			out[strings.ToLower(f.Name)] = c
		}
		return nil
	})
	return out, err
}

// typeOf returns the type of badger's tables that a column has; "" if none.
func typeOf(f arrow.Field) driver.Type {
	name, extended := f.Metadata.GetValue("ARROW:extension:name")
	switch f.Type.ID() {
	case arrow.STRING, arrow.LARGE_STRING:
		switch {
		case !extended:
			return driver.Text
		case name == "arrow.json":
			return driver.JSON
		case name == "badger.decimal": // a type with more digits than Arrow's, such as BIGNUMERIC
			return driver.Decimal
		}
	case arrow.INT64:
		return driver.BigInt
	case arrow.DECIMAL128:
		d, is := f.Type.(*arrow.Decimal128Type)
		switch {
		case is && d.Scale == 0 && d.Precision >= 19:
			return driver.BigInt
		case is && d.Scale >= 12 && d.Precision-d.Scale >= 7:
			return driver.Decimal
		}
	case arrow.DECIMAL256:
		if d, is := f.Type.(*arrow.Decimal256Type); is && d.Scale >= 12 {
			return driver.Decimal
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

// Install creates missing parts of badger's schema, tables and views, and migrates older tables to the current version.
// Tables that users fill may be views, may lack optional columns, and are not changed if the user does not allow it.
// Tables of a newer version of badger, and columns of a type that cannot hold their values, are errors
// (FailedPrecondition) before anything is changed. The next call completes a partial installation. Processes that
// install concurrently can conflict, so Install retries a few times.
func (w *Store) Install(ctx context.Context) error {
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

// install is one attempt of Install; begun reports whether it may have changed something.
func (w *Store) install(ctx context.Context) (begun bool, err error) {
	f, err := w.Inspect(ctx)
	if err != nil {
		return false, err
	}
	if err := f.Check(w.SQL()); err != nil {
		return false, err
	}
	return w.bringUp(ctx, &f)
}

// bringUp creates and migrates tables and views until they match the description; begun is that of install.
func (w *Store) bringUp(ctx context.Context, f *Found) (begun bool, err error) {
	var noSchema error
	if len(f.Tables) == 0 {
		// PostgreSQL rejects CREATE SCHEMA for a role without permission to create one, even if the schema exists. The
		// first table shows whether it exists.
		noSchema = w.Use("installing badger's tables", func(conn driver.Conn) error { return conn.Exec(ctx, createSchema()) })
		if noSchema != nil && errcode.Of(noSchema) != errcode.PermissionDenied {
			return true, noSchema
		}
	}
	statements := f.upgrade(w.SQL())
	for _, s := range statements {
		what := "installing badger's tables"
		if s.Table != "" {
			what = "installing " + TableNamed(s.Table).FullName()
		}
		err := w.Use(what, func(conn driver.Conn) error { return conn.Exec(ctx, s.SQL) })
		switch {
		case err == nil || s.Optional:
		case noSchema != nil:
			return true, noSchema
		default:
			return true, err
		}
	}
	from := f.Version
	if len(statements) > 0 {
		if *f, err = w.Inspect(ctx); err != nil {
			return true, err
		}
	}
	if len(statements) == 0 && from == Version {
		// A missing permission to write, or a view instead of a table, is reported before anything is scored, and
		// without another try: no other installation causes it.
		for _, table := range []string{"eval_runs", "scores"} {
			for _, sql := range TableNamed(table).TryWrite() {
				if err := w.Use("writing "+table, func(conn driver.Conn) error { return conn.Exec(ctx, sql) }); err != nil {
					return errcode.Of(err).Retryable(), err
				}
			}
		}
	}
	views, r := from < Version || f.viewsDiffer(w.SQL()), f.Reader(w.SQL())
	if views {
		if err := w.Use("installing badger's views",
			func(conn driver.Conn) error { return replaceViews(ctx, conn, r) }); err != nil {
			return true, err
		}
	}
	if len(statements) == 0 && !views && from == Version {
		return true, nil
	}
	shown, _ := w.views(ctx, w.SQL().ShownViews)
	b := newRows("schema_version")
	defer b.release()
	b.row(int64(Version), optional(w.Program()), time.Now(), fingerprints(r, shown))
	return true, b.merge(ctx, w)
}

// replaceViews creates the views, or replaces existing ones.
func replaceViews(ctx context.Context, conn driver.Conn, r Reader) error {
	if r.Dialect.ViewsAtOnce {
		return conn.Exec(ctx, replaceViewsAtOnce(r))
	}
	if createViews(ctx, conn, r) == nil {
		return nil
	}
	// Redshift cannot replace a view whose columns changed.
	for i := range slices.Backward(Views) {
		if err := conn.Exec(ctx, Views[i].Drop()); err != nil {
			return err
		}
	}
	return createViews(ctx, conn, r)
}

func createViews(ctx context.Context, conn driver.Conn, r Reader) error {
	if r.Dialect.Embedded { // one call, as each raises and lowers the engine's memory limit
		statements := make([]string, len(Views))
		for i := range Views {
			statements[i] = Views[i].Create(r)
		}
		return conn.Exec(ctx, strings.Join(statements, ";\n"))
	}
	for i := range Views {
		if err := conn.Exec(ctx, Views[i].Create(r)); err != nil {
			return err
		}
	}
	return nil
}
