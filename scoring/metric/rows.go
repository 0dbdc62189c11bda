package metric

import (
	"math/bits"

	"github.com/badger-eval/badger/scoring"
)

// rowTally says how the rows of two tables of equally many columns compare as sets and as multisets.
type rowTally struct {
	goldDistinct, predDistinct int // different rows of each side
	onlyGold, onlyPred         int // different rows that the other side does not have at all
	missing, extra             int // rows, repeats counted, that gold has more often; that pred has more often
}

// tallyRows counts rows by identity of their cells. Gold's column j corresponds to pred's column pair[j]; nil pairs them by position.
// It hashes rows and compares the cells of rows with equal hashes, so that the answer is exact.
func tallyRows(gold, pred *scoring.Table, pair []int, r reading) rowTally {
	if pair == nil {
		pair = positions(len(gold.Columns))
	}
	goldHash := rowHashes(gold, positions(len(gold.Columns)), r)
	predHash := rowHashes(pred, pair, r)
	ix := newRowIndex(len(goldHash) + len(predHash))
	type count struct{ gold, pred int32 }
	counts := make([]count, 0, len(goldHash))
	rep := make([]int32, 0, len(goldHash)) // first row of each kind; ^row where only pred has it
	for i, h := range goldHash {
		g, fresh := ix.find(h, func(g int32) bool { return sameRow(gold, i, gold, int(rep[g]), nil, r) })
		if fresh {
			counts, rep = append(counts, count{}), append(rep, int32(i)) //nolint:gosec // rows are fewer than 2^31
		}
		counts[g].gold++
	}
	goldKinds := len(counts)
	for i, h := range predHash {
		g, fresh := ix.find(h, func(g int32) bool {
			if rep[g] < 0 {
				return sameRow(pred, int(^rep[g]), pred, i, nil, r)
			}
			return sameRow(gold, int(rep[g]), pred, i, pair, r)
		})
		if fresh {
			counts, rep = append(counts, count{}), append(rep, int32(^i)) //nolint:gosec // rows are fewer than 2^31
		}
		counts[g].pred++
	}
	t := rowTally{goldDistinct: goldKinds, onlyPred: len(counts) - goldKinds}
	for _, c := range counts {
		if c.pred == 0 {
			t.onlyGold++
		}
		t.missing += int(max(0, c.gold-c.pred))
		t.extra += int(max(0, c.pred-c.gold))
	}
	t.predDistinct = len(counts) - t.onlyGold
	return t
}

func positions(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// rowHashes hashes every row over the given columns, in that order.
func rowHashes(t *scoring.Table, columns []int, r reading) []uint64 {
	rows := make([]uint64, t.Rows())
	cells := make([]uint64, t.Rows())
	for _, j := range columns {
		cellHashes(cells, &t.Columns[j], r)
		for i, h := range cells {
			rows[i] = mix(rows[i]*3 + h)
		}
	}
	return rows
}

// sameRow compares row i of a, over all its columns, with row j of b. Column c of a corresponds to column pair[c] of b, or to column c.
func sameRow(a *scoring.Table, i int, b *scoring.Table, j int, pair []int, r reading) bool {
	for c := range a.Columns {
		d := c
		if pair != nil {
			d = pair[c]
		}
		if !sameCell(&a.Columns[c], i, &b.Columns[d], j, r) {
			return false
		}
	}
	return true
}

// rowIndex numbers different rows: a hash table with open addressing.
type rowIndex struct {
	slots  []int32 // number of the kind of row plus 1; 0 is empty
	hashes []uint64
}

// newRowIndex makes an index for at most n rows.
func newRowIndex(n int) *rowIndex {
	return &rowIndex{slots: make([]int32, 1<<bits.Len(uint(n+n/2+1))), hashes: make([]uint64, 0, n/2)} //nolint:gosec // not negative
}

// find returns the number of the row with hash h that same confirms, or a fresh number.
func (x *rowIndex) find(h uint64, same func(kind int32) bool) (kind int32, fresh bool) {
	mask := len(x.slots) - 1
	for s := int(h) & mask; ; s = (s + 1) & mask { //nolint:gosec // bits, not a number
		switch k := x.slots[s] - 1; {
		case k < 0:
			x.hashes = append(x.hashes, h)
			x.slots[s] = int32(len(x.hashes)) //nolint:gosec // rows are fewer than 2^31
			return x.slots[s] - 1, true
		case x.hashes[k] == h && same(k):
			return k, false
		}
	}
}

// rowKinds numbers the different rows of a table in order of their first occurrence: which row that is, and how many there are of each.
func rowKinds(t *scoring.Table, r reading) (first []int32, count []uint64) {
	hashes := rowHashes(t, positions(len(t.Columns)), r)
	ix := newRowIndex(len(hashes))
	for i, h := range hashes {
		k, fresh := ix.find(h, func(k int32) bool { return sameRow(t, i, t, int(first[k]), nil, r) })
		if fresh {
			first, count = append(first, int32(i)), append(count, 0) //nolint:gosec // rows are fewer than 2^31
		}
		count[k]++
	}
	return first, count
}

// rowsOptions are the options of the metrics that compare rows as Python values.
type rowsOptions struct {
	// TypedText reads text that Python would print for a number as that number. Nil reads it so only where both results hold nothing
	// but text: such results were exported as text and have lost their types.
	TypedText *bool `json:"typed_text"`
}

func (o rowsOptions) reading(gold, pred *scoring.Table) reading {
	switch {
	case o.TypedText != nil && *o.TypedText, o.TypedText == nil && onlyText(gold) && onlyText(pred):
		return asPrinted
	}
	return asTyped
}

type tallyKey struct{ r reading }

// positionalTally is tallyRows by position, made once for all metrics of a case.
func positionalTally(in *scoring.Input, r reading) rowTally {
	return scoring.Memo(in, tallyKey{r}, func() rowTally {
		return tallyRows(in.Gold.Result.Table, in.Pred.Result.Table, nil, r)
	})
}
