// Package driverbase has the code that connectors share: planning the merge of rows into a table, writing values as
// text, URL options, retries and secrets. A connector adds the protocol, the SQL syntax, and the meaning of the
// warehouse's types and errors.
package driverbase
