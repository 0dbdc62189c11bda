// Package udf declares the scoring functions that warehouses call, and computes their rows.
//
// A [Catalogue] declares every function once: its name, parameters, result, documentation, and how to call it on a
// batch of rows. The functions of the embedded engine, the DDL of each warehouse, the printed list of functions and
// the interfaces of package udf/server are generated from it. A batch is stored by columns ([Batch], [Column]) from
// request to reply. Only the functions themselves allocate memory per row.
//
// Rows are independent. A row that cannot be read or scored is NULL, or a JSON envelope with the reason, and does not
// affect other rows. Rows that ask judges are computed once for equal arguments, and continue after their caller's
// deadline.
//
// The package is independent of transports. A server puts a [Caller] into the context of a call, with the name of the
// caller and the memory that the call may use.
package udf
