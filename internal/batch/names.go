package batch

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// maxNames is the maximum total number of bytes of an answer's names: they are part of the key of its scores, and
// PostgreSQL limits an index key to 2,704 bytes.
const maxNames = 2000

// kept returns the item unchanged if all warehouses can store its names. Otherwise it returns an item that is named
// by its place and whose Load returns an error, so that only its own scores fail.
func kept(item Item) Item {
	names := []struct {
		key  string
		text *string
	}{{"case_id", &item.CaseID}, {"agent", &item.Agent}, {"version", &item.Version}, {"batch", &item.Batch}}
	odd, size := "", 0
	for _, n := range names {
		size += len(*n.text)
		switch {
		case strings.IndexByte(*n.text, 0) >= 0:
			odd = n.key + " holds the character U+0000, which PostgreSQL cannot keep"
		case !utf8.ValidString(*n.text):
			odd = n.key + " is not UTF-8"
		}
	}
	var err error
	switch {
	case odd != "":
		err = errcode.New(errcode.InvalidArgument, "%s: %s", item.Place, odd)
	case size > maxNames:
		err = errcode.New(errcode.InvalidArgument,
			"%s: case_id, agent, version and batch have %d bytes together, expected at most %d", item.Place, size, maxNames)
	default:
		return item
	}
	for _, n := range names {
		if text := *n.text; size > maxNames && len(text) > maxNames/8 || strings.IndexByte(text, 0) >= 0 ||
			!utf8.ValidString(text) {
			*n.text = "" // the other keys still identify the answer
		}
	}
	item.CaseID, item.Bytes, item.Question = item.Place, 0, nil
	item.Load = func(context.Context) (*scoring.Case, error) { return nil, err }
	return item
}
