//go:build !no_duckdb && !no_postgres

package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Whoever changes the tables must give them a new version, and a migration where adding tables and
// columns is not enough.
func TestVersionIsThatOfTheTables(t *testing.T) {
	var b strings.Builder
	for i := range store.Tables {
		table := &store.Tables[i]
		fmt.Fprintf(&b, "%s (key: %s)\n", table.Name, strings.Join(table.Key, ", "))
		for _, c := range table.Columns {
			fmt.Fprintf(&b, "  %s %s\n", c.Name, c.Type)
		}
	}
	name := fmt.Sprintf("testdata/version%d.txt", store.Version)
	want, err := os.ReadFile(name)
	if err != nil || string(want) != b.String() {
		t.Errorf("the tables are not those of %s (%v). Where they changed since a release, raise sql.Version and add what adding cannot do to sql.Migrations; "+
			"the file of the new version then holds\n%s", name, err, b.String())
	}
	last := int64(1)
	for _, m := range store.Migrations {
		if m.Version != last+1 || m.Doc == "" {
			t.Errorf("migration %d follows version %d; its doc is %q", m.Version, last, m.Doc)
		}
		last = m.Version
	}
	if last > store.Version {
		t.Errorf("there is a migration to version %d, and the tables are of version %d", last, store.Version)
	}
}

// first makes the tables of the first release, with rows in them and with the indexes that it made.
func first(t *testing.T, db *flaky) {
	t.Helper()
	db.run(t, script(t, "version1.sql")...)
	if db.dialect.KeyIndex != nil {
		for table, key := range map[string]string{
			"human_labels": "case_id, agent_name, batch_id, annotator", "scores": "eval_run_id, agent_name, agent_version, batch_id, case_id, metric",
			"eval_runs": "eval_run_id, agent_name, agent_version, batch_id",
		} {
			db.run(t, db.dialect.KeyIndex(store.Schema, table, strings.Split(key, ", ")))
		}
	}
	db.run(t, script(t, "version1_rows.sql")...)
}

// layout shows the columns of all tables as the engine has them.
func layout(t *testing.T, db *flaky) string {
	t.Helper()
	return db.ask(t, `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'badger'
AND table_name IN (SELECT table_name FROM information_schema.tables WHERE table_schema = 'badger' AND table_type = 'BASE TABLE') ORDER BY table_name, column_name`)
}

// survived tells what of the first release's rows does not exist.
func survived(t *testing.T, db *flaky) {
	t.Helper()
	for query, want := range map[string]string{
		"SELECT case_id, question, CAST(gold_result AS VARCHAR) FROM badger.golden_set ORDER BY case_id":                   `c1|one?|{"columns": ["n"], "rows": [[1]]}` + "\nc2||\n",
		"SELECT case_id, CAST(result AS VARCHAR) FROM badger.agent_runs ORDER BY case_id":                                  `c1|{"columns": ["n"], "rows": [[1.10]]}` + "\nc2|\n",
		"SELECT case_id, annotator, verdict, note FROM badger.human_labels WHERE annotator = 'kim' ORDER BY case_id":       "c1|kim|pass|it's right\nc2|kim|fail|\n",
		"SELECT eval_run_id, status FROM badger.eval_runs":                                                                 "old|stopped\n",
		"SELECT case_id, status, value, passed, reason, CAST(detail AS VARCHAR), code FROM badger.scores ORDER BY case_id": "c1|ok|0.5|true|equal|" + `{"rows": 1}` + "|\nc2|failed|||no table||invalid_argument\n",
		"SELECT assessment_id, reply, tokens_in FROM badger.assessments":                                                   "id|reply|1\n",
		"SELECT case_id, agent_version, passes FROM badger.consensus ORDER BY case_id":                                     "c1|1|1\nc2|1|0\n",
		"SELECT MAX(version), COUNT(*) FROM badger.schema_version":                                                         fmt.Sprintf("%d|1\n", store.Version),
		"SELECT case_id, metric, run_status FROM badger.latest_scores WHERE status = 'ok'":                                 "c1|ex_bird|stopped\n",
	} {
		if got := db.ask(t, query); got != want {
			t.Errorf("%s\n%swant\n%s", query, got, want)
		}
	}
}

