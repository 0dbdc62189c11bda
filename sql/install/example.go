package install

import (
	"embed"

	"github.com/badger-eval/badger/internal/errcode"
)

//go:embed examples
var examples embed.FS

// Example returns a file of values for a client, or for a warehouse and a protocol; its first protocol if via is "".
// The file is valid. Values that every installation replaces are marked.
func Example(warehouse, via string) (string, error) {
	name := warehouse
	if FindClient(warehouse) == nil {
		w, v, err := find(warehouse, via)
		if err != nil {
			return "", err
		}
		name = w.Name + "." + v.Name
	}
	text, err := examples.ReadFile("examples/" + name + ".yaml")
	if err != nil {
		return "", errcode.New(errcode.Internal, "%w", err)
	}
	return string(text), nil
}
