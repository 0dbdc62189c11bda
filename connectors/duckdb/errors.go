package duckdb

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// name returns the database's name for messages: the quoted file name, or "in memory".
func (c *Conn) name() string {
	if c.path == "" {
		return "in memory"
	}
	return strconv.Quote(filepath.Base(c.path))
}

// errorOf converts the engine's message to an error with a code and the names in it, without values, SQL text and
// paths. The whole message is the cause.
func (c *Conn) errorOf(message string) error {
	class, text := split(message)
	code := codeOf(class, text)
	if refuses(class) {
		c.doubted.Store(true)
	}
	return &errcode.Error{Code: code, Msg: "duckdb: database " + c.name() + ": " + c.shown(class, text, message),
		Err: errors.New(message)}
}

// split returns the class and the text of the first line of a message such as "Catalog Error: Table with name t does
// not exist!\nDid you mean …\n\nLINE 1: SELECT …". class is "" if the message has none.
func split(message string) (class, text string) {
	first, _, _ := strings.Cut(message, "\n")
	class, text, ok := strings.Cut(first, ": ")
	if !ok || !strings.HasSuffix(class, "Error") {
		return "", first
	}
	return strings.TrimSuffix(class, " Error"), text
}

var lineNumber = lazyregexp.New(`(?m)^LINE (\d+):`)

// shown returns the part of a message that may be shown, without values.
func (c *Conn) shown(class, text, message string) string {
	text = c.withoutPaths(text)
	switch class {
	case "Catalog", "Binder", "Permission", "Not implemented", "Dependency", "":
		// in these classes, double quotes and bare words are names
		text = masked(text, singleQuoted)
	case "Parser", "Syntax":
		text = "syntax error"
	case "IO", "Connection", "Out of Memory", "Serialization", "FATAL":
		switch m := newerFile.FindStringSubmatch(text); {
		case logOfIndex.MatchString(text):
			text = "its log was left by a process that was ended and holds an index, which the engine takes over only where it may write: open the file once without mode=ro"
		case strings.Contains(text, "Conflicting lock"):
			text = "another process holds it (" + strings.TrimSpace(lockHolder(text)) + ")"
		case m != nil:
			text = "a newer DuckDB wrote the file: its storage version is " + m[1] + ", and this badger reads " + m[2] +
				"; copy it with that DuckDB into a file of an older version (ATTACH 'copy.duckdb' AS copy (STORAGE_VERSION 'v1.0.0'); COPY FROM DATABASE … TO copy)"
		}
	case "INTERRUPT":
		text = "interrupted"
	default:
		text = masked(text, singleQuoted, doubleQuoted, numbers)
	}
	if m := lineNumber.FindStringSubmatch(message); m != nil {
		text += " (line " + m[1] + " of the SQL text)"
	}
	if class == "" {
		return text
	}
	return class + " error: " + text
}

var (
	singleQuoted = lazyregexp.New(`'(?:[^']|'')*'`)
	doubleQuoted = lazyregexp.New(`"[^"]*"`)
	numbers      = lazyregexp.New(`(^|[^\w])-?\d[\w.+-]*`)
	newerFile    = lazyregexp.New(`database file with version number (\d+), but we can only read versions? (.*?)\.?$`)
	logOfIndex   = lazyregexp.New(`replaying WAL.*Could not write file`)
	pid          = lazyregexp.New(`PID (\d+)`)
)

func masked(text string, patterns ...*lazyregexp.Regexp) string {
	for _, p := range patterns {
		if p == numbers {
			text = p.ReplaceAllString(text, "${1}…")
		} else {
			text = p.ReplaceAllString(text, "…")
		}
	}
	return text
}

// lockHolder returns "process PID" for the process that holds the lock, or "unknown".
func lockHolder(text string) string {
	if m := pid.FindStringSubmatch(text); m != nil {
		return "process " + m[1]
	}
	return "unknown"
}

// withoutPaths replaces the database's path with its base name, and removes the directories of other paths.
func (c *Conn) withoutPaths(text string) string {
	if c.path != "" {
		if abs, err := filepath.Abs(c.path); err == nil {
			text = strings.ReplaceAll(text, abs, filepath.Base(c.path))
		}
		text = strings.ReplaceAll(text, c.path, filepath.Base(c.path))
	}
	return paths.ReplaceAllString(text, "${1}…/")
}

var paths = lazyregexp.New(`(^|[\s"'(])/(?:[^\s"'/]+/)+`)

// codes are the error codes of messages by class, "*" for any, and if parts are set, by a part that the text contains.
// The first match is used; without one it is InvalidArgument.
var codes = []struct {
	class string
	parts []string
	code  errcode.Code
}{
	{"*", []string{"read-only mode", "read-only database"}, errcode.PermissionDenied},
	{"*", []string{"No space left", "disk quota", "File too large", "max_temp_directory_size", "Disk full"},
		errcode.ResourceExhausted},
	{"Catalog", []string{"already exists"}, errcode.AlreadyExists},
	{"Catalog", nil, errcode.NotFound},
	{"Binder", []string{"Column", "column"}, errcode.InvalidArgument},
	{"Binder", []string{"does not exist"}, errcode.NotFound},
	{"Constraint", []string{"Duplicate key"}, errcode.AlreadyExists},
	{"Permission", nil, errcode.PermissionDenied},
	{"IO", []string{"Could not set lock", "Conflicting lock"}, errcode.FailedPrecondition},
	{"IO", []string{"while replaying WAL"}, errcode.FailedPrecondition},
	{"IO", []string{"not a valid DuckDB database", "orrupt", "checksum", "invalid block", "Could not read enough bytes"},
		errcode.DataLoss},
	{"IO", []string{"older version", "newer version", "version number"}, errcode.FailedPrecondition},
	{"IO", []string{"does not exist", "No such file", "No files found"}, errcode.NotFound},
	{"IO", []string{"Permission denied"}, errcode.PermissionDenied},
	{"IO", nil, errcode.Unavailable},
	{"Connection", nil, errcode.FailedPrecondition},
	{"Dependency", nil, errcode.FailedPrecondition},
	{"Out of Memory", nil, errcode.ResourceExhausted},
	{"INTERRUPT", nil, errcode.Cancelled},
	{"TransactionContext", []string{"onflict"}, errcode.Unavailable},
	{"TransactionContext", nil, errcode.FailedPrecondition},
	{"Not implemented", nil, errcode.Unimplemented},
	{"Missing Extension", nil, errcode.Unimplemented},
	{"Extension Autoloading", nil, errcode.Unimplemented},
	{"HTTP", nil, errcode.Unimplemented},
	{"Network", nil, errcode.Unimplemented},
	{"Serialization", nil, errcode.DataLoss},
	{"INTERNAL", []string{"invalid UTF-8"}, errcode.InvalidArgument}, // in a string that the query produced
	{"INTERNAL", nil, errcode.Internal},
	{"", []string{"could not be found", "does not exist"}, errcode.NotFound}, // errors of the appender
}

func codeOf(class, text string) errcode.Code {
	if class == "FATAL" {
		class = "IO"
	}
	for _, c := range codes {
		fits := func(part string) bool { return strings.Contains(text, part) }
		if (c.class == class || c.class == "*") && (c.parts == nil || slices.ContainsFunc(c.parts, fits)) {
			return c.code
		}
	}
	return errcode.InvalidArgument
}
