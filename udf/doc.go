// Package udf serves scoring functions to warehouses.
//
// A [Catalogue] declares every function once: its name, parameters, result and documentation, and
// how to call it on a batch of rows. The declaration generates the functions of the embedded
// engine, the DDL of each warehouse, the printed list of functions, and what a [Server] offers on
// the wire. A batch is columnar ([Batch], [Column]) from the bytes of a request to the bytes of the
// reply. Only the function itself allocates per row.
//
// The server speaks Arrow Flight DoExchange and unary gRPC on one port, and HTTP on another with
// one format per warehouse (routes.go lists them). Rows are independent. A row that cannot be read
// or scored is NULL, or a JSON envelope with the reason, and does not affect the others. A call
// fails as a whole only if none of it can be interpreted, if the caller is not authenticated, or if
// the server is too busy. A permanent error never has a status that makes a warehouse retry.
//
// Arrow is arrow/go v17, the only Arrow of this module. internal/jsonscan parses JSON, because arguments are copied
// from the body into columns directly and numbers must keep every digit. klauspost/compress is twice as fast as the
// standard library.
package udf
