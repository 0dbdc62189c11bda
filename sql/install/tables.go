package install

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/sql/store"
)

// tables adds the steps of badger's tables and views: the statements that create them, and from the warehouse's
// template those that comment on them and grant permissions. badger run reads and writes the schema badger, so the
// tables are only there.
func (p *Plan) tables() error {
	if !p.HasTables() {
		return nil
	}
	there := strings.NewReplacer(store.Schema+".", p.SchemaName()+".")
	add := func(why, create, drop, dropData string) {
		p.Steps = append(p.Steps,
			Step{By: Owner, Why: oneLine(why), SQL: there.Replace(create), Drop: there.Replace(drop),
				DropData: there.Replace(dropData), Table: true})
	}
	var indexes []Step
	for i := range store.Tables {
		t := &store.Tables[i]
		add(t.Doc+tableStays, t.Create(p.dialect), "", t.Drop())
	}
	for _, sql := range store.Indexes(p.dialect) {
		indexes = append(indexes,
			Step{By: Owner, Why: "Rows are found by their key, and no key is there twice.", SQL: there.Replace(sql)})
	}
	for i := range store.Views {
		v := &store.Views[i]
		add(v.Doc, v.Create(store.Reader{Dialect: p.dialect}), v.Drop(), "")
	}
	add("The version of the tables.", store.MarkVersion(p.dialect), "", "")
	p.Steps = append(p.Steps, indexes...)
	steps, err := p.render("tables", &page{Plan: p})
	p.Steps = append(p.Steps, steps...)
	return err
}

// tableStays is part of each table's comment.
const tableStays = " The table stays when badger is removed."

// Tables are badger's tables.
func (p *page) Tables() []store.Table { return store.Tables }

// Views are badger's views.
func (p *page) Views() []store.View { return store.Views }

// readable are the tables and views that a reader reads. Views read other tables with the rights of
// their owner, but for BigQuery's.
func readable() []string {
	names := []string{"scores", "eval_runs", "run_log"}
	for i := range store.Views {
		names = append(names, store.Views[i].Name)
	}
	return names
}

// underlying are the other tables that the views read.
func (p *Plan) underlying() (names []string) {
	for i := range store.Tables {
		name := store.Tables[i].Name
		read := slices.ContainsFunc(store.Views, func(v store.View) bool {
			return strings.Contains(v.Query(store.Reader{Dialect: p.dialect})+" ", store.Schema+"."+name+" ") ||
				strings.Contains(v.Query(store.Reader{Dialect: p.dialect}), store.Schema+"."+name+")")
		})
		if read && !slices.Contains(readable(), name) {
			names = append(names, name)
		}
	}
	return names
}

// HasTables reports whether the installation has tables, and not functions alone.
func (p *Plan) HasTables() bool { return !p.Warehouse.Global && p.Values.Schema == store.Schema }

// relations lists the names of badger's tables and views, as literals.
func (p *Plan) relations() string {
	var names []string
	for i := range store.Tables {
		names = append(names, p.dialect.Literal(store.Tables[i].Name))
	}
	for i := range store.Views {
		names = append(names, p.dialect.Literal(store.Views[i].Name))
	}
	return strings.Join(names, ", ")
}

// keyed are the tables that have an index on their key.
func keyed() (names []string) {
	for i := range store.Tables {
		if !store.Tables[i].Input {
			names = append(names, store.Tables[i].Name)
		}
	}
	return names
}
