// Package mysql is the connector of MySQL and MariaDB, on which queries of cases run. It only reads. badger's own
// tables are elsewhere.
//
// It uses the protocol of github.com/go-sql-driver/mysql, not database/sql, which would pool sessions. Statements are
// prepared: the server then sends numbers in binary form, as the text form of FLOAT lacks digits, and reads one
// statement only. Each statement has a separate session, so that no variable, lock or setting of one author's query
// reaches another's. The session is read-only and in UTC. When a call ends before its statement, the statement is
// killed. See README.md for types and limits.
package mysql

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Dialect is the SQL dialect of MySQL and MariaDB.
var Dialect = driver.Dialect{
	Name: "mysql", NoModels: true, NoClaims: true,
	Identifiers: driver.Identifiers{Quote: '`', Backslash: true},
	Definition: func(name ...string) string {
		for i := range name {
			name[i] = "`" + strings.ReplaceAll(name[i], "`", "``") + "`"
		}
		return "SHOW CREATE TABLE " + strings.Join(name[max(0, len(name)-2):], ".")
	},
	HostNames: []string{
		"all_plugins", "connection_id", "current_role", "current_user", "global_status", "global_variables", "innodb_*",
		"performance_timers", "persisted_variables", "processlist", "replication_*", "session_account_connect_attrs",
		"session_connect_attrs", "session_status", "session_user", "session_variables", "system_user",
		"system_variables",
		"user_privileges", "user_statistics", "variables_info", "version",
	},
	RoleQuery: roleQuery,
	Reader:    "CREATE USER reader IDENTIFIED BY '…'; GRANT SELECT ON shop.* TO reader; and name that user in the URL",
}

// roleQuery returns the global privileges of the session's user beyond reading, and the databases and tables that it
// may write to. The read-only session prevents the latter alone. MariaDB does not show the privileges of roles.
var roleQuery = func() string {
	// 'user'@'host', as the views of privileges name a user.
	const me = `CONCAT('''', LEFT(CURRENT_USER(), CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)) - 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')`
	const mine = ` WHERE (grantee = ` + me + ` OR FIND_IN_SET(grantee, REPLACE(CURRENT_ROLE(), CHAR(96), ''''))) AND privilege_type `
	const writes, listed = `IN ('INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'ALTER')`,
		`GROUP_CONCAT(DISTINCT LOWER(privilege_type) ORDER BY privilege_type SEPARATOR ', ')`
	return `SELECT what, refused FROM (
SELECT DISTINCT 1 AS n, CONCAT('has the privilege ', privilege_type) AS what, 1 AS refused FROM information_schema.user_privileges` + mine +
		`NOT IN ('USAGE', 'SELECT', 'SHOW DATABASES', 'SHOW VIEW', 'SHOW_ROUTINE', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'REFERENCES',
	'INDEX', 'ALTER', 'CREATE TEMPORARY TABLES', 'LOCK TABLES', 'EXECUTE', 'CREATE VIEW', 'CREATE ROUTINE', 'ALTER ROUTINE', 'EVENT', 'TRIGGER',
	'DELETE HISTORY', 'PROCESS', 'REPLICATION CLIENT', 'BINLOG MONITOR')
UNION SELECT 2, CONCAT('may ', ` + listed + `, ' in every database'), 0 FROM information_schema.user_privileges` + mine + writes + ` HAVING COUNT(*) > 0
UNION SELECT 3, CONCAT('may ', ` + listed + `, ' in the database ', table_schema), 0 FROM information_schema.schema_privileges` + mine + writes + ` GROUP BY table_schema
UNION SELECT 4, CONCAT('may write to ', COUNT(DISTINCT table_schema, table_name), ' tables'), 0 FROM information_schema.table_privileges` + mine + writes + ` HAVING COUNT(*) > 0
UNION SELECT 5, CONCAT('has the role ', CURRENT_ROLE(), ', whose privileges SHOW GRANTS lists'), 0 FROM (SELECT 1) AS one WHERE CURRENT_ROLE() NOT IN ('', 'NONE')
) AS found ORDER BY n, what`
}()

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, NULBytes: true, Source: true}

