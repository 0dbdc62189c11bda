package sqlproof

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// What a proof leaves out it knows to be without effect, and what it takes for a constant is one. Each
// pair is on one side of the border of a rule.
func TestProofsKnowWhatTheyLeaveOut(t *testing.T) {
	const ddl = "CREATE TABLE posts (id INT, tags TEXT, likes INT, day DATE); CREATE TABLE users (id INT, name TEXT)"
	for _, tt := range []struct {
		dialects, a, b string
		want           bool
	}{
		// an unused item is dropped only if it gives one value for each row
		{"postgres duckdb redshift", "SELECT id FROM (SELECT id, generate_series(1, likes) AS n FROM posts) q", "SELECT id FROM posts", false},
		{"postgres duckdb", "SELECT count(*) FROM (SELECT unnest(string_to_array(tags, ',')) AS tag FROM posts) q", "SELECT count(*) FROM posts", false},
		{"postgres", "SELECT sum(likes) FROM (SELECT likes, regexp_matches(tags, 'a', 'g') AS m FROM posts) q", "SELECT sum(likes) FROM posts", false},
		{"databricks", "SELECT id FROM (SELECT id, posexplode_outer(split(tags, ',')) FROM posts)", "SELECT id FROM posts", false},
		{"databricks", "WITH e AS (SELECT id, stack(2, likes, id) AS v FROM posts) SELECT id, COUNT(*) FROM e GROUP BY id", "SELECT id, COUNT(*) FROM posts GROUP BY id", false},
		{"postgres", "SELECT id FROM (SELECT id, own_function(tags) AS n FROM posts) q", "SELECT id FROM posts", false},
		{"postgres", "SELECT id FROM (SELECT id, (json_each(tags::json)).key AS k FROM posts) q", "SELECT id FROM posts", false},
		{"postgres", "SELECT EXISTS (SELECT unnest(string_to_array(tags, ',')) FROM posts GROUP BY 1)", "SELECT EXISTS (SELECT 1 FROM posts)", false},
		{"postgres", "SELECT DISTINCT id, generate_series(1, 2) FROM posts GROUP BY id", "SELECT id, generate_series(1, 2) FROM posts GROUP BY id", false},
		{"postgres", "SELECT count(*), unnest(ARRAY[3, 1]) FROM posts ORDER BY 2", "SELECT count(*), unnest(ARRAY[3, 1]) FROM posts", false},
		{"postgres duckdb snowflake bigquery databricks", "SELECT id FROM (SELECT id, upper(tags) AS n FROM posts) q", "SELECT id FROM posts", true},
		{"postgres duckdb snowflake", "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY likes) AS n, lag(likes) OVER (ORDER BY day) AS l FROM posts) q", "SELECT id FROM posts", true},
		{"postgres duckdb", "SELECT id, n FROM (SELECT id, count(*) AS n, max(likes) AS m FROM posts GROUP BY id) q", "SELECT id, count(*) AS n FROM posts GROUP BY id", true},
		{"duckdb", "SELECT id FROM (SELECT id, regexp_matches(tags, 'a') AS m FROM posts) q", "SELECT id FROM posts", true},

		// the row of a source is not a constant, and not a column
		{"bigquery", "SELECT TO_JSON_STRING(p) FROM (SELECT id, tags FROM posts) AS p", "SELECT TO_JSON_STRING(p) FROM (SELECT id, likes FROM posts) AS p", false},
		{"bigquery", "SELECT COUNT(DISTINCT p) FROM (SELECT id FROM posts) AS p", "SELECT COUNT(DISTINCT p) FROM (SELECT likes FROM posts) AS p", false},
		{"postgres", "WITH p AS (SELECT id FROM posts) SELECT json_agg(p) FROM p", "WITH p AS (SELECT likes FROM posts) SELECT json_agg(p) FROM p", false},
		{"postgres", "SELECT count(u) FROM posts p LEFT JOIN (SELECT id FROM users WHERE name = 'a') u ON u.id = p.id", "SELECT count(u) FROM posts p LEFT JOIN (SELECT id FROM users WHERE name = 'b') u ON u.id = p.id", false},
		{"postgres", "SELECT (p).id FROM (SELECT id FROM posts) p", "SELECT (p).id FROM (SELECT likes AS id FROM posts) p", false},
		{"duckdb", "SELECT list(p) FROM (SELECT id FROM posts) p", "SELECT list(p) FROM (SELECT likes FROM posts) p", false},
		{"postgres", "SELECT EXISTS (SELECT 1 FROM users WHERE row_to_json(p) IS NOT NULL) FROM (SELECT id FROM posts) p", "SELECT EXISTS (SELECT 1 FROM users WHERE row_to_json(p) IS NOT NULL) FROM (SELECT likes FROM posts) p", false},
		{"postgres", "SELECT EXISTS (SELECT 1 FROM users WHERE v > 1) FROM (SELECT id AS v FROM posts) p", "SELECT EXISTS (SELECT 1 FROM users WHERE v > 1) FROM (SELECT likes AS v FROM posts) p", false},
		{"postgres", "SELECT EXISTS (SELECT 1 FROM users WHERE users.id = v) FROM (SELECT id AS v FROM posts) p", "SELECT EXISTS (SELECT 1 FROM users WHERE v = users.id) FROM (SELECT id AS v FROM posts) p", true},
		{"postgres", "SELECT likes FROM (SELECT id FROM users) likes", "SELECT likes FROM (SELECT name FROM users) likes", false},
		{"postgres", "SELECT own(u) FROM users u", "SELECT own(v) FROM (SELECT * FROM users) w, users v", false},
		{"postgres bigquery", "SELECT p.id FROM (SELECT id, tags FROM posts) AS p", "SELECT q.id FROM (SELECT id FROM posts) AS q", true},
		{"postgres snowflake", "SELECT id FROM (SELECT id FROM posts) p WHERE p.id > 3", "SELECT id FROM posts WHERE 3 < id", true},
		{"postgres", "SELECT id FROM (SELECT id, day FROM posts) p WHERE day = current_date", "SELECT id FROM posts WHERE current_date = day", true},

		// a sample depends on its input
		{"snowflake", "SELECT COUNT(*) FROM (SELECT * FROM posts) SAMPLE (3)", "SELECT COUNT(*) FROM posts", false},
		{"snowflake databricks", "SELECT COUNT(*) FROM (SELECT * FROM posts) TABLESAMPLE (3 ROWS)", "SELECT COUNT(*) FROM (SELECT * FROM posts) TABLESAMPLE (7 ROWS)", false},
		{"duckdb", "SELECT COUNT(*) FROM (SELECT * FROM posts) TABLESAMPLE 5%", "SELECT COUNT(*) FROM posts", false},
		{"duckdb", "SELECT COUNT(*) FROM (posts CROSS JOIN users) TABLESAMPLE 5%", "SELECT COUNT(*) FROM posts CROSS JOIN users", false},
		{"snowflake", "WITH s AS (SELECT id FROM posts) SELECT COUNT(*) FROM s SAMPLE (3)", "SELECT COUNT(*) FROM posts", false},

		// columns by position, by text, by pattern
		{"snowflake generic", "SELECT $1 FROM (SELECT id FROM posts)", "SELECT $1 FROM (SELECT likes FROM posts)", false},
		{"snowflake", "SELECT p.$2 FROM (SELECT id, tags FROM posts) p", "SELECT p.$2 FROM (SELECT id, likes FROM posts) p", false},
		{"postgres", "SELECT id FROM (SELECT id, likes FROM posts) p WHERE likes > $1", "SELECT id FROM posts WHERE $1 < likes", true},
		{"snowflake databricks", "SELECT IDENTIFIER('id') FROM (SELECT id FROM posts)", "SELECT IDENTIFIER('id') FROM (SELECT likes AS id FROM posts)", false},
		{"duckdb", "SELECT COLUMNS('i') FROM (SELECT id FROM posts)", "SELECT COLUMNS('i') FROM (SELECT likes FROM posts)", false},
		{"duckdb", "SELECT max(COLUMNS(*)) FROM (SELECT id FROM posts)", "SELECT max(COLUMNS(*)) FROM (SELECT likes FROM posts)", false},
		{"duckdb", "SELECT #1 FROM (SELECT id FROM posts)", "SELECT #1 FROM (SELECT likes FROM posts)", false},
		{"snowflake", "SELECT {*} FROM (SELECT id FROM posts)", "SELECT {*} FROM (SELECT likes FROM posts)", false},
		{"snowflake", "SELECT HASH(*) FROM (SELECT id FROM posts)", "SELECT HASH(*) FROM (SELECT likes FROM posts)", false},
		{"snowflake", "SELECT OBJECT_CONSTRUCT(p.*) FROM (SELECT id FROM posts) p", "SELECT OBJECT_CONSTRUCT(p.*) FROM (SELECT likes FROM posts) p", false},
		{"postgres snowflake", "SELECT COUNT(*) FROM (SELECT id FROM posts) p", "SELECT COUNT(*) FROM posts", true},

		// strings on two lines
		{"postgres redshift duckdb generic", "SELECT id FROM posts WHERE tags = 'a'\n'b'", "SELECT id FROM posts WHERE tags = 'a'\n'c'", false},
		{"postgres redshift duckdb generic", "SELECT 'a'\n'b' FROM posts", "SELECT 'a'\n'c' FROM posts", false},
		{"postgres duckdb generic", "SELECT id FROM posts WHERE tags = 'a' -- and\n  'b'", "SELECT id FROM posts WHERE 'ab' = tags", true},
		{"mysql databricks", "SELECT id FROM posts WHERE tags = 'a' 'b'", "SELECT id FROM posts WHERE tags = 'a' 'c'", false},
		{"bigquery snowflake sqlite tsql", "SELECT 'a' 'b' FROM posts", "SELECT 'a' 'c' FROM posts", false},
		{"sqlite", "SELECT 'a' AS 'b' FROM posts", "SELECT 'a' AS 'c' FROM posts", true},

		// the order inside a derived table counts where an aggregate sees it
		{"postgres", "SELECT own_agg(id) FROM (SELECT id FROM posts ORDER BY day) q", "SELECT own_agg(id) FROM (SELECT id FROM posts ORDER BY likes) q", false},
		{"postgres duckdb", "SELECT sum(id) FROM (SELECT id FROM posts ORDER BY day) q", "SELECT sum(id) FROM (SELECT id FROM posts ORDER BY likes) q", true},
	} {
		for dialect := range strings.FieldsSeq(tt.dialects) {
			d := sqlparts.DialectOf(dialect)
			for _, schema := range []*sqlparts.Schema{{}, sqlparts.ReadSchema(ddl, d)} {
				p := prove(sqlparts.Parse(tt.a, d), sqlparts.Parse(tt.b, d), schema)
				if p != nil && !tt.want || p == nil && tt.want && (len(schema.Tables) > 0) {
					t.Errorf("%s, schema stated %v: proven %v, want %v\n%s\n%s", dialect, (len(schema.Tables) > 0), p != nil, tt.want, tt.a, tt.b)
				}
			}
		}
	}
}
