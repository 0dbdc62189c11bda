// Package postgres is the connector of PostgreSQL and of Amazon Redshift.
//
// It uses the pool and the protocol layer (pgconn) of github.com/jackc/pgx/v5. Settings are those of libpq, with
// its environment, password and service files, TLS and several hosts. Rows are read as the bytes that the server
// sends and become Arrow without a Go value for each cell. Statements use the extended protocol, one a call, each
// in a transaction that starts in the round trip that parses it and ends in the one that runs it. Results are
// streamed: a row is in memory from its arrival until its record is released, and a slow reader slows the server.
//
// Every call uses a session from a pool. Changes of a statement to its session (SET, PREPARE, BEGIN, temporary tables)
// may be lost in the next call. Transactions are in UTC. A pooler, if any, must keep a transaction in one session of
// the server. See README.md for types, privileges and the tested servers.
package postgres

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Schemes of URLs. See [Open].
const (
	Scheme         = "postgres"
	schemeLong     = "postgresql"
	schemeRedshift = "redshift"
)

// Dialect is the SQL dialect of badger's tables in PostgreSQL. JSON keeps its text, which jsonb would not.
var Dialect = driver.Dialect{
	Name: "postgres",
	Types: map[driver.Type]string{
		driver.Text: "text", driver.JSON: "json", driver.BigInt: "bigint", driver.Double: "double precision",
		driver.Decimal: "numeric(38, 12)", driver.Boolean: "boolean", driver.Timestamp: "timestamptz",
	},
	Identifiers: driver.Identifiers{Quote: '"'},
	Placeholder: placeholder,
	NoModels:    true,
	NoNUL:       true,
	KeyIndex: func(schema, table string, key []string) string {
		return fmt.Sprintf("CREATE UNIQUE INDEX IF NOT EXISTS %s_key ON %s.%s (%s)", table, schema, table,
			strings.Join(key, ", "))
	},
	Definition: definition,
	HostNames:  hostNames,
	// f(x) may also be a conversion to the type f, or the column f of the row x.
	Calls: "SELECT (SELECT count(*) FROM pg_catalog.pg_proc WHERE lower(proname) = $1) + (SELECT count(*) FROM pg_catalog.pg_type WHERE lower(typname) = $1) + " +
		"(SELECT count(*) FROM pg_catalog.pg_attribute WHERE lower(attname) = $1)",
	RoleQuery:   roleQuery,
	Member:      func(column, member string) string { return "(" + column + " ->> '" + member + "')" },
	ShownViews:  shownViews,
	BaseTables:  baseTables + marked,
	ViewsAtOnce: true,
	// A view that uses the column may prevent the change; then badger's views are dropped first. Everything is one
	// transaction, since dropping them fails if a user's view depends on them.
	Retype: func(table, column, typ string, drops []string) string {
		alter := fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s USING CAST(%[2]s AS %[3]s);", table, column, typ)
		return "DO $badger$ BEGIN " + alter + " EXCEPTION WHEN feature_not_supported THEN " + strings.Join(drops, "; ") +
			"; " + alter + " END $badger$"
	},
	Grants: grants,
	Reader: "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader; REVOKE CREATE ON SCHEMA public FROM PUBLIC; and name that role in the URL",
}

const grants = "GRANT CREATE, TEMPORARY ON DATABASE name TO role; or, once the tables are there, GRANT USAGE ON SCHEMA badger TO role and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA badger TO role"

// RedshiftDialect is the SQL dialect of badger's tables in Amazon Redshift.
var RedshiftDialect = driver.Dialect{
	Name: "redshift",
	Types: map[driver.Type]string{
		driver.Text: "varchar(65535)", driver.JSON: "super", driver.BigInt: "bigint", driver.Double: "double precision",
		driver.Decimal: "numeric(38, 12)", driver.Boolean: "boolean", driver.Timestamp: "timestamptz",
	},
	Arguments:   map[driver.Type]string{driver.JSON: "varchar(65535)"}, // external functions do not accept super
	Results:     map[driver.Type]string{driver.JSON: "varchar(65535)"},
	Identifiers: driver.Identifiers{Quote: '"', Backslash: true},
	Placeholder: placeholder,
	NoModels:    true,
	NoNUL:       true,
	HostNames:   hostNames,
	RoleQuery:   redshiftRoleQuery,
	Member: func(column, member string) string {
		return "JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(" + column + "), '" + member + "')"
	},
	ShownViews: shownViews,
	BaseTables: baseTables,
	NoClaims:   true, // MERGE has no conditions, and two transactions may insert the same key
	Grants:     grants,
	Reader:     "CREATE USER reader PASSWORD DISABLE NOCREATEDB NOCREATEUSER; GRANT USAGE ON SCHEMA s TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader; and name that user in the URL",
}

const shownViews = `SELECT CAST(c.relname AS text) AS name, pg_get_viewdef(c.oid) AS definition FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'badger' AND c.relkind = 'v'`

const baseTables = `SELECT CAST(c.relname AS text) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'badger' AND c.relkind = 'r'`

// marked is the condition that a table has no comment, or one with the mark of badger install.
const marked = ` AND COALESCE(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]'`

