package sqlite

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/badger-eval/badger/internal/errcode"
)

// kinds are the error codes of the engine's primary result codes. The engine's message refines SQLITE_ERROR.
var kinds = map[int32]struct {
	code errcode.Code
	text string // shown instead of the engine's message; "" shows the latter
}{
	sqlite3.SQLITE_ERROR:    {errcode.InvalidArgument, ""},
	sqlite3.SQLITE_INTERNAL: {errcode.Internal, "internal error of the engine"},
	sqlite3.SQLITE_PERM:     {errcode.PermissionDenied, "permission denied"},
	sqlite3.SQLITE_ABORT:    {errcode.Unavailable, "the statement was aborted"},
	sqlite3.SQLITE_BUSY:     {errcode.Unavailable, "another process is writing to it; try again later"},
	sqlite3.SQLITE_LOCKED:   {errcode.Unavailable, "a table is locked; try again later"},
	sqlite3.SQLITE_NOMEM: {
		errcode.ResourceExhausted,
		"the query needs more memory than the " + strconv.Itoa(heapLimit>>20) + " MiB that SQLite may take in this process",
	},
	sqlite3.SQLITE_READONLY: {errcode.PermissionDenied, "badger only reads SQLite databases"},
	sqlite3.SQLITE_IOERR:    {errcode.Unavailable, "the file cannot be read"},
	sqlite3.SQLITE_CORRUPT:  {errcode.DataLoss, "the file is damaged"},
	sqlite3.SQLITE_FULL:     {errcode.ResourceExhausted, "the disk is full"},
	sqlite3.SQLITE_CANTOPEN: {
		errcode.FailedPrecondition,
		"it cannot be opened; if it is in WAL mode and its directory is read-only, copy it together with its -wal file",
	},
	sqlite3.SQLITE_PROTOCOL: {errcode.Unavailable, "its locks are contended; try again later"},
	sqlite3.SQLITE_SCHEMA:   {errcode.Unavailable, "its tables were changed; try again"},
	sqlite3.SQLITE_TOOBIG: {
		errcode.ResourceExhausted,
		"a string, a blob or the SQL text is too long; a value has at most " + strconv.Itoa(rowLimit>>20) + " MiB",
	},
	sqlite3.SQLITE_MISMATCH: {errcode.InvalidArgument, "datatype mismatch"},
	sqlite3.SQLITE_NOLFS:    {errcode.FailedPrecondition, "the system does not support files of its size"},
	sqlite3.SQLITE_RANGE:    {errcode.InvalidArgument, "too many parameters"},
	sqlite3.SQLITE_NOTADB:   {errcode.DataLoss, "the file is not a SQLite database, or is encrypted"},
	sqlite3.SQLITE_AUTH: {
		errcode.PermissionDenied,
		"the statement was not run: only SELECT and pragmas that describe tables are allowed",
	},
}

// hotJournal is the extended result code for a journal that must be rolled back before the file can be read.
const hotJournal = sqlite3.SQLITE_READONLY_ROLLBACK

var (
	absent = regexp.MustCompile(
		`^no such (?:table|function|collation sequence|index|module|database|table-valued function): `,
	)
	atToken   = regexp.MustCompile(`^near "(?s:.*)": syntax error$|^unrecognized token: |^incomplete input$`)
	nameFirst = regexp.MustCompile(
		`^(?:no such|ambiguous) [a-z -]+: |^wrong number of arguments to function |^misuse of |^not authorized|^access to `,
	)
	quoted = regexp.MustCompile(`'(?:[^']|'')*'?|"(?:[^"]|"")*"?|\b\d[\w.]*`)
)

// failure returns the error for a result code of the last call. Its text contains names, but neither values nor SQL
// text; the engine's message is the cause.
func (s *session) failure(rc int32) error {
	message := libc.GoString(sqlite3.Xsqlite3_errmsg(s.tls, s.db))
	offset := sqlite3.Xsqlite3_error_offset(s.tls, s.db)
	kind, known := kinds[rc&0xff]
	if !known {
		kind.code, kind.text = errcode.Internal, "unexpected result code "+strconv.Itoa(int(rc))
	}
	text := kind.text
	switch {
	case rc == hotJournal:
		kind.code, text = errcode.FailedPrecondition, "a process that wrote to it has crashed and left a journal; open it once with a program that writes, such as sqlite3"
	case text != "":
	case atToken.MatchString(message):
		text = "syntax error"
	case nameFirst.MatchString(message):
		text = message
	default:
		text = quoted.ReplaceAllString(message, "…")
	}
	switch {
	case absent.MatchString(message), strings.HasPrefix(message, "unknown database "):
		kind.code = errcode.NotFound
	case strings.HasPrefix(message, "not authorized to use function: "): // it has the code SQLITE_ERROR
		kind.code = errcode.PermissionDenied
	}
	if offset >= 0 && rc&0xff == sqlite3.SQLITE_ERROR {
		text += " (byte " + strconv.Itoa(int(offset)+1) + " of the SQL text)"
	}
	return &errcode.Error{
		Code: kind.code,
		Msg:  "sqlite: database " + strconv.Quote(s.file.base()) + ": " + text,
		Err:  errors.New(message),
	}
}
