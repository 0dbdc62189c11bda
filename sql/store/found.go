package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Found describes badger's existing tables and views in a warehouse.
type Found struct {
	Version int64                             // version of the tables: 0 without tables, 1 without schema_version
	Program string                            // version of badger that installed that version; "" if unknown
	Tables  map[string]map[string]FoundColumn // the existing tables, by name, and their columns, by name
	Views   map[string]FoundView              // the existing views, by name
	Shown   bool                              // the warehouse returned the views
}

// FoundColumn is an existing column.
type FoundColumn struct {
	Type driver.Type // "" if it is not a type of badger's tables
	Name string      // name of the type, for messages
}

// FoundView is an existing view.
type FoundView struct {
	Shown    string // its definition, as the warehouse returns it
	Recorded [2]string
}

// Kind is the kind of a Difference.
type Kind string

// The kinds of differences.
const (
	MissingTable  Kind = "missing table"
	MissingColumn Kind = "missing column"
	WrongType     Kind = "wrong type"
	MissingView   Kind = "missing view"
	ChangedView   Kind = "changed view"
	OldVersion    Kind = "old tables"
	NewVersion    Kind = "new tables"
	OwnColumn     Kind = "own column" // a user's own, which is ignored
	OwnView       Kind = "own view"   // a user's view lacks a column, which is read as NULL
	ForeignView   Kind = "foreign view"
)

// Difference is a difference between the existing and the described tables and views.
type Difference struct {
	Kind Kind
	Name string // TABLE, TABLE.COLUMN or VIEW
	Why  string // the difference and what is expected
	Fix  string // what installing does about it; "" if nothing
}

// Fine reports whether nothing needs to be done.
func (d *Difference) Fine() bool { return d.Kind == OwnColumn || d.Kind == OwnView }

// ReadAsNULL reports whether the difference is a missing column that users' tables and views may lack.
func (d *Difference) ReadAsNULL() bool {
	if d.Kind != MissingColumn && d.Kind != OwnView {
		return false
	}
	t, c := named(d.Name)
	return t.Input && !c.Required
}

