package resultfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReferencesMove(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"a/b", "c", "far/deep"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"same": "a", "away": "far/deep"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a/x.csv", "x.csv", "y.csv", "far/y.csv"} {
		if err := os.WriteFile(name, []byte("n\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ ref, from, to, want string }{
		{"file:x.csv", "a", "a", "file:x.csv"},
		{"file:x.csv", "a", "", "file:a/x.csv"},
		{"file:x.csv", "", "a", "file:../x.csv"},
		{"file:x.csv", "a", "c", "file:../a/x.csv"},
		{"file:b/../x.csv", "a", "c", "file:../a/x.csv"},
		{"FILE:x.csv", "a", "c", "file:../a/x.csv"},
		{"FILE:x.csv", "a", "./a", "FILE:x.csv"},
		{"file:x.csv", "a", "same", "file:x.csv"},
		{"file:../x.csv", "a", "c", "file:../x.csv"},
		{"file:gone.csv", "a", "c", "file:../a/gone.csv"},
		{"file:/data/x.csv", "a", "c", "file:/data/x.csv"},
		{"file:x.csv", "a", filepath.Join(here, "c"), "file:../a/x.csv"},
		// .. leads elsewhere from a link
		{"file:x.csv", "a", "away", "file:" + filepath.Join(here, "a/x.csv")},
		{"file:../y.csv", "away", "c", "file:../far/y.csv"}, {"file:../y.csv", "away", "", "file:far/y.csv"}, {"file:../y.csv", "away", "far/deep", "file:../y.csv"},
		{"file:../away/../y.csv", "a", "c", "file:../far/y.csv"}, {"file:y.csv", "away/..", "c", "file:../far/y.csv"}, {"file:x.csv", "a", "away/..", "file:../a/x.csv"},
		{"file:", "a", "c", "file:"}, {"table:x.csv", "a", "c", "table:x.csv"}, {"query:1", "a", "c", "query:1"},
		{"filex:x.csv", "a", "c", "filex:x.csv"}, {"", "a", "c", ""},
	} {
		if got := Moved(tc.ref, tc.from, tc.to); got != tc.want {
			t.Errorf("%q from %q to %q: %q, want %q", tc.ref, tc.from, tc.to, got, tc.want)
		}
		from, to := Snapshots{Options{Dir: tc.from}}, Snapshots{Options{Dir: tc.to}}
		x, errX := os.Stat(from.File(tc.ref))
		y, errY := os.Stat(to.File(Moved(tc.ref, tc.from, tc.to)))
		if (errX == nil) != (errY == nil) || errX == nil && !os.SameFile(x, y) {
			t.Errorf("%q from %q to %q means another file: %v, %v", tc.ref, tc.from, tc.to, errX, errY)
		}
	}
}
