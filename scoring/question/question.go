// Package question parses a question: which columns it asks for, as opposed to those that only sort or filter,
// which order the rows must have, whether each row counts, whether empty groups belong to the answer, and how many
// digits it asks for. It reads English, by the function words of a sentence. It does not use tables or values. It
// is the only parser of questions in the comparison, so all relations read a question in the same way.
//
// Nothing is ever proven by it: a relation that a question might forbid holds unless the question
// does forbid it.
package question

import (
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/naming"
)

// Question is a parsed question. It is parsed at the first call of a method. It must not be used by several
// goroutines concurrently.
type Question struct {
	text, evidence string
	plainText      string
	ordered        *string // made when first asked for

	done      bool
	sentences [][]token
	phrases   []phrase
	roles     map[string]role // by stem
	acts      []string        // verbs whose subject is a question word: "which customers placed …"
	counts    bool
	yesNo     bool
}

// Read returns a question. Evidence is its hint, such as definitions; it states an order and a number of digits,
// but not which columns the question asks for.
func Read(text, evidence string) *Question { return &Question{text: text, evidence: evidence} }

// Empty reports whether there is no question.
func (q *Question) Empty() bool { return strings.TrimSpace(q.text) == "" }

// Plain is the question in the form of [Plain].
func (q *Question) Plain() string {
	if q.plainText == "" {
		q.plainText = Plain(q.text)
	}
	return q.plainText
}

// roleOf returns the role of a word, by its stem.
func (q *Question) roleOf(stem string) role {
	if q.roles == nil {
		q.read()
		q.roles = map[string]role{}
		for _, s := range q.sentences {
			for _, t := range s {
				if t.kind == word {
					q.roles[t.stem] |= t.role
				}
			}
		}
	}
	return q.roles[stem]
}

// Mentions reports whether the question has all words of a name, in any role.
func (q *Question) Mentions(name string) bool {
	words := naming.Words(name)
	for _, w := range words {
		if !q.has(stemOf(w)) {
			return false
		}
	}
	return len(words) > 0
}

// MentionsPart reports whether the question has one of the words of a name, of three letters or more.
func (q *Question) MentionsPart(name string) bool {
	return slices.ContainsFunc(naming.Words(name), func(w string) bool { return len(w) > 2 && q.has(stemOf(w)) })
}

func (q *Question) has(stem string) bool {
	q.roleOf("")
	_, ok := q.roles[stem]
	return ok
}

// Requests reports whether the question asks for a column with this name, judged by its words: the question
// requests the thing that the column describes, or one row for each such thing.
func (q *Question) Requests(name string) bool {
	words := naming.Words(name)
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stemOf(w)
	}
	return q.requests(stems)
}

func (q *Question) requests(stems []string) bool {
	if len(stems) == 0 {
		return false
	}
	// date of birth
	if at := slices.IndexFunc(stems, func(s string) bool { return s == "of" || prepositions[s] }); at > 0 {
		stems = stems[:at]
	}
	head := len(stems) - 1
	for head > 0 && (makers[stems[head]] || identifiers[stems[head]]) {
		head--
	}
	isRequested := func(i int) bool { return q.roleOf(stems[i])&(requested|grouped) != 0 }
	last := stems[len(stems)-1]
	switch {
	case (last == "id" || last == "key" || last == "code") && len(stems) > 1 && !q.has(last):
		return false // which countries: not their codes
	case identifiers[last] && len(stems) > 1 && q.has(last):
		// The owner of the name: a customer's, if the question says names of customers.
		return q.roleOf(last)&requested != 0 && (q.roleOf(stems[head])&(requested|grouped|of) != 0 || !q.has(stems[head]))
	case makers[stems[head]] && head == 0:
		return slices.ContainsFunc(stems, func(s string) bool { return q.roleOf(s)&(requested|grouped) != 0 })
	}
	return isRequested(head)
}

// RequestsAggregate reports whether the question asks for the value of an aggregate, rather than sorting or
// filtering by it. It returns true for unknown functions.
func (q *Question) RequestsAggregate(function string) bool {
	q.read()
	any := func(holds func(p *phrase) bool) bool {
		for i := range q.phrases {
			if p := &q.phrases[i]; p.role == requested && holds(p) {
				return true
			}
		}
		return false
	}
	has := func(words string) func(p *phrase) bool {
		list := strings.Fields(words)
		return func(p *phrase) bool {
			return slices.ContainsFunc(p.words, func(w string) bool { return slices.Contains(list, w) })
		}
	}
	switch function {
	case "count", "countif", "count_if", "approx_count_distinct":
		return any(func(p *phrase) bool {
			return p.count || has("number count total many frequency often amount frequently")(p)
		})
	case "sum", "total", "sumif":
		return any(func(p *phrase) bool {
			return has("total sum much overall amount volume")(p)
		})
	case "avg", "mean":
		return any(has("average mean averaged typical"))
	case "max":
		return any(func(p *phrase) bool {
			return p.extremum == "max" || has("maximum max highest latest newest largest")(p)
		})
	case "min":
		return any(func(p *phrase) bool {
			return p.extremum == "min" || has("minimum min lowest earliest oldest smallest")(p)
		})
	}
	return true
}

// AsksBack reports whether the question asks for what it ranked by: "…, and what is it?"
func (q *Question) AsksBack() bool {
	q.read()
	return slices.ContainsFunc(q.phrases, func(p phrase) bool { return p.pronoun })
}

