package postgres

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// texts describe SQLSTATEs, see "PostgreSQL Error Codes" in PostgreSQL's documentation; keys of two characters are
// classes. %s is a name from the server's message, which is a name of the schema or of the statement, never a
// value.
var texts = map[string]string{
	"08":    "the connection failed",
	"0A":    "the server does not offer that",
	"0L":    "the role may not grant that",
	"0P":    "there is no such role",
	"21":    "a query gives more rows than are taken",
	"22":    "a value is not accepted",
	"22001": "a string is longer than its type allows",
	"22003": "a number is outside the range of its type",
	"22007": "a value is not a date or time",
	"22008": "a date or time is outside the range of its type",
	"22012": "division by zero",
	"22021": "a string is not in the database's encoding",
	"22P02": "a string does not have the format of its type",
	"22P05": "a character does not exist in the other encoding",
	"23":    "a constraint does not allow that",
	"23502": "NULL in a NOT NULL column",
	"23503": "a foreign key does not allow that",
	"23505": "there is a row of that key already",
	"25":    "the transaction does not allow that",
	"25001": "the statement does not run inside a transaction, as a query does",
	"2D":    "the statement ends a transaction, which a query may not do",
	"25006": "nothing may be written: the connection, the server (a standby?) or the database only reads",
	"2BP01": "something else needs it: %s",
	"28":    "signing in is refused: are user, password and pg_hba.conf right?",
	"2F":    "a function failed",
	"34":    "there is no such cursor",
	"3D":    "there is no such database",
	"3F":    "there is no schema %s",
	"40":    "another transaction was in the way; try again",
	"42":    "the statement is not accepted",
	"42501": "the role may not do that (%s)",
	"42601": "the SQL text cannot be read",
	"42602": "a name is not accepted",
	"42622": "a name is too long",
	"42701": "there is a column %s already",
	"42702": "the column %s is ambiguous",
	"42703": "there is no column %s",
	"42704": "there is no object %s",
	"42710": "%s already exists",
	"42712": "duplicate name %s",
	"42723": "there is a function %s already",
	"42803": "columns are neither grouped nor aggregated (%s)",
	"42804": "types do not go together",
	"42846": "one type cannot be cast to the other",
	"42883": "there is no function or operator %s for these types",
	"42P01": "there is no table %s",
	"42809": "%s is an object of another kind",
	"42P02": "there is no parameter %s",
	"42P06": "there is a schema %s already",
	"42P07": "there is a table %s already",
	"42P18": "the type of a parameter is unknown; cast it",
	"44":    "a view does not take that row",
	"53":    "the server has not enough of something",
	"53100": "the server's disk is full",
	"53200": "the server is out of memory",
	"53300": "the server, the database, the role or a pooler has as many sessions as it may have: end some, raise the limit (max_connections, CONNECTION LIMIT, the pooler's), or have fewer asked for by pool_max_conns=N in the URL",
	"53400": "a limit of the server's configuration is reached, such as temp_file_limit",
	"54":    "the statement is larger or more complex than the server takes",
	"55":    "the state of something named does not allow that",
	"55P03": "a lock could not be had",
	"57":    "an operator intervened",
	"57014": "the statement was cancelled on the server",
	"57P01": "the server is shutting down, or an administrator ended the session",
	"57P02": "the server crashed",
	"57P03": "the server does not take connections now",
	"57P04": "the database was dropped",
	"57P05": "the session was idle for too long",
	"58":    "the server's system failed",
	"72":    "the snapshot is too old",
	"F0":    "the server's configuration file fails",
	"HV":    "a foreign table cannot be read",
	"P0":    "a function raised an error",
	"XX":    "the server failed inside",
	"XX001": "the server's data are damaged",
	"XX002": "an index of the server's is damaged",
}

var (
	wholeName   = lazyregexp.New(`^[a-z ]+ "(.*)" (?:does not exist|already exists)$`) // quotes inside are not doubled
	quotedName  = lazyregexp.New(`["“„«]([^"“”„«»]*)["“”»]`)
	functionOf  = lazyregexp.New(`(?:function|procedure|operator)\s+(?:does not exist:\s*)?([^\s(]+)`)
	columnOf    = lazyregexp.New(`column ([\w.$]+)`)
	permission  = lazyregexp.New(`permission denied (?:for|to) ([a-z ]+?) "?([\w.$]+)"?$`)
	parameterOf = lazyregexp.New(`\$\d+`)
)

