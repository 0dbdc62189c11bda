package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/sql/store"
)

// What a role may is what the server says: an owner everything, a reader of badger's tables only
// that.
func TestDoctorSeesPrivileges(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	w := store.New(connectors.New(owner, postgres.Dialect))
	defer w.Close()
	if err := w.Install(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := w.Install(context.Background()); err != nil {
		t.Errorf("installing again: %v", err)
	}
	mustExec(t, owner, "CREATE ROLE looks_"+name+" LOGIN", "GRANT USAGE ON SCHEMA badger TO looks_"+name, "GRANT SELECT ON ALL TABLES IN SCHEMA badger TO looks_"+name)
	for _, tc := range []struct {
		why, role, failed string
		readOnly          bool
	}{
		{"the owner", "owner", "", false},
		{"a reader", "looks_" + name, "writing to them,creating", false},
		{"a reader that only reads", "looks_" + name, "", true},
	} {
		r := doctor.Examine(context.Background(), doctor.Options{ReadOnly: tc.readOnly, Now: time.Now, Open: func(ctx context.Context, only bool) (*store.Store, error) {
			c, d, err := postgres.Open(ctx, strings.Replace(s.URL(name, s.Port), "owner", tc.role, 1), driver.Options{ReadOnly: only})
			if err != nil {
				return nil, err
			}
			return store.New(connectors.New(c, d)), nil
		}})
		var failed []string
		for _, c := range r.Checks {
			switch {
			case c.Status == doctor.Failed && !strings.Contains(c.Fix, "GRANT"):
				t.Errorf("%s: %+v, want the statement that grants it", tc.why, c)
			case c.Status == doctor.Failed:
				failed = append(failed, c.Name)
			case c.Status == doctor.Warning:
				t.Errorf("%s: %+v", tc.why, c)
			}
		}
		if got := strings.Join(failed, ","); got != tc.failed {
			t.Errorf("%s: %q failed, want %q", tc.why, got, tc.failed)
		}
	}
	if got := one(t, owner, "SELECT count(*) FROM pg_tables WHERE schemaname = 'badger'"); got != strconv.Itoa(len(store.Tables)) {
		t.Errorf("%s tables afterwards, want badger's %d", got, len(store.Tables))
	}
}

// A role that queries of others may be run with reads and nothing else; each privilege that lets a
// text do more is found by itself.
func TestDoctorSeesRolesThatMayDoMoreThanRead(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	mustExec(t, owner, "CREATE TABLE t (a int)", "CREATE SCHEMA \"Own Place\"", "REVOKE TEMPORARY ON DATABASE "+name+" FROM PUBLIC")
	for i, tc := range []struct {
		why, grant string
		status     doctor.Status
		detail     string
	}{
		{"only reads", "GRANT SELECT ON t TO %s", doctor.OK, "can only read"},
		{"reads files", "GRANT pg_read_server_files TO %s", doctor.Failed, "pg_read_server_files"},
		{"writes files", "GRANT pg_write_server_files TO %s", doctor.Failed, "pg_write_server_files"},
		{"runs programs", "GRANT pg_execute_server_program TO %s", doctor.Failed, "pg_execute_server_program"},
		{"may become a superuser", "GRANT owner TO %s", doctor.Failed, "is a superuser"},
		{"is a superuser", "ALTER ROLE %s SUPERUSER", doctor.Failed, "is a superuser"},
		{"creates", "GRANT CREATE ON SCHEMA \"Own Place\" TO %s", doctor.Failed, `may create objects in schema "Own Place"`},
		{"creates through a role", "CREATE ROLE %s_maker; GRANT CREATE ON SCHEMA public TO %[1]s_maker; GRANT %[1]s_maker TO %[1]s", doctor.Failed, "may create objects in schema public"},
		{"is strings' other reader", "ALTER ROLE %s SET standard_conforming_strings = off", doctor.Failed, "standard_conforming_strings"},
		{"makes temporary tables", "GRANT TEMPORARY ON DATABASE " + name + " TO %s", doctor.Warning, "temporary tables"},
		{"writes rows", "GRANT INSERT ON t TO %s", doctor.Warning, "may write to 1 tables"},
	} {
		role := fmt.Sprintf("role%d_%s", i, name)
		mustExec(t, owner, "CREATE ROLE "+role+" LOGIN")
		for _, sql := range strings.Split(fmt.Sprintf(tc.grant, role), "; ") {
			mustExec(t, owner, sql)
		}
		c := doctor.ExamineExecution(t.Context(), func(ctx context.Context) (*store.Store, error) {
			c, d, err := postgres.Open(ctx, strings.Replace(s.URL(name, s.Port), "owner", role, 1), driver.Options{ReadOnly: true})
			if err != nil {
				return nil, err
			}
			return store.New(connectors.New(c, d)), nil
		})
		if c.Status != tc.status || !strings.Contains(c.Detail, tc.detail) {
			t.Errorf("%s: %+v, want %s and %q", tc.why, c, tc.status, tc.detail)
		}
	}
}

// What is between, and what is limited, is told.
func TestDoctorTellsOfTheWay(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	mustExec(t, owner, "CREATE ROLE narrow_"+name+" LOGIN CONNECTION LIMIT 2")
	direct := s.URL(name, s.Port)
	for _, tc := range []struct {
		why, url, pooler, sessions, credentials string
		warned                                  bool
	}{
		{"the server itself", direct, "none", "at most 8; the server allows 60", "PG* variables", false},
		{"a role that may have two sessions", strings.Replace(direct, "owner", "narrow_"+name, 1) + "&password_file=unread", "none", "the role allows 2", "password_file", true},
		{"PgBouncer that gives out transactions", pool(t, s, "transaction").URL(name), "transactions", "does not report its own limits", "", false},
		{"PgBouncer that gives out sessions", pool(t, s, "session").URL(name), "whole sessions", "does not report its own limits", "", false},
		{"as many sessions as the URL says", direct + "&pool_max_conns=3", "none", "at most 3", "", false},
	} {
		if tc.warned {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("unread", []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := doctor.Examine(context.Background(), doctor.Options{ReadOnly: true, Now: time.Now, Open: func(ctx context.Context, only bool) (*store.Store, error) {
			c, d, err := postgres.Open(ctx, tc.url, driver.Options{ReadOnly: only})
			if err != nil {
				return nil, err
			}
			return store.New(connectors.New(c, d)), nil
		}})
		told := map[string]doctor.Check{}
		for _, c := range r.Checks {
			told[c.Name] = c
		}
		if p := told["pooler"]; !strings.Contains(p.Detail, tc.pooler) || !strings.Contains(told["sessions"].Detail, tc.sessions) || !strings.Contains(told["credentials"].Detail, tc.credentials) {
			t.Errorf("%s: %+v, %+v, %+v", tc.why, p, told["sessions"], told["credentials"])
		}
		if warned := told["sessions"].Status == doctor.Warning; warned != tc.warned || !r.OK {
			t.Errorf("%s: %+v", tc.why, told["sessions"])
		}
	}
}
