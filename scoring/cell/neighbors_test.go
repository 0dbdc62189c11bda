package cell

import (
	"math/rand/v2"
	"testing"
)

// Cells packed in words are equal where the cells are, whatever their columns take in them, and dead
// ones never.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	for _, most := range []int{1, 14, 15, 254, 255, 5000, 1 << 20, 0} { // 0: another number in each column
		for _, width := range []int{1, 7, 8, 16, 17, 33} {
			for _, ranged := range []bool{false, true} {
				p := &problem{codes: make([]codes, width)}
				for k := range p.codes {
					if p.codes[k].n = most; most == 0 {
						p.codes[k].n = 1 << r.IntN(20)
					}
				}
				cells := func(n int) (cells, ends []int32) {
					for at := range n * width {
						all := p.codes[at%width].n
						code := r.IntN(min(all, 4))
						if r.IntN(4) == 0 {
							code = all - 1
						}
						end := code + 1
						if r.IntN(3) == 0 {
							end += r.IntN(all - code)
						}
						if r.IntN(5) == 0 {
							code, end = dead, r.IntN(2)
						}
						cells, ends = append(cells, int32(code)), append(ends, int32(end)) //nolint:gosec // small
					}
					return cells, ends
				}
				const golds = 9
				var ends []int32
				p.gold.cells, ends = cells(golds)
				p.pred.cells, _ = cells(window)
				if ranged {
					p.gold.ends = ends
				}
				packed := p.pack()
				first, last := make([]uint64, golds*packed.words), make([]uint64, golds*packed.words)
				var list []keyed
				for i := range int32(golds) {
					list = append(list, keyed{row: i})
				}
				packed.cellsOf(list, first, last)
				for i := range golds {
					for from := range 3 {
						var got [window]int32
						packed.equal(first[i*packed.words:][:packed.words], last[i*packed.words:][:packed.words], packed.pred[from*packed.words:], &got)
						for j := from; j < window; j++ {
							want := int32(0)
							for k := range width {
								g, q := i*width+k, p.pred.cells[j*width+k]
								if g, end := p.gold.cells[g], ends[g]; g != dead && q != dead && (q == g || ranged && q > g && q < end) {
									want++
								}
							}
							if got[j-from] != want {
								t.Fatalf("%d codes, %d columns, ranges %v: %d cells are equal, want %d", most, width, ranged, got[j-from], want)
							}
						}
					}
				}
			}
		}
	}
}
