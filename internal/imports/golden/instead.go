package golden

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// names reports whether a field has the name of the member at a path.
func names(fields []field, path string) bool {
	for _, f := range fields {
		for _, name := range append([]string{f.name}, f.also...) {
			if plain(name) == plain(path) {
				return true
			}
		}
	}
	return false
}

// usual reports whether any kind reads a member of this name, in whatever object, as the key.
func usual(name, to string) bool {
	for _, k := range kinds {
		for _, f := range k.fields {
			if f.to != to {
				continue
			}
			for _, one := range append([]string{f.name}, f.also...) {
				if plain(one[strings.LastIndexByte(one, '.')+1:]) == plain(name) {
					return true
				}
			}
		}
	}
	return false
}

// instead returns the path of a member that the fields do not read, and other kinds read as the key; "" if there is
// none.
func instead(to string, fields []field, unread jsonscan.Object, at string) string {
	for _, m := range unread {
		path := at + string(m.Name)
		if usual(string(m.Name), to) && !names(fields, path) && !blank(m.Value) && m.Value[0] == '"' {
			return path
		}
		if inner := objectIn(m.Value); inner != nil && at == "" {
			if path := instead(to, fields, inner, path+"."); path != "" {
				return path
			}
		}
	}
	return ""
}

// insteadOf returns the end of a message about a missing member: which one may be meant.
func insteadOf(to string, fields []field, unread jsonscan.Object) string {
	if path := instead(to, fields, unread, ""); path != "" {
		return "; " + path + " is not read: add --map " + to + "=" + path
	}
	return ""
}

// answers are parts of the names of members that have the answer of an agent.
var answers = []string{"pred", "agent", "generat", "actual", "answer", "output", "response", "model"}

// maybeGold returns the path of a member that the fields do not read and that may be the gold: a query, or a text under
// a name with gold or sql; "" if there is none.
func maybeGold(fields []field, unread jsonscan.Object, at string, depth int) string {
	for _, m := range unread {
		name, path := plain(string(m.Name)), at+string(m.Name)
		ofAgent := false
		for _, part := range answers {
			ofAgent = ofAgent || strings.Contains(name, part)
		}
		if ofAgent || names(fields, path) || blank(m.Value) {
			continue
		}
		if inner := objectIn(m.Value); inner != nil && depth < 2 {
			if path := maybeGold(fields, inner, path+".", depth+1); path != "" {
				return path
			}
			continue
		}
		if m.Value[0] != '"' {
			continue
		}
		if strings.Contains(name, "gold") || strings.Contains(name, "sql") ||
			imports.StartsSQL(string(jsonscan.Unquote(m.Value))) {
			return path
		}
	}
	return ""
}

// goldMember returns the member that has the gold query in records of the kind; "" if none has.
func (k *Kind) goldMember() string {
	for _, f := range k.fields {
		if f.to == "gold.sql" {
			return f.name
		}
	}
	return ""
}

// lacking reports the cases without gold of a set in which they should have one: others have it, or a member that is
// not read may be it.
func (s *Set) lacking() {
	some, mapped := false, false
	for i := range s.all {
		some = some || !s.all[i].bad && !s.all[i].bare
	}
	for _, f := range s.over {
		mapped = mapped || strings.HasPrefix(f.to, "gold")
	}
	member := s.kind.goldMember()
	for i := range s.all {
		e := &s.all[i]
		why := ""
		switch {
		case e.bad || !e.bare:
			continue
		case e.alike != "" && some && !mapped && member != "":
			why = e.alike + " is not read: add --map gold.sql=" + member + " --map gold.sql=" + e.alike + ", which read both"
		case e.alike != "":
			why = e.alike + " is not read: add --map gold.sql=" + e.alike
		case some && s.kind.golds && !mapped:
			why = "expected " + member + ", as in other records"
		default:
			continue
		}
		s.Lacking++
		s.report(e.place, errcode.New(errcode.InvalidArgument, "no gold: %s", why))
	}
}
