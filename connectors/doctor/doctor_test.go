//go:build !no_duckdb

package doctor_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// ill is a connection that refuses some statements, or runs others in their place.
type ill struct {
	driver.Conn
	refuse map[string]errcode.Code // by a part of the statement; "MERGE" is writing
	swap   [2]string
	ran    *[]string
}

func (c ill) refusal(sql string) error {
	*c.ran = append(*c.ran, sql)
	for part, code := range c.refuse {
		if strings.Contains(sql, part) {
			return errcode.New(code, "refused")
		}
	}
	return nil
}

func (c ill) Query(ctx context.Context, sql string, args ...any) (array.RecordReader, error) {
	if err := c.refusal(sql); err != nil {
		return nil, err
	}
	if c.swap[0] != "" {
		sql = strings.Replace(sql, c.swap[0], c.swap[1], 1)
	}
	return c.Conn.Query(ctx, sql, args...)
}

func (c ill) Exec(ctx context.Context, sql string, args ...any) error {
	if err := c.refusal(sql); err != nil {
		return err
	}
	return c.Conn.Exec(ctx, sql, args...)
}

func (c ill) Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error) {
	if err := c.refusal("MERGE " + table); err != nil {
		return 0, err
	}
	return c.Conn.Merge(ctx, table, key, r)
}

