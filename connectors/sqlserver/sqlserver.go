// Package sqlserver is the connector of SQL Server, Azure SQL and warehouses of Microsoft Fabric, on which queries of
// cases run. It only reads. badger's own tables are elsewhere.
//
// It uses the protocol (TDS) of github.com/microsoft/go-mssqldb, not database/sql, which would pool sessions. Its
// package azuread is not used: a token of Entra ID comes from a file, a variable or a program. Each statement has a
// separate session, so that no variable, lock or setting of one author's query reaches another's. SQL Server has no
// sessions that only read: SQL that is not one query is rejected, and a query runs in a transaction that is rolled
// back. When a call ends before its statement, the statement is cancelled by the protocol. See README.md for types and
// limits, and for what was tested: no server of Microsoft's was available.
package sqlserver

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Dialect is the SQL dialect of SQL Server.
var Dialect = driver.Dialect{
	Name: "tsql", NoModels: true, NoClaims: true,
	Identifiers: driver.Identifiers{Quote: '"'},
	Placeholder: func(n int) string { return fmt.Sprintf("@p%d", n) },
	HostNames: []string{
		"app_name", "connectionproperty", "databases", "dm_*", "endpoints", "host_id", "host_name", "linked_logins",
		"login_property", "loginproperty", "master_files", "original_login", "server_principals", "serverproperty",
		"session_context", "sql_logins", "suser_id", "suser_name", "suser_sid", "suser_sname", "sysprocesses",
		"system_user", "xp_*",
	},
	RoleQuery: roleQuery,
	Reader:    "CREATE USER reader FROM EXTERNAL PROVIDER, or FOR LOGIN reader; GRANT SELECT ON SCHEMA::dbo TO reader; and name that user in the URL",
}

// roleQuery returns the permissions of the session's user beyond reading. As every session may write, each
// is refused.
const roleQuery = `SELECT what, CAST(1 AS bit) AS refused FROM (
SELECT 1 AS n, 'has the permission ' + permission_name AS what FROM sys.fn_my_permissions(NULL, 'SERVER')
WHERE permission_name NOT IN ('CONNECT SQL', 'CONNECT ANY DATABASE', 'SELECT ALL USER SECURABLES')
	AND permission_name NOT LIKE 'VIEW %'
UNION SELECT 2, 'has the permission ' + permission_name + ' on the database' FROM sys.fn_my_permissions(NULL, 'DATABASE')
WHERE permission_name NOT IN ('CONNECT', 'SELECT', 'EXECUTE', 'REFERENCES', 'SHOWPLAN', 'UNMASK')
	AND permission_name NOT LIKE 'VIEW %'
UNION SELECT 3, 'may write to ' + CAST(COUNT(*) AS varchar(20)) + ' tables' FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V') AND (HAS_PERMS_BY_NAME(QUOTENAME(s.name) + '.' + QUOTENAME(o.name), 'OBJECT', 'INSERT') = 1
	OR HAS_PERMS_BY_NAME(QUOTENAME(s.name) + '.' + QUOTENAME(o.name), 'OBJECT', 'UPDATE') = 1
	OR HAS_PERMS_BY_NAME(QUOTENAME(s.name) + '.' + QUOTENAME(o.name), 'OBJECT', 'DELETE') = 1) HAVING COUNT(*) > 0
) AS found ORDER BY n, what`

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, NULBytes: true, Source: true}

// errWrites is the error of all operations that write.
var errWrites = driverbase.ReadOnlyError("sqlserver", "SQL Server", "it")

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

// Conn is a connection to one database. It is a [driver.Conn] and a [driver.Describer].
type Conn struct {
	address *address
	mem     memory.Allocator
	room    chan struct{} // has one element for each open session
}

var (
	_ driver.Conn      = (*Conn)(nil)
	_ driver.Describer = (*Conn)(nil)
)

// Query runs one query, and streams its result.
func (c *Conn) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	values, err := arguments(args)
	if err == nil {
		err = reads(query)
	}
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

// reads returns an error if the SQL is not one query, in whatever way the server may read it.
func reads(query string) error {
	invalid := errcode.New(errcode.InvalidArgument, "sqlserver: the SQL text is not a query; expected one query")
	if strings.TrimSpace(query) == "" || strings.Contains(query, "\x00") {
		return invalid
	}
	first := sqlparts.Parse(query, sqlparts.TSQL)
	for _, script := range append([]*sqlparts.Script{first}, first.OtherReadings()...) {
		switch {
		case len(script.Statements) == 0, len(script.Statements) == 1 && script.Statements[0].Kind == sqlparts.KindOther:
			return invalid
		case len(script.Statements) > 1:
			return errcode.New(errcode.PermissionDenied,
				"sqlserver: the statement was not run: the SQL text has several statements; expected one query")
		case script.Statements[0].Kind != sqlparts.KindQuery || script.Effects()&^sqlparts.Reads != 0:
			return errcode.New(errcode.PermissionDenied, "sqlserver: the statement was not run: badger only reads SQL Server")
		}
	}
	return nil
}

// arguments returns the arguments of a statement as the driver takes them.
func arguments(args []any) ([]sqldriver.NamedValue, error) {
	return driverbase.Arguments("sqlserver", args, func(t time.Time) sqldriver.Value { return t.UTC() })
}

// Exec runs one query, and discards its result.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) error {
	return driverbase.Drain(c.Query(ctx, query, args...))
}

// Merge returns an error, as writing is unsupported.
func (*Conn) Merge(context.Context, string, []string, array.RecordReader) (int64, error) {
	return 0, errWrites
}

// Describe returns whether the connection is encrypted, and where the credentials are read from.
func (c *Conn) Describe(context.Context) ([]driver.Fact, error) {
	encrypted := map[string]string{
		tlsVerify: "encrypted, and the certificate is checked", tlsStrict: "encrypted from the first byte, and the certificate is checked",
		tlsRequire: "encrypted; the certificate is not checked", tlsOff: "not encrypted",
	}
	where := cmp.Or(c.address.token.Where(), c.address.password.Where(), "the variable SQLCMDPASSWORD")
	return []driver.Fact{
		{Name: "transport", Text: encrypted[c.address.tls]},
		{Name: "credentials", Text: "read for each statement: " + where},
	}, nil
}

// ErrorCode classifies an error of the connection.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

// Close closes the connection. An open reader keeps its session until it is released.
func (*Conn) Close() error { return nil }

// connect opens a session, and waits if all are in use.
func (c *Conn) connect(ctx context.Context) (*session, error) {
	select {
	case c.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s, err := c.signIn(ctx)
	if err != nil {
		<-c.room
		return nil, c.errorOf(ctx, err)
	}
	return s, nil
}
