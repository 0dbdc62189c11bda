package install_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

// postgresServer is a server that has PL/Python.
func postgresServer(t *testing.T) *fakepostgres.Server {
	t.Helper()
	s, err := fakepostgres.Start(nil)
	if err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	if rows := query(t, open(t, s.URL("postgres", s.Port)), "SELECT name FROM pg_available_extensions WHERE name = 'plpython3u'"); rows.Rows() == 0 {
		t.Skip("the PostgreSQL server has no plpython3u")
	}
	return s
}

func open(t *testing.T, url string) *store.Store {
	t.Helper()
	conn, dialect, err := postgres.Open(t.Context(), url, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(connectors.New(conn, dialect))
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func query(t *testing.T, w *store.Store, sql string, args ...any) *scoring.Table {
	t.Helper()
	table, err := w.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return table
}

func exec1(t *testing.T, w *store.Store, sql string) {
	t.Helper()
	if err := w.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// Installed under names that need quotes, every judge-free function says in Postgres what the
// catalogue says, for one answer of the demonstration in 16, or where tests are thorough for all; only callers may
// call.
func TestPostgres(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	admin := open(t, server.URL("postgres", server.Port))
	c := catalogue(t)
	at, stop := serve(t, c, "127.0.0.1:0", true)
	v := plain("postgres", "http")
	v.Endpoint, v.Schema = "http://"+at, `we"ird.ü 'q'`
	v.Roles = install.Roles{Owner: "Own er", Caller: `cal"ler's`, Reader: "select", Annotator: "ann.ö"}
	p := plan(t, v, c.Functions())

	done, err := p.Apply(t.Context(), admin)
	if err != nil || done.Same != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err = p.Apply(t.Context(), admin); err != nil || done.Same != len(c.Functions()) {
		t.Errorf("the second time: %+v, %v", done, err)
	}
	same := func(when string, w *store.Store) {
		t.Helper()
		changes, err := p.Compare(t.Context(), w)
		if err != nil || len(changes) != len(c.Functions()) {
			t.Fatalf("%s: %d functions, %v", when, len(changes), err)
		}
		for _, change := range changes {
			if change.State != install.Same {
				t.Errorf("%s: %+v", when, change)
			}
		}
	}
	same("after applying", admin)

	all := demoRows(t)
	var rows []map[string]string
	for i, row := range all {
		if sample.Takes(i, len(all), 16) {
			rows = append(rows, row)
		}
	}
	compared := 0
	for i := range p.Steps {
		f := p.Steps[i].Function
		if f == nil || f.Of.Waits || i > 0 && p.Steps[i-1].Function == f {
			continue
		}
		want := called(t, c, f, rows)
		got := query(t, admin, callPostgres(v.Schema, f, rows))
		for i := range rows {
			compared++
			var text *string
			if cell := got.Columns[0].Value(i); !cell.IsNull() {
				s := cell.String()
				text = &s
			}
			if should, same := sameValue(text, want, i); !same {
				t.Errorf("row %d of %s is %s in Postgres, want %s", i, f.Name, show(text), should)
			}
		}
	}
	if compared < sample.Count(10_000, 16) {
		t.Errorf("%d values were compared", compared)
	}

	const call = `SELECT "we""ird.ü 'q'".badger_echo('x')`
	exec1(t, admin, `CREATE ROLE stranger LOGIN`)
	stranger := open(t, strings.Replace(server.URL("postgres", server.Port), "owner@", "stranger@", 1))
	if _, err := stranger.Query(t.Context(), call); errcode.Of(err) != errcode.PermissionDenied {
		t.Errorf("somebody without the role: %v", err)
	}
	exec1(t, admin, `GRANT "cal""ler's" TO stranger`)
	if got := query(t, stranger, call); got.Columns[0].Value(0).String() != "x" {
		t.Errorf("a caller gets %v", got.Columns[0].Value(0))
	}
	if err := stranger.Exec(t.Context(), `CREATE FUNCTION "we""ird.ü 'q'".mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`); errcode.Of(err) != errcode.PermissionDenied {
		t.Errorf("a caller creates functions: %v", err)
	}
	if public := query(t, admin, `SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace, aclexplode(p.proacl) a WHERE n.nspname = $1 AND a.grantee = 0`, v.Schema); public.Rows() != 0 {
		t.Errorf("everyone may call %d functions", public.Rows())
	}

	// A session outlives the server it talks to. Nine attempts would take 16 seconds.
	stop()
	if _, err := admin.Query(t.Context(), strings.Replace(call, "SELECT ", "SELECT set_config('badger.attempts', '3', true), ", 1)); err == nil {
		t.Error("without a server a call gave a value")
	}
	serve(t, c, at, true)
	if got := query(t, admin, call); got.Columns[0].Value(0).String() != "x" {
		t.Errorf("after the server is back: %v", got.Columns[0].Value(0))
	}

	for i := len(p.Steps) - 1; i >= 0; i-- {
		if sql := p.Steps[i].Drop; sql != "" && !strings.Contains(sql, "DROP ROLE") {
			exec1(t, admin, sql)
		}
	}
	if left := query(t, admin, p.Inventory); left.Rows() != 0 {
		t.Errorf("%d functions are left", left.Rows())
	}
	exec1(t, admin, `DROP ROLE stranger`)
	for _, s := range p.Steps {
		if strings.Contains(s.Drop, "DROP ROLE") {
			exec1(t, admin, s.Drop)
		}
	}
}

// Whoever may not do all says what is left; the administrator does it, and the owner continues.
func TestPostgresInTwoHands(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	admin := open(t, server.URL("postgres", server.Port))
	at, _ := serve(t, catalogue(t), "127.0.0.1:0", true)
	v := plain("postgres", "http")
	v.Endpoint = "http://" + at
	all := functions(t)[:6]
	p := plan(t, v, all)

	exec1(t, admin, "CREATE ROLE kim LOGIN")
	kim := open(t, strings.Replace(server.URL("postgres", server.Port), "owner@", "kim@", 1))
	if _, err := p.Apply(t.Context(), kim); errcode.Of(err) != errcode.PermissionDenied || !strings.Contains(err.Error(), "step 1 of") || !strings.Contains(err.Error(), "a superuser") {
		t.Errorf("without rights: %v", err)
	}
	if _, err := p.Apply(t.Context(), admin, install.Admin); err != nil {
		t.Fatal(err)
	}
	exec1(t, admin, "GRANT badger_owner TO kim")
	if done, err := p.Apply(t.Context(), kim, install.Owner); err != nil || done.LeftOut == 0 {
		t.Errorf("as the owner: %+v, %v", done, err)
	}
	owners := query(t, admin, "SELECT DISTINCT pg_get_userbyid(proowner)::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = 'badger' AND proname <> '_call'")
	if owners.Rows() != 1 || owners.Columns[0].Value(0).String() != "badger_owner" {
		t.Errorf("the functions belong to %d roles, the first %v", owners.Rows(), owners.Columns[0].Value(0))
	}

	testRights(t, server, admin)

	// Another version of a function takes the place of the old one, whatever its arguments are.
	changed := slices.Clone(all)
	changed[0].Params = append(slices.Clone(changed[0].Params), udf.Param{Name: "more", Type: udf.BOOLEAN, Optional: true})
	next := plan(t, v, changed[:5])
	changes, err := next.Compare(t.Context(), kim)
	if err != nil || len(changes) != 6 || changes[0].State != install.Changed || changes[1].State != install.Same || changes[5].State != install.LeftOver {
		t.Errorf("%+v, %v", changes, err)
	}
	if _, err := next.Apply(t.Context(), kim, install.Owner); err != nil {
		t.Fatal(err)
	}
	left := query(t, admin, "SELECT proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE nspname = 'badger' AND proname <> '_call' ORDER BY 1")
	if left.Rows() != 5 {
		t.Errorf("%d functions are there, want 5", left.Rows())
	}
}

// testRights tries what each role may do with the tables, and what it may not.
func testRights(t *testing.T, server *fakepostgres.Server, admin *store.Store) {
	t.Helper()
	as := map[string]*store.Store{}
	for _, role := range []string{"caller", "reader", "annotator"} {
		exec1(t, admin, "CREATE ROLE a_"+role+" LOGIN")
		exec1(t, admin, "GRANT badger_"+role+" TO a_"+role)
		as[role] = open(t, strings.Replace(server.URL("postgres", server.Port), "owner@", "a_"+role+"@", 1))
	}
	const label = "INSERT INTO badger.human_labels (case_id, agent_name, annotator, verdict) VALUES ('c', 'a', 'kim', 'pass')"
	for _, tc := range []struct{ sql, may string }{
		{"SELECT * FROM badger.scores", "reader"},
		{"SELECT * FROM badger.latest_scores", "reader"},
		{"SELECT * FROM badger.agreement", "reader"}, // over human_labels, which the reader does not read itself
		{"SELECT * FROM badger.human_labels", "annotator"},
		{"SELECT * FROM badger.assessments", ""},
		{"SELECT * FROM badger.golden_set", ""},
		{label, "annotator"},
		{"UPDATE badger.human_labels SET verdict = 'fail' WHERE case_id = 'c'", "annotator"},
		{"DELETE FROM badger.human_labels", ""},
		{"DELETE FROM badger.scores", ""},
		{"INSERT INTO badger.scores (case_id) VALUES ('c')", ""},
		{"CREATE TABLE badger.mine (a int)", ""},
		{"SELECT badger.badger_echo('x')", "caller"},
	} {
		for role, w := range as {
			var err error
			if strings.HasPrefix(tc.sql, "SELECT") {
				_, err = w.Query(t.Context(), tc.sql)
			} else {
				err = w.Exec(t.Context(), tc.sql)
			}
			if may := role == tc.may; may != (err == nil) || !may && errcode.Of(err) != errcode.PermissionDenied {
				t.Errorf("%s, %s: %v", role, tc.sql, err)
			}
		}
	}
	without := query(t, admin, `SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE n.nspname = 'badger' AND c.relkind = 'r' AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid) IS NULL)`)
	if without.Rows() != 0 {
		t.Errorf("%d columns have no comment, the first %v.%v", without.Rows(), without.Columns[0].Value(0), without.Columns[1].Value(0))
	}
	if owners := query(t, admin, "SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'badger' AND relkind IN ('r', 'v')"); owners.Rows() != 1 {
		t.Errorf("the tables and views belong to %d roles", owners.Rows())
	}
}

// callPostgres calls a function for each row.
func callPostgres(schema string, f *install.Declared, rows []map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "SELECT %s(", postgres.Dialect.Identifier(schema, f.Name))
	for k, p := range f.Params {
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "a%d::%s", k, typeNames["postgres"][p.Type][0])
	}
	b.WriteString(")::text FROM (VALUES ")
	for i, row := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + strconv.Itoa(i))
		for _, p := range f.Params {
			if text, ok := row[p.Name]; ok {
				b.WriteString(", " + postgres.Dialect.Literal(text) + "::text")
			} else {
				b.WriteString(", NULL::text")
			}
		}
		b.WriteString(")")
	}
	b.WriteString(") AS t(id")
	for k := range f.Params {
		fmt.Fprintf(&b, ", a%d", k)
	}
	b.WriteString(") ORDER BY id")
	return b.String()
}

