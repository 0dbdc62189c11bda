package postgres

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/internal/errcode"
)

// failure is what a SQLSTATE means. %s in the text is a name from the server's message, which is a
// name of the schema's or of the statement's, never a value.
type failure struct {
	code errcode.Code
	text string
}

// failures are by SQLSTATE, see "PostgreSQL Error Codes" in PostgreSQL's documentation; those of
// two characters are the class's.
var failures = map[string]failure{
	"08":    {errcode.Unavailable, "the connection failed"},
	"0A":    {errcode.Unimplemented, "the server does not offer that"},
	"0L":    {errcode.PermissionDenied, "the role may not grant that"},
	"0P":    {errcode.PermissionDenied, "there is no such role"},
	"21":    {errcode.InvalidArgument, "a query gives more rows than are taken"},
	"22":    {errcode.InvalidArgument, "a value is not accepted"},
	"22001": {errcode.InvalidArgument, "a text is longer than its type takes"},
	"22003": {errcode.InvalidArgument, "a number is outside the range of its type"},
	"22007": {errcode.InvalidArgument, "a value is no date or time"},
	"22008": {errcode.InvalidArgument, "a date or time is outside the range of its type"},
	"22012": {errcode.InvalidArgument, "division by zero"},
	"22021": {errcode.InvalidArgument, "a text is not in the database's encoding"},
	"22P02": {errcode.InvalidArgument, "a text does not have the form that its type wants"},
	"22P05": {errcode.InvalidArgument, "a character does not exist in the other encoding"},
	"23":    {errcode.InvalidArgument, "a constraint does not allow that"},
	"23502": {errcode.InvalidArgument, "NULL in a column that takes none"},
	"23503": {errcode.FailedPrecondition, "a foreign key does not allow that"},
	"23505": {errcode.AlreadyExists, "there is a row of that key already"},
	"25":    {errcode.FailedPrecondition, "the transaction does not allow that"},
	"25006": {errcode.PermissionDenied, "nothing may be written: the connection, the server (a standby?) or the database only reads"},
	"2BP01": {errcode.FailedPrecondition, "something else needs it: %s"},
	"28":    {errcode.Unauthenticated, "signing in is refused: are user, password and pg_hba.conf right?"},
	"2F":    {errcode.InvalidArgument, "a function failed"},
	"34":    {errcode.InvalidArgument, "there is no such cursor"},
	"3D":    {errcode.NotFound, "there is no such database"},
	"3F":    {errcode.NotFound, "there is no schema %s"},
	"40":    {errcode.Unavailable, "another transaction was in the way; try again"},
	"42":    {errcode.InvalidArgument, "the statement is not accepted"},
	"42501": {errcode.PermissionDenied, "the role may not do that (%s)"},
	"42601": {errcode.InvalidArgument, "the SQL text cannot be read"},
	"42602": {errcode.InvalidArgument, "a name is not accepted"},
	"42622": {errcode.InvalidArgument, "a name is too long"},
	"42701": {errcode.AlreadyExists, "there is a column %s already"},
	"42702": {errcode.InvalidArgument, "the column %s is ambiguous"},
	"42703": {errcode.InvalidArgument, "there is no column %s"},
	"42704": {errcode.InvalidArgument, "there is no %s"},
	"42710": {errcode.AlreadyExists, "%s is there already"},
	"42712": {errcode.InvalidArgument, "the name %s is used twice"},
	"42723": {errcode.AlreadyExists, "there is a function %s already"},
	"42803": {errcode.InvalidArgument, "columns are neither grouped nor aggregated (%s)"},
	"42804": {errcode.InvalidArgument, "types do not go together"},
	"42846": {errcode.InvalidArgument, "one type cannot be cast to the other"},
	"42883": {errcode.InvalidArgument, "there is no function or operator %s for these types"},
	"42P01": {errcode.NotFound, "there is no table %s"},
	"42809": {errcode.InvalidArgument, "%s is an object of another kind"},
	"42P02": {errcode.InvalidArgument, "there is no parameter %s"},
	"42P06": {errcode.AlreadyExists, "there is a schema %s already"},
	"42P07": {errcode.AlreadyExists, "there is a table %s already"},
	"42P18": {errcode.InvalidArgument, "the type of a parameter cannot be told; cast it"},
	"44":    {errcode.InvalidArgument, "a view does not take that row"},
	"53":    {errcode.ResourceExhausted, "the server has not enough of something"},
	"53100": {errcode.ResourceExhausted, "the server's disk is full"},
	"53200": {errcode.ResourceExhausted, "the server is out of memory"},
	"53300": {errcode.ResourceExhausted, "the server has too many connections"},
	"54":    {errcode.ResourceExhausted, "the statement is larger or more complex than the server takes"},
	"55":    {errcode.FailedPrecondition, "the state of something named does not allow that"},
	"55P03": {errcode.Unavailable, "a lock could not be had"},
	"57":    {errcode.Unavailable, "somebody intervened"},
	"57014": {errcode.Unavailable, "somebody cancelled the statement on the server"},
	"57P01": {errcode.Unavailable, "the server is shutting down, or an administrator ended the session"},
	"57P02": {errcode.Unavailable, "the server crashed"},
	"57P03": {errcode.Unavailable, "the server does not take connections now"},
	"57P04": {errcode.NotFound, "the database was dropped"},
	"57P05": {errcode.Unavailable, "the session was idle for too long"},
	"58":    {errcode.Unavailable, "the server's system failed"},
	"72":    {errcode.Unavailable, "the snapshot is too old"},
	"F0":    {errcode.Internal, "the server's configuration file fails"},
	"HV":    {errcode.Unavailable, "a foreign table cannot be read"},
	"P0":    {errcode.InvalidArgument, "a function raised an error"},
	"XX":    {errcode.Unavailable, "the server failed inside"},
	"XX001": {errcode.DataLoss, "the server's data are damaged"},
	"XX002": {errcode.DataLoss, "an index of the server's is damaged"},
}

