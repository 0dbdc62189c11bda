// Package question parses a question: which columns it asks for, as opposed to those that only sort or filter, which
// order the rows must have, whether equal rows count, whether empty groups belong to the answer, and how many digits it
// asks for. It reads English, by the function words of a sentence. It does not use tables or values. It is the only
// parser of questions in the comparison, so all relations read a question in the same way.
//
// A question is never proof of a relation. It can only exclude one.
package question

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/naming"
)

// Question is a parsed question. It is parsed when a method is first called. It must not be used by several goroutines
// concurrently.
type Question struct {
	text, evidence string
	plainText      string
	ordered        *string // result of Order; made when first needed

	done      bool
	sentences [][]token
	phrases   []phrase
	roles     map[string]role // roles of each word, by its stem
	acts      []string        // verbs whose subject is a question word, as in "which customers placed …"
	counts    bool
	yesNo     bool
}

// Read returns a question. evidence is its hint, such as definitions. It is searched for an order, a rounding, missing
// values and extremes, but not for the columns that the question asks for.
func Read(text, evidence string) *Question { return &Question{text: text, evidence: evidence} }

// Empty reports whether the question has no text.
func (q *Question) Empty() bool { return strings.TrimSpace(q.text) == "" }

// Plain returns the question in the form of the function [Plain].
func (q *Question) Plain() string {
	if q.plainText == "" {
		q.plainText = Plain(q.text)
	}
	return q.plainText
}

// roleOf returns the roles of a word, given by its stem, in the whole question; 0 if it does not occur.
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

// Mentions reports whether the question has all words of a name, in any role and form.
func (q *Question) Mentions(name string) bool {
	words := naming.Words(name)
	for _, w := range words {
		if !q.has(stemOf(w)) {
			return false
		}
	}
	return len(words) > 0
}

// MentionsPart reports whether the question has a word of a name with at least three letters.
func (q *Question) MentionsPart(name string) bool {
	return slices.ContainsFunc(naming.Words(name), func(w string) bool { return len(w) > 2 && q.has(stemOf(w)) })
}

func (q *Question) has(stem string) bool {
	q.roleOf("")
	_, ok := q.roles[stem]
	return ok
}

// Requests reports whether the question asks for a column with this name: it requests the thing that the words of the
// name describe, or one row for each such thing.
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

// RequestsAggregate reports whether the question asks for the value of an aggregate function, rather than sorting or
// filtering by it. It is true for functions other than count, sum, average, maximum and minimum.
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

// AsksBack reports whether the question asks for the value by which it ranked, by a pronoun: "…, and what is it?"
func (q *Question) AsksBack() bool {
	q.read()
	return slices.ContainsFunc(q.phrases, func(p phrase) bool { return p.pronoun })
}

// Measures returns the numbers that the question requests, each as the stems of its words.
func (q *Question) Measures() (out []string) {
	q.read()
	for i := range q.phrases {
		if p := &q.phrases[i]; p.role == requested && p.measure {
			out = append(out, joined(p.words))
		}
	}
	return out
}

// Things returns the number of different things that the question requests, in columns or as one row each. A name or
// another identifier counts as one thing.
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

// AsksBy reports whether a question word, such as when, asks for something: at the start of a sentence, after "and" or
// a comma, or after a request such as "tell me".
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

// AllThatTie reports whether the question wants all things that share a rank: it mentions ties, or asks for all or
// every one.
func (q *Question) AllThatTie() bool { return allThatTie.MatchString(q.Plain()) }

var allThatTie = lazyregexp.New(` (?:ties?|tied|tying|joint|jointly|draws? level|equal (?:first|last|best|highest|lowest|top|winners?|leaders?)|all of (?:them|those|these)|all those|each of (?:them|those|these)|every one|everyone|everybody|anyone|all if|all when|all in case|` +
	`(?:list|show|name|give|find|return|report|print|display|get|me|us) (?:all|every)) `)

// AsksName reports whether the question asks for the names of things, or who they are.
func (q *Question) AsksName() bool {
	return q.roleOf("name")&requested != 0 || q.roleOf("title")&requested != 0 || q.roleOf("who")&requested != 0 ||
		inWords.MatchString(q.Plain())
}

// inWords matches requests for names in other words, such as spelled out.
var inWords = lazyregexp.New(` (?:spell(?:ed|t|ing)? (?:\w+ ){0,2}out|by names?|in words|written out|write (?:\w+ ){0,2}out|in full|in plain (?:words|text|english)|human readable|readable|full names?|not (?:just )?(?:the |its |their )?(?:ids?|codes?|numbers?|keys?)|instead of (?:the |its |their )?(?:ids?|codes?|numbers?|keys?)|what (?:\w+ ){1,4}called|(?:is|are|was|were) (?:it |they |he |she )?called $|no abbreviations?|without abbreviations?|unabbreviated|not abbreviated|do not abbreviate|(?:first|given) and (?:last|family|sur) ?names?) `)

// AsksID reports whether the question asks for the ids, codes or numbers of things, or for a row for each.
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

// AsksOne reports whether the question may ask for a single number, such as a count or a sum, and not for one for each
// thing. It is true for an empty question.
func (q *Question) AsksOne() bool {
	if q.Empty() {
		return true
	}
	has := func(w string) bool { return strings.Contains(q.Plain(), w) }
	return slices.ContainsFunc([]string{" how many ", " how much ", " total ", " sum ", " number of ", " count "}, has) &&
		!q.AsksEach() && !has(" respectively ")
}

// AsksEach reports whether the question contains each, every or per.
func (q *Question) AsksEach() bool {
	return slices.ContainsFunc([]string{" each ", " every ", " per "},
		func(w string) bool { return strings.Contains(q.Plain(), w) })
}

// Extremes reports whether the question, or its evidence, asks for the highest or for the lowest value of a measure.
// Words whose meaning depends on the measure are ignored: the oldest has the earliest birth and the highest age.
func (q *Question) Extremes() (high, low bool) {
	plain := q.all()
	asks := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return Contains(plain, w) })
	}
	return asks("highest", "most", "largest", "greatest", "biggest", "maximum"), asks("lowest", "least", "smallest",
		"fewest", "minimum")
}

// Either reports whether the question contains "or", and no word such as both or common that asks for things that meet
// all conditions.
func (q *Question) Either() bool {
	has := func(w string) bool { return strings.Contains(q.Plain(), w) }
	return has(" or ") && !slices.ContainsFunc([]string{" both ", " shared ", " share ", " common "}, has)
}
