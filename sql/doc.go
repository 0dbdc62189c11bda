// Package sql describes badger's own tables once: the columns, types, keys, meaning and an example
// row of each. This description generates the statements that create tables and views, and the page
// that documents them.
//
// The package runs nothing. The dialect of a connector maps the types to the names in its
// warehouse.
package sql
