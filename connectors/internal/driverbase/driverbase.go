// Package driverbase has the code that connectors share, so that they behave alike: the plan by
// which rows go into a table, and values as text. A connector adds how its warehouse is reached,
// how it spells statements and what its types and errors mean.
package driverbase
