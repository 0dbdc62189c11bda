// Package service describes how badger serve is deployed: the section deploy of the values that badger install and
// badger deploy read, the roles of a service on Google Cloud Run, and Snowflake's specification of a service.
package service

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Field is a string in the values, with its key, for checks and messages.
type Field struct {
	Key     string
	Value   *string
	Initial string // default
	Example string
}

// CheckText returns an error that names key if text contains a control character, $$ or $badger$. These would end the
// SQL string that text is inserted into.
func CheckText(key, text string) error {
	for _, c := range text {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
			return errcode.New(errcode.InvalidArgument, "values: %s holds a control character", key)
		}
	}
	if strings.Contains(text, "$$") || strings.Contains(text, "$badger$") {
		return errcode.New(errcode.InvalidArgument, "values: %s holds $$ or $badger$, which end the text of a function", key)
	}
	return nil
}
