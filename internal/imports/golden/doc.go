// Package golden reads golden sets in the forms of benchmarks and other products as cases, and writes cases in these
// forms.
//
// A form is one file that calls register with its fields: which member of a record becomes which key of a case.
// Members that no field names are kept in the key meta, and a form that is written gets them back. [Set] reads files
// of any size: it copies what it reads to a temporary file and keeps only hashes and offsets in memory. Every record
// is a case, repeats one, or is reported with its file, line and field.
//
// YAML is read by gopkg.in/yaml.v3, which the whole module uses, as nodes, because they have line numbers and keep the
// order of members.
package golden

import (
	"cmp"
	"slices"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Kind is a form of golden sets.
type Kind struct {
	Name  string // such as bird
	Title string // such as BIRD

	dialect string   // of its SQL, if records do not name one
	signs   []string // names of members: a record or document that has all names of one has this form; nil: none tell
	fields  []field  // of a record
	lacks   []string // names of members of other forms, which a record of this form does not have
	golds   bool     // a record has a gold if others have one

	// files reads a file; nil: records in JSON or JSON Lines.
	files func(s *Set, path string) error
	// list returns the records in a document, with their fields if they are not those of the kind, or false if it is
	// itself a record; nil: a document is a record.
	list func(s *Set, document jsonscan.Object) ([]listed, bool, error)
	// variant returns the fields of a record in another form of the kind, or nil; may be nil.
	variant func(record jsonscan.Object) []field
	// finish completes a case of a record after its fields were read; may be nil.
	finish func(s *Set, c *Case, record jsonscan.Object) error
	// header checks the names of the columns of CSV; may be nil.
	header func(s *Set, names []string) error
	// predictions reads a file or folder of answers; nil: the kind has none.
	predictions func(s *Set, path string) error
	// write writes cases in this form; nil: it is not written.
	write func(e *exporter) error
}

// listed is a record in a document.
type listed struct {
	at     string // its place in the document, such as tests[2]
	record jsonscan.Object
	fields []field
	err    error // why it is not a case; nil if it may be one

	// whole identifies what the record is a part of: parts of one record in several documents are merged. If it is "",
	// the record is whole.
	whole string
}

var kinds []*Kind

func register(k *Kind) { kinds = append(kinds, k) }

// KindNamed returns a kind by its name, or nil.
func KindNamed(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Written returns the names of the kinds that are written, sorted.
func Written() (names []string) {
	for _, k := range kinds {
		if k.write != nil {
			names = append(names, k.Name)
		}
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}
