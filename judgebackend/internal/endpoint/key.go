package endpoint

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// Key is an API key that formatting and encoding do not show.
type Key struct{ value string }

// Value returns the key, or "" if no key is configured.
func (k Key) Value() string { return k.value }

func (Key) String() string               { return "[secret]" }
func (Key) GoString() string             { return "[secret]" }
func (Key) LogValue() slog.Value         { return slog.StringValue("[secret]") }
func (Key) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// KeySource reads a key at every call, so that a replaced file takes effect without a restart.
type KeySource struct {
	file, env string
	later     bool // a file that is missing may be created later
	getenv    func(string) string
}

// NewKeySource returns the source of the key: the configured file or variable, else the environment variable
// fallback. fallback must only be set for the vendor's own host: other hosts must not get a key that the user did not
// configure for them.
func NewKeySource(o *judgebackend.OpenOptions, fallback string) (KeySource, error) {
	k := KeySource{file: o.KeyFile, env: o.KeyEnv, later: o.KeyLater, getenv: o.Getenv}
	switch {
	case k.file != "" && k.env != "":
		return k, errcode.New(errcode.InvalidArgument, "judge key: name a file or an environment variable, not both")
	case k.env != "" && !isVariable(k.env): // perhaps the key itself: not repeated
		return k, errcode.New(errcode.InvalidArgument, "judge key: expected the name of an environment variable")
	case k.file == "" && k.env == "":
		k.env = fallback
	}
	_, err := k.key()
	if judgebackend.KindOf(err) == judgebackend.KindNoKey {
		err = nil
	}
	return k, err
}

// key returns the key. Without a source it is empty and no error: local endpoints need no key.
func (k KeySource) key() (Key, error) {
	switch {
	case k.file != "":
		b, err := os.ReadFile(k.file)
		if k.later && len(bytes.TrimSpace(b)) == 0 {
			return Key{}, &judgebackend.Error{Kind: judgebackend.KindNoKey, Detail: "the key file cannot be read or is empty"}
		}
		if err != nil {
			return Key{}, noKey("the file of --judge-key-file or judge.key_file cannot be read: " + reasonOf(err))
		}
		return checkedKey(string(b), "the key file")
	case k.env != "":
		return checkedKey(k.getenv(k.env), "environment variable "+k.env)
	}
	return Key{}, nil
}

// Use calls call with the key. If the key is rejected and the source has another one by now, it calls again: the key
// was replaced during the call.
func (k KeySource) Use(call func(Key) (judgebackend.Response, error)) (judgebackend.Response, error) {
	key, err := k.key()
	if err != nil {
		return judgebackend.Response{}, err
	}
	resp, err := call(key)
	if judgebackend.KindOf(err) != judgebackend.KindUnauthorized {
		return resp, err
	}
	if now, keyErr := k.key(); keyErr == nil && now != key {
		return call(now)
	}
	return resp, err
}

// reasonOf returns why a file cannot be read, without its name, which may be a key given by mistake.
func reasonOf(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return "unknown reason"
}

func checkedKey(v, where string) (Key, error) {
	v = strings.TrimSpace(v)
	if v == "" {
		return Key{}, noKey(where + " holds no key")
	}
	for _, c := range []byte(v) {
		if c < ' ' || c > '~' {
			return Key{}, noKey(where + " holds characters that no key has")
		}
	}
	return Key{v}, nil
}

func isVariable(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return s != ""
}

func noKey(why string) error {
	return &judgebackend.Error{Kind: judgebackend.KindUnauthorized, Detail: why}
}
