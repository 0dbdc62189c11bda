// Package caselist holds the state of a list of cases: which run, which cases of it, in which order
// and which page of them. The state has a form as the query of an address, so that a list can be
// linked to, kept as a queue and exported. Reading the cases is the business of connectors.
package caselist