// nameIn returns the name in a message, or a placeholder if it contains none.
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
		return "not named by the server"
	case "42P02":
		return parameterOf.FindString(m)
	}
	if p := wholeName.FindStringSubmatch(m); p != nil {
		return p[1]
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

// gaveWay reports whether a transaction was aborted because of another one, or of a standby's recovery, and may
// succeed if it is run again.
func gaveWay(pe *pgconn.PgError) bool { return strings.HasPrefix(pe.Code, "40") || isViolation(pe) }

// isViolation reports whether an error is Redshift's serializable isolation violation, whose message may be just 1023.
func isViolation(pe *pgconn.PgError) bool {
	const words = "erializable isolation violation"
	return strings.Contains(pe.Message, words) || strings.Contains(pe.Detail, words)
}

// Poolers have messages but no SQLSTATE for rejected credentials: PgBouncer's, and Supavisor's.
var notSignedIn = lazyregexp.New(`authentication failed|no such user|Tenant or user not found`)

// ofPooler reports whether an error's class is one that poolers use: connection or internal errors.
func ofPooler(pe *pgconn.PgError) bool {
	return strings.HasPrefix(pe.Code, "08") || strings.HasPrefix(pe.Code, "XX")
}

// errorOf converts an error of the driver to one with a code, the names in it and its SQLSTATE, without values and SQL
// text. The whole error is the cause.
func (c *Conn) errorOf(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case driverbase.Told(err):
		return err
	}
	where := "postgres: " + c.where + ": "
	pe, server := asServerError(err)
	if !server {
		code, text := transportFailure(err)
		return errcode.Because(err, code, "%s%s", where, text)
	}
	code, text := driverbase.SQLState(pe.Code), texts[pe.Code]
	if text == "" && len(pe.Code) == 5 {
		text = texts[pe.Code[:2]]
	}
	switch {
	case pe.Code == "42601" && strings.Contains(pe.Message, "multiple commands"):
		text = "there are several statements; expected one"
	case ofPooler(pe) && notSignedIn.MatchString(pe.Message):
		code, text = errcode.Unauthenticated, texts["28"]
	case ofPooler(pe) && strings.Contains(pe.Message, "no such database"):
		code, text = errcode.NotFound, texts["3D"]
	case isFull(pe):
		code, text = errcode.Unavailable, texts["53300"]
	case strings.Contains(pe.Message, "unsupported startup parameter"):
		code, text = errcode.InvalidArgument, "the pooler rejects a setting of the URL or of PGOPTIONS: remove it and set it for the role (ALTER ROLE … SET), or name it in PgBouncer's ignore_startup_parameters"
	case pe.Code == "57014" && strings.Contains(pe.Message, "timeout"):
		code, text = errcode.DeadlineExceeded, "the statement took longer than the server's statement_timeout allows"
	case c.redshift && isViolation(pe):
		code, text = errcode.Unavailable, texts["40"]
	case text == "", c.redshift && pe.Code == "XX000" && strings.Contains(pe.Message, "Assert"):
		code, text = errcode.Internal, cmp.Or(text, "the server reports an error")
	}
	return errcode.Because(err, code, "%s%s (SQLSTATE %s)", where, strings.Replace(text, "%s", nameIn(pe), 1), pe.Code)
}

// transportFailure classifies an error that is not from the server.
func transportFailure(err error) (errcode.Code, string) {
	code, text := driverbase.Transport(err)
	var opened *pgconn.ConnectError
	switch {
	case code == errcode.Unauthenticated:
		return code, text + "; sslrootcert=FILE names the authority's"
	case strings.Contains(err.Error(), "server refused TLS"):
		return errcode.Unauthenticated, "it does not support the encryption that sslmode requires"
	case strings.Contains(err.Error(), "closed pool"):
		return errcode.FailedPrecondition, "the connection is closed"
	case code != errcode.Unknown:
		return code, text
	case errors.As(err, &opened):
		return errcode.Unavailable, "the server does not answer"
	}
	return errcode.Unavailable, "the connection was lost"
}
