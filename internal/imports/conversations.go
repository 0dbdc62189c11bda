package imports

import (
	"cmp"
	"crypto/sha256"
	"slices"
)

// talk identifies a conversation of an agent.
type talk struct{ agent, version, id string }

// conversations are the indexes of the answers of each conversation, in the order of the files.
type conversations map[talk][]int

func (c conversations) add(t talk, answer int) { c[t] = append(c[t], answer) }

// number sets the turns of answers that have none, by the time of each. The turns in lists of messages are kept, unless
// one turn has two questions: then each trace has only a part of the conversation. number returns how many answers have
// no turn, because the time of an answer of their conversation is unknown.
func (c conversations) number(answers []planned) (without int) {
	for _, of := range c {
		numbered, timed := true, true
		questions := map[int][8]byte{}
		for _, i := range of {
			a := &answers[i]
			if other, ok := questions[a.turn]; a.turn == 0 || ok && other != a.key {
				numbered = false
			}
			questions[a.turn] = a.key
			timed = timed && a.timed
		}
		switch {
		case numbered:
			slices.SortStableFunc(of, func(i, j int) int { return cmp.Compare(answers[i].turn, answers[j].turn) })
		case timed:
			slices.SortStableFunc(of, func(i, j int) int { return cmp.Compare(answers[i].ranAt, answers[j].ranAt) })
			for n, i := range of {
				answers[i].turn = n + 1
			}
		default:
			for _, i := range of {
				answers[i].turn = 0
			}
			without += len(of)
			continue
		}
		followUps(of, answers)
	}
	return without
}

// followUps includes in the keys of questions those before them: "And in Rome?" is another question in another
// conversation. Answers to one turn have the same key.
func followUps(of []int, answers []planned) {
	var before, key [8]byte
	for n, i := range of {
		a := &answers[i]
		if n > 0 && a.turn != answers[of[n-1]].turn {
			before = key
		}
		if before != [8]byte{} {
			sum := sha256.Sum256(append(before[:], a.key[:]...))
			a.key = [8]byte(sum[:])
		}
		key = a.key
	}
}
