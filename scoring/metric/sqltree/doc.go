// Package sqltree holds queries as trees whose names are resolved, so that two ways of writing one query can be told from two queries.
//
// [Build] makes a tree from what package sqlparts read: aliases give way to the tables and expressions they stand for, common table
// expressions to the queries they name, positions to items. [Equivalent] compares two trees under the equivalence rules of Enhanced Tree Matching
// (Ascoli et al. 2024, arXiv:2407.07313); [Similarity] says how much of their structure two trees share. What a rule needs to know of the
// tables, such as which columns are keys, comes from a [Schema], read from DDL where there is one and assumed from names where not.
package sqltree
