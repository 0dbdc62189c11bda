package install

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/sql/store"
)

// tables adds the steps for badger's tables and views: the statements that create them, and the warehouse's template of
// comments and grants. It adds none for another schema than badger, which is the only one that badger run uses.
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
		drop := t.Drop()
		if t.Input && p.Warehouse.Name == "postgres" { // a table of the user's under this name stays
			drop = "DO $badger$ BEGIN IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = " +
				p.dialect.Literal(p.Values.Schema) + " AND c.relname = " + p.dialect.Literal(t.Name) + " AND " + p.ours(*t) +
				") THEN " + drop + "; END IF; END $badger$"
		}
		add(t.Doc+tableStays, t.Create(p.dialect), "", drop)
	}
	for _, sql := range store.Indexes(p.dialect) {
		indexes = append(indexes,
			Step{By: Owner, Why: "Rows are found by their key, and keys are unique.", SQL: there.Replace(sql)})
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

// tableStays is appended to the reason of each table's step.
const tableStays = " The table stays when badger is removed."

// Tables returns badger's tables.
func (p *page) Tables() []store.Table { return store.Tables }

// Views returns badger's views.
func (p *page) Views() []store.View { return store.Views }

// readable returns the names of the tables and views that the reader role may read. Except in BigQuery, views read
// other tables with the permissions of their owner.
func readable() []string {
	names := []string{"scores", "eval_runs", "run_log", "schedule", "alerts"}
	for i := range store.Views {
		names = append(names, store.Views[i].Name)
	}
	return names
}

// underlying returns the names of the other tables that the views read.
func (p *Plan) underlying() (names []string) {
	var queries []string
	for i := range store.Views {
		queries = append(queries, store.Views[i].Query(store.Reader{Dialect: p.dialect})+" ")
	}
	for i := range store.Tables {
		name := store.Tables[i].Name
		read := slices.ContainsFunc(queries, func(query string) bool {
			return strings.Contains(query, store.Schema+"."+name+" ") ||
				strings.Contains(query, store.Schema+"."+name+")")
		})
		if read && !slices.Contains(readable(), name) {
			names = append(names, name)
		}
	}
	return names
}

// HasTables reports whether the installation includes badger's tables.
func (p *Plan) HasTables() bool { return !p.Warehouse.Global && p.Values.Schema == store.Schema }

// views returns the names of badger's views as SQL literals, separated by commas.
func (p *Plan) views() string {
	var names []string
	for i := range store.Views {
		names = append(names, p.dialect.Literal(store.Views[i].Name))
	}
	return strings.Join(names, ", ")
}

// created is the condition that the relation c of PostgreSQL's pg_class is a table or view that badger created.
func (p *Plan) created() string {
	parts := []string{"c.relkind = 'v' AND c.relname IN (" + p.views() + ")"}
	for i := range store.Tables {
		t := &store.Tables[i]
		is := "c.relkind = 'r'"
		if t.Input {
			is = p.ours(*t)
		}
		parts = append(parts, "c.relname = "+p.dialect.Literal(t.Name)+" AND "+is)
	}
	return "(" + strings.Join(parts, "\n        OR ") + ")"
}

// inputs lists the names of the tables that users may have as tables or views of their own, as literals.
func (p *Plan) inputs() string {
	var names []string
	for i := range store.Tables {
		if t := &store.Tables[i]; t.Input {
			names = append(names, p.dialect.Literal(t.Name))
		}
	}
	return strings.Join(names, ", ")
}

// tableMark ends the comment of a table that users fill, if badger created it.
const tableMark = "[badger:table]"

// ours returns a SQL condition for whether the relation c of PostgreSQL's pg_class is a table t that badger created,
// not a user's table or view with its name: it has all of badger's columns, and no comment or badger's.
func (p *Plan) ours(t store.Table) string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, p.dialect.Literal(c.Name))
	}
	return "c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), " + p.dialect.Literal(tableMark) + ") LIKE " +
		p.dialect.Literal("%"+tableMark) +
		" AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND " +
		"a.attnum > 0 AND NOT a.attisdropped) @> ARRAY[" + strings.Join(names, ", ") + "]"
}

// keyed returns the names of the tables that have an index on their key.
func keyed() (names []string) {
	for i := range store.Tables {
		if !store.Tables[i].Input {
			names = append(names, store.Tables[i].Name)
		}
	}
	return names
}
