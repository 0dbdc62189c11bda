package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// hclText returns s as a string literal of Terraform's language, which has the escapes of JSON. The sequences ${ and
// %{, which start a template, are escaped.
func hclText(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", err
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strings.TrimSuffix(b.String(), "\n")), nil
}

// hclValue returns a value in Terraform's language, on one line. Keys of maps must be identifiers.
func hclValue(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return "null", nil
	case string:
		return hclText(value)
	case int, float64, bool:
		return fmt.Sprint(value), nil
	case []string:
		out := make([]string, len(value))
		for i, item := range value {
			text, err := hclText(item)
			if err != nil {
				return "", err
			}
			out[i] = text
		}
		return "[" + strings.Join(out, ", ") + "]", nil
	case map[string]any:
		var out []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			text, err := hclValue(value[name])
			if err != nil {
				return "", err
			}
			out = append(out, name+" = "+text)
		}
		if len(out) == 0 {
			return "{}", nil
		}
		return "{ " + strings.Join(out, ", ") + " }", nil
	}
	return "", errcode.New(errcode.Internal, "a %T has no form in Terraform's language", value)
}

// hclAttributes returns a line KEY = VALUE for each entry, sorted by key, with the equal signs aligned as by terraform
// fmt.
func hclAttributes(all map[string]any, indent string) (string, error) {
	longest, out := 0, ""
	for name := range all {
		longest = max(longest, len(name))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text, err := hclValue(all[name])
		if err != nil {
			return "", err
		}
		out += fmt.Sprintf("%s%-*s = %s\n", indent, longest, name, text)
	}
	return out, nil
}
