// Package install writes the SQL that puts badger into a warehouse: roles, the functions that call
// badger serve, and grants.
//
// Each warehouse has a folder of templates, which [New] fills in from the catalogue of functions,
// from one file of values and from the dialect of the warehouse's connector:
//
//	WAREHOUSE/roles.sql          roles, schema, rights of the owner
//	WAREHOUSE/VIA.sql            what the way of calling needs: integration, connection, service
//	WAREHOUSE/VIA.function.sql   one function of the catalogue
//	WAREHOUSE/grants.sql         who may call
//	WAREHOUSE/service.sql        a query: the services of the schema, where the warehouse runs badger serve
//	WAREHOUSE/tables.sql         comments on tables and views, and who may read and write them
//	WAREHOUSE/schedule.sql       the procedure that scores what has no score, and what calls it by night
//	WAREHOUSE/inventory.sql      a query: the existing functions, with name, signature and comment
//	WAREHOUSE/rights.sql         a query: role or grant, which, and whether it exists, if it can be seen
//
// A template is a list of steps. "--- WHO: WHY" starts a step; WHO is admin, owner or hand, and "--- drop:
// STATEMENT" names the statement that reverses it, "--- drop data: STATEMENT" the one that also deletes scores and
// labels. Everything else is the statement or, in a step by hand, the instructions.
//
// WHO ends with ", if missing" or ", if changed" where the step is for a service in that state.
//
// Every statement may be run again. A comment of each function ends with a mark that holds the
// fingerprint of its statement; by the marks [Compare] finds what an installation lacks, and
// functions that badger did not create are never replaced.
package install