func TestFromTheFirstRelease(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		fresh := empty(t)
		if err := fresh.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		db := empty(t)
		first(t, db)
		found, err := db.Inspect(t.Context())
		if err != nil || found.Version != 1 {
			t.Fatalf("the first tables are of version %d, %v", found.Version, err)
		}
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		survived(t, db)
		if got, want := layout(t, db), layout(t, fresh); got != want {
			t.Errorf("migrated tables have the columns\n%snew ones\n%s", got, want)
		}
		for _, db := range []*flaky{db, fresh} {
			if found, err = db.Inspect(t.Context()); err != nil || found.Version != store.Version || len(found.Differences(db.dialect)) > 0 {
				t.Errorf("version %d, %v, %v", found.Version, found.Differences(db.dialect), err)
			}
		}
		// Nothing is left to do, and nothing is done.
		before := db.ask(t, "SELECT * FROM badger.schema_version")
		if err := db.Install(t.Context()); err != nil || db.ask(t, "SELECT * FROM badger.schema_version") != before {
			t.Errorf("the second time: %v", err)
		}
		// What the first tables refused is written: a reference, and a second version's label.
		at := time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC)
		label := func(version string) store.Label {
			return store.Label{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "a", Version: version, Batch: "mon"}}, Annotator: "lee", Verdict: "pass", At: at}
		}
		if err := db.WriteLabels(t.Context(), label("1"), label("2")); err != nil {
			t.Error(err)
		}
		db.run(t, "UPDATE badger.golden_set SET gold_result = 'table:results.c2' WHERE case_id = 'c2'")
	})
}

// However far an upgrade came, the next finishes it.
func TestUpgradeGoesOn(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		probe := empty(t)
		first(t, probe)
		probe.changes = 0
		if err := probe.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, want := probe.changes, layout(t, probe)
		if all < 10 {
			t.Fatalf("an upgrade of %d changes", all)
		}
		grows := 4
		if sample.Thorough() {
			grows = 1
		}
		for n := 0; n < all; n += 1 + n*grows {
			db := empty(t)
			first(t, db)
			ctx, stop := context.WithCancel(t.Context())
			db.after = n
			if n > 0 { // the first time it tries again, in vain; later it is stopped before that, which takes less time
				db.failed = stop
			}
			err := db.Install(ctx)
			stop()
			if errcode.Of(err) != errcode.Unavailable {
				t.Fatalf("after %d changes: %v", n, err)
			}
			db.after = -1
			if err := db.Install(t.Context()); err != nil {
				t.Fatalf("after %d changes, again: %v", n, err)
			}
			survived(t, db)
			if got := layout(t, db); got != want {
				t.Errorf("after %d changes the columns are\n%swant\n%s", n, got, want)
			}
		}
	})
}

