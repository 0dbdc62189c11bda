// Package install writes the SQL that puts badger into a warehouse: roles, the functions that call
// badger serve, and grants.
//
// Each warehouse has a directory of templates, which [New] executes with the catalog of functions,
// a file of values and the SQL dialect of the warehouse's connector:
//
//	WAREHOUSE/roles.sql          roles, schema, permissions of the owner
//	WAREHOUSE/VIA.sql            what the protocol VIA needs: integration, connection, service
//	WAREHOUSE/VIA.function.sql   one function of the catalog
//	WAREHOUSE/grants.sql         permissions to call the functions
//	WAREHOUSE/service.sql        a query: the services of the schema, if the warehouse runs badger serve
//	WAREHOUSE/tables.sql         comments on tables and views, and permissions to read and write them
//	WAREHOUSE/schedule.sql       the procedure that scores answers without scores, and the nightly job that calls it
//	WAREHOUSE/inventory.sql      a query: the existing functions, with name and comment
//	WAREHOUSE/rights.sql         a query: kind (role, grant or key), name, and whether it exists
//	WAREHOUSE/others.sql         a query: roles of the plan that badger did not create
//	WAREHOUSE/job.sql            a query: the nightly job, if it exists
//
// The file of an engine that badger does not connect to, a [Client], is one template in a separate directory.
//
// A template of steps is a list. "--- WHO: WHY" starts a step; WHO is admin, owner or hand. "--- drop: STATEMENT"
// gives the statement that reverses the step, "--- drop role: STATEMENT" one that drops a role, which may have existed
// before, and "--- drop data: STATEMENT" one that also deletes scores and labels. Everything else is the step's
// statement or, in a step by hand, the instructions.
//
// WHO may end with ", if missing" or ", if changed": the step then runs only if the service is in that state. With
// ", optional" a failure is ignored.
//
// Every statement may be run again, unless WHO ends with ", may exist". The comment of each function ends with a mark
// that contains a hash of its statement. [Plan.Compare] compares the marks with the plan; functions that badger did
// not create are never replaced.
package install
