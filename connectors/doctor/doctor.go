// Package doctor checks whether badger can work with a warehouse, and recommends what to change if it cannot.
//
// It uses a warehouse as badger does, through [store.Store], and so works with every connector. First it examines the
// warehouse over a read-only connection. Then, unless only reading is requested, it creates a small table in badger's
// schema, writes to it, reads it and drops it.
package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Status is the outcome of a check.
type Status string

// The outcomes of a check.
const (
	OK      Status = "ok"
	Warning Status = "warning" // badger works, but slowly or only in part
	Failed  Status = "failed"
	Skipped Status = "skipped" // because an earlier check failed, nothing exists to check, or only reading is requested
)

// Check is one check.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
	Code   string `json:"code,omitempty"` // the error's code, as package errcode names it
}

// Failure returns a failed check with the error and its code. fix is the remedy.
func Failure(name string, err error, fix string) Check {
	return Check{Name: name, Status: Failed, Detail: err.Error(), Fix: fix, Code: errcode.Of(err).String()}
}

// Report holds the findings.
type Report struct {
	Dialect string  `json:"dialect,omitempty"`
	Checks  []Check `json:"checks"`
	OK      bool    `json:"ok"` // no check failed
}

// Options configure the checks.
type Options struct {
	Open     func(ctx context.Context, readOnly bool) (*store.Store, error)
	ReadOnly bool             // write nothing
	Now      func() time.Time // returns this machine's time

	Retention time.Duration // age of the rows that badger prune deletes; 0: none
}

// The names of the checks, in the order in which they are reported.
var names = []string{"reachable", "signed in", "statements", "clock", "badger's tables", "reading them", "last run",
	"writing to them", "creating", "writing", "types", "snapshots", "text queries"}

// doctor is the state of one examination.
type doctor struct {
	Options
	report Report
	w      *store.Store
	there  []string // names of badger's tables that exist
}