// Differences lists the differences in the order of the description. In tables that users fill, columns may have any
// type, and the table may be a view.
func (f *Found) Differences(d driver.Dialect) (out []Difference) {
	if f.Version > Version {
		out = append(out, Difference{NewVersion, "schema_version", f.newer(), ""})
	}
	for i := range Tables {
		t := &Tables[i]
		there, is := f.Tables[t.Name]
		if !is {
			out = append(out, Difference{MissingTable, t.Name, "", "creates it"})
			continue
		}
		_, own := f.Views[t.Name] // only a user can have created a view with a table's name
		for _, c := range t.Columns {
			has, is := there[c.Name]
			switch {
			case !is && t.Input && !c.Required && own:
				out = append(out, Difference{OwnView, t.Name + "." + c.Name, "your view does not have it; it is read as NULL", ""})
			case !is && t.Input:
				out = append(out,
					Difference{MissingColumn, t.Name + "." + c.Name, "it is read as NULL", "adds it, unless the table is a view"})
			case !is:
				out = append(out, Difference{MissingColumn, t.Name + "." + c.Name, "", "adds it"})
			case f.retypes(d, t, &c):
				out = append(out,
					Difference{WrongType, t.Name + "." + c.Name, wrong(d, has, &c), "changes the type and keeps the values"})
			case !t.Input && !fits(c.Type, has.Type):
				out = append(out, Difference{WrongType, t.Name + "." + c.Name, wrong(d, has, &c), ""})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(there)) {
			if t.column(name) == nil {
				out = append(out, Difference{OwnColumn, t.Name + "." + name, "not one of badger's; it is left alone", ""})
			}
		}
	}
	if f.Version > 0 && f.Version < Version {
		var does []string
		for _, m := range Migrations {
			if m.Version > f.Version {
				does = append(does, fmt.Sprintf("%d: %s", m.Version, m.Doc))
			}
		}
		out = append(out,
			Difference{OldVersion, "schema_version",
				fmt.Sprintf("the tables are of version %d, this program's of version %d", f.Version, Version),
				strings.Join(append([]string{"brings them there"}, does...), "; ")})
	}
	for i := range Views {
		v := &Views[i]
		there, is := f.Views[v.Name]
		switch {
		case is && f.Version == 0 && d.ViewsAtOnce: // views cannot outlive their tables
			out = append(out, Difference{ForeignView, v.Name, "badger did not create it; rename or drop it", ""})
		case f.Shown && !is:
			out = append(out, Difference{MissingView, v.Name, "", "creates it"})
		case is && there.changed(v.Query(f.Reader(d))):
			out = append(out, Difference{ChangedView, v.Name, "its text is another", "creates it again"})
		}
	}
	return out
}

// Reader returns a reader of the existing tables: users' tables may lack columns.
func (f *Found) Reader(d driver.Dialect) Reader {
	r := Reader{Dialect: d, Missing: map[string]bool{}}
	for i := range Tables {
		t := &Tables[i]
		there, is := f.Tables[t.Name]
		for _, c := range t.Columns {
			if _, has := there[c.Name]; is && t.Input && !has {
				r.Missing[t.Name+"."+c.Name] = true
			}
		}
	}
	return r
}

// retypes reports whether a pending migration changes the column's type.
func (f *Found) retypes(d driver.Dialect, t *Table, c *Column) bool {
	if f.Version == 0 || f.Tables[t.Name][c.Name].Type == c.Type || t.retype(d, c) == "" {
		return false
	}
	return slices.ContainsFunc(Migrations,
		func(m Migration) bool { return m.Version > f.Version && slices.Contains(m.Retype, t.Name+"."+c.Name) })
}

func (f *Found) newer() string {
	by := ""
	if f.Program != "" {
		by = " (badger " + f.Program + ")"
	}
	return fmt.Sprintf("the tables are of version %d%s, and this program knows those up to version %d", f.Version, by,
		Version)
}

// fits reports whether a column of type found can hold all values of type want. JSON may be stored as text.
func fits(want, found driver.Type) bool {
	return want == found || want == driver.JSON && found == driver.Text
}

func wrong(d driver.Dialect, has FoundColumn, c *Column) string {
	return fmt.Sprintf("it has the type %s, expected %s", has.Name, d.Types[c.Type])
}

// Check returns an error if badger must not write into the existing tables: their version is newer, a column has a type
// that cannot hold its values, or a view is not badger's.
func (f *Found) Check(d driver.Dialect) error {
	var bad []string
	for _, x := range f.Differences(d) {
		switch {
		case x.Kind == NewVersion:
			return errcode.New(errcode.FailedPrecondition, "badger's tables: %s; update this program. Nothing was changed",
				x.Why)
		case x.Kind == WrongType && x.Fix == "":
			bad = append(bad, Schema+"."+x.Name+": "+x.Why)
		case x.Kind == ForeignView:
			return errcode.New(errcode.AlreadyExists,
				"badger's views: there is a view %s.%s, and badger did not create it. Rename or drop it. Nothing was changed",
				Schema, x.Name)
		}
	}
	if bad == nil {
		return nil
	}
	return errcode.New(errcode.FailedPrecondition, "badger's tables: %s. Change the type of the column, or rename the table: a new one is then created. Nothing was changed", strings.Join(bad, "; "))
}

// viewsDiffer reports whether views must be created or replaced.
func (f *Found) viewsDiffer(d driver.Dialect) bool {
	if !f.Shown || f.Version < Version {
		return true
	}
	return slices.ContainsFunc(f.Differences(d),
		func(x Difference) bool { return x.Kind == MissingView || x.Kind == ChangedView })
}

// changed reports whether the view's query differs from the installed one, or its definition was changed since it was
// installed. Without recorded fingerprints it returns false.
func (v FoundView) changed(query string) bool {
	return v.Recorded[0] != "" && v.Recorded[0] != fingerprint(query) || v.reshown()
}

// reshown reports whether the view's definition in the warehouse differs from the recorded one.
func (v FoundView) reshown() bool {
	return v.Recorded[1] != "" && v.Recorded[1] != fingerprint(v.Shown)
}

// fingerprints returns the value of schema_version.views for the installed views. shown are their definitions in the
// warehouse.
func fingerprints(r Reader, shown map[string]FoundView) string {
	prints := map[string][2]string{}
	for i := range Views {
		p := [2]string{fingerprint(Views[i].Query(r))}
		if v, is := shown[Views[i].Name]; is {
			p[1] = fingerprint(v.Shown)
		}
		prints[Views[i].Name] = p
	}
	text, _ := json.Marshal(prints) // it can always be encoded
	return string(text)
}

// Record sets the fingerprints of the existing views from schema_version.views.
func (f *Found) Record(fingerprints string) {
	var prints map[string][2]string
	if json.Unmarshal([]byte(fingerprints), &prints) != nil {
		return // not written by badger: the fingerprints are unknown
	}
	for name, v := range f.Views {
		v.Recorded = prints[name]
		f.Views[name] = v
	}
}

func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:8])
}
