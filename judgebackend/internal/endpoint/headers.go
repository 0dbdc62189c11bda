package endpoint

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
)

// headers are the further headers of requests. A value of an environment variable or a file is read at every call, as
// keys are.
type headers struct {
	values map[string]string // as configured, by canonical name
	getenv func(string) string
}

var (
	headerName = lazyregexp.New(`^[A-Za-z0-9!#$%&'*+.^_|~-]{1,100}$`)
	headerKept = lazyregexp.New(`(?i)^(authorization|proxy-authorization|api-key|x-api-key|host|cookie|` +
		`content-(length|type|encoding)|accept|accept-encoding|connection|transfer-encoding|te|trailer|upgrade|user-agent)$`)
	headerSecret = lazyregexp.New(`(?i)key|token|secret|auth|password|credential|cookie`)
)

// newHeaders returns the configured headers. It returns an error for a name that is invalid or that badger sets, and
// for a value that cannot be read or that appears to be a secret in the configuration.
func newHeaders(o *judgebackend.OpenOptions) (headers, error) {
	h := headers{values: map[string]string{}, getenv: o.Getenv}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		value := o.Headers[name]
		isRef := strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:")
		switch {
		case !headerName.MatchString(name):
			return h, errcode.New(errcode.InvalidArgument, "judge headers: %.40q is not the name of a header", name)
		case headerKept.MatchString(name):
			return h, errcode.New(errcode.InvalidArgument,
				"judge headers: %s is set by badger; a key is configured with key_file or key_env", name)
		case headerSecret.MatchString(name) && !isRef:
			return h, errcode.New(errcode.InvalidArgument,
				"judge headers: %s: expected env:NAME or file:PATH for what may be a secret", name)
		}
		name = http.CanonicalHeaderKey(name)
		h.values[name] = value
		mayCome := o.KeyLater && strings.HasPrefix(value, "file:")
		if _, err := h.value(name); err != nil && !mayCome {
			return h, err
		}
	}
	return h, nil
}

// value returns the value of a header now.
func (h headers) value(name string) (string, error) {
	v, where := h.values[name], "the value of header "+name
	if env, ok := strings.CutPrefix(v, "env:"); ok {
		if !isVariable(env) {
			return "", errcode.New(errcode.InvalidArgument, "judge headers: %s: expected env:NAME with the name of a variable",
				name)
		}
		v, where = h.getenv(env), "environment variable "+env
	} else if path, ok := strings.CutPrefix(v, "file:"); ok {
		b, err := os.ReadFile(path)
		if err != nil {
			return "", noKey("the file of header " + name + " cannot be read")
		}
		v, where = string(b), "the file of header "+name
	}
	key, err := checkedKey(v, where)
	return key.Value(), err
}

// add sets the headers.
func (h headers) add(to http.Header) error {
	for name := range h.values {
		v, err := h.value(name)
		if err != nil {
			return err
		}
		to.Set(name, v)
	}
	return nil
}

func (h headers) names() []string { return slices.Collect(maps.Keys(h.values)) }

// secrets returns the values of the configured headers, and the key.
func (g *Guard) secrets(key Key) (all []string) {
	for name := range g.headers.values {
		if v, err := g.headers.value(name); err == nil {
			all = append(all, v)
		}
	}
	return append(all, key.Value()) // the last: a header may contain it
}