// Examine makes all checks. A check that was not made because of an earlier one has the status Skipped.
func Examine(ctx context.Context, o Options) Report {
	d := &doctor{Options: o}
	d.examine(ctx)
	for _, name := range names {
		if !slices.ContainsFunc(d.report.Checks, func(c Check) bool { return c.Name == name }) {
			d.say(name, Skipped, "not tried")
		}
	}
	place := func(c Check) int { // additional checks of a connector follow the others
		if i := slices.Index(names, c.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(d.report.Checks, func(a, b Check) int { return place(a) - place(b) })
	d.report.Add() // sets OK
	return d.report
}

func (d *doctor) examine(ctx context.Context) {
	if !d.open(ctx, true) {
		return
	}
	ready := d.statements(ctx)
	if ready {
		d.way(ctx)
		d.clock(ctx)
		d.tables(ctx)
		d.models(ctx)
		if d.ReadOnly {
			d.snapshots(ctx, nil)
			for _, name := range []string{"writing to them", "creating", "writing", "types"} {
				d.say(name, Skipped, "not in a read-only check")
			}
		}
	}
	d.w.Close() //nolint:errcheck // what was only read
	if !ready || d.ReadOnly || !d.open(ctx, false) {
		return
	}
	d.insert(ctx)
	d.trial(ctx)
	if err := d.w.Close(); err != nil {
		d.fail("writing", err, "look at what the warehouse says")
	}
}

func (d *doctor) say(name string, status Status, format string, args ...any) {
	d.report.Checks = append(d.report.Checks, Check{Name: name, Status: status, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(name, fix, format string, args ...any) {
	d.report.Checks = append(d.report.Checks,
		Check{Name: name, Status: Warning, Detail: fmt.Sprintf(format, args...), Fix: fix})
}

// fail adds a failed check with the error. Some codes have their own remedy, which is used in place of fix.
func (d *doctor) fail(name string, err error, fix string) {
	switch errcode.Of(err) {
	case errcode.ResourceExhausted:
		fix = "wait, ask for less at a time, or raise the limit that is named"
	case errcode.DeadlineExceeded:
		fix = "give more time with --timeout; look whether the warehouse is busy or waits for a lock"
	case errcode.PermissionDenied:
		if d.w != nil {
			fix = cmp.Or(d.w.SQL().Grants, fix)
		}
	}
	d.report.Checks = append(d.report.Checks, Failure(name, err, fix))
}

// open opens the warehouse, adds a check for each step, and reports whether all passed.
func (d *doctor) open(ctx context.Context, readOnly bool) bool {
	start := d.Now()
	w, err := d.Open(ctx, readOnly)
	d.w = w
	if err == nil {
		d.report.Dialect = w.Dialect()
		if readOnly {
			took := d.Now().Sub(start)
			if took > 10*time.Second {
				d.warn("reachable",
					"a warehouse that sleeps takes long to wake: let its first use of the day not be one that has a time limit",
					"after %s", rounded(took))
			} else {
				d.say("reachable", OK, "in %s", rounded(took))
			}
			d.say("signed in", OK, "to a %s warehouse", w.Dialect())
		}
		return true
	}
	if !readOnly {
		d.fail("creating", err,
			"is another process writing, or is the database read-only? --read-only checks without writing")
		return false
	}
	switch errcode.Of(err) {
	case errcode.InvalidArgument, errcode.Unimplemented:
		d.fail("reachable", err, "mend the URL; go doc of the connector, or its README, lists the settings")
	case errcode.Unauthenticated, errcode.PermissionDenied:
		d.say("reachable", OK, "it answers")
		d.fail("signed in", err,
			"look at user, secret and role; a secret comes from a file or a variable, never from the URL")
	case errcode.FailedPrecondition:
		d.say("reachable", OK, "it answers")
		d.fail("signed in", err, "change what the error names, or connect to the server itself")
	case errcode.NotFound:
		d.fail("reachable", err, "is the database, file, project or warehouse spelled right, and may this user see it?")
	default:
		d.fail("reachable", err,
			"are host and port right, does a firewall or a proxy block the connection, is the warehouse running?")
	}
	return false
}

// statements checks that the warehouse runs SELECT 1, and reports whether it does.
func (d *doctor) statements(ctx context.Context) bool {
	start := d.Now()
	got, err := d.w.Query(ctx, "SELECT 1 AS a")
	if err == nil && (got.Rows() != 1 || got.Columns[0].Value(0).String() != "1") {
		err = errcode.New(errcode.DataLoss, "SELECT 1 did not give 1")
	}
	if err != nil {
		d.fail("statements", err, "is the warehouse running, and may this role use it (Snowflake: USAGE on the warehouse; BigQuery: bigquery.jobs.create; Databricks: CAN USE)?")
		return false
	}
	took := d.Now().Sub(start)
	if took > 10*time.Second {
		d.warn("statements", "the warehouse was asleep or is busy; give runs a separate warehouse or a longer auto-suspend",
			"the first took %s", rounded(took))
	} else {
		d.say("statements", OK, "the first took %s", rounded(took))
	}
	return true
}

// way adds the connector's facts about proxies and limits as checks: a warning if a fact has a fix.
func (d *doctor) way(ctx context.Context) {
	facts, err := d.w.Describe(ctx)
	if err != nil {
		d.fail("connection", err, "look at what the warehouse says")
		return
	}
	for _, f := range facts {
		if f.Fix != "" {
			d.warn(f.Name, f.Fix, "%s", f.Text)
		} else {
			d.say(f.Name, OK, "%s", f.Text)
		}
	}
}

// ClockTolerance is the largest difference of clocks without a warning; some services reject tokens beyond it.
const ClockTolerance = 30 * time.Second

func (d *doctor) clock(ctx context.Context) {
	before := d.Now()
	got, err := d.w.Query(ctx, "SELECT CURRENT_TIMESTAMP AS a")
	after := d.Now()
	if err != nil {
		d.fail("clock", err, "the warehouse does not tell the time")
		return
	}
	v := got.Columns[0].Value(0)
	if got.Rows() != 1 || v.Type != scoring.TimestampTZ && v.Type != scoring.Timestamp {
		d.warn("clock", "compare the clocks by hand", "the warehouse's time came as %v", v.Type)
		return
	}
	theirs := time.Unix(v.Int(), int64(v.Nanos()))
	off := time.Duration(0)
	switch { // a difference within the round-trip time is not significant
	case theirs.Before(before):
		off = before.Sub(theirs)
	case theirs.After(after):
		off = theirs.Sub(after)
	}
	if off > ClockTolerance {
		d.warn("clock",
			"set this machine's clock by NTP: keys and tokens are refused when it is wrong, and runs are in a wrong order",
			"the warehouse's differs by %s", rounded(off))
		return
	}
	d.say("clock", OK, "differs by less than %s", max(off, after.Sub(before), time.Second).Round(time.Second))
}

// tables checks whether badger's tables exist, are up to date and can be read, and examines the last run.
func (d *doctor) tables(ctx context.Context) {
	const there, reading, last = "badger's tables", "reading them", "last run"
	f, err := d.w.Inspect(ctx)
	for i := range store.Tables {
		if name := store.Tables[i].Name; f.Tables[name] != nil {
			d.there = append(d.there, name)
		}
	}
	if err != nil {
		d.fail(reading, err, "let the role read schema badger")
		d.say(last, Skipped, "not tried")
		return
	}
	d.lastRun(ctx, last)
	if d.Retention > 0 {
		d.retention(ctx)
	}
	d.backlog(ctx)
	var missing, lacking, others, own, null []string
	for _, x := range f.Differences(d.w.SQL()) {
		switch x.Kind {
		case store.MissingTable:
			missing = append(missing, x.Name)
		case store.MissingColumn, store.MissingView, store.OwnView:
			if x.ReadAsNULL() {
				null = append(null, x.Name)
			} else {
				lacking = append(lacking, x.Name)
			}
		case store.OwnColumn:
			own = append(own, x.Name)
		case store.OldVersion, store.ChangedView, store.WrongType, store.NewVersion:
			others = append(others, strings.TrimSuffix(x.Name+": "+x.Why, ": "))
		}
	}
	refused := f.Check(d.w.SQL())
	switch {
	case refused != nil:
		d.fail(there, refused,
			"nothing is written there until that is put right; badger install --diff shows all that differs")
	case len(missing) == len(store.Tables):
		d.warn(there,
			"nothing needs to be done: the first badger run that writes there makes them. Or is this the wrong database?",
			"not installed yet")
	case len(missing)+len(lacking)+len(others) > 0:
		version := fmt.Sprintf("of version %d, this program's are of version %d", f.Version, store.Version)
		if f.Version == store.Version {
			version = fmt.Sprintf("of version %d, but not complete", f.Version)
		}
		d.warn(there, "the next badger run that writes there brings them to this version, and so does badger install --apply",
			"%s: %s",
			version, strings.Join(append(prefixed("missing: ", append(missing, lacking...)), others...), "; "))
	default:
		text := fmt.Sprintf("all %d, of version %d", len(store.Tables), f.Version)
		if len(own) > 0 {
			text += "; " + strings.Join(own, ", ") + " are not badger's and are left alone"
		}
		if len(null) > 0 {
			text += "; missing columns of tables that users fill are read as NULL: " + strings.Join(null, ", ")
		}
		d.say(there, OK, "%s", text)
	}
	if len(d.there) > 0 {
		d.say(reading, OK, "%d of %d", len(d.there), len(store.Tables))
	} else {
		d.say(reading, Skipped, "there are none yet")
	}
}

// prefixed returns the names joined into one string after a prefix, as a list of one; nil if names is empty.
func prefixed(prefix string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	return []string{prefix + strings.Join(names, ", ")}
}

// stale is the age of the last run from which an unfinished run is a warning, and a finished one gets a hint.
const stale = 48 * time.Hour

// lastRun reports the latest run, whether it is finished, and its age.
func (d *doctor) lastRun(ctx context.Context, name string) {
	if !slices.Contains(d.there, "eval_runs") {
		d.say(name, Skipped, "no runs can be read")
		return
	}
	run, err := d.w.LastRun(ctx)
	if err != nil {
		d.fail(name, err, "let the role read schema badger")
		return
	}
	if run == nil {
		d.say(name, OK, "none yet")
		return
	}
	age := d.Now().Sub(run.Started)
	text := fmt.Sprintf("%s, %s ago", run.ID, ago(age))
	switch {
	case !run.Done && age > stale:
		d.warn(name, "resume it: badger run --resume "+run.ID+", or start another", "%s, not finished", text)
	case !run.Done:
		d.say(name, OK, "%s, not finished: it runs, or was stopped", text)
	case age > stale:
		d.say(name, OK, "%s, done. If runs are scheduled, look at why there is no newer one", text)
	default:
		d.say(name, OK, "%s, done", text)
	}
}

// retention reports the rows that are older than the configured retention.
func (d *doctor) retention(ctx context.Context) {
	const name = "retention"
	now := d.Now()
	rows, err := d.w.Expired(ctx, &store.Expiry{Before: now.Add(-d.Retention)}, now)
	if err != nil {
		d.fail(name, err, "let the role read schema badger")
		return
	}
	age := ago(d.Retention)
	var old, kept []string
	for _, x := range rows {
		switch {
		case x.Kept == "":
			old = append(old, fmt.Sprintf("%d of %s", x.Rows, x.Table))
		default:
			kept = append(kept, fmt.Sprintf("; %s is not checked: %s", x.Table, x.Kept))
		}
	}
	if len(old) == 0 {
		d.say(name, OK, "no row is older than %s%s", age, strings.Join(kept, ""))
		return
	}
	d.warn(name, "badger prune deletes them; --dry-run shows what it would delete", "rows older than %s: %s%s", age,
		strings.Join(old, ", "), strings.Join(kept, ""))
}

// backlog reports answers that the scheduled evaluation has still to score, and open alerts: a failed check if a call
// failed. Without a schedule it adds no check.
func (d *doctor) backlog(ctx context.Context) {
	const name, fix = "backlog", "read badger.backlog, badger.alerts and badger.run_log; the next call of badger.evaluate scores what is left"
	if !slices.Contains(d.there, "schedule") || !slices.Contains(d.there, "alerts") {
		return
	}
	b, err := d.w.Backlog(ctx)
	if err != nil {
		d.fail(name, err, "let the role read schema badger")
		return
	}
	if b == nil {
		return
	}
	text := fmt.Sprintf("%s of %s without scores, %s open", printable.Count(int(b.Answers), "answer"),
		printable.Count(int(b.Batches), "batch"), printable.Count(int(b.Alerts), "alert"))
	if b.Failed == 0 && b.Alerts == 0 {
		d.say(name, OK, "%s", text)
		return
	}
	d.report.Checks = append(d.report.Checks, Check{Name: name, Status: Failed, Detail: text, Fix: fix})
}

// Add appends checks from other sources, and updates OK.
func (r *Report) Add(checks ...Check) {
	r.Checks = append(r.Checks, checks...)
	r.OK = !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Status == Failed })
}

// models checks that the warehouse, if it hosts models, can run a judge's queries.
func (d *doctor) models(ctx context.Context) {
	const name = "text queries"
	if !d.w.HostsModels() {
		d.say(name, OK, "this warehouse hosts no models; judges are reached elsewhere")
		return
	}
	if text, err := d.w.QueryText(ctx, "SELECT 'ok' AS a"); err != nil {
		d.fail(name, err, "a judge in the warehouse is asked this way; look at what the role may call")
	} else if text != "ok" {
		d.fail(name, errcode.New(errcode.DataLoss, "a string was changed in the round trip"),
			"check the connection's encoding")
	} else {
		d.say(name, OK, "a query gives its text; models that the warehouse hosts are asked this way")
	}
}

// snapshots reports which references can be read. table is the error of reading one; a read-only check reads it here.
func (d *doctor) snapshots(ctx context.Context, table error) {
	const name = "snapshots"
	if d.ReadOnly && len(d.there) > 0 {
		_, table = d.w.ReadSnapshot(ctx, "table:"+store.Schema+"."+d.there[0])
	}
	if table != nil {
		d.fail(name, table, "results are read as tables; look at what the role may select from")
		return
	}
	// No query has this id. The code of the error shows whether query: references are supported.
	_, err := d.w.ReadSnapshot(ctx, "query:00000000-0000-0000-0000-000000000000")
	queries := "query:ID too, as long as the warehouse keeps results"
	if errcode.Of(err) == errcode.Unimplemented {
		queries = "no results by a query's id: have agents save theirs as tables"
	}
	d.say(name, OK, "table:NAME; %s", queries)
}

// insert checks by statements that write no row that badger's own tables may be written to. Tables that users fill are
// left out: they may be views, or tables that the role may only read.
func (d *doctor) insert(ctx context.Context) {
	const name = "writing to them"
	if len(d.there) == 0 {
		d.say(name, Skipped, "there are none yet")
		return
	}
	of := 0
	for _, table := range d.there {
		t := store.TableNamed(table)
		if t.Input {
			continue
		}
		of++
		for _, sql := range t.TryWrite() {
			if err := d.w.Exec(ctx, sql); err != nil {
				d.fail(name, errcode.New(errcode.Of(err), "%s: %w", t.FullName(), err),
					"let the role insert into and update the tables of schema badger")
				return
			}
		}
	}
	if of == 0 {
		d.say(name, Skipped, "there are none yet")
		return
	}
	d.say(name, OK, "insert and update, %d of %d", of, len(slices.DeleteFunc(slices.Clone(store.Tables),
		func(t store.Table) bool { return t.Input })))
}

// trial creates a table, writes to it, reads it and drops it, and adds a check for each step.
func (d *doctor) trial(ctx context.Context) {
	table := "doctor_" + strings.ToLower(rand.Text()[:12])
	d.w.Trial(ctx, table, func(step store.TrialStep, err error) {
		switch step {
		case store.TrialCreate:
			if err != nil {
				d.fail("creating", err, "let the role create schema badger and tables in it, or have an owner run badger once, then --read-only looks without writing")
			} else {
				d.say("creating", OK, "a table in schema badger")
			}
		case store.TrialWrite:
			if err != nil {
				d.fail("writing", err, "let the role insert into and update tables of schema badger, and make temporary tables")
			} else {
				d.say("writing", OK, "rows, and again in place of themselves")
			}
		case store.TrialRead, store.TrialTypes:
			if err != nil {
				d.fail("types", err, "scores would not be kept exactly: report what the warehouse is and its version")
			} else if step == store.TrialTypes {
				d.say("types", OK, "text, JSON, 64-bit integers, doubles, booleans and microseconds came back as they were")
			}
		case store.TrialSnapshot:
			d.snapshots(ctx, err)
		case store.TrialDrop:
			if err != nil {
				d.warn("creating", "drop it by hand", "the table badger.%s could not be dropped", table)
			}
		}
	})
}

func rounded(t time.Duration) time.Duration {
	if t < time.Second {
		return t.Round(time.Millisecond)
	}
	return t.Round(100 * time.Millisecond)
}

// ago formats an age: in seconds, minutes, hours or days.
func ago(age time.Duration) string {
	switch {
	case age < time.Minute:
		return age.Round(time.Second).String()
	case age < time.Hour:
		return fmt.Sprintf("%dm", age/time.Minute)
	case age < 48*time.Hour:
		return fmt.Sprintf("%dh%dm", age/time.Hour, age%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d days", age/(24*time.Hour))
}
