package databricks

import (
	"errors"
	"strings"

	"github.com/badger-eval/badger/connectors/databricks/internal/guard"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// classes are Databricks' error conditions by the prefix of their name: the error code, the message, and a remedy. The
// first match is used.
var classes = []struct {
	prefix string
	code   errcode.Code
	text   string // %s is the name in backquotes in the service's message
	remedy string
}{
	{"TABLE_OR_VIEW_NOT_FOUND", errcode.NotFound, "the table or view %s does not exist",
		"name its schema and catalog, and check that the account has USE on them and may read it"},
	{"DELTA_TABLE_NOT_FOUND", errcode.NotFound, "the table %s does not exist", ""},
	{"DELTA_PATH_DOES_NOT_EXIST", errcode.NotFound, "the table's files do not exist", ""},
	{"SCHEMA_NOT_FOUND", errcode.NotFound, "the schema %s does not exist",
		"create it, or check that the account has USE SCHEMA on it"},
	{"NO_SUCH_CATALOG", errcode.NotFound, "the catalog %s does not exist", "check that the account has USE CATALOG on it"},
	{"CATALOG_NOT_FOUND", errcode.NotFound, "the catalog %s does not exist", ""},
	{"UNRESOLVED_ROUTINE", errcode.NotFound, "the function %s does not exist", ""},
	{"ROUTINE_NOT_FOUND", errcode.NotFound, "the function %s does not exist", ""},
	{"RESOURCE_DOES_NOT_EXIST", errcode.NotFound, "the requested resource does not exist", ""},
	{"REMOTE_FUNCTION_HTTP_", errcode.Unavailable, "the model serving endpoint failed", "try again later"},
	{"AI_FUNCTION_HTTP_", errcode.Unavailable, "the model serving endpoint failed",
		"check that the account has CAN QUERY on it, or try again later"},
	{"UNRESOLVED_COLUMN", errcode.InvalidArgument, "the column %s does not exist", ""},
	{"UNRESOLVED_FIELD", errcode.InvalidArgument, "the field %s does not exist", ""},
	{"AMBIGUOUS_REFERENCE", errcode.InvalidArgument, "the reference %s is ambiguous", ""},
	{"UNBOUND_SQL_PARAMETER", errcode.InvalidArgument, "a parameter of the statement has no value", ""},
	{"PARSE_", errcode.InvalidArgument, "the SQL text is not valid", ""},
	{"MISSING_AGGREGATION", errcode.InvalidArgument, "a column is neither grouped nor aggregated", ""},
	{"DATATYPE_MISMATCH", errcode.InvalidArgument, "a value's type does not fit", ""},
	{"CAST_", errcode.InvalidArgument, "a value cannot be cast to the type asked for", ""},
	{"NUMERIC_VALUE_OUT_OF_RANGE", errcode.InvalidArgument, "a number is out of range", ""},
	{"ARITHMETIC_OVERFLOW", errcode.InvalidArgument, "a number is out of range", ""},
	{"DIVIDE_BY_ZERO", errcode.InvalidArgument, "a division by zero", ""},
	{"MALFORMED_RECORD_IN_PARSING", errcode.InvalidArgument, "a value is not of the form that is asked for", ""},
	{"TABLE_OR_VIEW_ALREADY_EXISTS", errcode.AlreadyExists, "the table or view %s already exists", ""},
	{"SCHEMA_ALREADY_EXISTS", errcode.AlreadyExists, "the schema %s already exists", ""},
	{"DELTA_MULTIPLE_SOURCE_ROW_MATCHING", errcode.InvalidArgument, "several rows have the same key", ""},
	{"DELTA_CONCURRENT_", errcode.Unavailable, "another statement changed the table at the same time", "try again"},
	{"DELTA_METADATA_CHANGED", errcode.Unavailable, "another statement changed the table at the same time", "try again"},
	{"DELTA_PROTOCOL_CHANGED", errcode.Unavailable, "another statement changed the table at the same time", "try again"},
	{"CONCURRENT_", errcode.Unavailable, "another statement changed the table at the same time", "try again"},
	{"DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", errcode.NotFound, "the table is not kept for so long",
		"see delta.logRetentionDuration and delta.deletedFileRetentionDuration"},
	{"DELTA_TIMESTAMP_", errcode.NotFound, "the table did not exist, or had no version, at that time", ""},
	{"DELTA_VERSION_NOT_FOUND", errcode.NotFound, "the table has no such version",
		"DESCRIBE HISTORY lists those that are kept"},
	{"VERSION_NOT_FOUND", errcode.NotFound, "the table has no such version", "DESCRIBE HISTORY lists those that are kept"},
	{"DELTA_FILE_NOT_FOUND", errcode.NotFound, "files of that version are gone",
		"VACUUM removes what is older than delta.deletedFileRetentionDuration"},
	{"INSUFFICIENT_PERMISSIONS", errcode.PermissionDenied, "the account may not do that", ""},
	{"PERMISSION_DENIED", errcode.PermissionDenied, "the account may not do that", ""},
	{"UNAUTHORIZED_ACCESS", errcode.PermissionDenied, "the account may not do that", ""},
	{"UC_", errcode.PermissionDenied, "Unity Catalog does not allow it", ""},
	{"UNSUPPORTED_", errcode.Unimplemented, "the warehouse does not support that", ""},
	{"FEATURE_NOT_", errcode.Unimplemented, "the warehouse does not support that", ""},
	{"QUOTA_EXCEEDED", errcode.FailedPrecondition, "a quota of the account or the metastore is used up", "have it raised"},
	{"RESOURCE_EXHAUSTED", errcode.FailedPrecondition, "a limit of the workspace is reached", "have it raised"},
	{"REQUEST_LIMIT_EXCEEDED", errcode.Unavailable, "too many requests", "try again later"},
	{"OPERATION_CANCELED", errcode.Unavailable, "the statement was cancelled at the service, by a user or by its limits",
		""},
}

var (
	conditionName = lazyregexp.New(`\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]`)
	sqlState      = lazyregexp.New(`SQLSTATE: ?([0-9A-Z]{5})`)
	backquoted    = lazyregexp.New("`(?:[^`]|``)+`(?:\\.`(?:[^`]|``)+`)*")
	position      = lazyregexp.New(`\(line (\d+), pos (\d+)\)`)
	privilege     = lazyregexp.New(`(?:does not have|requires|needs|lacks) (?:the )?(?:privilege |permission )?((?:[A-Z]+ ?)+)(?:privilege )?(?:on|permission)`)
	deniedObject  = lazyregexp.New(
		`(?i)\bon (catalog|schema|table|view|function|volume|external location|connection) ['"` + "`" + `]?([\w.` + "`" +
			`-]+)`)
)

// read is a parsed error message of the service.
type read struct {
	code      errcode.Code
	condition string
	text      string
	remedy    string
}

// readMessage returns the code, the condition and the text for a message of the service. state is its SQLSTATE, if any.
func readMessage(state, message string) read {
	out := read{code: errcode.Unknown}
	if m := conditionName.FindStringSubmatch(message); m != nil {
		out.condition = m[1]
	}
	if m := sqlState.FindStringSubmatch(message); m != nil && state == "" {
		state = m[1]
	}
	for _, c := range classes {
		if !strings.HasPrefix(out.condition, c.prefix) && (out.condition != "" || !strings.HasPrefix(message, c.prefix)) {
			continue
		}
		name := strings.ReplaceAll(backquoted.FindString(message), "%", "")
		out.code, out.text, out.remedy = c.code, strings.Join(strings.Fields(strings.Replace(c.text, "%s", name, 1)), " "),
			c.remedy
		break
	}
	if out.code == errcode.Unknown {
		out.code = driverbase.SQLState(state)
	}
	if out.code == errcode.PermissionDenied {
		if m := privilege.FindStringSubmatch(message); m != nil {
			out.text += ": it lacks " + strings.TrimSpace(m[1])
		}
		if m := deniedObject.FindStringSubmatch(message); m != nil {
			out.text += " on " + strings.ToLower(m[1]) + " " + strings.Trim(m[2], ".")
		}
	}
	if out.text == "" {
		out.text = strings.ReplaceAll(out.code.String(), "_", " ")
	}
	if out.condition != "" {
		out.text += " [" + out.condition + "]"
	}
	if m := position.FindStringSubmatch(message); m != nil {
		out.text += " (line " + m[1] + ", position " + m[2] + " of the SQL text)"
	}
	return out
}

// again reports whether an error is from a conflict with a concurrent statement, so that the statement changed nothing
// and may succeed on a retry.
func again(e *guard.ServerError) bool {
	c := readMessage(e.State, e.Message)
	return c.code == errcode.Unavailable &&
		(strings.HasPrefix(c.condition, "DELTA_") || strings.HasPrefix(c.condition, "CONCURRENT_"))
}

// errorOf returns the error to show: the operation, the condition, names, and a remedy. Cell values and SQL text, which
// messages may quote, are only in the cause.
func (c *Conn) errorOf(err error) error {
	if driverbase.Told(err) {
		return err
	}
	var said *guard.ServerError
	switch {
	case errors.As(err, &said) && said.Starting():
		return errcode.Because(err, errcode.Unavailable,
			"databricks: %s: the warehouse is starting and accepts no statements yet; try again", said.What)
	case errors.As(err, &said) && said.NoSession():
		return errcode.Because(err, errcode.Unavailable,
			"databricks: %s: the session or the result no longer exists; try again", said.What)
	case errors.As(err, &said):
		r := readMessage(said.State, said.Message)
		text := r.text
		if r.remedy != "" {
			text += "; " + r.remedy
		}
		return errcode.Because(err, r.code, "databricks: %s: %s", said.What, text)
	}
	return c.workspace.Explain(err)
}
