package resultfile_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
)

// What people and programs hand over in place of a result is refused with words for what it is, and
// none of its own.
func TestNoResult(t *testing.T) {
	const (
		page, failed, said, drawn = "HTML or XML", "an error message", "a sentence", "drawn with lines"
	)
	for _, tc := range []struct{ name, text, says string }{
		{"r.csv", "<!DOCTYPE html>\n<title>login</title>\n", page},
		{"r.csv", "<div class=\"x\">no, really</div>\n", page},
		{"r.txt", "<?xml version=\"1.0\"?>\n<rows/>\n", page},
		{"r.csv", "<Error><Code>NoSuchKey</Code></Error>", page},
		{"r.csv", "ERROR: column \"hunter2\" does not exist\nLINE 1: SELECT hunter2\n", failed},
		{"r.csv", "ERROR 1054 (42S22): Unknown column 'hunter2' in 'field list'\n", failed},
		{"r.csv", "Binder Error: Referenced column \"hunter2\" not found\n", failed},
		{"r.csv", "psycopg2.errors.UndefinedTable: relation \"hunter2\" does not exist\n", failed},
		{"r.csv", "Traceback (most recent call last):\n  File \"x.py\", line 1\n", failed},
		{"r.csv", "ORA-00942: table or view does not exist\n", failed},
		{"r.csv", "Msg 208, Level 16, State 1, Line 1\nInvalid object name 'hunter2'.\n", failed},
		{"r.csv", "SQL compilation error:\nObject 'HUNTER2' does not exist or not authorized.\n", failed},
		{"r.csv", "002003 (42S02): SQL compilation error:\n", failed},
		{"r.csv", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `hunter2` cannot be found.\n", failed},
		{"r.csv", "Code: 60. DB::Exception: Table default.hunter2 does not exist.\n", failed},
		{"r.csv", "FATAL: password authentication failed\n", failed},
		{"r.csv", "java.sql.SQLSyntaxErrorException: hunter2\n", failed},
		{"r.csv", "I'm sorry, but I cannot answer hunter2\n", said},
		{"r.csv", "Unfortunately the table holds no such thing\n", said},
		{"r.csv", "The data has no customers of that kind.\n", said},
		{"r.csv", "Here are the five largest hunter2 orders:\n\nid,n\n1,2\n", said},
		{"r.csv", "| k | v |\n|---|---:|\n| a | 1 |\n", drawn},
		{"r.csv", " k | v\n---+---\n a | 1\n(1 row)\n", drawn},
		{"r.csv", "+---+---+\n| k | v |\n+---+---+\n", drawn},
		{"r.csv", "kk,value\n--,-----\na,1\n", drawn},
		{"r.csv", "┌───┬───┐\n│ k │ v │\n", drawn},
		{"r.csv", "```csv\na,b\n1,2\n```\n", "fences"},
		{"r.csv", "(0 rows)\n", "without rows"},
		{"r.csv", "No results found.\n", "without rows"},
		{"r.csv", "Empty set (0.00 sec)\n", "without rows"},
		{"r.csv", "%PDF-1.7 hunter2", "PDF"},
		{"r.json", `{"kind":"bigquery#queryResponse","schema":{"fields":[]},"jobReference":{},"totalRows":"1","rows":[{"f":[{"v":"hunter2"}]}]}`, "BigQuery"},
		{"r.json", `{"schema":{"fields":[{"name":"k"}]},"rows":[{"f":[{"v":"a"}]}]}`, "BigQuery"},
		{"r.json", `{"resultSetMetaData":{"numRows":1,"rowType":[]},"data":[["hunter2"]],"code":"090001"}`, "Snowflake"},
		{"r.json", `{"statement_id":"s","status":{"state":"SUCCEEDED"},"manifest":{},"result":{"data_array":[["1"]]}}`, "Databricks"},
		{"r.json", `{"UpdateCount":0,"ResultSet":{"Rows":[{"Data":[{"VarCharValue":"k"}]}]}}`, "Athena"},
		{"r.json", `{"ColumnMetadata":[{"name":"k"}],"Records":[[{"stringValue":"a"}]],"TotalNumRows":1}`, "Redshift"},
		{"r.json", `{"meta":[{"name":"k","type":"String"}],"data":[{"k":"a"}],"rows":1}`, "ClickHouse"},
		{"r.json", `{"error":{"code":404,"message":"hunter2"}}`, failed},
		{"r.json", `{"message":"hunter2","code":"42P01"}`, failed},
		{"r.json", `{"errors":[{"title":"hunter2"}],"status":400}`, failed},
	} {
		_, err := read(t, tc.name, tc.text, nil)
		if errcode.Of(err) != errcode.InvalidArgument || err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(strings.ToLower(err.Error()), "hunter2") {
			t.Errorf("%.50q: %v, want %q", tc.text, err, tc.says)
		}
	}
}

// Results whose headers and values look like these are results.
func TestUnusualResults(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"r.csv", "error\nnone at all\n", "error STRING: none at all"},
		{"r.csv", "error_code,message\nORA-00942,no table\n", "error_code STRING: ORA-00942\nmessage STRING: no table"},
		{"r.csv", "Error rate,n\n0.5,2\n", "Error rate FLOAT64: 0.5\nn INT64: 2"},
		{"r.csv", "How many orders were placed in 2024?\n10\n", "How many orders were placed in 2024? INT64: 10"},
		{"r.csv", "Number of orders incl. tax etc.\n10\n", "Number of orders incl. tax etc. INT64: 10"},
		{"r.csv", "The result,n\na,1\n", "The result STRING: a\nn INT64: 1"},
		{"r.csv", "note\n\"I'm sorry, I cannot say.\"\n", "note STRING: I'm sorry, I cannot say."},
		{"r.csv", "a,b\n-,-\n1,2\n", "a STRING: -|1\nb STRING: -|2"},
		{"r.csv", "html\n<b>x</b>\n", "html STRING: <b>x</b>"},
		{"r.csv", "<5,5-10,>10\n1,2,3\n", "<5 INT64: 1\n5-10 INT64: 2\n>10 INT64: 3"},
		{"r.csv", "no results\n3\n", "no results INT64: 3"},
		{"r.csv", "id,I am,Here is\n1,2,3\n", "id INT64: 1\nI am INT64: 2\nHere is INT64: 3"},
		{"r.json", `{"message":"hello"}`, "message STRING: hello"},
		{"r.json", `{"code":7,"name":"x"}`, "code INT64: 7\nname STRING: x"},
		{"r.json", `[{"error":"e1"},{"error":"e2"}]`, "error STRING: e1|e2"},
		{"r.json", `{"error":"e1","customer":"c"}`, "error STRING: e1\ncustomer STRING: c"},
	} {
		got, err := read(t, tc.name, tc.text, nil)
		if err != nil || show(got) != tc.want {
			t.Errorf("%.50q: %v, want\n%s", tc.text, err, tc.want)
		}
	}
}
