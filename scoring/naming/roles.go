package naming

import "strings"

// roleOf returns the action whose participant word i names, and whether it is who performs it: true for employer and
// supervised_by, false for employee and supervised. ok is false for other words, and for participles in names of
// several words, since goals_scored may be the scorer's.
func (n *Name) roleOf(i int) (deed string, does, ok bool) {
	w := &n.words[i]
	if w.negated || w.covered {
		return "", false, false
	}
	t := Stem(w.text)
	if doers[t] {
		return deedOf(t), true, true
	}
	for _, ending := range []string{"er", "or", "ee"} {
		if base, found := strings.CutSuffix(t, ending); found && len(base) >= 3 && !strings.HasSuffix(t, "eer") {
			return deedOf(base), ending != "ee", true
		}
	}
	base, found := strings.CutSuffix(t, "ed")
	if !found || len(base) < 4 {
		return "", false, false
	}
	if last := len(n.tokens) - 1; last > 0 && n.tokens[last] == "by" && n.tokens[last-1] == w.text {
		return deedOf(base), true, true
	}
	return deedOf(base), false, len(n.words) == 1 && len(w.senses) == 0
}

// doers are words for persons that are also the verb: a mentor mentors.
var doers = wordSet("mentor tutor author sponsor monitor doctor pilot coach judge host guard guide")

// deedOf returns the verb for a word without its ending er, or, ee or ed: refer for referr(ed).
func deedOf(base string) string {
	if n := len(base); n > 3 && base[n-1] == base[n-2] && !strings.ContainsRune("sl", rune(base[n-1])) {
		return base[:n-1]
	}
	return strings.TrimSuffix(base, "e")
}

// otherRoles reports whether one name is that of who performs an action and the other that of who undergoes it.
func (n *Name) otherRoles(o *Name) bool {
	for i := range n.words {
		deed, does, ok := n.roleOf(i)
		if ok && !n.hasRole(deed, !does) && o.hasRole(deed, !does) && !o.hasRole(deed, does) {
			return true
		}
	}
	return false
}

func (n *Name) hasRole(deed string, does bool) bool {
	for i := range n.words {
		if d, x, ok := n.roleOf(i); ok && d == deed && x == does {
			return true
		}
	}
	return false
}

// sameRole reports whether word i of n and word j of o name the same participant of the same action, as supervisor and
// supervised_by.
func (n *Name) sameRole(i int, o *Name, j int) bool {
	a, x, ok := n.roleOf(i)
	b, y, also := o.roleOf(j)
	return ok && also && a == b && x == y
}
