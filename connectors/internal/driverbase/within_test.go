package driverbase_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

func TestWithin(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"data/shop", "data-other"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"data/a", "data/shop/b", "data-other/c", "d"} {
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"data/inside": "shop/b", "data/out": "../d", "data/sibling": "../data-other/c", "data/dir": "..", "linked": "data", "data/twice": "out", "data/dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(root)
	for _, tc := range []struct {
		path, dir string
		want      errcode.Code
	}{
		{"data/a", "data", errcode.OK},
		{"data/a", filepath.Join(root, "data"), errcode.OK},
		{filepath.Join(root, "data/a"), "data", errcode.OK},
		{"data/shop/b", "data", errcode.OK},
		{"data/inside", "data", errcode.OK},
		{"linked/a", "linked", errcode.OK}, // the directory may itself be a link
		{"linked/a", "data", errcode.OK},
		{"data/missing", "data", errcode.OK},
		{"data/dangling", "data", errcode.OK},
		{"d", "", errcode.OK},
		{"d", ".", errcode.OK},
		{"data/out", "data", errcode.PermissionDenied},
		{"data/twice", "data", errcode.PermissionDenied},
		{"data/sibling", "data", errcode.PermissionDenied}, // whose directory begins with the same letters
		{"data/dir/d", "data", errcode.PermissionDenied},
		{"data/../d", "data", errcode.PermissionDenied},
	} {
		if err := driverbase.Within("x", tc.path, tc.dir); errcode.Of(err) != tc.want {
			t.Errorf("%s within %q: %v, want %v", tc.path, tc.dir, err, tc.want)
		}
	}
}
