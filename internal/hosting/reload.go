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

// reloadable are the keys, or sections, that a running server takes over. The others need a restart.
var reloadable = []string{"auth", "tls", "metrics", "judges", "timeouts", "limits.caller", "limits.callers"}

// Reloadable reports whether a running server takes over a key.
func Reloadable(path string) bool {
	return slices.ContainsFunc(reloadable, func(r string) bool { return path == r || strings.HasPrefix(path, r+".") })
}

// limiting are the keys, or sections, that bound callers. A running server keeps those that are set.
var limiting = []string{"limits.caller", "limits.callers"}

// Limiting reports whether a key bounds callers.
func Limiting(path string) bool {
	return slices.ContainsFunc(limiting, func(r string) bool { return path == r || strings.HasPrefix(path, r+".") })
}

// CheckFile rejects an empty or truncated configuration, which an editor or a full disk may have left. before is
// the current one.
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

// Names are the functions with their versions.
func Names(c *udf.Catalogue) []string {
	list := []string{}
	for _, f := range c.Functions() {
		list = append(list, f.Name)
	}
	return list
}

// Digest identifies the contents of judge files: scores by different files are not comparable.
func Digest(files []string) string {
	h := sha256.New()
	for _, f := range files {
		text, _ := os.ReadFile(f) //nolint:gosec // what cannot be read was refused
		part := sha256.Sum256(text)
		h.Write(part[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LeastReload keeps a server from doing little else than looking for another configuration.
const LeastReload = time.Second
