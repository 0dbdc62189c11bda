//go:build unix

package identity

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// A token file that becomes a pipe nobody writes to must not make every caller wait.
func TestTokenFileBecomesPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "tokens")
		write("old:"+secret+"\n")(t, path)
		g := guard(t, Config{TokenFile: path}, Env{})
		old := request("Authorization", "Bearer "+secret)
		expect(t, "before", g, old, "old")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(recheck)
		expect(t, "a pipe", g, old, errcode.Unavailable)
		write("old:"+secret+"\n")(t, path)
		time.Sleep(recheck)
		expect(t, "given back", g, old, "old")
	})
}
