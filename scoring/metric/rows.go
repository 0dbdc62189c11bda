package metric

import (
	"math/bits"

	"github.com/badger-eval/badger/scoring"
)

// part is a selection of the columns of a table.
type part struct {
	table   *scoring.Table
	columns []int
}

func whole(t *scoring.Table) part { return part{t, positions(len(t.Columns))} }

func positions(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// rowKinds numbers the distinct rows of one or two parts with the same number of columns, in the order of their first
// occurrence. Row indexes continue through the second part: its first row has the number of rows of the first part as
// its index.
type rowKinds struct {
	of    []int32 // by row: the number of the distinct row that it equals
	first []int32 // by number: the first such row
}

func kindsOf(r reading, parts ...part) rowKinds {
	var hashes []uint64
	for _, p := range parts {
		hashes = append(hashes, rowHashes(p, r)...)
	}
	return kindsBehind(hashes, r, parts)
}

// kindsBehind returns the rowKinds of rows with these hashes. It first treats rows with equal hashes as equal and
// then verifies this column by column, which is faster than row by row. If that fails, it starts again and compares
// rows with equal hashes. Either way the result is exact.
func kindsBehind(hashes []uint64, r reading, parts []part) rowKinds {
	k := numberRows(hashes, func(int32, int32) bool { return true })
	for j := range parts[0].columns {
		if !sameAsFirst(k, newColumnPair(parts, j), r) {
			return numberRows(hashes, func(a, b int32) bool {
				for j := range parts[0].columns {
					if c := newColumnPair(parts, j); !c.same(int(a), int(b), r) {
						return false
					}
				}
				return true
			})
		}
	}
	return k
}

// numberRows numbers rows so that two rows have the same number if their hashes are equal and same returns true for
// them.
func numberRows(hashes []uint64, same func(first, row int32) bool) rowKinds {
	ix := newRowIndex(len(hashes))
	k := rowKinds{of: make([]int32, len(hashes))}
	for i, h := range hashes {
		row := int32(i)
		kind, fresh := ix.find(h, func(kind int32) bool { return same(k.first[kind], row) })
		if fresh {
			k.first = append(k.first, row)
		}
		k.of[i] = kind
	}
	return k
}

// columnPair is one column of the first part and its counterpart in the second, as one column with continuous row
// indexes.
type columnPair struct {
	a, b *scoring.Column
	n    int // rows of a
}

func newColumnPair(parts []part, j int) columnPair {
	column := func(p part) *scoring.Column { return &p.table.Columns[p.columns[j]] }
	c := columnPair{a: column(parts[0]), n: parts[0].table.Rows()}
	if len(parts) > 1 {
		c.b = column(parts[1])
	}
	return c
}

func (c columnPair) same(i, j int, r reading) bool {
	x, y := c.a, c.a
	if i >= c.n {
		x, i = c.b, i-c.n
	}
	if j >= c.n {
		y, j = c.b, j-c.n
	}
	return sameCell(x, i, y, j, r)
}

// sameAsFirst reports whether the cell of every row equals that of the first row with the same number.
func sameAsFirst(k rowKinds, c columnPair, r reading) bool {
	for i, kind := range k.of {
		if f := int(k.first[kind]); f != i && !c.same(f, i, r) {
			return false
		}
	}
	return true
}

// rowHashes returns a hash of each row.
func rowHashes(p part, r reading) []uint64 {
	rows := make([]uint64, p.table.Rows())
	cells := make([]uint64, p.table.Rows())
	for _, j := range p.columns {
		cellHashes(cells, &p.table.Columns[j], r)
		for i, h := range cells {
			rows[i] = mix(rows[i]*3 + h)
		}
	}
	return rows
}

// rowIndex is a hash table with open addressing that assigns numbers to distinct rows.
type rowIndex struct {
	slots  []int32 // number of the distinct row plus 1; 0 is empty
	hashes []uint64
}

// newRowIndex returns an index for at most n rows.
func newRowIndex(n int) *rowIndex {
	return &rowIndex{slots: make([]int32, 1<<bits.Len(uint(n+n/2+1))), hashes: make([]uint64, 0, n/2)}
}

// find returns the number of the row with hash h for which same returns true. If there is none, it returns a new
// number, and fresh is true.
func (x *rowIndex) find(h uint64, same func(kind int32) bool) (kind int32, fresh bool) {
	mask := len(x.slots) - 1
	for s := int(h) & mask; ; s = (s + 1) & mask {
		switch k := x.slots[s] - 1; {
		case k < 0:
			x.hashes = append(x.hashes, h)
			x.slots[s] = int32(len(x.hashes))
			return x.slots[s] - 1, true
		case x.hashes[k] == h && same(k):
			return k, false
		}
	}
}
