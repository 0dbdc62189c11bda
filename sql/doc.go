// Package sql describes badger's own tables once: columns, types, keys, meaning and an example row of each. The statements that
// create tables and views and the page that documents them are all made from that description.
//
// The package runs nothing. A connector's dialect says how its warehouse spells the types.
package sql
