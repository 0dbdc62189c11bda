package server

import (
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/udf"
)

// encodeWithin encodes the reply. If it is longer than limit, it removes the detail of the longest envelopes until it
// fits. If it is then still too long, the error asks for fewer rows.
func encodeWithin(dst []byte, r *request, limit int) ([]byte, error) {
	start := len(dst)
	dst = r.wire.encode(dst, r)
	over := len(dst) - start - limit
	if limit == 0 || over <= 0 {
		return dst, nil
	}
	if r.out.Type == udf.JSON {
		rows := make([]int, r.batch.Rows)
		for i := range rows {
			rows[i] = i
		}
		slices.SortStableFunc(rows, func(a, b int) int { return len(r.out.Texts[b]) - len(r.out.Texts[a]) })
		for _, i := range rows {
			if over <= 0 {
				break
			}
			short := withoutDetail(r.out.Texts[i])
			over -= len(r.out.Texts[i]) - len(short)
			r.out.Texts[i] = short
		}
	}
	if over > 0 {
		return nil, errcode.New(errcode.ResourceExhausted,
			"the reply to %d rows is longer than %d bytes; send fewer rows at once (rows in the values of badger install)",
			r.batch.Rows, limit)
	}
	return r.wire.encode(dst[:start], r), nil
}

// withoutDetail removes the detail from an envelope, or from each envelope of an array, and adds "truncated": true.
func withoutDetail(envelope string) string {
	var s jsonscan.Scanner
	s.Reset(bytesOf(envelope))
	if s.Peek() != '[' {
		return textOf(appendWithoutDetail(nil, &s))
	}
	_ = s.Array()
	out := []byte{'['}
	for first := true; ; first = false {
		more, err := s.More(first)
		if err != nil || !more {
			return textOf(append(out, ']'))
		}
		if !first {
			out = append(out, ',')
		}
		out = appendWithoutDetail(out, &s)
	}
}

func appendWithoutDetail(out []byte, s *jsonscan.Scanner) []byte {
	if s.Peek() != '{' {
		v, _ := s.Skip()
		return append(out, v...)
	}
	_ = s.Object()
	out = append(out, '{')
	for first := true; ; first = false {
		key, ok, err := s.Key(first)
		if err != nil || !ok {
			return append(out, `"truncated":true}`...)
		}
		if string(key) == "detail" {
			_, _ = s.Skip()
			continue
		}
		out = append(jsonscan.AppendString(out, key), ':')
		v, _ := s.Skip()
		out = append(append(out, v...), ',')
	}
}
