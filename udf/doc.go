// Package udf declares the scoring functions that warehouses call, and computes their rows.
//
// A [Catalogue] declares every function once: its name, parameters, result and documentation, and
// how to call it on a batch of rows. The declaration generates the functions of the embedded
// engine, the DDL of each warehouse, the printed list of functions, and what package udf/server offers
// on the wire. A batch is columnar ([Batch], [Column]) from the bytes of a request to the bytes of the
// reply. Only the function itself allocates per row.
//
// Rows are independent. A row that cannot be read or scored is NULL, or a JSON envelope with the reason, and does not
// affect the others. Rows that ask judges are computed once for equal arguments, and continue when their caller's time
// is over.
//
// The package knows no transport. A server gives the context of a call a [Caller], which has the name of the caller
// and grants the memory of the call.
package udf