// Tables and views of the user's, under the names of those that users fill, stay the user's: their owner, their comments
// and their columns. badger's owner reads them.
func TestOwnTablesStayOwn(t *testing.T) {
	server := postgresServer(t)
	admin := open(t, server.URL("postgres", server.Port))
	for _, sql := range []string{
		"CREATE TABLE shop_questions (nr int, answer_sql text)", "INSERT INTO shop_questions VALUES (1, 'SELECT 1')", "CREATE SCHEMA badger",
		"CREATE VIEW badger.golden_set AS SELECT nr::text AS case_id, answer_sql AS gold_sql, 'v1' AS set_version FROM shop_questions",
		"CREATE TABLE badger.agent_runs (agent_name text, agent_version text, batch_id text, case_id text, sql text)",
		"COMMENT ON TABLE badger.agent_runs IS 'the log of our agent'",
	} {
		exec1(t, admin, sql)
	}
	c := catalogue(t)
	v := plain("postgres", "http")
	v.Endpoint = "http://127.0.0.1:1"
	p := plan(t, v, c.Functions())
	if _, err := p.Apply(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	owners := query(t, admin, `SELECT c.relname::text, pg_get_userbyid(c.relowner) = current_user, coalesce(obj_description(c.oid), '') FROM pg_class c
		WHERE c.relnamespace = 'badger'::regnamespace AND c.relname IN ('golden_set', 'agent_runs', 'human_labels', 'latest_scores') ORDER BY 1`)
	for i, expected := range []string{"agent_runs true the log of our agent", "golden_set true ", "human_labels false", "latest_scores false"} {
		got := fmt.Sprintf("%v %v %v", owners.Columns[0].Value(i), owners.Columns[1].Value(i), owners.Columns[2].Value(i))
		if got != expected && !(strings.HasSuffix(expected, "false") && strings.HasPrefix(got, expected)) {
			t.Errorf("%s, expected %s", got, expected)
		}
	}
	exec1(t, admin, "CREATE ROLE nightly LOGIN IN ROLE badger_owner")
	nightly := open(t, strings.Replace(server.URL("postgres", server.Port), "owner@", "nightly@", 1))
	for _, sql := range []string{"SELECT case_id FROM badger.golden_set", "SELECT case_id FROM badger.agent_runs", "SELECT * FROM badger.latest_scores"} {
		if _, err := nightly.Query(t.Context(), sql); err != nil {
			t.Errorf("as badger's owner: %s: %v", sql, err)
		}
	}
	if cell := query(t, admin, "SELECT gold_sql FROM badger.golden_set").Columns[0].Value(0).String(); cell != "SELECT 1" {
		t.Errorf("the view gives %q", cell)
	}
	compared, err := p.Diff(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range compared.Lines {
		if strings.HasPrefix(l.Name, "golden_set") && !l.Fine {
			t.Errorf("%+v", l)
		}
	}
	// What the user grants stays granted, and what is the user's stays when badger and its data go.
	exec1(t, admin, "GRANT SELECT ON badger.golden_set TO PUBLIC")
	if _, err := p.Apply(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	if got := query(t, admin, "SELECT has_table_privilege('public', 'badger.golden_set', 'SELECT')").Columns[0].Value(0).String(); got != "true" {
		t.Error("the user's grant on golden_set was taken away")
	}
	if _, err := p.Remove(t.Context(), admin, true); err != nil {
		t.Fatal(err)
	}
	left := query(t, admin, "SELECT string_agg(relname::text, ' ' ORDER BY relname::text) FROM pg_class WHERE relnamespace = 'badger'::regnamespace AND relkind IN ('r', 'v')")
	if got := left.Columns[0].Value(0).String(); got != "agent_runs golden_set" {
		t.Errorf("after dropping badger with its data %q are there, expected the user's agent_runs and golden_set", got)
	}
}

// A call can always be ended: while the server does not answer, statement_timeout and pg_cancel_backend end the statement,
// with and without a parallel plan. Overload is tried again in a parallel plan, too. A row that is too large is NULL.
func TestPostgresCallsEnd(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	admin := open(t, server.URL("postgres", server.Port))
	var busy atomic.Int64
	hang, arrived := make(chan struct{}), make(chan struct{}, 1)
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case bytes.Contains(body, []byte("hang")):
			select {
			case arrived <- struct{}{}:
			default:
			}
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		case bytes.Contains(body, []byte("busy")) && busy.Add(1)%3 != 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case bytes.Contains(body, []byte("large")):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"status":"failed","value":null,"code":"resource_exhausted","reason":"the body is larger than 10485760 bytes"}`)
		default:
			fmt.Fprint(w, `"done"`)
		}
	}))
	defer stub.Close()
	defer close(hang)
	v := plain("postgres", "http")
	v.Endpoint = stub.URL
	called := slices.DeleteFunc(slices.Clone(catalogue(t).Functions()), func(f udf.Function) bool { return f.Name != "badger_echo" && !sample.Thorough() })
	if _, err := plan(t, v, called).Apply(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	exec1(t, admin, "CREATE TABLE many AS SELECT 'busy ' || i AS x FROM generate_series(1, 12) i") // two calls in three are rejected: each row waits twice
	with := func(settings ...string) *store.Store {                                                // a session with settings
		for _, x := range settings {
			exec1(t, admin, "ALTER DATABASE postgres SET "+x)
		}
		w := open(t, server.URL("postgres", server.Port))
		query(t, w, "SELECT 1")
		exec1(t, admin, "ALTER DATABASE postgres RESET ALL")
		return w
	}
	parallel := []string{"parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0", "max_parallel_workers_per_gather = 2"}
	for _, settings := range [][]string{{"max_parallel_workers_per_gather = 0"}, parallel} {
		w := with(append(settings, "statement_timeout = '1s'")...)
		if _, err := w.Query(t.Context(), "SELECT badger.badger_echo('hang')"); err == nil || !strings.Contains(err.Error(), "statement_timeout") {
			t.Errorf("%s: a server that hangs: %v, expected the statement's timeout", settings, err)
		}
		got := query(t, with(settings...), "SELECT count(*), count(badger.badger_echo(x)) FROM many")
		if got.Columns[1].Value(0).String() != "12" {
			t.Errorf("%s: overload: %v of 12 rows", settings, got.Columns[1].Value(0))
		}
	}
	select {
	case <-arrived:
	default:
	}
	ended := make(chan error, 1)
	go func() {
		_, err := with().Query(context.WithoutCancel(t.Context()), "SELECT badger.badger_echo('hang')")
		ended <- err
	}()
	// PostgreSQL drops a cancellation that arrives before the statement runs, so it is sent once the server was called.
	<-arrived
	query(t, admin, "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%''hang''%' AND state = 'active' AND pid <> pg_backend_pid()")
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancel") {
		t.Errorf("cancelled: %v", err)
	}
	got := query(t, admin, `SELECT string_agg(s->>'metric' || ' ' || (s->>'code'), ', ') FROM json_array_elements(badger._call('score_row', '{"row": "large", "metrics": "ex_bird, row_f1"}')) s`)
	if text := got.Columns[0].Value(0).String(); text != "ex_bird resource_exhausted, row_f1 resource_exhausted" {
		t.Errorf("the scores of a row that is too large are %q", text)
	}
	if got := query(t, admin, "SELECT badger.badger_echo('large') IS NULL"); got.Columns[0].Value(0).String() != "true" {
		t.Errorf("a row that is too large is %v, expected NULL", got.Columns[0].Value(0))
	}
}
