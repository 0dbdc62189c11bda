package scoring

import (
	"context"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
)

// Estimated memory in bytes for comparing two results, in addition to the results, as measured for the metrics that
// compare them: for the keys of rows and cells, and the data for sorting and counting them.
const (
	rowRoom  = 96
	cellRoom = 24
	anyRoom  = 32 // additional bytes for each value of an ANY column
	// textRoom is the memory in bytes for each byte of the longest string when it is parsed as a list, a number or
	// another type. For a list of short numbers it is 33.
	textRoom = 36
	// freeRoom is the largest estimate for which no memory is reserved.
	freeRoom = 64 << 10
)

// HoldComparison reserves the estimated memory for comparing two results in the account of the context, if it has one
// and the estimate exceeds freeRoom. If memory is exhausted, it returns an error with the code ResourceExhausted.
func HoldComparison(ctx context.Context, gold, pred *Table) error {
	a := account.From(ctx)
	if a == nil {
		return nil
	}
	n := gold.comparisonRoom() + pred.comparisonRoom()
	if n <= freeRoom {
		return nil
	}
	if err := a.Hold(ctx, n); err != nil {
		return errcode.New(errcode.Of(err),
			"comparing results of %d and %d rows takes about %d bytes in addition to them: %w",
			gold.Rows(), pred.Rows(), n, err)
	}
	return nil
}

func (t *Table) comparisonRoom() int64 {
	rows := int64(t.Rows())
	n, longest := rowRoom*rows, 0
	for i := range t.Columns {
		c := &t.Columns[i]
		n += cellRoom * rows
		if c.Type == Any {
			n += anyRoom * rows
		}
		longest = max(longest, c.longestText())
	}
	return n + textRoom*int64(longest)
}

// longestText returns the length of the column's longest string in bytes, or 0 if it has no strings.
func (c *Column) longestText() (longest int) {
	for i := range c.cells {
		longest = max(longest, len(c.cells[i].text))
	}
	start := uint32(0)
	for _, end := range c.ends {
		longest = max(longest, int(end-start))
		start = end
	}
	return longest
}
