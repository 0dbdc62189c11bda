package postgres_test

import (
	"context"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
)

func TestValuesOfPostgreSQL(t *testing.T) {
	s := running(t)
	c := s.open(t, s.database(t), driver.Options{})
	defer c.Close() //nolint:errcheck // only read from
	for _, statement := range []string{"CREATE TYPE mood AS ENUM ('sad', 'ok')", `CREATE TYPE pair AS (n int, "Of it" text, l text[])`, "CREATE DOMAIN small AS int CHECK (VALUE < 10)"} {
		mustExec(t, c, statement)
	}
	drivertest.TestValues(t, "postgres", c, nil)
}

// The types that PostgreSQL has too, read as Redshift's are, from text.
func TestValuesOfRedshift(t *testing.T) {
	s := running(t)
	c, err := postgres.OpenAsRedshift(context.Background(), s.URL("postgres", s.Port), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // only read from
	drivertest.TestValues(t, "redshift", c, nil)
}
