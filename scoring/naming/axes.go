package naming

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed axes.txt
var axesText string

// sense is the meaning of a word on an axis of opposites.
type sense struct {
	axis int
	pole int
	weak bool // only significant against a word that is not weak
}

// lexicon is the vocabulary of opposites.
type lexicon struct {
	axes    []Axis
	senses  map[string][]sense // by word or phrase, in lower case, the words of a phrase with _ between them
	longest int                // words of a phrase
}

// Axis is a set of opposites, such as win, loss and draw.
type Axis struct {
	Name string
	// the words of each pole that have this meaning by themselves, the words of a phrase separated by blanks
	Poles [][]string
	Mild  bool // it distinguishes columns only if they change places
	Signs bool // a number at one pole is that at the other with its sign changed
}

// Axes lists the opposites that names are read by.
func Axes() []Axis { return words().axes }

var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{senses: map[string][]sense{}}
	for n, line := range strings.Split(axesText, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, poles, ok := strings.Cut(line, ":")
		if !ok || !strings.Contains(poles, "|") {
			panic(fmt.Sprintf("axes.txt, line %d: expected a name, a colon and poles between bars", n+1))
		}
		axis := Axis{}
		name, axis.Mild = strings.CutPrefix(name, "?")
		axis.Name, axis.Signs = strings.CutPrefix(name, "-")
		for k, pole := range strings.Split(poles, "|") {
			var strong []string
			for _, w := range strings.Fields(pole) {
				w, weak := strings.CutPrefix(w, "~")
				l.senses[w] = append(l.senses[w], sense{axis: len(l.axes), pole: k, weak: weak})
				l.longest = max(l.longest, strings.Count(w, "_")+1)
				if !weak {
					strong = append(strong, strings.ReplaceAll(w, "_", " "))
				}
			}
			axis.Poles = append(axis.Poles, strong)
		}
		l.axes = append(l.axes, axis)
	}
	return l
})

// of returns the senses of a word, in its own form or in that of its singular or root.
func (l *lexicon) of(w string) []sense {
	if s := l.senses[w]; s != nil {
		return s
	}
	if s := l.senses[Stem(w)]; s != nil {
		return s
	}
	if r := root(w); len(r) >= 4 {
		if s := l.senses[r]; s != nil {
			return s
		}
		return l.senses[r+"e"]
	}
	return nil
}

// phrase returns the number of words of the longest phrase of the lexicon at the start of w, and its meaning; 0 if
// there is none.
func (l *lexicon) phrase(w []string) (n int, s []sense) {
	for n := min(l.longest, len(w)); n > 1; n-- {
		if s := l.senses[strings.Join(w[:n], "_")]; s != nil {
			return n, s
		}
	}
	return 0, nil
}
