package driverbase

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// maxSecret is the maximum size of a file of credentials.
const maxSecret = 1 << 20

// ReadSecret reads the single line of a file, or of an environment variable if no file is named, without
// surrounding blanks. The error has the code Unauthenticated, begins with the connector's name, and names the
// secret without showing any part of it.
func ReadSecret(connector, what, file, env string, getenv func(string) string) (string, error) {
	where, text := "the environment variable "+env, ""
	if file != "" {
		content, err := ReadFile(connector, what, file)
		if err != nil {
			return "", err
		}
		where, text = "the file "+FileName(file), string(content)
	} else {
		text = getenv(env)
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		return "", errcode.New(errcode.Unauthenticated, "%s: %s of the %s is empty: expected one line", connector, where,
			what)
	case strings.ContainsAny(text, "\r\n"):
		return "", errcode.New(errcode.Unauthenticated, "%s: %s holds no %s: expected one line", connector, where, what)
	}
	return text, nil
}

// ReadFile reads a file of credentials of at most 1 MiB. Its errors are like those of [ReadSecret].
func ReadFile(connector, what, path string) (content []byte, err error) {
	f, err := os.Open(path) //nolint:gosec // the configuration names it
	if err == nil {
		defer f.Close() //nolint:errcheck // read only
		content, err = io.ReadAll(io.LimitReader(f, maxSecret+1))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errcode.New(errcode.Unauthenticated, "%s: the file %s of the %s does not exist", connector,
			FileName(path), what)
	case err != nil, len(content) > maxSecret:
		return nil, errcode.New(errcode.Unauthenticated,
			"%s: the file %s of the %s cannot be read: expected a file of at most 1 MiB", connector, FileName(path), what)
	}
	return content, nil
}

// FileName returns a file's quoted base name, for messages.
func FileName(path string) string { return strconv.Quote(filepath.Base(path)) }
