package deploy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/deploy"
)

// What badger wrote it may replace and remove, and nothing else.
func TestWriteKeepsTheWorkOfOthers(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "none"
		}
		return string(b)
	}
	file := func(name, content string) deploy.File { return deploy.File{Name: name, Content: []byte(content)} }
	write := func(want string, force bool, files ...deploy.File) deploy.Changes {
		t.Helper()
		c, err := deploy.Write(dir, "target", files, "v1", force)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v, want %q", err, want)
		}
		return c
	}
	differences := func(files ...deploy.File) string {
		t.Helper()
		lines, err := deploy.Differences(dir, "target", files)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}

	put("setup.sh", "mine")
	write("setup.sh was not written by badger", false, file("a.yaml", "1"), file("setup.sh", "1"))
	if text("a.yaml") != "none" || text("setup.sh") != "mine" {
		t.Error("something is written beside a foreign file")
	}
	write("", true, file("a.yaml", "1"), file("setup.sh", "1"), file("app/b.yaml", "1"), file("app/c.yaml", "1"))
	if info, err := os.Stat(filepath.Join(dir, "setup.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("setup.sh: %v, %v", info.Mode(), err)
	}

	// Other contents replace its own files, and another target's files are not its own.
	write("", false, file("a.yaml", "2"), file("setup.sh", "1"), file("app/b.yaml", "1"), file("app/c.yaml", "1"))
	if _, err := deploy.Write(dir, "other", []deploy.File{file("a.yaml", "3")}, "v1", false); err == nil {
		t.Error("a target overwrites a file of another one")
	}
	put("a.yaml", "2 and mine")
	write("a.yaml was changed since badger wrote it", false, file("a.yaml", "3"))
	if text("a.yaml") != "2 and mine" || text("setup.sh") != "1" {
		t.Error("something is written beside a file that was changed")
	}

	// Files of earlier values go, unless they were changed.
	put("app/c.yaml", "mine")
	if got := differences(file("setup.sh", "1")); got != "stale      a.yaml, of earlier values\nstale      app/b.yaml, of earlier values\nstale      app/c.yaml, of earlier values" {
		t.Error(got)
	}
	c := write("", false, file("setup.sh", "1"))
	if !slices.Equal(c.Removed, []string{"app/b.yaml"}) || !slices.Equal(c.Kept, []string{"a.yaml", "app/c.yaml"}) {
		t.Errorf("%+v", c)
	}
	if got := differences(file("setup.sh", "1")); !strings.Contains(got, "stale      a.yaml") || strings.Contains(got, "b.yaml") {
		t.Error(got)
	}

	// The executable bit is checked and restored.
	if err := os.Chmod(filepath.Join(dir, "setup.sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := differences(file("setup.sh", "1")); !strings.Contains(got, "setup.sh, which is not executable") {
		t.Error(got)
	}
	write("", false, file("setup.sh", "1"))
	if got := differences(file("setup.sh", "1")); strings.Contains(got, "setup.sh") {
		t.Error(got)
	}
}

// A symbolic link is not followed out of the folder, as a file and as a folder.
func TestWriteStaysInTheFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	secret := filepath.Join(elsewhere, "secret")
	if err := os.WriteFile(secret, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"a.yaml": secret, "app": elsewhere} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.yaml", "app/secret", "app/new", "../up"} {
		if _, err := deploy.Write(dir, "target", []deploy.File{{Name: name, Content: []byte("x")}}, "v1", false); err == nil {
			t.Errorf("%s is written", name)
		}
	}
	if _, err := deploy.Write(dir, "target", []deploy.File{{Name: "a.yaml", Content: []byte("x")}}, "v1", true); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "theirs" {
		t.Errorf("%q, %v", text, err)
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}

	// A manifest that names files elsewhere removes none.
	manifest := `{"target": {"badger": "v1", "files": {"../` + filepath.Base(elsewhere) + `/secret": "x", "app/secret": "b4a1a3cbab5d0d2a5f2bdc7d7b1a7ea5ff5f62b4fd8c3bc4a5db0e4e5f0b2b41"}}}`
	if err := os.WriteFile(filepath.Join(dir, deploy.Manifest), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := deploy.Write(dir, "target", nil, "v1", true); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}
