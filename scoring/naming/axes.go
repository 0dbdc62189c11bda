package naming

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed axes.txt
var axesText string

// sense is the meaning of a word on an axis: the pole that it is at.
type sense struct {
	axis int
	pole int
	weak bool // it contrasts only with words that are not weak
}

// lexicon holds the axes and the words at their poles.
type lexicon struct {
	axes    []Axis
	senses  map[string][]sense // by word, or phrase with _ between its words, in lower case
	longest int                // number of words of the longest phrase
}

// Axis is a set of opposites, its poles, such as win, loss and draw.
type Axis struct {
	Name string
	// the words and phrases of each pole that are not weak, with spaces in phrases
	Poles [][]string
	Mild  bool // names at different poles contradict each other only if their columns are exchanged
	Signs bool // a number at one pole is the negated number at the other
}

// Axes returns the axes by which names are compared. The caller must not change them.
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

// of returns the senses of a word, or else of its singular or root.
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

// phrase returns the number of words of the longest phrase of the lexicon at the start of w, and its senses; 0 if there
// is none.
func (l *lexicon) phrase(w []string) (n int, s []sense) {
	for n := min(l.longest, len(w)); n > 1; n-- {
		if s := l.senses[strings.Join(w[:n], "_")]; s != nil {
			return n, s
		}
	}
	return 0, nil
}
