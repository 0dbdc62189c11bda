package hosting

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// reloadable lists the keys, or sections, whose changes a running server applies. Other changes need a restart.
var reloadable = []string{"auth", "tls", "metrics", "judges", "timeouts", "limits.caller", "limits.callers"}

// Reloadable reports whether a running server applies changes of a key.
func Reloadable(path string) bool {
	return slices.ContainsFunc(reloadable, func(r string) bool { return path == r || strings.HasPrefix(path, r+".") })
}

// limiting lists the keys, or sections, that limit callers. A reload cannot remove such a limit.
var limiting = []string{"limits.caller", "limits.callers"}

// Limiting reports whether a key limits callers.
func Limiting(path string) bool {
	return slices.ContainsFunc(limiting, func(r string) bool { return path == r || strings.HasPrefix(path, r+".") })
}

// CheckFile returns an error if text, a changed configuration, is empty or ends within a line, while before, the
// current one, does not: an editor or a full disk may have truncated it.
func CheckFile(text, before []byte) error {
	if len(bytes.TrimSpace(text)) == 0 && len(bytes.TrimSpace(before)) > 0 {
		return errcode.New(errcode.InvalidArgument, "the file is empty; restart the server for a configuration without keys")
	}
	if bytes.HasSuffix(before, []byte{'\n'}) && !bytes.HasSuffix(text, []byte{'\n'}) {
		return errcode.New(errcode.InvalidArgument,
			"the file ends in the middle of a line, which the one before did not: it seems to be cut")
	}
	return nil
}

// Names returns the names of the functions.
func Names(c *udf.Catalogue) []string {
	list := []string{}
	for _, f := range c.Functions() {
		list = append(list, f.Name)
	}
	return list
}

// Digest returns a hash of the contents of judge files: scores of different contents are not comparable.
func Digest(files []string) string {
	h := sha256.New()
	for _, f := range files {
		text, _ := os.ReadFile(f) //nolint:gosec // what cannot be read was refused
		part := sha256.Sum256(text)
		h.Write(part[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LeastReload is the minimum interval at which a server checks for a changed configuration.
const LeastReload = time.Second
