package custom

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

//go:embed templates
var templates embed.FS

// TemplateFile is one file of a template.
type TemplateFile struct {
	Name string
	Text string
}

// Template is a judge of that kind to start from, with cases to try it on: files that work as they
// are. The judge file comes first.
func Template(k Kind, name string) ([]TemplateFile, error) {
	switch {
	case !slices.Contains(kinds, k):
		return nil, errcode.New(errcode.InvalidArgument, "kind: expected one of %s", kindList())
	case !judgeName.MatchString(name) || strings.HasSuffix(name, "_json"):
		return nil, errcode.New(errcode.InvalidArgument, "expected a name of at most 40 small letters, digits and _, a letter first, not ending in _json: it is the name of an SQL function")
	}
	var out []TemplateFile
	for _, ext := range []string{".star", ".yaml", ".cases.jsonl", ".replies.jsonl"} {
		text, err := fs.ReadFile(templates, "templates/"+string(k)+ext)
		if err != nil {
			continue // not of this kind
		}
		out = append(out, TemplateFile{name + ext, strings.ReplaceAll(string(text), "NAME", name)})
	}
	return out, nil
}
