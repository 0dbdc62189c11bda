package snowflake

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	sf "github.com/snowflakedb/gosnowflake"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// failure is the meaning of an error number of Snowflake: its code and a message. %s in the message is replaced by the
// name in single quotes in Snowflake's message; without %s nothing of it is shown, since the quoted part may be a
// value.
type failure struct {
	code errcode.Code
	text string
}

var failures = map[int]failure{
	// Authentication and sessions.
	390100: {errcode.Unauthenticated, "user or password are not accepted"},
	390101: {errcode.Unauthenticated, "the user is locked or disabled"},
	390102: {errcode.Unauthenticated, "the user is temporarily locked; wait a quarter of an hour"},
	390104: {errcode.Unauthenticated, "the session is gone"},
	390108: {errcode.Unauthenticated, "the connection of the session is gone"},
	390110: {errcode.Unauthenticated, "the session is gone"},
	390111: {errcode.Unauthenticated, "the session is gone"},
	390112: {errcode.Unauthenticated, "the session has expired"},
	390113: {errcode.Unauthenticated, "the token is not valid"},
	390114: {errcode.Unauthenticated, "the token has expired"},
	390115: {errcode.Unauthenticated, "the token has expired"},
	390144: {errcode.Unauthenticated, "the key is not accepted: is its public half set on this user (ALTER USER … SET RSA_PUBLIC_KEY), and is the clock right?"},
	390189: {errcode.PermissionDenied, "the role does not exist or is not granted to the user"},
	390186: {errcode.PermissionDenied, "the role is not granted to the user"},
	390201: {errcode.NotFound, "the database, schema, warehouse or role of the URL does not exist or is not allowed: %s"},
	390303: {errcode.Unauthenticated, "the OAuth token is not valid"},
	390318: {errcode.Unauthenticated, "the OAuth token has expired"},
	390394: {errcode.Unauthenticated, "the programmatic access token is not valid"},
	390422: {errcode.PermissionDenied, "a network policy blocks this address"},
	390432: {errcode.PermissionDenied, "a network policy blocks this address"},
	394507: {errcode.Unauthenticated, "the user must sign in with a second factor"},

	// Names, permissions and SQL.
	603: {errcode.Internal, "an internal error of Snowflake"},
	604: {errcode.Cancelled, "the statement was cancelled"},
	606: {errcode.FailedPrecondition,
		"no warehouse is running for the session: name one with warehouse=… and grant USAGE and OPERATE on it, or resume it"},
	607: {errcode.FailedPrecondition, "the warehouse is suspended and may not be resumed: grant OPERATE on it"},
	609: {errcode.FailedPrecondition,
		"the warehouse cannot be resumed: a resource monitor or the account's limit holds it"},
	90064: {errcode.FailedPrecondition, "the warehouse cannot be resumed"},
	90073: {errcode.FailedPrecondition, "the warehouse cannot be resumed: a resource monitor has exceeded its quota"},
	625:   {errcode.Unavailable, "the statement was waiting for a lock, and another one changed the table"},
	630:   {errcode.DeadlineExceeded, "the statement took longer than STATEMENT_TIMEOUT_IN_SECONDS"},
	639:   {errcode.DeadlineExceeded, "the statement was cancelled by a time limit"},
	707: {errcode.NotFound,
		"no time travel data: the time is before the table was created, or longer ago than DATA_RETENTION_TIME_IN_DAYS"},
	709:  {errcode.NotFound, "no such statement, or its result is not for this user"},
	710:  {errcode.NotFound, "the result has expired"},
	711:  {errcode.PermissionDenied, "the result is another user's"},
	904:  {errcode.InvalidArgument, "column or name %s does not exist"},
	979:  {errcode.InvalidArgument, "a column is neither grouped by nor aggregated"},
	1003: {errcode.InvalidArgument, "syntax error"},
	1007: {errcode.InvalidArgument, "an argument of a function has the wrong type"},
	1044: {errcode.InvalidArgument, "a function has arguments of the wrong types"},
	1063: {errcode.PermissionDenied, "an object does not exist or is not allowed"},
	2002: {errcode.AlreadyExists, "%s already exists"},
	2003: {errcode.NotFound, "%s does not exist or is not allowed to this role"},
	2031: {errcode.NotFound, "the warehouse does not exist or is not allowed to this role"},
	2043: {errcode.NotFound, "an object does not exist, or the operation on it is not allowed to this role"},
	2049: {errcode.InvalidArgument, "a parameter of the statement is not given"},
	2140: {errcode.NotFound, "unknown function %s"},
	2141: {errcode.NotFound, "unknown function %s"},
	3001: {errcode.PermissionDenied, "the role may not do that to %s"},
	3041: {errcode.PermissionDenied, "the role may not do that to %s"},
	3540: {errcode.PermissionDenied, "the role may not do that"},
	90105: {errcode.FailedPrecondition,
		"no database is chosen: expected snowflake://ACCOUNT/DATABASE/SCHEMA, or names of three parts"},
	90106: {errcode.FailedPrecondition,
		"no schema is chosen: expected snowflake://ACCOUNT/DATABASE/SCHEMA, or names of three parts"},
	100035: {errcode.InvalidArgument, "a value is not a timestamp"},
	100038: {errcode.InvalidArgument, "a value is not a number"},
	100037: {errcode.InvalidArgument, "a value is not a boolean"},
	100039: {errcode.InvalidArgument, "a number has too many digits for its type"},
	100040: {errcode.InvalidArgument, "a value is not a date"},
	100051: {errcode.InvalidArgument, "division by zero"},
	100069: {errcode.InvalidArgument, "a value is not JSON"},
	100072: {errcode.InvalidArgument, "NULL in a NOT NULL column"},
	100078: {errcode.InvalidArgument, "a string is longer than its column allows"},
	100082: {errcode.InvalidArgument, "a value is larger than Snowflake allows"},
	100090: {errcode.Internal, "several rows for one key in a MERGE"},
	100129: {errcode.InvalidArgument, "a parameter of the statement is not given"},
	100132: {errcode.InvalidArgument, "JavaScript of a function failed"},
	100183: {errcode.FailedPrecondition, "a git or external object is not available"},

	// The driver's own errors.
	sf.ErrCodeServiceUnavailable: {errcode.Unavailable, "the service does not answer"},
	sf.ErrCodeFailedToConnect:    {errcode.Unauthenticated, "the account refuses the connection: is its name right?"},
	sf.ErrFailedToPostQuery:      {errcode.Unavailable, "the service rejects the statement"},
	sf.ErrFailedToRenewSession:   {errcode.Unauthenticated, "the session cannot be renewed"},
	sf.ErrFailedToAuth: {errcode.Unauthenticated,
		"the account does not answer as Snowflake does: is its name right?"},
	sf.ErrFailedToGetChunk: {errcode.Unavailable,
		"a part of the result cannot be downloaded: its link may have expired"},
	sf.ErrQueryStatus:              {errcode.NotFound, "no such statement, or it is not for this user"},
	sf.ErrQueryReportedError:       {errcode.FailedPrecondition, "the statement has failed"},
	sf.ErrCodeFailedToParseHost:    {errcode.InvalidArgument, "the host is invalid"},
	sf.ErrCodePrivateKeyParseError: {errcode.Unauthenticated, "the private key cannot be read"},
}

