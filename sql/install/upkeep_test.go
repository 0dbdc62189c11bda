package install_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

// differing lists what differs, without what is fine.
func differing(t *testing.T, p *install.Plan, db *store.Store) []string {
	t.Helper()
	diff, err := p.Diff(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range diff.Lines {
		if !l.Fine {
			out = append(out, fmt.Sprint(l.State, " ", l.What, " ", l.Name))
		}
		if !l.Fine && l.Fix == "" {
			t.Errorf("applying does nothing about %+v", l)
		}
	}
	if diff.Differs() != (out != nil) {
		t.Errorf("differs: %v, %q", diff.Differs(), out)
	}
	slices.Sort(out)
	return out
}

// Someone who lacks rights in the middle is told what was done and what is left, and continues from
// there with them; what is disturbed afterwards is found and put right; removing keeps scores and
// labels, and takes them only when told to.
func TestPostgresUpkeep(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	admin := open(t, server.URL("postgres", server.Port))
	v := plain("postgres", "http")
	few := functions(t)[:4]
	p := plan(t, v, few)

	exec1(t, admin, "CREATE ROLE kim LOGIN CREATEROLE")
	exec1(t, admin, "GRANT CREATE ON DATABASE postgres TO kim")
	kim := open(t, strings.Replace(server.URL("postgres", server.Port), "owner@", "kim@", 1))
	done, err := p.Apply(t.Context(), kim)
	if errcode.Of(err) != errcode.PermissionDenied || done.Run == 0 {
		t.Fatalf("without the right to create a language: %+v, %v", done, err)
	}
	for _, want := range []string{fmt.Sprintf("step %d of %d", done.Run+1, len(p.Steps)), "a superuser", fmt.Sprintf("%d statements were run", done.Run), "to resume at this step"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if got := differing(t, p, admin); len(got) < 10 || slices.Contains(got, "missing role badger_reader") {
		t.Errorf("after half of it: %q", got)
	}
	exec1(t, admin, "ALTER ROLE kim SUPERUSER")
	kim = open(t, strings.Replace(server.URL("postgres", server.Port), "owner@", "kim@", 1))
	if done, err = p.Apply(t.Context(), kim); err != nil || done.Refused != nil {
		t.Fatalf("with the right: %+v, %v", done, err)
	}
	if got := differing(t, p, admin); got != nil {
		t.Errorf("after all of it: %q", got)
	}

	for _, sql := range []string{
		"REVOKE SELECT ON badger.scores FROM badger_reader", "REVOKE INSERT ON badger.human_labels FROM badger_annotator", "REVOKE USAGE ON SCHEMA badger FROM badger_caller",
		"DROP VIEW badger.agreement", "CREATE OR REPLACE VIEW badger.judge_cost AS SELECT eval_run_id, agent_name, agent_version, batch_id, metric, scores, asked, calls, tokens_in, tokens_out, 0::bigint AS uncounted FROM (SELECT 'x' eval_run_id, 'x' agent_name, 'x' agent_version, 'x' batch_id, 'x' metric, 0::bigint scores, 0::bigint asked, 0::numeric calls, 0::numeric tokens_in, 0::numeric tokens_out) q",
		"ALTER TABLE badger.assessments DROP COLUMN detail", "ALTER TABLE badger.eval_runs ADD COLUMN mine int", "DROP TABLE badger.judges",
		"GRANT SELECT ON badger.human_labels TO PUBLIC", "DROP INDEX badger.scores_key",
		"GRANT EXECUTE ON FUNCTION " + regprocedure(t, admin, few[0].Name) + " TO PUBLIC", "DROP FUNCTION " + regprocedure(t, admin, few[1].Name),
	} {
		exec1(t, admin, sql)
	}
	want := []string{
		"changed view judge_cost", "missing column assessments.detail", "missing function " + signature(&few[1]), "missing grant EXECUTE on " + few[0].Name + " taken from PUBLIC",
		"missing grant INSERT on human_labels to badger_annotator", "missing grant SELECT on agreement to badger_reader", "missing grant SELECT on scores to badger_reader",
		"missing grant USAGE on the schema to badger_caller", "missing grant every right on human_labels taken from PUBLIC", "missing key scores_key", "missing table judges", "missing view agreement",
	}
	if got := differing(t, p, admin); !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if _, err := p.Apply(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	if got := differing(t, p, admin); got != nil {
		t.Errorf("after applying again: %q", got)
	}

	exec1(t, admin, "INSERT INTO badger.scores (case_id) VALUES ('c')")
	exec1(t, admin, "INSERT INTO badger.human_labels (case_id) VALUES ('c')")
	for range 2 {
		removed, err := p.Remove(t.Context(), admin, false)
		if err != nil || len(removed.Left) != 1 || !strings.Contains(removed.Left[0], "badger_owner") {
			t.Errorf("removed: %+v, %v; the owner of the tables must stay", removed, err)
		}
	}
	if got := query(t, admin, "SELECT (SELECT count(*) FROM badger.scores) + (SELECT count(*) FROM badger.human_labels)"); got.Columns[0].Value(0).Int() != 2 {
		t.Error("scores or labels are lost")
	}
	if got := query(t, admin, p.Inventory); got.Rows() != 0 {
		t.Errorf("%d functions are left", got.Rows())
	}
	if removed, err := p.Remove(t.Context(), admin, true); err != nil || removed.Left != nil {
		t.Errorf("with the data: %+v, %v", removed, err)
	}
	if got := query(t, admin, "SELECT nspname::text FROM pg_namespace WHERE nspname = 'badger' UNION ALL SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'badger%'"); got.Rows() != 0 {
		t.Errorf("%d things are left, the first %v", got.Rows(), got.Columns[0].Value(0))
	}
}

func regprocedure(t *testing.T, w *store.Store, name string) string {
	t.Helper()
	return query(t, w, "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = 'badger' AND proname = $1", name).Columns[0].Value(0).String()
}

func signature(f *udf.Function) string {
	var names []string
	for _, p := range f.Params {
		names = append(names, p.Name)
	}
	return f.Name + "(" + strings.Join(names, ", ") + ")"
}

// Removing says where it stopped, and never touches data unless told to.
func TestRemoveGoesOn(t *testing.T) {
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		p := plan(t, plain(w.Name, via.Name), functions(t)[:2])
		for _, d := range p.Drops(false) {
			if strings.Contains(d.SQL, "DROP TABLE") || strings.Contains(d.SQL, "DROP SCHEMA") {
				t.Errorf("without being told to: %s", d.SQL)
			}
		}
		tables, schema := 0, 0
		for _, d := range p.Drops(true) {
			if strings.Contains(d.SQL, "DROP TABLE") {
				tables++
			}
			if strings.Contains(d.SQL, "DROP SCHEMA") {
				schema++
				if !strings.HasSuffix(d.SQL, " RESTRICT") {
					t.Errorf("%s takes along what is not badger's", d.SQL)
				}
			}
		}
		if p.HasTables() && (tables == 0 || schema != 1) {
			t.Errorf("with the data, %d tables and %d schemas go", tables, schema)
		}
	})
	p := plan(t, plain("postgres", ""), functions(t)[:2])
	db := &fakeDatabase{have: map[string]string{}}
	db.fail = func(n int) error {
		if n == 3 {
			return errcode.New(errcode.PermissionDenied, "no")
		}
		return nil
	}
	done, err := p.Remove(t.Context(), db, true)
	if errcode.Of(err) != errcode.PermissionDenied || done.Run != 3 || !strings.Contains(err.Error(), "statement 4 of") || !strings.Contains(err.Error(), "3 statements were run") {
		t.Errorf("%+v, %v", done, err)
	}
}
