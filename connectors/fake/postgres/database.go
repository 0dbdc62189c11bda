package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
)

// Database returns the name of an empty database. Creating one writes about a thousand files, so the database of a test
// that has ended is emptied and renamed if that test left nothing but schemas.
func (s *Server) Database(tb testing.TB) (name string) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx := context.Background()
	c, _, err := postgres.Open(ctx, s.URL("postgres", s.Port), driver.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // every statement reports its error
	s.databases++
	name = fmt.Sprintf("db%d", s.databases)
	tb.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.used = append(s.used, name)
	})
	for i, used := range s.used {
		// ALTER DATABASE would wait five seconds for other sessions to end.
		if c.Exec(ctx, fmt.Sprintf(`DO $$ BEGIN
			IF EXISTS (SELECT FROM pg_stat_activity WHERE datname = '%s') THEN
				RAISE 'a session uses the database';
			END IF;
			ALTER DATABASE %[1]s RENAME TO %s;
		END $$`, used, name)) != nil {
			continue
		}
		s.used = append(s.used[:i:i], s.used[i+1:]...)
		if s.empty(ctx, name) == nil {
			return name
		}
		if err := c.Exec(ctx, "ALTER DATABASE "+name+" RENAME TO "+name+"_used"); err != nil {
			tb.Fatal(err)
		}
		break
	}
	if err := c.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		tb.Fatal(err)
	}
	return name
}

// empty drops the schemas of a database, and creates the schema public as in a new database. It returns an error if
// the database has settings, permissions or objects that remain.
func (s *Server) empty(ctx context.Context, database string) error {
	c, _, err := postgres.Open(ctx, s.URL(database, s.Port), driver.Options{})
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // every statement reports its error
	return c.Exec(ctx, `DO $$
DECLARE s name;
BEGIN
	IF EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND (datacl IS NOT NULL OR datconnlimit <> -1))
		OR EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
		OR EXISTS (SELECT FROM pg_extension WHERE extname <> 'plpgsql')
		OR EXISTS (SELECT FROM pg_language WHERE lanname NOT IN ('internal', 'c', 'sql', 'plpgsql'))
		OR EXISTS (SELECT FROM pg_default_acl) OR EXISTS (SELECT FROM pg_event_trigger) OR EXISTS (SELECT FROM pg_publication)
		OR EXISTS (SELECT FROM pg_foreign_data_wrapper) OR EXISTS (SELECT FROM pg_largeobject_metadata) THEN
		RAISE 'the database has more than schemas';
	END IF;
	FOR s IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', s);
	END LOOP;
	CREATE SCHEMA public;
	IF current_setting('server_version_num')::int < 150000 THEN
		GRANT ALL ON SCHEMA public TO PUBLIC;
	ELSE
		ALTER SCHEMA public OWNER TO pg_database_owner;
		GRANT USAGE ON SCHEMA public TO PUBLIC;
	END IF;
END $$`)
}