func TestWhatIsWrongIsFound(t *testing.T) {
	const all = "reachable=ok signed in=ok statements=ok clock=ok badger's tables=ok reading them=ok last run=ok writing to them=ok creating=ok writing=ok types=ok snapshots=ok text queries=ok"
	healthy := func(changes ...string) string {
		out := all
		for _, c := range changes {
			name, _, _ := strings.Cut(c, "=")
			out = strings.Replace(out, name+"=ok", c, 1)
		}
		return out
	}
	rest := func(from string) string { // all after it skipped
		i := strings.Index(all, from)
		return strings.ReplaceAll(all[i:], "=ok", "=skipped")
	}
	for _, tc := range sample.Of([]struct {
		why      string
		open     error                   // of opening
		refuse   map[string]errcode.Code // statements
		swap     [2]string
		now      time.Duration // this machine's clock is so far ahead
		step     time.Duration // and advances so much with each look at it
		readOnly bool
		want     string
		fix      string // what the first that is not ok says
	}{
		{why: "nothing", want: all},
		{why: "nobody answers", open: errcode.New(errcode.Unavailable, "no"), want: "reachable=failed " + rest("signed in"), fix: "host and port"},
		{why: "a wrong password", open: errcode.New(errcode.Unauthenticated, "no"), want: "reachable=ok signed in=failed " + rest("statements"), fix: "secret"},
		{why: "a pooler that splits transactions", open: errcode.New(errcode.FailedPrecondition, "no"), want: "reachable=ok signed in=failed " + rest("statements"), fix: "the error names"},
		{why: "no such database", open: errcode.New(errcode.NotFound, "no"), want: "reachable=failed " + rest("signed in"), fix: "spelled"},
		{why: "a URL that is none", open: errcode.New(errcode.InvalidArgument, "no"), want: "reachable=failed " + rest("signed in"), fix: "URL"},
		{why: "a warehouse that does not run", refuse: map[string]errcode.Code{"SELECT 1": errcode.FailedPrecondition}, want: "reachable=ok signed in=ok statements=failed " + rest("clock"), fix: "running"},
		{why: "a clock an hour ahead", now: time.Hour, want: healthy("clock=warning"), fix: "NTP"},
		{why: "a clock an hour behind", now: -time.Hour, want: healthy("clock=warning"), fix: "NTP"},
		{why: "slow to wake", step: 11 * time.Second, now: -60 * time.Second, want: healthy("reachable=warning", "statements=warning"), fix: "time limit"},
		{why: "tables that are not there", refuse: map[string]errcode.Code{"FROM badger.": errcode.NotFound}, readOnly: true,
			want: healthy("badger's tables=warning", "reading them=skipped", "last run=skipped", "writing to them=skipped", "creating=skipped", "writing=skipped", "types=skipped"), fix: "first badger run"},
		{why: "a table that is not there", refuse: map[string]errcode.Code{"FROM badger.judges WHERE": errcode.NotFound}, want: healthy("badger's tables=warning"), fix: "next badger run"},
		{why: "tables that may not be read", refuse: map[string]errcode.Code{"FROM badger.scores": errcode.PermissionDenied}, want: strings.Replace(healthy("reading them=failed", "last run=skipped"), "badger's tables=ok", "badger's tables=skipped", 1), fix: "not tried"},
		{why: "tables that may not be written to", refuse: map[string]errcode.Code{"UPDATE badger.eval_runs": errcode.PermissionDenied}, want: healthy("writing to them=failed"), fix: "write the file"},
		{why: "no right to make tables", refuse: map[string]errcode.Code{"CREATE TABLE": errcode.PermissionDenied},
			want: healthy("creating=failed", "writing=skipped", "types=skipped", "snapshots=skipped"), fix: "write the file"},
		{why: "writing that fails", refuse: map[string]errcode.Code{"MERGE": errcode.ResourceExhausted}, want: healthy("writing=failed", "types=skipped", "snapshots=skipped"), fix: "wait"},
		{why: "a table that cannot be dropped", refuse: map[string]errcode.Code{"DROP TABLE": errcode.Unavailable}, want: healthy("creating=ok creating=warning"), fix: "by hand"},
		{why: "doubles that lose digits", swap: [2]string{"n, x, b", "n, CASE WHEN abs(x) < 1 THEN x::FLOAT::DOUBLE ELSE x END AS x, b"}, want: healthy("types=failed"), fix: "exactly"},
		{why: "instants without their microseconds", swap: [2]string{"b, happened", "b, date_trunc('second', happened) AS happened"}, want: healthy("types=failed"), fix: "exactly"},
		{why: "decimals through doubles", swap: [2]string{"happened, d", "happened, d::DOUBLE::DECIMAL(38, 12) AS d"}, want: healthy("types=failed"), fix: "exactly"},
		{why: "integers through doubles", swap: [2]string{"j, n", "j, (n::DOUBLE)::DECIMAL(38, 0) AS n"}, want: healthy("types=failed"), fix: "exactly"},
		{why: "empty text as NULL", swap: [2]string{"id, s", "id, nullif(s, '') AS s"}, want: healthy("types=failed"), fix: "exactly"},
	}, 3) {
		ctx := context.Background()
		path := filepath.Join(t.TempDir(), "w.duckdb")
		setup, err := duckdb.OpenFile(ctx, path, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := store.New(connectors.New(setup, duckdb.Dialect))
		if err := w.Install(ctx); err != nil {
			t.Fatal(err)
		}
		w.Close()
		var ran []string
		looks := time.Duration(0)
		report := doctor.Examine(ctx, doctor.Options{
			ReadOnly: tc.readOnly,
			Now: func() time.Time {
				looks++
				return time.Now().Add(tc.now + looks*tc.step)
			},
			Open: func(ctx context.Context, only bool) (*store.Store, error) {
				if tc.open != nil {
					return nil, tc.open
				}
				c, err := duckdb.OpenFile(ctx, path, driver.Options{ReadOnly: only})
				if err != nil {
					return nil, err
				}
				return store.New(connectors.New(struct {
					ill
					driver.SnapshotReader
					driver.TextQueryer
				}{ill{c, tc.refuse, tc.swap, &ran}, c, c}, duckdb.Dialect)), nil
			},
		})
		var got []string
		first, failed := doctor.Check{}, false
		for _, c := range report.Checks {
			got = append(got, c.Name+"="+string(c.Status))
			if c.Status != doctor.OK && first.Name == "" {
				first = c
			}
			failed = failed || c.Status == doctor.Failed
			if (c.Status == doctor.Failed || c.Status == doctor.Warning) && (c.Fix == "" || c.Detail == "") {
				t.Errorf("%s: %s says neither what nor what to do", tc.why, c.Name)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.why, s, tc.want)
		}
		if !strings.Contains(first.Fix+first.Detail, tc.fix) {
			t.Errorf("%s: %+v, want it to say %q", tc.why, first, tc.fix)
		}
		if report.OK == failed {
			t.Errorf("%s: OK is %v", tc.why, report.OK)
		}
		for _, sql := range ran {
			if tc.readOnly && !strings.HasPrefix(sql, "SELECT") {
				t.Errorf("%s: %q was run where nothing is to be written", tc.why, sql)
			}
		}
	}
}

// Users may fill golden_set and the others with views, or with tables that lack columns: badger only reads them.
func TestInputsMayBeViews(t *testing.T) {
	const views = `CREATE VIEW badger.golden_set AS SELECT 17 AS case_id, 'how many?' AS question;
		CREATE VIEW badger.agent_runs AS SELECT 17 AS case_id, 'atlas' AS agent_name;
		CREATE VIEW badger.human_labels AS SELECT 17 AS case_id, 'pass' AS verdict`
	for _, tc := range []struct{ why, setup, tables, writing string }{
		{"views", views, "are read as NULL: golden_set.evidence, ", "ok"},
		{"views, and one without a case", strings.Replace(views, "17 AS case_id, 'pass'", "'pass'", 1),
			"missing: human_labels.case_id", "ok"},
		{"a view in place of scores", "ALTER TABLE badger.scores RENAME TO old; CREATE VIEW badger.scores AS FROM badger.old",
			"all 20", "failed"},
	} {
		ctx := t.Context()
		path := filepath.Join(t.TempDir(), "w.duckdb")
		open := func(ctx context.Context, only bool) (*store.Store, error) {
			c, err := duckdb.OpenFile(ctx, path, driver.Options{ReadOnly: only})
			if err != nil {
				return nil, err
			}
			return store.New(connectors.New(c, duckdb.Dialect)), nil
		}
		w, err := open(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		if tc.writing == "ok" {
			tc.setup = "CREATE SCHEMA badger; " + tc.setup
		} else if err := w.Install(ctx); err != nil {
			t.Fatal(err)
		}
		for _, sql := range strings.Split(tc.setup, ";") {
			if err := w.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		if tc.writing == "ok" {
			if err := w.Install(ctx); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		report := doctor.Examine(ctx, doctor.Options{Now: time.Now, Open: open})
		found := map[string]doctor.Check{}
		for _, c := range report.Checks {
			found[c.Name] = c
		}
		if c := found["badger's tables"]; !strings.Contains(c.Detail, tc.tables) {
			t.Errorf("%s: %+v, want %q", tc.why, c, tc.tables)
		}
		if c := found["writing to them"]; string(c.Status) != tc.writing {
			t.Errorf("%s: %+v, want it %s", tc.why, c, tc.writing)
		}
	}
}

// The backlog of a schedule is a check, which fails if a call failed. Without a schedule there is none.
func TestBacklog(t *testing.T) {
	const answer = "INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id) VALUES ('a', '1', 'b', 'c')"
	const schedule = "INSERT INTO badger.schedule (metric, since_day) VALUES ('', '2025-01-01')"
	for _, tc := range []struct {
		why    string
		setup  []string
		status doctor.Status
		detail string
	}{
		{"no schedule", []string{answer}, "", ""},
		{"nothing to score", []string{schedule}, doctor.OK, "0 answers of 0 batches without scores, 0 alerts open"},
		{"an answer that waits for the next call", []string{schedule, answer}, doctor.OK, "1 answer of 1 batch without scores, 0 alerts open"},
		{"a call that failed", []string{schedule, answer, "INSERT INTO badger.run_log (entry_id, event, message, agent_name, agent_version, batch_id) VALUES ('1', 'batch failed', 'away', 'a', '1', 'b')"},
			doctor.Failed, "1 answer of 1 batch without scores, 0 alerts open"},
		{"an open alert", []string{schedule, "INSERT INTO badger.alerts (alert_id) VALUES ('1')"}, doctor.Failed, "0 answers of 0 batches without scores, 1 alert open"},
		{"a resolved alert", []string{schedule, "INSERT INTO badger.alerts (alert_id, resolved_at) VALUES ('1', now())"}, doctor.OK, "0 answers of 0 batches without scores, 0 alerts open"},
	} {
		path := filepath.Join(t.TempDir(), "w.duckdb")
		open := func(ctx context.Context, only bool) (*store.Store, error) {
			c, err := duckdb.OpenFile(ctx, path, driver.Options{ReadOnly: only})
			if err != nil {
				return nil, err
			}
			return store.New(connectors.New(c, duckdb.Dialect)), nil
		}
		w, err := open(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, sql := range tc.setup {
			if err := w.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		var got doctor.Check
		for _, c := range doctor.Examine(t.Context(), doctor.Options{Now: time.Now, Open: open, ReadOnly: true}).Checks {
			if c.Name == "backlog" {
				got = c
			}
		}
		if got.Status != tc.status || got.Detail != tc.detail || (got.Fix != "") != (tc.status == doctor.Failed) {
			t.Errorf("%s: %+v, want %s %q", tc.why, got, tc.status, tc.detail)
		}
	}
}
