package install_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// What badger did not create is neither replaced nor dropped: roles that were there before,
// functions of the same name, and a view in a schema that has none of badger's tables.
func TestPostgresKeepsWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	admin := open(t, server.URL("postgres", server.Port))
	v := plain("postgres", "http")
	v.Roles.Reader = "analysts"
	few := functions(t)[:3]
	p := plan(t, v, few)
	for _, sql := range []string{"CREATE ROLE analysts", "CREATE ROLE kim", "GRANT analysts TO kim", "CREATE SCHEMA badger", "CREATE VIEW badger.coverage AS SELECT 1 AS mine"} {
		exec1(t, admin, sql)
	}
	refused := func(name string) {
		t.Helper()
		done, err := p.Apply(t.Context(), admin)
		if errcode.Of(err) != errcode.AlreadyExists || !strings.Contains(err.Error(), name) || done.Run != 0 {
			t.Errorf("%s of somebody else's: %+v, %v", name, done, err)
		}
		diff, err := p.Diff(t.Context(), admin)
		if err != nil || !slices.ContainsFunc(diff.Lines, func(l install.Line) bool { return l.State == "foreign" && l.Name == name && l.Fix == "" }) {
			t.Errorf("the comparison does not name %s: %v", name, err)
		}
	}
	refused("coverage")
	exec1(t, admin, "DROP VIEW badger.coverage")
	exec1(t, admin, "CREATE FUNCTION badger._call(name text, body json) RETURNS json LANGUAGE sql AS 'SELECT body'")
	refused("_call")
	removed, err := p.Remove(t.Context(), admin, true)
	if err != nil || len(removed.Kept) != 2 || !strings.Contains(removed.Kept[0], "badger._call(text, json)") || !strings.HasSuffix(removed.Kept[1], " analysts") {
		t.Errorf("removed: %+v, %v", removed, err)
	}
	if got := query(t, admin, "SELECT badger._call('f', '1')::text"); got.Columns[0].Value(0).String() != "1" {
		t.Error("the function of somebody else's is another")
	}
	exec1(t, admin, "DROP SCHEMA IF EXISTS badger CASCADE")

	if _, err := p.Apply(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	if got := differing(t, p, admin); got != nil {
		t.Errorf("after all of it: %q", got)
	}
	removed, err = p.Remove(t.Context(), admin, true)
	if err != nil || removed.Left != nil || len(removed.Kept) != 1 || removed.Kept[0] != "DROP ROLE IF EXISTS analysts" {
		t.Errorf("removed: %+v, %v", removed, err)
	}
	members := query(t, admin, "SELECT count(*) FROM pg_auth_members WHERE roleid = 'analysts'::regrole AND member = 'kim'::regrole")
	roles := query(t, admin, "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'badger%'")
	if m, r := members.Columns[0].Value(0).Int(), roles.Columns[0].Value(0).Int(); m != 1 || r != 0 {
		t.Errorf("analysts has %d members, want 1; %d roles of badger's are left", m, r)
	}
}

// If the warehouse does not tell who created a role, running the removal leaves roles, and the
// printed script says which lines may be wrong.
func TestRolesAreNotDroppedBlindly(t *testing.T) {
	eachWay(t, func(t *testing.T, w *install.Warehouse, via *install.Via) {
		p := plan(t, plain(w.Name, via.Name), functions(t)[:2])
		roles := 0
		for _, d := range p.Drops(true) {
			if d.Role != strings.HasPrefix(d.SQL, "DROP ROLE") {
				t.Errorf("%q is taken for a role's: %v", d.SQL, d.Role)
			}
			if d.Role {
				roles++
			}
		}
		var b strings.Builder
		if err := p.PrintDrop(&b, true); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "existed before badger, or has another use.\nDROP ROLE"); n != roles {
			t.Errorf("%d of %d lines about roles have a warning", n, roles)
		}
		if w.Name == "postgres" {
			return
		}
		db := &fakeDatabase{have: map[string]string{}}
		done, err := p.Remove(t.Context(), db, true)
		if err != nil || len(done.Kept) != roles || slices.ContainsFunc(db.ran, func(sql string) bool { return strings.HasPrefix(sql, "DROP ROLE") }) {
			t.Errorf("%+v, %v", done, err)
		}
	})
}

// A name that the warehouse would cut off is refused.
func TestLongNames(t *testing.T) {
	few := functions(t)[:1]
	for warehouse, most := range map[string]int{"postgres": 63, "redshift": 127, "snowflake": 255} {
		for _, n := range []int{most, most + 1} {
			for key, set := range map[string]func(*install.Values, string){
				"schema": func(v *install.Values, s string) { v.Schema = s }, "roles.reader": func(v *install.Values, s string) { v.Roles.Reader = s },
			} {
				v := plain(warehouse, map[string]string{"snowflake": "api-gateway"}[warehouse])
				set(&v, strings.Repeat("é", n/2)+strings.Repeat("x", n%2))
				_, err := install.New(v, dialects[warehouse], few)
				if n > most && (errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), fmt.Sprintf("%s has %d bytes", key, n))) || n == most && err != nil {
					t.Errorf("%s: %s of %d bytes: %v", warehouse, key, n, err)
				}
			}
		}
	}
}
