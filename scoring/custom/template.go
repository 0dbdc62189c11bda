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

// Template returns the files of an example of a judge of kind k, with cases and recorded replies to try it. They work
// without changes. The judge file is first.
func Template(k Kind, name string) ([]TemplateFile, error) {
	switch {
	case !slices.Contains(kinds, k):
		return nil, errcode.New(errcode.InvalidArgument, "kind: expected one of %s", kindList())
	case !judgeName.MatchString(name) || strings.HasSuffix(name, "_json"):
		return nil, errcode.New(errcode.InvalidArgument, "expected the name of an SQL function: at most 40 lowercase letters, digits and _, beginning with a letter, not ending in _json")
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
