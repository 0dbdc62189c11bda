package metric

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

// maxRange is the largest number of a range of citations, such as [1-3]. Larger numbers are years.
const maxRange = 999

var (
	bracketed = lazyregexp.New(`\[\^?([^\[\]\n]{1,80})\](\([^()\s]{0,500}\))?|【([^【】\n]{1,80})】|` +
		`\((?i:(sources?|see|refs?|according to):?\s+)?([^()\n]{1,120})\)`)
	likeAnID = lazyregexp.New(`^(?i)[a-z]{1,12}[-_ #:]?\d{1,6}$`)

	// refWord is a word before the number or the name of a passage: Document 1, doc:1, Source #2.
	refWord  = lazyregexp.New(`^(?i)(?:source|document|doc|passage|context|chunk|ref|reference|citation)s?\s*[:#-]?\s*`)
	refRange = lazyregexp.New(`^(\d{1,3})\s*[-–—]\s*(\d{1,3})$`)

	// refPlace is a place in a passage, or a year: p. 3, section 2, 2023.
	refPlace = lazyregexp.New(`^(?i)(?:(?:pp?|pages?|s|sec|section|lines?|chapter|ch|§)\.?\s*\d[\d–-]*|(?:1[89]|20)\d\d[a-z]?)$`)

	// refEntry is an entry of a list of sources: [^1]: Title, or [1] Title.
	refEntry = lazyregexp.New(`(?m)^[ \t]*(?:[-*][ \t]+)?\[\^?(\d{1,3})\]:?[ \t]+(\S.{0,200}?)[ \t.]*$`)

	// refMark is a citation without brackets: a raised number after a word or a punctuation mark, an element, or the
	// private-use characters of some models. The superscript of a unit, as in m², is not one.
	refMark = lazyregexp.New(`(\p{L}{3}|[.,;:!?)"”])(?:<sup>\s*(\d{1,3})\s*</sup>|([⁰¹²³⁴-⁹]{1,3}))|` +
		`<(?:cite|citation|ref)(?:\s[^<>]{0,80})?>([^<>\[\]\n]{1,80})</(?:cite|citation|ref)>|` +
		`\x{e200}cite\x{e202}([^\x{e200}-\x{e202}\n]{1,80})\x{e201}`)
	raised = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7",
		"⁸", "8", "⁹", "9")
)

// references resolves the citations of a response.
type references struct {
	passages int
	names    map[string]int // in lower case
	numbers  map[string]int // numbers that the response's own list of sources gives to passages
	shared   map[int][]int  // the passages that have the id of the first of them
}

