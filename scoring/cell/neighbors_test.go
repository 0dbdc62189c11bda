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
				if ranged {
					p.codes[0].end = []int32{}
				}
				packed := newPacked(p.codes)
				// cells are codes and the last ones that equal them, by column, and both packed.
				cells := func(n int, goldSide bool) (codes, ends [][]int32, first, last []uint64) {
					first, last = make([]uint64, n*packed.words), make([]uint64, n*packed.words)
					for k := range width {
						all := p.codes[k].n
						var own, to []int32
						for range n {
							code := r.IntN(min(all, 4))
							if r.IntN(4) == 0 {
								code = all - 1
							}
							end := code
							if ranged && r.IntN(3) == 0 {
								end += r.IntN(all - code)
							}
							if r.IntN(5) == 0 {
								code, end = dead, dead
							}
							own, to = append(own, int32(code)), append(to, int32(end)) //nolint:gosec // small
						}
						packed.add(first, k, own, goldSide)
						packed.add(last, k, to, goldSide)
						codes, ends = append(codes, own), append(ends, to)
					}
					return codes, ends, first, last
				}
				const golds = 9
				gold, ends, first, last := cells(golds, true)
				pred, _, words, _ := cells(window, false)
				for i := range golds {
					for from := range 3 {
						var got [window]int32
						packed.equal(first[i*packed.words:][:packed.words], last[i*packed.words:][:packed.words], words[from*packed.words:], &got)
						for j := from; j < window; j++ {
							want := int32(0)
							for k := range width {
								if g, q := gold[k][i], pred[k][j]; g != dead && q != dead && q >= g && q <= ends[k][i] {
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