func placeholder(n int) string { return fmt.Sprintf("$%d", n) }

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, Snapshots: true}

// Conn is a connection to one database. It is a [driver.Conn], a [driver.SnapshotReader] and a
// [driver.Describer].
type Conn struct {
	pool     *pgxpool.Pool
	url      string
	password driverbase.Password
	where    string // host:port/database, for messages
	mem      memory.Allocator
	room     chan struct{} // has one element for each session that may still be acquired from the pool
	readOnly bool
	redshift bool
	nested   bool // the server supports arrays and row types
	watched  bool // the server detects that a client is gone, see [watching]
	types    catalog
}

var (
	_ driver.Conn           = (*Conn)(nil)
	_ driver.SnapshotReader = (*Conn)(nil)
	_ driver.Describer      = (*Conn)(nil)
)

// The pool keeps few sessions, as each is a process of the server; pool_max_conns=N in the URL sets another maximum.
const (
	maxSessions = 8
	maxIdleTime = 5 * time.Minute
)

// Open opens the database that a URL names, and authenticates once, so that errors in the URL are reported here; it
// is a [driver.Opener]. The URL is libpq's, postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full&…, with one host
// or several; missing parts come from PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD, PGPASSFILE, PGSERVICE,
// PGSSLMODE and so on. A password may also come from password_file=FILE, password_env=VARIABLE or
// password_command=PROGRAM ARGUMENT …, which prints it. Files are read, and the program is run, for each new
// session, so that a changed password is used. Redshift://… means Amazon Redshift, whose port is 5439 and whose
// connections are encrypted unless sslmode sets otherwise.
//
// The error has the code InvalidArgument for a URL that is malformed or contains a password, Unauthenticated for
// credentials that the server rejects, NotFound for a database that does not exist and Unavailable if there is no
// answer.
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	dialect := Dialect
	if strings.HasPrefix(rawURL, schemeRedshift+":") {
		dialect = RedshiftDialect
	}
	if o.URLOnly {
		_, err := parseURL(rawURL)
		return nil, dialect, err
	}
	c, err := open(ctx, rawURL, o)
	if err != nil {
		return nil, dialect, err // not a nil *Conn in an interface
	}
	return c, dialect, nil
}

func open(ctx context.Context, rawURL string, o driver.Options) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	at, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	config := at.config
	c := &Conn{url: rawURL, password: at.password, mem: o.Mem, readOnly: o.ReadOnly, redshift: at.redshift,
		nested: !at.redshift, where: whereOf(&config.ConnConfig.Config)}
	if c.mem == nil {
		c.mem = memory.NewGoAllocator()
	}
	config.ConnConfig.RuntimeParams["application_name"] = applicationName(
		config.ConnConfig.RuntimeParams["application_name"])
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &driverbase.CountedConn{Conn: conn}, nil
	}
	config.BeforeConnect = c.signIn
	config.MinConns, config.MinIdleConns = 0, 0
	if !strings.Contains(rawURL, "pool_max_conns=") {
		config.MaxConns = maxSessions
	}
	c.room = make(chan struct{}, config.MaxConns)
	for range config.MaxConns {
		c.room <- struct{}{}
	}
	config.MaxConnIdleTime = maxIdleTime
	if c.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), config); err != nil {
		return nil, c.errorOf(ctx, err)
	}
	if err := c.try(ctx); err != nil {
		c.pool.Close()
		return nil, err
	}
	return c, nil
}

// try authenticates, and checks that the server keeps a transaction in one session, on which every call relies.
func (c *Conn) try(ctx context.Context) error {
	var ids [2]string
	s, err := c.enter(ctx, func(s *session) (err error) {
		if err = s.simple(ctx, "BEGIN"); err == nil {
			ids[0], err = s.backend(ctx)
		}
		if err == nil {
			ids[1], err = s.backend(ctx)
		}
		if err == nil && !c.redshift {
			c.watched = s.simple(ctx,
				"SELECT pg_catalog.set_config(name, value, true) FROM (VALUES "+watching+") AS s(name, value)") == nil
		}
		if splitsTransactions(err) || err == nil && ids[0] != ids[1] {
			return errcode.Because(err, errcode.FailedPrecondition, "postgres: %s: %s", c.where, statementMode)
		}
		return err
	})
	if err == nil {
		s.release()
	}
	return err
}

// statementMode is the error for a pooler that may run each statement of a transaction in another session.
const statementMode = "a pooler gives each statement to another session of the server, and a transaction is not kept together: " +
	"set PgBouncer's pool_mode to transaction or session for this database, or connect to the server itself"

// splitsTransactions reports whether err is that of a pooler that rejects transactions.
func splitsTransactions(err error) bool {
	pe, ok := asServerError(err)
	return ok && strings.Contains(pe.Message, "statement pooling mode")
}

func applicationName(said string) string {
	if said != "" {
		return said
	}
	return "badger"
}

// Close closes the sessions. It waits until open readers are released.
func (c *Conn) Close() error {
	c.pool.Close()
	return nil
}

// ErrorCode classifies an error of this connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }
