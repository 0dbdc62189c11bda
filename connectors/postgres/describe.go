package postgres

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Describe returns facts about a pooler between badger and the server, the limits of sessions, and how the credentials
// are renewed; it implements [driver.Describer].
func (c *Conn) Describe(ctx context.Context) ([]driver.Fact, error) {
	pooler, err := c.pooler(ctx)
	if err != nil {
		return nil, err
	}
	sessions, err := c.sessions(ctx)
	if err != nil {
		return nil, err
	}
	if pooler.Text != noPooler && !c.redshift {
		sessions.Text += "; the pooler does not report its own limits"
	}
	return []driver.Fact{pooler, sessions, c.credentials()}, nil
}

// modeTime is the time limit for a second session that is only needed to find a pooler's mode.
const modeTime = 2 * time.Second

const noPooler = "none: the server itself answers"

// pooler reports whether there is a pooler. It compares the backend's process ID with the one announced at the start of
// the session, which poolers invent. It then checks whether calls of two sessions share or change backends.
func (c *Conn) pooler(ctx context.Context) (driver.Fact, error) {
	out := driver.Fact{Name: "pooler", Text: noPooler}
	if c.redshift { // its process IDs are not documented
		out.Text = "not known of Redshift; one must keep a transaction in one session, and for writing the whole session"
		return out, nil
	}
	first, id, err := c.identified(ctx)
	if err != nil {
		return out, err
	}
	defer first.release()
	if strconv.FormatUint(uint64(first.pg.PID()), 10) == id {
		return out, nil
	}
	out.Text = "one that gives out whole sessions, such as PgBouncer with pool_mode = session"
	short, cancel := context.WithTimeout(ctx, modeTime)
	defer cancel()
	other, its, err := c.identified(short)
	if err != nil {
		return out, ctx.Err() // no other session is available, such as in a pooler that gives each client one
	}
	defer other.release()
	const transactions = "one that gives out transactions, such as PgBouncer with pool_mode = transaction: every read and write is one, with its own settings"
	if its == id {
		out.Text = transactions
		return out, nil
	}
	// backends may be given in turn, also to other clients
	for _, s := range []*session{first, first, other, other, first} {
		again, err := s.backend(ctx)
		if err != nil {
			return out, err
		}
		if (again == id) != (s == first) {
			out.Text = transactions
		}
	}
	return out, nil
}

// identified returns a session and the process ID of its backend. The caller releases the session.
func (c *Conn) identified(ctx context.Context) (s *session, id string, err error) {
	s, err = c.enter(ctx, func(s *session) (err error) {
		id, err = s.backend(ctx)
		return err
	})
	return s, id, err
}

// sessions returns the limits of the number of sessions.
func (c *Conn) sessions(ctx context.Context) (driver.Fact, error) {
	most := cap(c.room)
	out := driver.Fact{Name: "sessions", Text: fmt.Sprintf("badger opens at most %d", most)}
	if c.redshift {
		return out, nil
	}
	s, err := c.enter(ctx, func(*session) error { return nil })
	if err != nil {
		return out, err
	}
	defer s.release()
	r := s.pg.ExecParams(ctx, `SELECT current_setting('max_connections'), (SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname = current_user), (SELECT datconnlimit FROM pg_catalog.pg_database WHERE datname = current_database())`,
		nil, nil, nil, nil).Read()
	if r.Err != nil {
		return out, c.errorOf(ctx, r.Err)
	}
	if len(r.Rows) != 1 || len(r.Rows[0]) != 3 {
		return out, errcode.New(errcode.DataLoss, "postgres: %s: the limits of sessions came as another result", c.where)
	}
	limits := []string{}
	for i, of := range []string{"the server", "the role", "the database"} {
		n, err := strconv.Atoi(string(r.Rows[0][i]))
		if err != nil || n < 0 { // no limit
			continue
		}
		limits = append(limits, fmt.Sprintf("%s allows %d", of, n))
		if n < most {
			out.Fix = "callers wait for one another; raise the limit of " + of +
				", or set pool_max_conns in the URL so that others find room"
		}
	}
	out.Text += "; " + strings.Join(limits, ", ")
	return out, nil
}

// credentials describes where the password is read from.
func (c *Conn) credentials() driver.Fact {
	where := cmp.Or(c.password.Where(), "the URL, the PG* variables and the files that they name")
	return driver.Fact{Name: "credentials", Text: "read for each session that signs in: " + where}
}