// goneNumbers are the error numbers that mean that the session has ended and the statement was not run.
var goneNumbers = map[int]bool{390104: true, 390108: true, 390110: true, 390111: true, 390112: true, 390113: true,
	390114: true, 390115: true, sf.ErrFailedToRenewSession: true}

func sessionGone(err error) bool { return goneNumbers[number(err)] }

// number returns the number of an error of Snowflake or its driver, or 0 for other errors.
func number(err error) int {
	var se *sf.SnowflakeError
	if errors.As(err, &se) {
		return se.Number
	}
	return 0
}

// errorOf converts an error of the driver to one with a code, the names in it and the query's ID, without values and
// SQL text. The whole error is the cause.
func (c *Conn) errorOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.config.errorOf(err)
}

func (c *Config) errorOf(err error) error {
	if errcode.Of(err) != errcode.Unknown {
		return err
	}
	where := "snowflake: account " + c.endpoint() + ": "
	var se *sf.SnowflakeError
	if !errors.As(err, &se) {
		code, text := transportFailure(err)
		return &errcode.Error{Code: code, Msg: where + text, Err: err}
	}
	code, text := said(se)
	if se.QueryID != "" && isQueryID(se.QueryID) {
		text += " (query " + se.QueryID + ")"
	}
	return &errcode.Error{Code: code, Msg: where + text, Err: err}
}

// loginError is errorOf for authentication, whose errors also contain the user and the method.
func (c *Config) loginError(err error) error {
	e := c.errorOf(err)
	var coded *errcode.Error
	if errors.As(e, &coded) && coded.Code == errcode.Unauthenticated && c.User != "" {
		coded.Msg += " (user " + c.User + ", auth=" + string(c.Auth) + ")"
	}
	return e
}

