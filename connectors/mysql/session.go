package mysql

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/go-sql-driver/mysql"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// link is a connection of the driver.
type link interface {
	sqldriver.Conn
	sqldriver.ConnPrepareContext
	sqldriver.QueryerContext
	sqldriver.ExecerContext
}

// session is a session of the server, which runs one statement.
type session struct {
	db     *Conn
	link   link
	net    *driverbase.CountedConn
	id     int64  // of the connection, on the server
	server string // identifies the server that the id belongs to
	rows   sqldriver.Rows
	failed bool // the server ended the statement with an error
}

// times of calls that badger makes for itself.
const (
	signInTime = 30 * time.Second
	killTime   = 5 * time.Second
	grace      = 5 * time.Second // after the caller's deadline, until the server stops a statement whose caller is gone
)

// dial connects and signs in, and returns the driver's connection. Settings of the server are left as they are.
func (c *Conn) dial(ctx context.Context) (link, *driverbase.CountedConn, error) {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	a := c.address
	password, named, err := a.password.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !named {
		password = os.Getenv("MYSQL_PWD")
	}
	var counted *driverbase.CountedConn
	config := mysql.NewConfig()
	config.User, config.Passwd, config.DBName = a.user, password, a.database
	config.Net, config.Addr = a.dial()
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, address)
		counted = &driverbase.CountedConn{Conn: conn}
		return counted, err
	}
	if config.TLS, err = a.encryption(); err != nil {
		return nil, nil, err
	}
	// A password in plain text, such as a token of a cloud's directory, is only sent to a server that is known.
	config.AllowCleartextPasswords = a.tls == tlsVerify
	config.CheckConnLiveness = false
	config.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, nil, err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	return conn.(link), counted, nil //nolint:forcetypeassert // the driver's connections are
}

// identity is a query for what identifies the server, the connection and the program.
const identity = "SELECT CONCAT_WS(' ', @@hostname, @@port, @@server_id), CONNECTION_ID(), VERSION()"

// signIn opens a session that only reads, and whose statements end after the deadline of ctx.
func (c *Conn) signIn(ctx context.Context) (_ *session, err error) {
	defer driverbase.Recovered(&err)
	s := &session{db: c}
	if s.link, s.net, err = c.dial(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.link.Close() //nolint:errcheck,gosec // the first error counts
		}
	}()
	var version string
	if s.server, s.id, version, err = identify(ctx, s.link); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.version = version
	c.mu.Unlock()
	readOnly, limit, second := "transaction_read_only", "max_execution_time", 1000.0
	if strings.Contains(version, "MariaDB") {
		readOnly, limit, second = "tx_read_only", "max_statement_time", 1.0
	}
	settings := "SET NAMES utf8mb4, time_zone = '+00:00', " + readOnly + " = 1"
	if deadline, ok := ctx.Deadline(); ok {
		n := strconv.FormatFloat(max(0.001, (time.Until(deadline)+grace).Seconds())*second, 'f', 0, 64)
		settings += fmt.Sprintf(", %[1]s = IF(@@%[1]s > 0 AND @@%[1]s < %[2]s, @@%[1]s, %[2]s)", limit, n)
	}
	_, err = s.link.ExecContext(ctx, settings, nil)
	return s, err
}

// identify returns the row of the query identity.
func identify(ctx context.Context, conn link) (server string, id int64, version string, err error) {
	rows, err := conn.QueryContext(ctx, identity, nil)
	if err != nil {
		return "", 0, "", err
	}
	defer rows.Close() //nolint:errcheck // only read
	row := make([]sqldriver.Value, 3)
	if err := rows.Next(row); err != nil {
		return "", 0, "", err
	}
	server, version = fmt.Sprintf("%s", row[0]), fmt.Sprintf("%s", row[2])
	switch v := row[1].(type) {
	case int64:
		id = v
	case []byte:
		id, err = strconv.ParseInt(string(v), 10, 64)
	}
	return server, id, version, err
}

// query prepares and runs a statement, and returns its rows. The caller closes the session after an error.
func (s *session) query(ctx context.Context, query string, args []sqldriver.NamedValue) (_ array.RecordReader,
	err error) {
	defer func() { err = s.errorOf(ctx, err) }()
	defer driverbase.Recovered(&err)
	s.net.Count(ctx, account.ReadingOf(ctx))
	statement, err := s.link.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if n := statement.NumInput(); n != len(args) {
		s.failed = true
		return nil, errcode.New(errcode.InvalidArgument, "mysql: %d arguments for %d parameters", len(args), n)
	}
	if s.rows, err = statement.(sqldriver.StmtQueryContext).QueryContext(ctx, args); err != nil { //nolint:forcetypeassert // the driver's statements are
		return nil, err
	}
	columns, err := columnsOf(s.rows)
	if err != nil {
		return nil, err
	}
	r := &driverbase.Rows{Rows: s.rows, Columns: columns, Mem: s.db.mem, Failed: s.errorOf, End: s.end}
	return r.Reader(ctx), nil
}

// errorOf converts an error of the session's statement.
func (s *session) errorOf(ctx context.Context, err error) error {
	var said *mysql.MySQLError
	s.failed = s.failed || errors.As(err, &said)
	return s.db.errorOf(ctx, err)
}

// end closes the session. all reports that all rows were read. If the statement may still run, it is killed.
func (s *session) end(all bool) {
	if all || s.failed {
		if s.rows != nil {
			s.rows.Close() //nolint:errcheck,gosec // all rows were read
		}
		s.link.Close() //nolint:errcheck,gosec // nothing was written
		<-s.db.room
		return
	}
	_ = s.net.Close() // first, as the driver would read the remaining rows
	_ = s.link.Close()
	s.db.ending.Add(1)
	go func() {
		defer s.db.ending.Done()
		s.kill()
		<-s.db.room
	}()
}

// kill stops the statement on the server, which otherwise notices only when it sends rows that its client is gone.
// Behind a balancer, the second connection may be one to another server, where the id is another client's: nothing is
// killed.
func (s *session) kill() {
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	var err error
	defer driverbase.Recovered(&err)
	conn, _, err := s.db.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // nothing was written
	if server, _, _, err := identify(ctx, conn); err == nil && server == s.server {
		_, _ = conn.ExecContext(ctx, "KILL "+strconv.FormatInt(s.id, 10), nil)
	}
}