// Tables of a newer badger, and columns that cannot hold what is written, are refused before
// anything is changed.
func TestRefusedTables(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		for _, tc := range []struct {
			why   string
			make  []string // over an installation
			wants []string
		}{
			{"a newer version", []string{"INSERT INTO badger.schema_version (version, badger) VALUES (99, '7.1.0')"}, []string{"version 99 (badger 7.1.0)", fmt.Sprintf("up to version %d", store.Version), "update this program"}},
			{"a wrong type", []string{"DROP VIEW badger.agreement", "DROP TABLE badger.judges", "CREATE TABLE badger.judges (name TEXT, version TEXT)"},
				[]string{"badger.judges.version: it has the type " + map[string]string{"duckdb": "VARCHAR", "postgres": "text"}[empty(t).dialect.Name] + ", expected " + empty(t).dialect.Types["bigint"]}},
			{"two wrong types", []string{"DROP TABLE badger.assessments", "CREATE TABLE badger.assessments (assessment_id INT, tokens_in DATE)"}, []string{"badger.assessments.assessment_id: it has the type int32, expected", "badger.assessments.tokens_in: it has the type date32"}},
		} {
			db := empty(t)
			if err := db.Install(t.Context()); err != nil {
				t.Fatal(err)
			}
			db.run(t, tc.make...)
			db.changes = 0
			err := db.Install(t.Context())
			if errcode.Of(err) != errcode.FailedPrecondition || db.changes != 0 {
				t.Errorf("%s: %v after %d changes", tc.why, err, db.changes)
				continue
			}
			for _, want := range tc.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want %q", tc.why, err, want)
				}
			}
		}
	})
}

// Scores that could not be stored are not computed first.
func TestInstallReportsTablesThatCannotBeWritten(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		for _, table := range []string{"eval_runs", "scores"} {
			db := empty(t)
			if err := db.Install(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := db.Install(t.Context()); err != nil {
				t.Fatalf("again: %v", err)
			}
			db.run(t, "ALTER TABLE badger."+table+" RENAME TO kept", "CREATE VIEW badger."+table+" AS SELECT * FROM badger.kept LIMIT 9")
			if err := db.Install(t.Context()); err == nil || !strings.Contains(err.Error(), "writing "+table) {
				t.Errorf("a view instead of %s: %v", table, err)
			}
		}
	})
}

// What differs is found, with what installing does about it, and installing does it.
func TestDifferences(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		db.run(t, "DROP VIEW badger.agreement", "DROP VIEW badger.worst_cases", "CREATE VIEW badger.worst_cases AS SELECT 1 AS place", "DROP TABLE badger.judges",
			"DROP VIEW badger.judge_cost", "ALTER TABLE badger.eval_runs ADD COLUMN mine INT")
		show := func() string {
			found, err := db.Inspect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, d := range found.Differences(db.dialect) {
				out = append(out, fmt.Sprintf("%s %s %v", d.Kind, d.Name, d.Fine()))
			}
			return strings.Join(out, "; ")
		}
		if got, want := show(), "own column eval_runs.mine true; missing table judges false; missing view agreement false; changed view worst_cases false; missing view judge_cost false"; got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := show(), "own column eval_runs.mine true"; got != want {
			t.Errorf("after installing: %s", got)
		}
	})
}

// Views over users' own tables, in place of the tables that users fill, stay as they are, and what they lack is fine.
func TestViewsOverOwnTables(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		db.run(t, "CREATE SCHEMA badger", "CREATE SCHEMA shop", "CREATE TABLE shop.questions (nr INT, answer VARCHAR(99))",
			"CREATE VIEW badger.golden_set AS SELECT CAST(nr AS VARCHAR(99)) AS case_id, answer AS gold_sql, 'v1' AS set_version FROM shop.questions")
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, err := db.Inspect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lacks := 0
		for _, d := range found.Differences(db.dialect) {
			if !d.Fine() {
				t.Errorf("%s %s: %s", d.Kind, d.Name, d.Why)
			}
			if d.Kind == store.OwnView {
				lacks++
				if !strings.HasPrefix(d.Name, "golden_set.") || !d.ReadAsNULL() {
					t.Errorf("own view: %s, read as NULL: %v; expected only columns of golden_set, all read as NULL", d.Name, d.ReadAsNULL())
				}
			}
		}
		if expected := len(store.TableNamed("golden_set").Columns) - 3; lacks != expected {
			t.Errorf("%d columns are said to be missing in the view, expected %d", lacks, expected)
		}
	})
}