var (
	quotedName = lazyregexp.New(`'((?:[^']|'')*)'`)
	unknownFn  = lazyregexp.New(`(?i)function ([\w.$"]+)`)
	lineOf     = lazyregexp.New(`line (\d+)`)
)

// said returns the code and the message for an error of Snowflake.
func said(se *sf.SnowflakeError) (errcode.Code, string) {
	f, known := failures[se.Number]
	if !known {
		f = byState(se)
	}
	message := se.Message
	if strings.Contains(f.text, "%s") {
		name := "a name"
		if m := quotedName.FindStringSubmatch(message); m != nil {
			name = m[1]
		} else if m := unknownFn.FindStringSubmatch(message); m != nil && (se.Number == 2140 || se.Number == 2141) {
			name = m[1]
		}
		f.text = strings.Replace(f.text, "%s", name, 1)
	}
	if m := lineOf.FindStringSubmatch(message); m != nil && se.Number >= 900 && se.Number < 3000 {
		f.text += " (line " + m[1] + " of the SQL text)"
	}
	return f.code, f.text
}

// byState classifies an error by words in its message, which is not shown, else by its number or SQLSTATE.
func byState(se *sf.SnowflakeError) failure {
	text := fmt.Sprintf("error %06d of Snowflake", se.Number)
	message := strings.ToLower(se.Message)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(message, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("insufficient privileges", "not authorized to"):
		return failure{errcode.PermissionDenied, "the role may not do that (" + text + ")"}
	case has("has expired") && has("result"):
		return failures[710]
	case has("not belong to", "another user"):
		return failures[711]
	case has("no active warehouse", "suspended"):
		return failures[606]
	case has("too many requests", "too many queries", "too many sessions", "too many concurrent", "throttl", "rate limit",
		"concurrency limit", "queued statements", "http status: 429"):
		return failure{errcode.Unavailable, "too many requests (" + text + "); send fewer requests at a time, or retry later"}
	case has("resource monitor", "exceeded its quota", "quota exceeded", "quota has been exceeded"):
		return failure{errcode.FailedPrecondition,
			"a quota of the account is used up (" + text + "); wait until it is renewed, or have it raised"}
	}
	if se.Number >= 390000 && se.Number < 395000 {
		return failure{errcode.Unauthenticated, "signing in failed (" + text + ")"}
	}
	code := driverbase.SQLState(se.SQLState)
	if words := stateTexts[code]; words != "" {
		text = words + " (" + text + ")"
	}
	if code == errcode.Unknown {
		code = errcode.Internal
	}
	return failure{code, text}
}

// stateTexts are the messages for codes of SQLSTATEs.
var stateTexts = map[errcode.Code]string{
	errcode.PermissionDenied: "the role may not do that", errcode.Unauthenticated: "signing in failed",
	errcode.NotFound:           "something named does not exist or is not allowed",
	errcode.FailedPrecondition: "the account or the warehouse has not enough of something, or is not in the state for that",
	errcode.AlreadyExists:      "an object of that name already exists",
	errcode.Unimplemented:      "Snowflake does not offer that",
	errcode.InvalidArgument:    "the statement or a value in it is not accepted",
}

var httpStatus = lazyregexp.New(`HTTP Status: (\d{3})`)

// transportFailure classifies an error that is not from Snowflake. gosnowflake 1.19.1 has the HTTP status of the last
// attempt only in the error text.
func transportFailure(err error) (errcode.Code, string) {
	if m := httpStatus.FindStringSubmatch(err.Error()); m != nil {
		if m[1] == "429" {
			return errcode.Unavailable, "too many requests (HTTP 429); send fewer requests at a time, or retry later"
		}
		return errcode.Unavailable, "the service does not answer (HTTP " + m[1] + ")"
	}
	code, text := driverbase.Transport(err)
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return code, text + ": is the account's name right?"
	case code != errcode.Unknown:
		return code, text
	case strings.Contains(err.Error(), "x509"), strings.Contains(err.Error(), "certificate"):
		// the driver keeps only the text of the error
		return errcode.Unauthenticated, "its certificate is not trusted"
	case strings.Contains(err.Error(), "invalid character"), strings.Contains(err.Error(), "cannot unmarshal"):
		return errcode.Unavailable, "it does not answer as Snowflake does"
	}
	return errcode.Unavailable, "no connection"
}
