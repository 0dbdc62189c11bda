package udf

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

const (
	// sqlExpansion is the number of bytes to reserve per byte of SQL while a metric reads it: for its tokens, its
	// tree, and data derived from these. The largest measured value was 130.
	sqlExpansion = 128
	// textExpansion is the expansion of natural language, such as a question: its words, and their parsed meaning.
	textExpansion = 64
	// shortText is the maximal length of a string that is read without a reservation: concurrent rows then use less
	// memory than a message.
	shortText = 16 << 10
)

// reading reserves the memory for reading the long strings of a row, in the account of the caller. The returned
// function releases it; it may be called after the call has ended. A row that needs more memory than is left fails;
// the other rows of its call do not.
func (f *Function) reading(ctx context.Context, in *Batch, i int) (done func(), err error) {
	done = func() {}
	caller := CallerFrom(ctx)
	if caller == nil {
		return done, nil
	}
	var n, bytes int64
	for k := range in.Args {
		if a := &in.Args[k]; i < len(a.Texts) && len(a.Texts[i]) > shortText {
			if more := f.Params[k].expansion(a.Texts[i]); more > 0 {
				n, bytes = n+more, bytes+int64(len(a.Texts[i]))
			}
		}
	}
	if n == 0 {
		return done, nil
	}
	release, err := caller.Reserve(n) // not with the call, which the row of a job may outlive
	if err != nil {
		return done, errcode.New(errcode.ResourceExhausted, "reading the %d bytes of long strings in this row takes %d bytes of memory, which the server does not have at present; send shorter strings, or fewer rows at once", bytes, n)
	}
	return release, nil
}

// expansion returns the memory in bytes to reserve for reading a long argument: 0 for results and cases, whose memory
// is reserved while they are parsed.
func (p *Param) expansion(text string) int64 {
	switch name := p.Name; {
	case strings.HasSuffix(name, "sql") || strings.HasSuffix(name, "ddl"): // queries, or the DDL of tables
		return sqlExpansion * int64(len(text))
	case strings.HasSuffix(name, "result") || name == "case_json":
		return 0
	case p.Type == JSON:
		return jsonExpansion(text)
	}
	return textExpansion * int64(len(text))
}

// jsonExpansion estimates, from above, the memory in bytes of a JSON text after parsing.
func jsonExpansion(text string) int64 {
	values, objects := strings.Count(text, ","), strings.Count(text, "{")
	return 4*int64(len(text)) + 64*int64(values) + 512*int64(objects)
}
