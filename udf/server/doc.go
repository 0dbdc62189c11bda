// Package server serves the functions of a [udf.Catalogue] to warehouses.
//
// A [Server] serves Arrow Flight DoExchange and unary gRPC on one port, and HTTP on another, with one format per
// warehouse (routes.go lists them). A call fails as a whole only if it cannot be parsed, if the caller is not
// authenticated, or if the server is too busy. A permanent error never has a status on which a warehouse retries.
// Memory for bodies, messages, arguments, results and replies is reserved before it is used.
//
// Arrow is arrow/go v17, the only Arrow of this module. internal/jsonscan parses JSON, because arguments are copied
// from the body into columns directly and numbers must keep every digit. klauspost/compress needs half the time of
// the standard library.
package server
