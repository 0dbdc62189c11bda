package printable

import (
	"cmp"
	"slices"
	"strings"
)

// CompareVersions compares two versions in the order of PEP 440 and Semantic Versioning 2.0.0, and returns a negative
// number, 0 or a positive number. A name before the first number is compared first, as a string. A development or
// pre-release comes before its release, a post-release after it:
//
//	1.0.dev1 < 1.0a1 < 1.0-beta.2 < 1.0rc1 < 1.0 = 1.0.0 < 1.0+local < 1.0.post1 < 1.0.1
//
// A v before the number and letter case are ignored. Numeric parts are compared as numbers, so dates are in order
// in every usual form. Three numbers and a hyphen are Semantic Versioning, where the rest is a pre-release, except
// for post-releases and the suffix of git describe (1.0.0-14-g2414721). Versions that are equal to both rules are
// ordered by [CompareNatural].
func CompareVersions(a, b string) int {
	x, y := versionOf(a), versionOf(b)
	return cmp.Or(compareParts(x.release, y.release), compareParts(x.rest, y.rest), CompareNatural(a, b))
}

// version is a version split into parts for comparison.
type version struct {
	release []part // the name before the first number, the epoch, and the numbers without zeros at the end
	rest    []part // the parts after the numbers, ending with the part end
}

// part is one number or word of a version. Parts are ordered by kind first.
type part struct {
	kind kind
	text string // a word, or a number without leading zeros
}

type kind uint8

const (
	development kind = iota // dev
	preNumber               // a pre-release that begins with a number: 1.0.0-0.3.7
	preRelease              // alpha, beta, rc, and any word of a pre-release
	end                     // the end of the version
	local                   // a local version: + and the parts after it
	post                    // post, rev
	numeric
	word
)

func (p part) compare(q part) int {
	c := cmp.Compare(p.kind, q.kind)
	if c == 0 && (p.kind == numeric || p.kind == preNumber) {
		c = cmp.Compare(len(p.text), len(q.text))
	}
	return cmp.Or(c, strings.Compare(p.text, q.text))
}

func compareParts(a, b []part) int { return slices.CompareFunc(a, b, part.compare) }

// stages maps the words for stages before or after a release to parts.
var stages = map[string]part{
	"dev": {development, ""}, "devel": {development, ""},
	"a": {preRelease, "alpha"}, "alpha": {preRelease, "alpha"}, "b": {preRelease, "beta"}, "beta": {preRelease, "beta"},
	"c": {preRelease, "rc"}, "rc": {preRelease, "rc"}, "cr": {preRelease, "rc"}, "candidate": {preRelease, "rc"},
	"pre": {preRelease, "rc"}, "preview": {preRelease, "rc"}, "prerelease": {preRelease, "rc"},
	"milestone": {preRelease, "milestone"}, "m": {preRelease, "milestone"}, "ea": {preRelease, "ea"},
	"eap":    {preRelease, "ea"},
	"canary": {preRelease, "canary"}, "draft": {preRelease, "draft"}, "nightly": {preRelease, "nightly"},
	"snapshot": {preRelease, "snapshot"}, "wip": {preRelease, "wip"},
	"post": {post, ""}, "rev": {post, ""}, "r": {post, ""},
}

func versionOf(s string) (v version) {
	s = strings.ToLower(strings.TrimSpace(s))
	before := strings.IndexAny(s, "0123456789")
	if before < 0 {
		before = len(s)
	}
	switch name := strings.Trim(s[:before], ". _-"); {
	case s == "":
		return v // before all others
	case name != "" && name != "v" && name != "ver" && name != "version":
		v.release = append(v.release, part{word, s[:before]})
	}
	if s = s[before:]; s == "" {
		return v
	}
	epoch := "0"
	if n := digits(s); n < len(s) && s[n] == '!' && digits(s[n+1:]) > 0 {
		epoch, s = s[:n], s[n+1:]
	}
	v.release = append(v.release, number(epoch, numeric))
	written, padded, keep := 0, false, len(v.release)
	for {
		n := digits(s)
		p := number(s[:n], numeric)
		v.release, written, padded = append(v.release, p), written+1, padded || n > 1 && s[0] == '0'
		if p.text != "" {
			keep = len(v.release)
		}
		if s = s[n:]; len(s) < 2 || s[0] != '.' || digits(s[1:]) == 0 {
			break
		}
		s = s[1:]
	}
	v.release = v.release[:keep]
	v.rest = parts(s, written == 3 && !padded && strings.HasPrefix(s, "-") && !described(s))
	return v
}

// described reports whether s has the suffix that git describe appends, such as -14-g2414721.
func described(s string) bool {
	n := digits(s[1:])
	return n > 0 && strings.HasPrefix(s[1+n:], "-g") && strings.Trim(s[3+n:], "0123456789abcdef") == ""
}

func number(s string, k kind) part { return part{k, strings.TrimLeft(s, "0")} }

// parts splits the text after the numbers of a release into numbers and words. semantic is set for a pre-release of
// Semantic Versioning, whose parts have another order.
func parts(s string, semantic bool) (out []part) {
	built := false // after +, where numbers are sorted after words
	for s != "" {
		n := digits(s)
		switch {
		case strings.IndexByte(".-_ ", s[0]) >= 0:
			s = s[1:]
			continue
		case s[0] == '+':
			out, s, semantic, built = append(out, part{local, ""}), s[1:], false, true
			continue
		case n > 0 && semantic && len(out) == 0:
			out = append(out, number(s[:n], preNumber))
		case n > 0:
			out = append(out, number(s[:n], numeric))
		default:
			for n < len(s) && digits(s[n:]) == 0 && strings.IndexByte(".-_ +", s[n]) < 0 {
				n++
			}
			stage, known := stages[s[:n]]
			switch {
			case built:
				out = append(out, part{local, s[:n]})
			case known && (!semantic || len(out) == 0 || stage.kind != preRelease):
				out = append(out, stage)
			case semantic && len(out) == 0:
				out = append(out, part{preRelease, s[:n]})
			default:
				out = append(out, part{word, s[:n]})
			}
		}
		s = s[n:]
	}
	return append(out, part{end, ""})
}