// Measures returns the numbers that the question requests, each named by its words.
func (q *Question) Measures() (out []string) {
	q.read()
	for i := range q.phrases {
		if p := &q.phrases[i]; p.role == requested && p.measure {
			out = append(out, joined(p.words))
		}
	}
	return out
}

// Things returns how many different things the question requests, including those it wants a row for each of. The
// name or another identifier of a thing counts as the thing itself.
func (q *Question) Things() int {
	q.read()
	seen := map[string]bool{}
	named, thing := 0, false
	for i := range q.phrases {
		p := &q.phrases[i]
		head := p.head()
		switch {
		case p.role != requested && p.role != grouped || p.pronoun:
			continue
		case containers[head] || head == "":
			continue
		case identifiers[head] && p.role == requested:
			if p.sentence > 0 && thing { // "Which agent …? Give the name."
				continue
			}
			named = 1
			continue
		}
		thing = thing || p.role == requested && !p.measure
		seen[head] = true
	}
	return len(seen) + named
}

// AsksBy reports whether the question uses a question word, such as when, to ask: at the start of a sentence, after
// "and", or after a request such as "tell me".
func (q *Question) AsksBy(word string) bool {
	q.read()
	return slices.ContainsFunc(q.sentences, func(s []token) bool {
		for i := range s {
			if s[i].text != word {
				continue
			}
			if i == 0 || s[i-1].text == "and" || s[i-1].text == "," || tellVerbs[s[i-1].text] || pronouns[s[i-1].text] ||
				s[i-1].kind == stop {
				return true
			}
		}
		return false
	})
}

// AllThatTie reports whether the question wants all things that share a rank, not one of them: it mentions ties, or
// asks for all or every one.
func (q *Question) AllThatTie() bool { return allThatTie.MatchString(q.Plain()) }

var allThatTie = regexp.MustCompile(` (?:ties?|tied|tying|joint|jointly|draws? level|equal (?:first|last|best|highest|lowest|top|winners?|leaders?)|all of (?:them|those|these)|all those|each of (?:them|those|these)|every one|everyone|everybody|anyone|all if|all when|all in case|` +
	`(?:list|show|name|give|find|return|report|print|display|get|me|us) (?:all|every)) `)

// AsksName and AsksID report whether the question asks for the names, or for the ids or numbers, of
// things.
func (q *Question) AsksName() bool {
	return q.roleOf("name")&requested != 0 || q.roleOf("title")&requested != 0 || q.roleOf("who")&requested != 0 ||
		inWords.MatchString(q.Plain())
}

// inWords asks for names in other words.
var inWords = regexp.MustCompile(` (?:spell(?:ed|t|ing)? (?:\w+ ){0,2}out|by names?|in words|written out|write (?:\w+ ){0,2}out|in full|in plain (?:words|text|english)|human readable|readable|full names?|not (?:just )?(?:the |its |their )?(?:ids?|codes?|numbers?|keys?)|instead of (?:the |its |their )?(?:ids?|codes?|numbers?|keys?)|what (?:\w+ ){1,4}called|(?:is|are|was|were) (?:it |they |he |she )?called $|no abbreviations?|without abbreviations?|unabbreviated|not abbreviated|do not abbreviate|(?:first|given) and (?:last|family|sur) ?names?) `)

// AsksID reports whether the question asks for ids, or for a row for each: see [Question.AsksName].
func (q *Question) AsksID() bool {
	q.read()
	return slices.ContainsFunc(q.phrases, func(p phrase) bool {
		h := p.head()
		return p.role&(requested|grouped) != 0 && !p.count &&
			(h == "id" || h == "identifier" || h == "key" || h == "code" ||
				h == "number" && len(p.words) > 1 && p.words[0] != "number")
	})
}

// YesNo reports whether the question asks for yes or no.
func (q *Question) YesNo() bool { q.read(); return q.yesNo }

// AsksOne reports whether the question, if there is one, may ask for a single number: a count or
// a sum, of all and not for each.
func (q *Question) AsksOne() bool {
	if q.Empty() {
		return true
	}
	has := func(w string) bool { return strings.Contains(q.Plain(), w) }
	return slices.ContainsFunc([]string{" how many ", " how much ", " total ", " sum ", " number of ", " count "}, has) &&
		!q.AsksEach() && !has(" respectively ")
}

// AsksEach reports whether the question asks for something of each.
func (q *Question) AsksEach() bool {
	return slices.ContainsFunc([]string{" each ", " every ", " per "},
		func(w string) bool { return strings.Contains(q.Plain(), w) })
}

// Extremes reports whether the question, or its hint, asks for the highest or for the lowest value of a measure.
// Words whose meaning depends on the measure are ignored: the oldest has the earliest birth and the highest age.
func (q *Question) Extremes() (high, low bool) {
	plain := q.all()
	asks := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return Contains(plain, w) })
	}
	return asks("highest", "most", "largest", "greatest", "biggest", "maximum"), asks("lowest", "least", "smallest",
		"fewest", "minimum")
}

// Either reports whether the question asks for what meets one condition or another, and not both.
func (q *Question) Either() bool {
	has := func(w string) bool { return strings.Contains(q.Plain(), w) }
	return has(" or ") && !slices.ContainsFunc([]string{" both ", " shared ", " share ", " common "}, has)
}
