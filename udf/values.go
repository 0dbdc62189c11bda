package udf

import (
	"math"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// AppendValue appends row i of a result as JSON. With exact, integers beyond 2^53 are strings, for clients that would
// round them.
func AppendValue(dst []byte, c *Column, i int, exact bool) []byte {
	if c.Nulls[i] {
		return append(dst, "null"...)
	}
	switch c.Type {
	case VARCHAR:
		return jsonscan.AppendString(dst, c.Texts[i])
	case JSON:
		return append(dst, c.Texts[i]...)
	case DOUBLE:
		return appendFloat(dst, c.Floats[i])
	case BIGINT:
		return appendInt(dst, c.Ints[i], exact)
	}
	if c.Bools[i] {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// appendFloat appends a number as JSON, the shortest text that reads back as f. NaN and infinities are strings, as
// in the warehouses' own encodings.
func appendFloat(dst []byte, f float64) []byte {
	switch abs := math.Abs(f); {
	case f == math.Trunc(f) && abs < 1e15:
		return strconv.AppendInt(dst, int64(f), 10)
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	case abs < 1e-6 || abs >= 1e21:
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// FormatFloat formats a DOUBLE as text, with the same digits as [AppendValue].
func FormatFloat(f float64) string { return strings.Trim(string(appendFloat(nil, f)), `"`) }

func appendInt(dst []byte, n int64, exact bool) []byte {
	if exact && (n > 1<<53 || n < -1<<53) {
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, n, 10)
		return append(dst, '"')
	}
	return strconv.AppendInt(dst, n, 10)
}

// PublicError returns the code and the message that a caller may see. It hides the message of an error without a
// code.
func PublicError(err error) (errcode.Code, string) {
	switch code := errcode.Of(err); code {
	case errcode.Unknown:
		return code, "an unexpected error"
	case errcode.Cancelled:
		return code, "the call was cancelled"
	default:
		return code, err.Error()
	}
}

// AppendFailure appends the JSON envelope of a failure that belongs to no metric. An empty requestID is omitted.
func AppendFailure(b []byte, code errcode.Code, reason, requestID string) []byte {
	b = append(b, `{"status":"failed","value":null,"code":`...)
	b = jsonscan.AppendString(b, code.String())
	b = append(b, `,"reason":`...)
	b = jsonscan.AppendString(b, reason)
	if requestID != "" {
		b = append(b, `,"request_id":`...)
		b = jsonscan.AppendString(b, requestID)
	}
	return append(b, '}')
}