// A view is the same view after the database was closed and opened again.
func TestViewsOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.duckdb")
	for range 3 {
		c, err := duckdb.OpenFile(t.Context(), file, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := store.New(connectors.New(c, duckdb.Dialect))
		found, err := w.Inspect(t.Context())
		if d := found.Differences(duckdb.Dialect); err != nil || found.Version > 0 && len(d) > 0 || !found.Shown {
			t.Errorf("%+v, %v", d, err)
		}
		if err := w.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Views of the users' own over badger's stay through an upgrade. If one is in the way, the message
// names it, and badger's views are all there still.
func TestViewsOverViews(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if db.dialect.Name != "postgres" {
			t.Skip("views do not hold each other")
		}
		first(t, db)
		db.run(t, "CREATE VIEW badger.my_report AS SELECT agent_name, AVG(value) AS mean FROM badger.latest_scores GROUP BY agent_name", "CREATE VIEW badger.degradation AS SELECT 1 AS x", "CREATE VIEW badger.my_labels AS SELECT x FROM badger.degradation")
		const views = "SELECT relname::text FROM pg_class WHERE relkind = 'v' AND relnamespace = 'badger'::regnamespace ORDER BY 1"
		before := db.ask(t, views)
		err := db.Install(t.Context()) // degradation has other columns now
		if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "my_labels") {
			t.Errorf("a view of the users' own in the way: %v", err)
		}
		if got := db.ask(t, views); got != before {
			t.Errorf("the views are\n%swant\n%s", got, before)
		}
		db.run(t, "DROP VIEW badger.my_labels")
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		survived(t, db)
		if got := db.ask(t, "SELECT mean FROM badger.my_report"); !strings.Contains(got, "0.5") {
			t.Errorf("the report says %q", got)
		}
		// One that reads a view is not in the way of replacing another.
		db.run(t, "DROP VIEW badger.open_facts", "DROP VIEW badger.degradation", "CREATE VIEW badger.degradation AS SELECT 1 AS x")
		if err := db.Install(t.Context()); err != nil {
			t.Error(err)
		}
		if found, err := db.Inspect(t.Context()); err != nil || len(found.Differences(db.dialect)) > 0 {
			t.Errorf("%v, %v", found.Differences(db.dialect), err)
		}
	})
}

// The newest batch is compared with the newest one before it that was scored.
func TestDegradationSkipsBatchesWithoutScores(t *testing.T) {
	onEngines(t, func(t *testing.T, empty func(t *testing.T) *flaky) {
		db := empty(t)
		if err := db.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		for night, passed := range []string{"TRUE", "TRUE", "", "FALSE"} { // nobody scored the third night
			db.run(t, fmt.Sprintf("INSERT INTO badger.agent_runs (agent_name, agent_version, batch_id, case_id, ran_at) VALUES ('a', '1', 'n%d', 'c', TIMESTAMP '2025-01-0%d 02:00:00')", night, night+1))
			if passed != "" {
				db.run(t, fmt.Sprintf("INSERT INTO badger.scores (eval_run_id, agent_name, agent_version, batch_id, case_id, metric, status, passed, scored_at) VALUES ('r', 'a', '1', 'n%d', 'c', 'm', 'ok', %s, TIMESTAMP '2025-01-0%d 06:00:00')", night, passed, night+1))
			}
		}
		if got := db.ask(t, "SELECT batch_id, batch_before, CAST(pass_rate_change AS INT) AS change FROM badger.degradation"); !strings.Contains(got, "n3") || !strings.Contains(got, "n1") || !strings.Contains(got, "-1") {
			t.Errorf("degradation is %q, want n3 against n1", got)
		}
		// While the newest batch has no scores, nothing is said of older ones.
		db.run(t, "DELETE FROM badger.scores WHERE batch_id = 'n3'")
		if got := db.ask(t, "SELECT COUNT(*) AS n FROM badger.degradation"); !strings.Contains(got, "0") {
			t.Errorf("%q rows of degradation", got)
		}
	})
}