func referencesTo(passages []passage) *references {
	r := &references{passages: len(passages), names: map[string]int{}, numbers: map[string]int{}, shared: map[int][]int{}}
	for _, name := range []func(p *passage) string{func(p *passage) string { return p.id },
		func(p *passage) string { return p.title }, func(p *passage) string { return p.source },
		func(p *passage) string { return path.Base(strings.ReplaceAll(p.source, `\`, "/")) }} {
		for k := range passages {
			n := strings.ToLower(strings.TrimSpace(name(&passages[k])))
			first, taken := r.names[n]
			switch {
			case n == "" || n == "." || n == "/":
			case !taken:
				r.names[n] = k
			case n == strings.ToLower(passages[k].id) && n == strings.ToLower(passages[first].id) &&
				!slices.Contains(r.shared[first], k):
				if r.shared[first] == nil {
					r.shared[first] = []int{first}
				}
				r.shared[first] = append(r.shared[first], k)
			}
		}
	}
	return r
}

// prepare reads and removes the list of sources of a response, and writes all citations in brackets.
func (r *references) prepare(response string) string {
	response = refEntry.ReplaceAllStringFunc(response, func(line string) string {
		m := refEntry.FindStringSubmatch(line)
		if k := r.resolve(m[2]); k >= 0 && !isNumber(m[2]) {
			r.numbers[m[1]] = k
			return ""
		}
		return line
	})
	return refMark.ReplaceAllStringFunc(response, func(found string) string {
		m := refMark.FindStringSubmatch(found)
		return m[1] + " [" + m[2] + raised.Replace(m[3]) + m[4] + m[5] + "]"
	})
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// takeCitations removes the citations from a sentence and resolves them.
func (st *statement) takeCitations(s string, refs *references) string {
	return bracketed.ReplaceAllStringFunc(s, func(found string) string {
		m := bracketed.FindStringSubmatch(found)
		inner, named := m[1]+m[3]+m[5], m[4] != ""
		inner, _, _ = strings.Cut(inner, "†")
		if m[2] != "" { // a link, which is a citation if it leads to a passage
			if k := refs.resolve(strings.Trim(m[2], "()")); k >= 0 {
				st.cite(refs.sharing(k))
				return ""
			}
			if !isNumber(inner) && refs.resolve(inner) < 0 {
				return found
			}
		}
		if found[0] == '(' && !named && !refs.inParentheses(inner) {
			return found
		}
		parts := []string{inner}
		if refs.resolve(inner) < 0 {
			parts = strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ';' })
		}
		is := false
		for i, ref := range parts {
			ref = strings.TrimSpace(ref)
			if i > 0 && !isNumber(parts[0]) && refPlace.MatchString(ref) {
				continue
			}
			list := refs.all(ref)
			if len(list) == 0 && !isNumber(ref) && !named && !likeAnID.MatchString(ref) && !refRange.MatchString(ref) {
				continue
			}
			is = true
			if len(list) == 0 {
				st.unknown = append(st.unknown, ref)
				st.cited = true
			}
			for _, k := range list {
				if _, named := refs.names[ref]; isNumber(ref) && !named { // the number of one passage
					st.cite([]int{k})
				} else {
					st.cite(refs.sharing(k))
				}
			}
		}
		if !is {
			return found
		}
		return ""
	})
}

// cite adds a citation of a passage, or of several that share an id.
func (st *statement) cite(passages []int) {
	st.cited = true
	if slices.Contains(st.cites, passages[0]) && (len(passages) == 1 || slices.Contains(st.cites, passages[1])) {
		return
	}
	st.groups = append(st.groups, passages)
	for _, k := range passages {
		if !slices.Contains(st.cites, k) {
			st.cites = append(st.cites, k)
		}
	}
}

// sharing returns a passage and those after it that have its id.
func (r *references) sharing(k int) []int {
	if all := r.shared[k]; all != nil {
		return all
	}
	return []int{k}
}

// inParentheses reports whether text in parentheses cites a passage: its first part names one, and is a file or an id,
// or a page or year follows it.
func (r *references) inParentheses(inner string) bool {
	if isNumber(inner) {
		return false
	}
	if strings.ContainsAny(inner, "./_-0123456789") && r.resolve(inner) >= 0 {
		return true
	}
	first, rest, several := strings.Cut(inner, ",")
	return several && !isNumber(first) && r.resolve(first) >= 0 && refPlace.MatchString(strings.TrimSpace(rest))
}

// all returns the passages that a citation names: one, or those of a range such as 1-3. It returns nil if one of them
// does not exist.
func (r *references) all(ref string) (out []int) {
	if k := r.resolve(ref); k >= 0 {
		return []int{k}
	}
	m := refRange.FindStringSubmatch(ref)
	if m == nil {
		return nil
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	for n := from; n <= min(to, maxRange); n++ {
		k := r.resolve(strconv.Itoa(n))
		if k < 0 {
			return nil
		}
		out = append(out, k)
	}
	return out
}

// resolve returns the passage that a citation names, by its id, its title, its source, the last part of its source or
// its number from 1; −1 if there is none. The response's own numbers take precedence over those from 1.
func (r *references) resolve(ref string) int {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return -1
	}
	if k, ok := r.numbers[ref]; ok {
		return k
	}
	if k, ok := r.names[strings.ToLower(ref)]; ok {
		return k
	}
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= r.passages {
		return n - 1
	}
	if rest := ref[len(refWord.FindString(ref)):]; rest != ref {
		return r.resolve(rest)
	}
	return -1
}
