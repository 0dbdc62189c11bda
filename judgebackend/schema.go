package judgebackend

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/badger-eval/badger/internal/errcode"
)

// compiledSchema is a schema ready to validate with, and its canonical form for hashing.
type compiledSchema struct {
	*jsonschema.Schema
	canonical string
}

// compiled caches compiled schemas by the hash of their text. It is cleared when it has compiledMax schemas.
var compiled = struct {
	sync.RWMutex
	m map[[32]byte]*compiledSchema
}{m: map[[32]byte]*compiledSchema{}}

const compiledMax = 1024

// compileSchema compiles a JSON Schema of an object (draft 2020-12 unless it states another). References to other
// documents are an error.
func compileSchema(schema json.RawMessage) (*compiledSchema, error) {
	key := sha256.Sum256(schema)
	compiled.RLock()
	s, ok := compiled.m[key]
	compiled.RUnlock()
	if ok {
		return s, nil
	}
	bad := func(why string) error {
		return errcode.New(errcode.InvalidArgument, "reply schema: %s", why)
	}
	if err := checkJSON(schema); err != nil {
		return nil, bad("not a JSON object without duplicate keys")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, bad("not JSON")
	}
	if top, ok := doc.(map[string]any); !ok || top["type"] != "object" {
		return nil, bad(`want "type": "object" at the top`)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const name = "reply.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, bad("not a JSON Schema")
	}
	validator, err := c.Compile(name)
	if err != nil {
		return nil, bad("not a JSON Schema, or one with references to other documents")
	}
	s = &compiledSchema{validator, string(canonicalJSON(schema))}
	compiled.Lock()
	defer compiled.Unlock()
	if len(compiled.m) >= compiledMax {
		clear(compiled.m)
	}
	compiled.m[key] = s
	return s, nil
}

// noLoader rejects references from schemas to files and addresses.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errcode.New(errcode.PermissionDenied, "reply schema: references to other documents are not followed")
}

// violation describes a place where a reply violates its schema, without showing the reply's values. Of several it is
// always the same one: the text is part of the request for a repair, which a ledger finds by its hash.
func violation(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return "does not satisfy its schema"
	}
	return describeViolation(firstViolation(v))
}

// firstViolation returns the outermost violation, and of several the first in the order of their texts: causes have no
// order.
func firstViolation(v *jsonschema.ValidationError) (first *jsonschema.ValidationError) {
	for _, c := range v.Causes {
		c = firstViolation(c)
		if first == nil || cmp.Or(cmp.Compare(len(c.InstanceLocation), len(first.InstanceLocation)),
			cmp.Compare(describeViolation(c), describeViolation(first))) < 0 {
			first = c
		}
	}
	return cmp.Or(first, v)
}

func describeViolation(v *jsonschema.ValidationError) string {
	at := "at the top"
	if len(v.InstanceLocation) > 0 {
		parts := slices.Clone(v.InstanceLocation)
		for i, p := range parts {
			if !isLabel(p) || len(p) > 40 { // a key made up by the model: a value as good as any
				parts[i] = "…"
			}
		}
		at = "at /" + strings.Join(parts, "/")
	}
	switch k := v.ErrorKind.(type) {
	case *kind.Required:
		return at + ": missing " + strings.Join(k.Missing, ", ")
	case *kind.Type:
		return at + ": got " + k.Got + ", expected " + strings.Join(k.Want, " or ")
	}
	if path := v.ErrorKind.KeywordPath(); len(path) > 0 {
		return at + ": breaks " + path[len(path)-1]
	}
	return at + ": does not satisfy its schema"
}
