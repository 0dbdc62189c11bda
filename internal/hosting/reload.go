package hosting

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/udf"
)

// reloadable are the keys, or sections, that a running server takes over. The others need a restart.
var reloadable = []string{"auth", "tls", "metrics", "judges", "timeouts", "limits.caller", "limits.callers"}

// Reloadable tells whether a running server takes over a key.
func Reloadable(path string) bool {
	return slices.ContainsFunc(reloadable, func(r string) bool { return path == r || strings.HasPrefix(path, r+".") })
}

// Names are the functions with their versions.
func Names(c *udf.Catalogue) []string {
	list := []string{}
	for _, f := range c.Functions() {
		list = append(list, f.Name)
	}
	return list
}

// Digest tells the contents of judge files apart: rows that were scored by one are not those of
// another.
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