var (
	quotedName  = regexp.MustCompile(`["“„«]([^"“”„«»]*)["“”»]`)
	functionOf  = regexp.MustCompile(`(?:function|procedure|operator)\s+(?:does not exist:\s*)?([^\s(]+)`)
	columnOf    = regexp.MustCompile(`column ([\w.$]+)`)
	permission  = regexp.MustCompile(`permission denied (?:for|to) ([a-z ]+?) "?([\w.$]+)"?$`)
	parameterOf = regexp.MustCompile(`\$\d+`)
)

// nameIn finds the name in a message; where there is none, or not for sure, the text does without.
func nameIn(pe *pgconn.PgError) string {
	m := pe.Message
	switch pe.Code {
	case "42501":
		if p := permission.FindStringSubmatch(m); p != nil {
			return p[1] + " " + p[2]
		}
	case "42883":
		if p := functionOf.FindStringSubmatch(m); p != nil {
			return p[1]
		}
	case "2BP01": // one line for each object, such as: view a depends on view b
		if first, _, _ := strings.Cut(pe.Detail, "\n"); first != "" {
			return first
		}
		return "the server does not say what"
	case "42P02":
		return parameterOf.FindString(m)
	}
	if p := quotedName.FindStringSubmatch(m); p != nil {
		return p[1]
	}
	if p := columnOf.FindStringSubmatch(m); p != nil {
		return p[1]
	}
	return "of that name"
}

func asServerError(err error) (*pgconn.PgError, bool) {
	var pe *pgconn.PgError
	return pe, errors.As(err, &pe)
}

// errorOf makes an error of the driver's: its kind, the names in it and its SQLSTATE, without
// values and SQL text. The whole error is the cause.
func (c *Conn) errorOf(ctx context.Context, err error) error {
	var coded *errcode.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &coded):
		return err
	}
	where := "postgres: " + c.where + ": "
	pe, server := asServerError(err)
	if !server {
		code, text := c.transportFailure(err)
		return &errcode.Error{Code: code, Msg: where + text, Err: err}
	}
	f, ok := failures[pe.Code]
	if !ok && len(pe.Code) == 5 {
		f, ok = failures[pe.Code[:2]]
	}
	if !ok {
		f = failure{errcode.Internal, "the server reports an error"}
	}
	switch {
	case pe.Code == "57014" && strings.Contains(pe.Message, "timeout"):
		f = failure{errcode.DeadlineExceeded, "the statement took longer than the server's statement_timeout allows"}
	case c.redshift && strings.Contains(pe.Message, "erializable isolation violation"):
		f = failures["40"]
	case c.redshift && pe.Code == "XX000" && strings.Contains(pe.Message, "Assert"):
		f = failure{errcode.Internal, "the server failed inside"}
	}
	text := strings.Replace(f.text, "%s", nameIn(pe), 1)
	return &errcode.Error{Code: f.code, Msg: where + text + " (SQLSTATE " + pe.Code + ")", Err: err}
}

// transportFailure classifies what went wrong on the way.
func (c *Conn) transportFailure(err error) (errcode.Code, string) {
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		expired   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &dns):
		return errcode.Unavailable, "its host is not known"
	case errors.As(err, &authority), errors.As(err, &hostname), errors.As(err, &expired):
		return errcode.Unauthenticated, "its certificate is not accepted; sslrootcert=FILE names the authority's"
	case strings.Contains(err.Error(), "server refused TLS"):
		return errcode.Unauthenticated, "it takes no encrypted connections, which sslmode asks for"
	case strings.Contains(err.Error(), "closed pool"):
		return errcode.FailedPrecondition, "the connection is closed"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errcode.Unavailable, "the connection was lost"
	}
	var opened *pgconn.ConnectError
	if errors.As(err, &opened) {
		return errcode.Unavailable, "nobody answers there"
	}
	return errcode.Unavailable, "the connection was lost"
}
