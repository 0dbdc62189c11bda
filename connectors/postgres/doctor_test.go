package postgres_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	badgersql "github.com/badger-eval/badger/sql"
)

// What a role may is what the server says: an owner everything, a reader of badger's tables only
// that.
func TestDoctorSeesPrivileges(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	w := connectors.New(owner, postgres.Dialect)
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
		r := doctor.Examine(context.Background(), doctor.Options{ReadOnly: tc.readOnly, Now: time.Now, Open: func(ctx context.Context, only bool) (*connectors.Warehouse, error) {
			c, d, err := postgres.Open(ctx, strings.Replace(s.URL(name, s.Port), "owner", tc.role, 1), driver.Options{ReadOnly: only})
			if err != nil {
				return nil, err
			}
			return connectors.New(c, d), nil
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
	if got := one(t, owner, "SELECT count(*) FROM pg_tables WHERE schemaname = 'badger'"); got != strconv.Itoa(len(badgersql.Tables)) {
		t.Errorf("%s tables afterwards, want badger's %d", got, len(badgersql.Tables))
	}
}
