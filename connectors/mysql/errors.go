package mysql

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// kinds are the error numbers with a meaning that their SQLSTATE does not have.
var kinds = map[uint16]struct {
	code errcode.Code
	text string // %s is the first name in the server's message
}{
	1040: {errcode.Unavailable, "the server has as many sessions as it may have (max_connections)"},
	1044: {errcode.PermissionDenied, "the user has no access to the database"},
	1045: {errcode.Unauthenticated, "signing in is refused: are user, password and the host that the user may connect from right?"},
	1049: {errcode.NotFound, "the database does not exist"},
	1051: {errcode.NotFound, "table %s does not exist"},
	1052: {errcode.InvalidArgument, "the column %s is ambiguous"},
	1054: {errcode.InvalidArgument, "column %s does not exist"},
	1064: {errcode.InvalidArgument, "the SQL text cannot be read"},
	1065: {errcode.InvalidArgument, "the SQL text is empty; expected a query"},
	1104: {errcode.ResourceExhausted, "the query would examine more rows than max_join_size allows"},
	1109: {errcode.NotFound, "table %s does not exist"},
	1128: {errcode.NotFound, "function %s does not exist"},
	1142: {errcode.PermissionDenied, "the user may not read the %s"},
	1143: {errcode.PermissionDenied, "the user may not read the %s"},
	1146: {errcode.NotFound, "table %s does not exist"},
	1153: {errcode.ResourceExhausted, "a row or the statement is larger than the server's max_allowed_packet"},
	1203: {errcode.Unavailable, "the user has as many sessions as it may have (max_user_connections)"},
	1205: {errcode.Unavailable, "a lock could not be had"},
	1213: {errcode.Unavailable, "another transaction was in the way; try again"},
	1226: {errcode.Unavailable, "the user has used up a resource that it may have"},
	1227: {errcode.PermissionDenied, "the statement needs a privilege that the user does not have"},
	1290: {errcode.PermissionDenied, "the server's settings do not allow the statement"},
	1295: {errcode.Unimplemented, "the statement cannot be prepared; expected a query"},
	1305: {errcode.NotFound, "function %s does not exist"},
	1317: {errcode.Unavailable, "the statement was ended on the server"},
	1370: {errcode.PermissionDenied, "the user may not call the %s, or it does not exist"},
	1698: {errcode.Unauthenticated, "signing in is refused: are user, password and the host that the user may connect from right?"},
	1792: {errcode.PermissionDenied, "badger only reads MySQL and MariaDB"},
	1836: {errcode.PermissionDenied, "the server only reads"},
	1927: {errcode.Unavailable, "the statement was ended on the server"},
	1969: {errcode.DeadlineExceeded, "the statement took longer than the server's max_statement_time allows"},
	3024: {errcode.DeadlineExceeded, "the statement took longer than the server's max_execution_time allows"},
	3118: {errcode.Unauthenticated, "the account is locked"},
	4031: {errcode.Unavailable, "the session was idle for too long"},
}

// crowded reports whether the server allows no further session now.
func crowded(err error) bool {
	var said *mysql.MySQLError
	return errors.As(err, &said) && (said.Number == 1040 || said.Number == 1203 ||
		said.Number == 1226 && strings.Contains(said.Message, "'max_user_connections'"))
}

// errorOf converts an error of the driver to one with a code, the names in it and its number, without values and SQL
// text. The whole error is the cause.
func (c *Conn) errorOf(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case driverbase.Told(err):
		return err
	}
	where := "mysql: " + c.address.where() + ": "
	var said *mysql.MySQLError
	if !errors.As(err, &said) {
		code, text := c.transportFailure(err)
		return errcode.Because(err, code, "%s%s", where, text)
	}
	kind, known := kinds[said.Number]
	if !known {
		kind.code, kind.text = driverbase.SQLState(string(said.SQLState[:])), "the server reports an error"
		if kind.code == errcode.Unknown {
			kind.code = errcode.InvalidArgument // HY000: most are about the statement
		}
	}
	return errcode.Because(err, kind.code, "%s%s (error %d)", where,
		strings.Replace(kind.text, "%s", nameIn(said.Message), 1), said.Number)
}

// nameIn returns the first name in a message of the server, such as Table 'shop.sale' doesn't exist. It is called for
// messages that contain no values.
func nameIn(message string) string {
	if rest, ok := strings.CutPrefix(message, "FUNCTION "); ok {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	if _, rest, denied := strings.Cut(message, " denied to user "); denied {
		_, name, _ := strings.Cut(rest, " for ")
		return name
	}
	_, rest, _ := strings.Cut(message, "'")
	name, _, closed := strings.Cut(rest, "'")
	if !closed {
		return "of that name"
	}
	return name
}

// transportFailure classifies an error that is not from the server.
func (c *Conn) transportFailure(err error) (errcode.Code, string) {
	code, text := driverbase.Transport(err)
	switch {
	case errors.Is(err, mysql.ErrNoTLS):
		return errcode.Unauthenticated, "it does not support encryption; tls=off in the URL connects without"
	case code == errcode.Unauthenticated:
		return code, text + "; tls_ca=FILE in the URL names the authority's"
	case errors.Is(err, mysql.ErrCleartextPassword):
		return errcode.Unauthenticated, "the user's password must be sent in plain text, which needs tls=verify"
	case errors.Is(err, mysql.ErrUnknownPlugin), errors.Is(err, mysql.ErrOldPassword),
		errors.Is(err, mysql.ErrNativePassword):
		return errcode.Unauthenticated, "the user's method of authentication is not supported"
	case errors.Is(err, mysql.ErrPktTooLarge):
		return errcode.ResourceExhausted, "the statement is larger than 64 MiB"
	case code != errcode.Unknown:
		return code, text
	case errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, sqldriver.ErrBadConn), errors.Is(err, io.ErrClosedPipe),
		errors.Is(err, net.ErrClosed):
		return errcode.Unavailable, "the connection was lost"
	}
	return cmp.Or(code, errcode.Unavailable), "the server's reply cannot be read"
}
