package jsonscan

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Explain returns an InvalidArgument error that describes why encoding/json did not decode an object, without types of
// Go and without text of the object. Other errors are returned unchanged.
func Explain(err error) error {
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		field := kind.Field
		if at := strings.LastIndexByte(field, '.'); at >= 0 && strings.HasSuffix(field[:at], "Key") { // an embedded struct
			field = field[at+1:]
		}
		return errcode.New(errcode.InvalidArgument, "%s is a JSON %s, which is not allowed there",
			cmp.Or(field, "the line"), kind.Value)
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return errcode.New(errcode.InvalidArgument, "malformed JSON at byte %d; expected an object a line (JSON Lines)",
			syntax.Offset)
	}
	return err
}
