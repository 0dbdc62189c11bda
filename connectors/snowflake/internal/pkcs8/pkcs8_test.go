package pkcs8

import (
	"os"
	"path/filepath"
	"testing"
)

// A key file may hold anything: it is a key or an error, never a panic.
func FuzzPrivateKey(f *testing.F) {
	files, err := filepath.Glob("../../testdata/keys/*.p*")
	if err != nil || len(files) < 6 {
		f.Fatalf("%d keys, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "swordfish")
	}
	f.Fuzz(func(t *testing.T, file []byte, passphrase string) {
		if key, err := Key(file, passphrase); (key == nil) == (err == nil) {
			t.Errorf("%v, %v", key != nil, err)
		}
	})
}
