package identity

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

const minSecret = 16 // characters of a token

// tokens identifies callers by secrets. It stores SHA-256 digests and compares them in constant time. A token is sent
// as "Authorization: Bearer TOKEN", as the password of "Authorization: Basic", or in the header "x-badger-token".
type tokens struct {
	fixed []token
	file  *ReloadingFile[[]token] // nil: no token file
}

type token struct {
	name   string
	digest [sha256.Size]byte
}

func newTokens(c Config, s Env) (*tokens, error) {
	if len(c.Tokens) == 0 && c.TokenFile == "" {
		return nil, errcode.New(errcode.InvalidArgument, "token_file: mode token needs a file of lines NAME:SECRET")
	}
	t := &tokens{}
	for name, secret := range c.Tokens {
		tok, err := newToken(name, secret)
		if err != nil {
			return nil, err
		}
		t.fixed = append(t.fixed, tok)
	}
	if c.TokenFile == "" {
		return t, nil
	}
	var err error
	t.file, err = Watch("token file", func(b [][]byte) ([]token, error) { return parseTokens(b[0]) }, s.Changed,
		c.TokenFile)
	return t, err
}

func newToken(name, secret string) (token, error) {
	if name == "" || len(name) > 64 || Clean(name) != name {
		return token{}, errcode.New(errcode.InvalidArgument,
			"token: expected a name of up to 64 letters, digits and punctuation")
	}
	if len(secret) < minSecret {
		return token{}, errcode.New(errcode.InvalidArgument, "token %q: the secret has fewer than %d characters", name,
			minSecret)
	}
	return token{name, sha256.Sum256([]byte(secret))}, nil
}

func parseTokens(data []byte) (list []token, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxSecretFile+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, secret, ok := strings.Cut(line, ":")
		if !ok {
			return nil, errcode.New(errcode.InvalidArgument, "line %d: expected NAME:SECRET", n)
		}
		tok, err := newToken(strings.TrimSpace(name), strings.TrimSpace(secret))
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "line %d: %w", n, err)
		}
		if i := slices.IndexFunc(list, func(o token) bool { return o.digest == tok.digest && o.name != tok.name }); i >= 0 {
			return nil, errcode.New(errcode.InvalidArgument, "line %d: tokens %q and %q have the same secret; give each its own",
				n, list[i].name, tok.name)
		}
		list = append(list, tok)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "no line NAME:SECRET")
	}
	return list, nil
}

var (
	errNoToken  = errcode.New(errcode.Unauthenticated, "a token is required: Authorization: Bearer TOKEN")
	errNotKnown = errcode.New(errcode.Unauthenticated, "the token is not known")
)

func (t *tokens) identify(_ context.Context, r *Request) (name string, err error) {
	secret, err := secretIn(r)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(secret))
	var fromFile []token
	if t.file != nil {
		fromFile, err = t.file.Value()
	}
	for _, list := range [...][]token{t.fixed, fromFile} {
		for i := range list {
			if subtle.ConstantTimeCompare(digest[:], list[i].digest[:]) == 1 {
				name = list[i].name
			}
		}
	}
	switch {
	case name != "":
		return name, nil
	case err != nil:
		return "", err
	}
	return "", errNotKnown
}

func (t *tokens) String() string {
	n := len(t.fixed)
	if t.file != nil {
		list, _ := t.file.Value()
		n += len(list)
	}
	if n == 1 {
		return "token (1 known)"
	}
	return fmt.Sprintf("token (%d known)", n)
}

func (t *tokens) err() error {
	if t.file == nil {
		return nil
	}
	_, err := t.file.Value()
	return err
}

// secretIn returns the token from the header x-badger-token, or else from Authorization.
func secretIn(r *Request) (string, error) {
	own, err := one(r, "x-badger-token")
	if err != nil || own != "" {
		return own, err
	}
	authorization, err := one(r, "authorization")
	if err != nil {
		return "", err
	}
	scheme, rest, _ := strings.Cut(authorization, " ")
	secret := ""
	switch {
	case strings.EqualFold(scheme, "bearer"):
		secret = strings.TrimSpace(rest)
	case strings.EqualFold(scheme, "basic"):
		raw, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		_, secret, _ = strings.Cut(string(raw), ":")
	}
	if secret == "" {
		return "", errNoToken
	}
	return secret, nil
}

// one returns the value of a header, or "" if it is missing. A duplicate header is an error: its sender could
// otherwise choose which one is used.
func one(r *Request, name string) (string, error) {
	switch v := r.Header(name); len(v) {
	case 0:
		return "", nil
	case 1:
		return strings.TrimSpace(v[0]), nil
	}
	return "", errcode.New(errcode.Unauthenticated, "duplicate header %s", name)
}
