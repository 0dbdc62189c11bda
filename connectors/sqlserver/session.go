package sqlserver

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Time limits of the connector itself.
const (
	signInTime = time.Minute     // a serverless database may have to start
	cancelTime = 5 * time.Second // for the server to confirm that a statement is cancelled
)

// dialer connects to the server, and keeps the last connection.
type dialer struct {
	verified bool // the server's certificate is checked

	mu   sync.Mutex
	conn *driverbase.CountedConn
}

// DialContext is called by the driver, again for the server that a first one redirects to. The password is sent there
// too, so that must be a server that is known.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil && !d.verified {
		return nil, errcode.New(errcode.Unauthenticated,
			"sqlserver: the server redirects to another one, which is only followed with tls=verify or tls=strict")
	}
	var inner net.Dialer
	conn, err := inner.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.conn = &driverbase.CountedConn{Conn: conn}
	return d.conn, nil
}

// close closes the last connection.
func (d *dialer) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		_ = d.conn.Close()
	}
}

// session is a session of the server, which runs one statement.
type session struct {
	db     *Conn
	conn   *mssql.Conn
	dialer *dialer
	rows   sqldriver.Rows
	stop   func() bool // ends the watch over the caller's context
}

// signIn opens a session and starts a transaction, which closes with the session, and so is rolled back.
func (c *Conn) signIn(ctx context.Context) (_ *session, err error) {
	defer driverbase.Recovered(&err)
	a := c.address
	config := msdsn.Config{
		Host: a.host, Port: uint64(a.port), Database: a.database, User: a.user, AppName: "badger", //nolint:gosec // 16 bits
		Protocols: []string{"tcp"}, Parameters: map[string]string{}, ProtocolParameters: map[string]any{},
		Encryption: map[string]msdsn.Encryption{
			tlsVerify: msdsn.EncryptionRequired, tlsRequire: msdsn.EncryptionRequired, tlsStrict: msdsn.EncryptionStrict,
			tlsOff: msdsn.EncryptionDisabled,
		}[a.tls],
		DisableRetry: true, Encoding: msdsn.EncodeParameters{Timezone: time.UTC, GuidConversion: true},
	}
	if config.TLSConfig, err = a.encryption(); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	var connector *mssql.Connector
	if a.tokens {
		text, _, err := a.token.Read(limited)
		if err != nil {
			return nil, err
		}
		connector, err = mssql.NewSecurityTokenConnector(config,
			func(context.Context) (string, error) { return text, nil })
		if err != nil {
			return nil, err
		}
	} else {
		text, named, err := a.password.Read(limited)
		if err != nil {
			return nil, err
		}
		if config.Password = text; !named {
			config.Password = os.Getenv("SQLCMDPASSWORD")
		}
		connector = mssql.NewConnectorConfig(config)
	}
	s := &session{db: c, dialer: &dialer{verified: a.tls == tlsVerify || a.tls == tlsStrict}}
	connector.Dialer = s.dialer
	// The driver's handshake of TLS does not end with its context.
	stop := context.AfterFunc(limited, s.dialer.close)
	defer stop()
	conn, err := connector.Connect(limited)
	if err != nil {
		s.dialer.close()
		return nil, errors.Join(err, limited.Err())
	}
	s.conn = conn.(*mssql.Conn) //nolint:forcetypeassert // the driver's connections are
	if _, err = s.conn.BeginTx(limited, sqldriver.TxOptions{}); err != nil {
		s.dialer.close()
		return nil, err
	}
	return s, nil
}

// query runs a query, and returns its rows. The caller closes the session after an error.
func (s *session) query(ctx context.Context, query string, args []sqldriver.NamedValue) (_ array.RecordReader,
	err error) {
	defer func() { err = s.db.errorOf(ctx, err) }()
	defer driverbase.Recovered(&err)
	s.dialer.conn.Count(ctx, account.ReadingOf(ctx))
	// The driver cancels a statement when its context ends, and then waits for the server without a limit.
	s.stop = context.AfterFunc(ctx, func() { time.AfterFunc(cancelTime, s.dialer.close) })
	// A text of one word is a procedure to the driver unless it begins with a line break.
	statement, err := s.conn.PrepareContext(ctx, "\n"+query)
	if err != nil {
		return nil, err
	}
	if s.rows, err = statement.(sqldriver.StmtQueryContext).QueryContext(ctx, args); err != nil { //nolint:forcetypeassert // the driver's statements are
		return nil, err
	}
	if len(s.rows.Columns()) == 0 { // an error may follow
		if err := s.rows.Next(nil); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	columns, err := columnsOf(s.rows)
	if err != nil {
		return nil, err
	}
	r := &driverbase.Rows{Rows: s.rows, Columns: columns, Mem: s.db.mem, Failed: s.db.errorOf, End: s.end}
	return r.Reader(ctx), nil
}

// end closes the session, with which the server rolls its transaction back. all reports that all rows were read;
// otherwise the statement is cancelled.
func (s *session) end(all bool) {
	if s.stop != nil {
		s.stop()
	}
	go func() {
		defer func() { <-s.db.room }()
		defer s.dialer.close()
		if s.rows == nil || all {
			return
		}
		late := time.AfterFunc(cancelTime, s.dialer.close)
		defer late.Stop()
		var err error
		defer driverbase.Recovered(&err)
		_ = s.rows.Close()
	}()
}
