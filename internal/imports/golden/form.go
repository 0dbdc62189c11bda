package golden

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// hasSigns reports whether a record or document has all members of one of the kind's signs.
func (k *Kind) hasSigns(o jsonscan.Object) bool {
	return !k.excludes(o) && slices.ContainsFunc(k.signs, func(sign string) bool {
		for name := range strings.FieldsSeq(sign) {
			if value, _ := lookUp(o, name); value == nil {
				return false
			}
		}
		return true
	})
}

// excludes reports whether a record has a member of another form, which tells it from the kind's. A nil kind excludes
// nothing.
func (k *Kind) excludes(o jsonscan.Object) bool {
	return k != nil && slices.ContainsFunc(k.lacks, func(name string) bool { return o.Get(name) != nil })
}

// otherForm returns the form of a record, with the command that reads it, if it is not the kind's; "" if it is, or if
// the form is unknown. A nil kind has no form.
func (k *Kind) otherForm(o jsonscan.Object) string {
	if k != nil && (k.signs == nil || k.hasSigns(o) && !isRun(o)) {
		return ""
	}
	if k != nil {
		if title := imports.TraceOf(objectText(o)); title != "" {
			return "a trace of " + title + ", which badger import traces reads"
		}
	}
	nested := jsonscan.ParseObject(o.Get("gold")) != nil || jsonscan.ParseObject(o.Get("agent")) != nil
	if nested && o.Get("case_id") != nil {
		return "a case of badger already, which badger run --cases reads"
	}
	for _, other := range kinds {
		if other != k && other.hasSigns(o) {
			return "in the form of " + other.Title + ", which badger import " + other.Name + " reads"
		}
	}
	return ""
}

// isRun reports whether a record is a run of LangSmith, which has inputs and outputs like an example.
func isRun(o jsonscan.Object) bool { return o.Get("run_type") != nil }

// FormOf returns the form of a golden set that a record has, with the command that reads it, or "".
func FormOf(raw json.RawMessage) string { return (*Kind)(nil).otherForm(jsonscan.ParseObject(raw)) }

// checkForm returns an error for a record that is not a case, because of err, or is a case without gold, if it has the
// form of another kind. A case with gold is only noted, once for a file.
func (s *Set) checkForm(o jsonscan.Object, c *Case, err error) error {
	lacks := err != nil || !c.hasGold() || isRun(o) || s.kind.excludes(o)
	if first := s.formed < len(s.files); !lacks && !first {
		return nil
	}
	s.formed = len(s.files)
	form := s.kind.otherForm(o)
	switch {
	case form == "":
		return err
	case lacks:
		return errcode.New(errcode.InvalidArgument, "the record is %s", form)
	}
	s.note("the records of %s are %s; members that %s does not have are in meta", s.files[len(s.files)-1], form, s.kind.Title)
	return nil
}
