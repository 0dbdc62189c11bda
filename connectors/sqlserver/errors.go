package sqlserver

import (
	"context"
	"errors"
	"strings"

	mssql "github.com/microsoft/go-mssqldb"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// kinds are the error numbers of the server that are described, see "Database Engine events and errors" in Microsoft's
// documentation.
var kinds = map[int32]struct {
	code errcode.Code
	text string // %s is the first quoted name in the server's message
}{
	102:   {errcode.InvalidArgument, "the SQL text cannot be read"},
	105:   {errcode.InvalidArgument, "a quote in the SQL text is not closed"},
	137:   {errcode.InvalidArgument, "a parameter or variable is not declared"},
	156:   {errcode.InvalidArgument, "the SQL text cannot be read"},
	195:   {errcode.NotFound, "function %s does not exist"},
	207:   {errcode.InvalidArgument, "column %s does not exist"},
	208:   {errcode.NotFound, "table %s does not exist"},
	209:   {errcode.InvalidArgument, "column %s is ambiguous"},
	229:   {errcode.PermissionDenied, "the user may not read %s"},
	230:   {errcode.PermissionDenied, "the user may not read column %s"},
	241:   {errcode.InvalidArgument, "a string is not a date or time"},
	245:   {errcode.InvalidArgument, "a value cannot be converted"},
	262:   {errcode.PermissionDenied, "the user lacks a permission in the database"},
	701:   {errcode.Unavailable, "the server is out of memory"},
	911:   {errcode.NotFound, "the database does not exist"},
	916:   {errcode.PermissionDenied, "the user has no access to the database"},
	1205:  {errcode.Unavailable, "another transaction was in the way; try again"},
	1222:  {errcode.Unavailable, "a lock could not be had"},
	3906:  {errcode.PermissionDenied, "the database only reads"},
	4060:  {errcode.NotFound, "the database does not exist, or the user has no access to it"},
	4121:  {errcode.NotFound, "function or column %s does not exist"},
	8114:  {errcode.InvalidArgument, "a value cannot be converted"},
	8134:  {errcode.InvalidArgument, "division by zero"},
	8645:  {errcode.Unavailable, "the server has not enough memory for the query now"},
	10928: {errcode.Unavailable, "the database has as many sessions or requests as it may have"},
	10929: {errcode.Unavailable, "the server is too busy"},
	18452: {errcode.Unauthenticated, "signing in is refused: the server does not accept this kind of user"},
	18456: {errcode.Unauthenticated, "signing in is refused: are user and password, or the token, right?"},
	18470: {errcode.Unauthenticated, "the account is disabled"},
	18487: {errcode.Unauthenticated, "the password has expired"},
	18488: {errcode.Unauthenticated, "the password must be changed"},
	40197: {errcode.Unavailable, "the service failed; try again"},
	40501: {errcode.Unavailable, "the service is too busy"},
	40613: {errcode.Unavailable, "the database is not available now"},
	40615: {errcode.PermissionDenied, "the firewall of the server does not admit this address"},
	49918: {errcode.Unavailable, "the service has not enough resources"},
}

var quotedName = lazyregexp.New(`'([^']*)'|"([^"]*)"`)

// errorOf converts an error of the driver to one with a code, the names in it and its number, without values and SQL
// text. The whole error is the cause.
func (c *Conn) errorOf(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case driverbase.Told(err) && !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	where := "sqlserver: " + c.address.where() + ": "
	var said mssql.Error
	if !errors.As(err, &said) {
		code, text := transportFailure(err)
		return errcode.Because(err, code, "%s%s", where, text)
	}
	kind, known := kinds[said.Number]
	switch {
	case known:
	case said.Class == 14:
		kind.code, kind.text = errcode.PermissionDenied, "the user lacks a permission"
	case said.Class >= 17:
		kind.code, kind.text = errcode.Unavailable, "the server reports a failure"
	default:
		kind.code, kind.text = errcode.InvalidArgument, "the server reports an error"
	}
	name := "of that name"
	if m := quotedName.FindStringSubmatch(said.Message); m != nil && strings.Contains(kind.text, "%s") {
		name = m[1] + m[2]
	}
	return errcode.Because(err, kind.code, "%s%s (error %d)", where, strings.Replace(kind.text, "%s", name, 1),
		said.Number)
}

// transportFailure classifies an error that is not from the server. The driver passes the text of some causes on and
// not the errors themselves.
func transportFailure(err error) (errcode.Code, string) {
	code, text := driverbase.Transport(err)
	message := err.Error()
	switch {
	case code == errcode.Unauthenticated, strings.Contains(message, "x509: "), strings.Contains(message, "certificate"):
		return errcode.Unauthenticated, "its certificate is not trusted; tls_ca=FILE in the URL names the authority's"
	case strings.Contains(message, "server does not support encryption"), strings.Contains(message, "TLS Handshake"):
		return errcode.Unauthenticated, "it does not support the encryption that the URL asks for (tls)"
	case errors.Is(err, context.DeadlineExceeded):
		return errcode.Unavailable, "the server does not answer"
	case code != errcode.Unknown:
		return code, text
	}
	return errcode.Unavailable, "the connection was lost"
}