// errWrites is the error of all operations that write.
var errWrites = driverbase.ReadOnlyError("mysql", "MySQL and MariaDB", "them")

// Open connects to the server that a URL names and signs in once; it is a [driver.Opener]. An error has the code
// InvalidArgument for a malformed URL, Unauthenticated for credentials or a certificate that are not accepted, NotFound
// for a database that does not exist, and Unavailable if the server does not answer.
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	a, err := parseURL(rawURL)
	if err != nil || o.URLOnly && o.ReadOnly {
		return nil, Dialect, err
	}
	if !o.ReadOnly {
		return nil, Dialect, errWrites
	}
	c := &Conn{address: a, mem: o.Mem, room: make(chan struct{}, maxSessions)}
	if c.mem == nil {
		c.mem = memory.NewGoAllocator()
	}
	s, err := c.connect(ctx)
	if err != nil {
		return nil, Dialect, err
	}
	s.end(true)
	return c, Dialect, nil
}

// maxSessions is the maximum number of sessions at a time.
const maxSessions = 8

// Conn is a connection to one server. It is a [driver.Conn] and a [driver.Describer].
type Conn struct {
	address *address
	mem     memory.Allocator
	room    chan struct{} // has one element for each open session
	ending  sync.WaitGroup

	mu      sync.Mutex
	version string // of the server; "" before the first session
}

var (
	_ driver.Conn      = (*Conn)(nil)
	_ driver.Describer = (*Conn)(nil)
)

// Query runs one statement that reads, and streams its result.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (_ array.RecordReader, err error) {
	values, err := arguments(query, args)
	if err != nil {
		return nil, err
	}
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.query(ctx, query, values)
	if err != nil {
		s.end(false)
		return nil, err
	}
	return r, nil
}

// arguments returns the arguments of a statement as the driver takes them. A time is text in UTC, as MySQL has no type
// for instants.
func arguments(query string, args []any) ([]sqldriver.NamedValue, error) {
	if strings.TrimSpace(query) == "" || strings.Contains(query, "\x00") {
		return nil, errcode.New(errcode.InvalidArgument, "mysql: the SQL text is empty or has a NUL byte; expected a query")
	}
	return driverbase.Arguments("mysql", args, func(t time.Time) sqldriver.Value {
		return t.UTC().Format("2006-01-02 15:04:05.999999")
	})
}

// Exec runs one statement that reads, and discards its result.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	return driverbase.Drain(c.Query(ctx, query, args...))
}

// Merge returns an error, as writing is unsupported.
func (*Conn) Merge(context.Context, string, []string, array.RecordReader) (int64, error) {
	return 0, errWrites
}

// Describe returns the server's version, whether the connection is encrypted, and where the password is read from.
func (c *Conn) Describe(context.Context) ([]driver.Fact, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	encrypted := map[string]string{
		tlsVerify: "encrypted, and the certificate is checked", tlsRequire: "encrypted; the certificate is not checked",
		tlsOff: "not encrypted",
	}
	return []driver.Fact{
		{Name: "server", Text: c.version},
		{Name: "transport", Text: encrypted[c.address.tls]},
		{
			Name: "credentials",
			Text: "read for each statement: " + cmp.Or(c.address.password.Where(), "the variable MYSQL_PWD"),
		},
	}, nil
}

// ErrorCode classifies an error of the connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

// Close waits until abandoned statements are killed. An open reader keeps its session until it is released.
func (c *Conn) Close() error {
	c.ending.Wait()
	return nil
}

// connect opens a session, and waits if all are in use, or if the server allows no more now.
func (c *Conn) connect(ctx context.Context) (s *session, err error) {
	select {
	case c.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	err = driverbase.DefaultRetry.Do(ctx, func() error {
		s, err = c.signIn(ctx)
		return err
	}, func(err error) (bool, time.Duration) { return crowded(err), 0 })
	if err != nil {
		<-c.room
		return nil, c.errorOf(ctx, err)
	}
	return s, nil
}
