// Package store reads and writes badger's tables in a warehouse. It has the tables, each statement over them with the
// reading of its rows, and the lists of cases that pages show.
//
// [Tables] describes the tables once: the columns, types, keys, meaning and an example row of each. This
// description makes the statements that create tables and views, and the page that documents them. [Store]
// is a warehouse with these tables: it installs them, writes scores, and reads cases, runs, labels and
// queues. The dialect of a connector has the differences of its warehouse; no statement knows a warehouse
// by name.
package store
