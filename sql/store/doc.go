// Package store reads and writes badger's tables in a warehouse. It contains the description of the tables, all
// statements over them, and the lists of cases that web pages show.
//
// [Tables] describes the tables: the columns, types, keys, documentation and an example row of each. The statements
// that create tables and views, and the documentation page, are generated from it. [Store] is a warehouse with these
// tables: it installs them, writes scores, and reads cases, runs, labels and queues. A connector's dialect contains the
// differences of its warehouse; no statement depends on a warehouse's name.
package store
