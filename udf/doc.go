// Package udf serves scoring functions to warehouses.
//
// A [Catalogue] declares every function once: its name, parameters, result and documentation, and how to call it on a batch of
// rows. All else is made from it: the functions of the embedded engine, the DDL of each warehouse, the listing that people
// read, and what a [Server] offers on the wire. A batch is columns ([Batch], [Column]) from the bytes of a request to the
// bytes of the reply; nothing is built per row but what a function itself needs.
//
// The server speaks Arrow Flight DoExchange and unary gRPC on one port, and HTTP on another with one form per warehouse
// (routes.go is the list). Rows are independent: a row that cannot be read or scored is NULL, or a JSON envelope with its
// reason, and leaves the others as they are. A call as a whole fails only where nothing in it could be interpreted, where the
// caller is not known, or where the server is too busy; permanent faults never get a status that warehouses try again.
//
// Arrow is arrow/go v17, the one Arrow of this module; JSON is read with internal/jsonscan, because arguments go straight from
// the body into columns and numbers must keep every digit; klauspost/compress inflates and deflates at twice the speed of
// the standard library.
package udf
