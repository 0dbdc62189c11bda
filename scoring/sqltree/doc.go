// Package sqltree represents queries as trees with resolved names, so that two spellings of one query can be
// distinguished from two queries.
//
// [Build] converts the result of package sqlparts to a tree in which aliases are replaced by their tables and
// expressions, common table expressions by their queries, and positions by items. [equivalent] compares two trees
// under the equivalence rules of Enhanced Tree Match, [SetMatch] as Spider's exact set match does, and [Similarity]
// measures how much of their structure two trees share.
//
// Facts about tables that a rule needs, such as which columns are keys, are in a [Schema]. It is read from DDL if
// there is one, and assumed from names if not.
//
// # The rules of Enhanced Tree Match
//
// The numbers are those of the published program (Ascoli, Kandikonda, Choi 2024, arXiv:2407.07313;
// emorynlp/ETM e1cfb07). A key is a column that is unique.
//
//	1    k = (SELECT MAX(k) FROM t)                  ORDER BY k DESC LIMIT 1                k a key
//	2    DISTINCT                                    nothing                                one table, a key among the columns
//	3    q WHERE a INTERSECT q WHERE b               q WHERE a AND b; UNION as OR           one table, its key selected
//	4    GROUP BY k, x                               GROUP BY k                             k a key of the table of x
//	5    q EXCEPT r                                  q WHERE k NOT IN (r)                   k a key, not NULL
//	6    COUNT(x)                                    COUNT(*)                               x not NULL
//	7    x IS NOT NULL                               nothing                                x not NULL
//	8    CAST(SUM(x) AS FLOAT) / COUNT(*)            AVG(x)                                 x not NULL
//	9    COUNT(CASE WHEN a THEN 1 END)               SUM(CASE WHEN a THEN 1 ELSE 0 END)
//	10   x … ORDER BY x LIMIT 1                      MIN(x); with DESC MAX(x)
//	11   *                                           the columns                            a stated schema
//	12   '150', 150.0                                150                                    not with a leading 0
//	13   x IN (SELECT k FROM t WHERE a)              JOIN t ON x = k WHERE a                k a key
//	14   JOIN t ON f = k                             nothing                                f refers to k, no other column of t used
//	15   SUBSTR(x, 1, n) = 'a' AND SUBSTR(x, n + 1, m) > 'b'      x > 'ab'
//	16   x LIKE 'abc%'                               SUBSTR(x, 1, 3) = 'abc'; NOT LIKE as <>
//	17   ORDER BY JULIANDAY(x)                       ORDER BY x
//	18   x IN (a, b)                                 x = a OR x = b; NOT IN as AND of <>
//	19   columns that inner joins equate           one of them
//	20   k IN (SELECT k FROM t WHERE a), from t      a                                      k a key
//	21   q UNION q, q INTERSECT q                    DISTINCT q
//	22   x BETWEEN a AND b                           x >= a AND x <= b
//	23   NOT x = a                                   x <> a, and so on
//	24   IIF(a, b, c), CASE x WHEN a                 CASE WHEN a THEN b ELSE c END, CASE WHEN x = a
//	25   t LEFT JOIN u ON x = y WHERE y IS NULL      x NOT IN (SELECT y FROM u)
//	26   common table expressions                    derived tables
//	100+ case, aliases, quotes, parentheses, needless qualifiers, the order of AND, OR, =, joins and the select list
//
// Rules 2, 4, 13, 20, 21 and 25 are applied only under the conditions under which they are correct; the published
// program applies them more freely. Other changes without effect on the result are added: conditions of inner joins
// are treated as WHERE; the sides of < and >; the order of groups, and of operands of UNION and INTERSECT; DISTINCT
// and ORDER BY in IN and EXISTS; x is not NULL if a condition compares it. Rules 8, 10, 12, 14 to 17 are as
// published, though with empty tables, NULL or mixed types the two sides can differ.
package sqltree
