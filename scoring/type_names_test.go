package scoring_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// The names of types in the documentation of each engine, as result columns and DDL spell them.
func TestTypesOfEveryEngine(t *testing.T) {
	const (
		Bool, Int, Float, Decimal = scoring.Bool, scoring.Int64, scoring.Float64, scoring.Decimal
		Text, Bytes, JSON         = scoring.String, scoring.Bytes, scoring.JSON
		Date, Time, TS, TSTZ      = scoring.Date, scoring.Time, scoring.Timestamp, scoring.TimestampTZ
	)
	for engine, types := range map[string]map[string]scoring.Type{
		"PostgreSQL": {
			"smallint": Int, "integer": Int, "bigint": Int, "int2": Int, "int4": Int, "int8": Int, "smallserial": Int, "serial": Int, "serial8": Int, "bigserial": Int, "oid": Int,
			"numeric(12,3)": Decimal, "decimal": Decimal, "money": Decimal, "real": Float, "double precision": Float, "float4": Float, "float8": Float,
			"character varying(20)": Text, "varchar": Text, "character(3)": Text, "char(3)": Text, "bpchar": Text, "text": Text, `"char"`: Text, "name": Text, "uuid": Text, "xml": Text, "bit varying(8)": Text,
			"bytea": Bytes, "boolean": Bool, "bool": Bool, "date": Date, "time": Time, "time(3) without time zone": Time, "time with time zone": Text, "timetz": Text,
			"timestamp": TS, "timestamp(3) without time zone": TS, "timestamp with time zone": TSTZ, "timestamptz(6)": TSTZ, "interval": Text, "interval day to second(3)": Text,
			"json": JSON, "jsonb": JSON, "integer[]": JSON, "text[3]": JSON, "_int4": JSON, "record": JSON, "point": Text, "inet": Text, "macaddr8": Text, "tsvector": Text, "pg_lsn": Text, "int4range": Text, "nummultirange": Text, "regclass": Text, "jsonpath": Text,
		},
		"Redshift": {"INT8": Int, "DECIMAL(18,4)": Decimal, "FLOAT8": Float, "NCHAR(4)": Text, "BPCHAR": Text, "NVARCHAR(9)": Text, "TIMETZ": Text, "TIMESTAMPTZ": TSTZ, "SUPER": JSON, "HLLSKETCH": Text, "VARBYTE(16)": Bytes, "BINARY VARYING(16)": Bytes, "GEOGRAPHY": Text, "INTERVAL YEAR TO MONTH": Text},
		"MySQL and MariaDB": {
			"tinyint(4)": Int, "smallint unsigned": Int, "mediumint(8) unsigned zerofill": Int, "int unsigned": Int, "INT UNSIGNED NOT NULL AUTO_INCREMENT": Int, "integer": Int, "bigint(20)": Int, "bigint unsigned": Int, "year(4)": Int,
			"decimal(10,2) unsigned": Decimal, "dec": Decimal, "fixed(5,1)": Decimal, "float unsigned": Float, "double": Float, "double(8,2)": Float, "real": Float, "bit(1)": Bool, "datetime(6)": TS, "timestamp": TS, "time": Time, "date": Date,
			"varchar(40) character set utf8mb4 collate utf8mb4_bin": Text, "tinytext": Text, "mediumtext": Text, "longtext": Text, "enum('a','b (x)')": Text, "set('a','b')": Text, "national varchar(5)": Text, "inet6": Text,
			"binary(16)": Bytes, "varbinary(9)": Bytes, "tinyblob": Bytes, "longblob": Bytes, "geometry": Text, "multipolygon": Text, "json": JSON,
		},
		"SQL Server": {
			"bit": Bool, "tinyint": Int, "int": Int, "bigint": Int, "numeric(9,2)": Decimal, "smallmoney": Decimal, "money": Decimal, "float(53)": Float, "real": Float,
			"date": Date, "time(7)": Time, "datetime": TS, "datetime2(7)": TS, "smalldatetime": TS, "datetimeoffset(3)": TSTZ, "char(2)": Text, "nvarchar(max)": Text, "ntext": Text, "sysname": Text, "uniqueidentifier": Text, "hierarchyid": Text, "xml": Text,
			"varbinary(max)": Bytes, "image": Bytes, "rowversion": Bytes, "sql_variant": scoring.Any,
		},
		"Oracle": {
			"NUMBER(38)": Decimal, "NUMBER(10,-2)": Decimal, "FLOAT(126)": Float, "BINARY_FLOAT": Float, "BINARY_DOUBLE": Float, "PLS_INTEGER": Int, "VARCHAR2(40 CHAR)": Text, "NVARCHAR2(9)": Text, "NCHAR(2)": Text, "CLOB": Text, "NCLOB": Text, "XMLTYPE": Text, "ROWID": Text, "UROWID(40)": Text, "BFILE": Text,
			"DATE": Date, "TIMESTAMP(9)": TS, "TIMESTAMP(6) WITH TIME ZONE": TSTZ, "TIMESTAMP WITH LOCAL TIME ZONE": TSTZ, "INTERVAL DAY(2) TO SECOND(6)": Text, "RAW(16)": Bytes, "LONG RAW": Bytes, "BLOB": Bytes, "SDO_GEOMETRY": Text,
		},
		"SQLite": {"INT": Int, "UNSIGNED BIG INT": Int, "INT2": Int, "MEDIUMINT": Int, "CHARACTER(20)": Text, "VARYING CHARACTER(255)": Text, "NATIVE CHARACTER(70)": Text, "NVARCHAR(100)": Text, "CLOB": Text, "BLOB": Bytes, "DOUBLE PRECISION": Float, "NUMERIC": Decimal, "DATETIME": TS, "BOOLEAN": Bool},
		"ClickHouse": {
			"UInt8": Int, "UInt32": Int, "UInt64": Decimal, "Int128": Decimal, "UInt256": Decimal, "Float32": Float, "BFloat16": Float, "Decimal(10, 2)": Decimal, "Decimal128(4)": Decimal, "Bool": Bool, "String": Text, "FixedString(3)": Text, "UUID": Text, "IPv4": Text, "IPv6": Text,
			"Nullable(Int64)": Int, "Nullable(DateTime64(3, 'Europe/Oslo'))": TS, "LowCardinality(String)": Text, "LowCardinality(Nullable(FixedString(2)))": Text, "SimpleAggregateFunction(sum, Nullable(Decimal(38, 4)))": Decimal, "AggregateFunction(uniq, UInt64)": Text,
			"Date": Date, "Date32": Date, "DateTime": TS, "DateTime('UTC')": TS, "DateTime64(6)": TS, "Enum8('a' = 1, 'b' = 2)": Text, "Array(Nullable(UInt8))": JSON, "Tuple(a String, b UInt8)": JSON, "Map(String, UInt64)": JSON, "Nested(a UInt8)": JSON, "Variant(UInt8, String)": JSON, "Object('json')": JSON, "Nullable(Nothing)": Text, "IntervalDay": Text,
		},
		"Trino, Presto and Athena": {
			"boolean": Bool, "tinyint": Int, "integer": Int, "real": Float, "double": Float, "decimal(38,0)": Decimal, "varchar(7)": Text, "char(3)": Text, "varbinary": Bytes, "json": JSON, "date": Date, "time(6)": Time, "time(3) with time zone": Text, "timestamp(3)": TS, "timestamp(3) with time zone": TSTZ,
			"interval day to second": Text, "array(row(a integer))": JSON, "map(varchar, array(bigint))": JSON, "row(x bigint, y varchar(3))": JSON, "array<string>": JSON, "ipaddress": Text, "uuid": Text, "HyperLogLog": Text, "unknown": Text,
		},
		"Snowflake": {
			"NUMBER(38,0)": Decimal, "FIXED": Decimal, "BYTEINT": Int, "FLOAT": Float, "REAL": Float, "TEXT": Text, "STRING": Text, "BINARY(8)": Bytes, "BOOLEAN": Bool, "DATE": Date, "TIME(9)": Time, "DATETIME": TS, "TIMESTAMP_NTZ(9)": TS, "TIMESTAMP_LTZ": TSTZ, "TIMESTAMP_TZ(3)": TSTZ,
			"VARIANT": JSON, "OBJECT": JSON, "ARRAY(NUMBER)": JSON, "MAP(VARCHAR, NUMBER)": JSON, "VECTOR(FLOAT, 3)": Text, "GEOGRAPHY": Text,
		},
		"BigQuery":                   {"INT64": Int, "INTEGER": Int, "FLOAT": Float, "FLOAT64": Float, "NUMERIC(10,2)": Decimal, "BIGNUMERIC": Decimal, "BIGDECIMAL": Decimal, "BOOL": Bool, "STRING(9)": Text, "BYTES": Bytes, "DATE": Date, "TIME": Time, "DATETIME": TS, "JSON": JSON, "RECORD": JSON, "STRUCT<a INT64, b ARRAY<STRING>>": JSON, "ARRAY<INT64>": JSON, "RANGE<DATE>": Text, "INTERVAL": Text, "GEOGRAPHY": Text},
		"Databricks, Spark and Hive": {"byte": Int, "short": Int, "long": Int, "bigint": Int, "float": Float, "decimal(10,0)": Decimal, "string": Text, "varchar(3)": Text, "binary": Bytes, "void": scoring.Null, "timestamp_ntz": TS, "timestamp_ltz": TSTZ, "interval year to month": Text, "array<struct<a:int>>": JSON, "map<string,int>": JSON, "StringType": Text, "LongType": Int, "variant": JSON, "uniontype<int,string>": scoring.Any},
		"DuckDB":                     {"HUGEINT": Decimal, "UHUGEINT": Decimal, "UTINYINT": Int, "UINTEGER": Int, "UBIGINT": Decimal, "BIGNUM": Decimal, "DECIMAL(18,3)": Decimal, "DOUBLE": Float, "VARCHAR": Text, "BLOB": Bytes, "BIT": Bool, "TIMESTAMP_S": TS, "TIMESTAMP_NS": TS, "TIMESTAMP WITH TIME ZONE": TSTZ, "TIME_NS": Time, "INTEGER[]": JSON, "INTEGER[3]": JSON, "STRUCT(a INTEGER, b VARCHAR[])": JSON, "MAP(VARCHAR, INTEGER)": JSON, "UNION(n INTEGER, s VARCHAR)": JSON, "ENUM('x', 'y')": Text},
		"Databend":                   {"TINYINT UNSIGNED": Int, "BIGINT UNSIGNED NULL": Int, "Nullable(Decimal(15, 2))": Decimal, "Nullable(UInt64)": Decimal, "TUPLE(INT, VARCHAR)": JSON, "BITMAP": Text, "Array(Int32 NULL)": JSON},
		"Teradata":                   {"BYTEINT": Int, "NUMBER(*,2)": Decimal, "VARCHAR(10) CHARACTER SET LATIN NOT CASESPECIFIC": Text, "LONG VARCHAR": Text, "VARBYTE(10)": Bytes, "BLOB(2M)": Bytes, "PERIOD(DATE)": Text, "TIME(6) WITH TIME ZONE": Text, "TIMESTAMP(6)": TS, "TIMESTAMP(0) WITH TIME ZONE": TSTZ, "INTERVAL HOUR(2) TO MINUTE": Text, "ST_GEOMETRY": Text},
		"DB2":                        {"SMALLINT": Int, "NUM(5,2)": Decimal, "DECFLOAT(34)": Decimal, "DOUBLE": Float, "CHAR(4) FOR BIT DATA": Bytes, "VARCHAR(9)": Text, "CLOB(1M)": Text, "DBCLOB": Text, "GRAPHIC(3)": Text, "VARGRAPHIC(3)": Text, "XML": Text, "TIMESTAMP(12)": TS, "BINARY(3)": Bytes},
		"Arrow and pandas":           {"int64": Int, "uint64": Decimal, "float": Float, "halffloat": Float, "string": Text, "large_utf8": Text, "bool": Bool, "date32[day]": Date, "timestamp[us]": TS, "timestamp[ns, tz=UTC]": TSTZ, "datetime64[ns]": TS, "datetime64[ns, UTC]": TSTZ, "category": Text, "decimal128(10, 2)": Decimal, "list<item: int64>": JSON, "time64[us]": Time, "duration[s]": Text},
	} {
		for name, want := range types {
			for _, spelled := range []string{name, strings.ToLower(name), strings.ToUpper(name), " " + name + " "} {
				got, known := scoring.TypeNamed(spelled)
				if want == scoring.Any && name != "sql_variant" {
					if known {
						t.Errorf("%s: %q is known", engine, spelled)
					}
					continue
				}
				if !known || got != want {
					t.Errorf("%s: %q is %v (known: %v), want %v", engine, spelled, got, known, want)
				}
			}
		}
	}
}

// A type that is not known leaves the values to decide, with a note that names it.
func TestUnknownTypesAreNoted(t *testing.T) {
	got, err := scoring.ParseResult([]byte(`{"columns":[{"name":"a","type":"FROB(3)"},{"name":"b","type":"frob"},{"name":"c","type":""}],"rows":[[1,"x",true],[2.5,"2",null]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []scoring.Type{scoring.Float64, scoring.String, scoring.Bool} {
		if got.Columns[i].Type != want {
			t.Errorf("column %d is %v, want %v", i+1, got.Columns[i].Type, want)
		}
	}
	want := []string{`column 1 ("a"): the type "FROB(3)" is not known, and its values decide of what type it is`, `column 2 ("b"): the type "frob" is not known, and its values decide of what type it is`}
	if strings.Join(got.Notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes %q, want %q", got.Notes, want)
	}
}

// Names that engines have for different types hold the values of each of them.
func TestAmbiguousTypes(t *testing.T) {
	for _, tc := range []struct {
		typ, values string
		want        scoring.Type
		noted       bool
		first       string
	}{
		{"DATE", `["2024-02-29"],["2024-03-01"]`, scoring.Date, false, "2024-02-29"},
		{"DATE", `["2024-02-29"],["2024-03-01 07:30:00"]`, scoring.Timestamp, false, "2024-02-29 00:00:00"},
		{"bit(4)", `["0110"],["1"]`, scoring.String, true, "0110"},
		{"bit(8)", `[7],[200]`, scoring.Int64, true, "7"},
		{"bit", `[1],[0],[true],["f"]`, scoring.Bool, false, "true"},
		{"LONG", `["free text"],["more"]`, scoring.String, true, "free text"},
		{"long", `["90071992547409931"]`, scoring.Int64, false, "90071992547409931"},
		{"BYTE(2)", `["0aff"]`, scoring.Bytes, false, "0aff"},
		{"money", `["$1,234.50"]`, scoring.String, true, "$1,234.50"},
		{"money", `["1234.50"]`, scoring.Decimal, false, "1234.50"},
		{"time", `["-838:59:59"]`, scoring.String, true, "-838:59:59"},
		{"tinyint(1)", `[true],[false]`, scoring.Bool, false, "true"},
		{"year", `["2024"],[1999]`, scoring.Int64, false, "2024"},
	} {
		got, err := scoring.ParseResult([]byte(`{"columns":["k",{"name":"v","type":"` + tc.typ + `"}],"rows":[["k",` + strings.ReplaceAll(tc.values, "],[", `],["k",`)[1:] + `]}`))
		if err != nil {
			t.Errorf("%s %s: %v", tc.typ, tc.values, err)
			continue
		}
		if c := &got.Columns[1]; c.Type != tc.want || c.Value(0).String() != tc.first || (len(got.Notes) > 0) != tc.noted || got.Columns[0].Len() != got.Rows() {
			t.Errorf("%s %s: %v %s, notes %q; want %v %s", tc.typ, tc.values, c.Type, c.Value(0), got.Notes, tc.want, tc.first)
		}
	}
}

// The results of the reference data that types are tried on can be read.
func TestTypesOfReferenceData(t *testing.T) {
	data, err := os.ReadFile("../../shared/data/found/data/types.jsonl")
	if err != nil {
		t.Skipf("the reference data is not here: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var raw json.RawMessage = []byte(line)
		c, err := scoring.DecodeCase(raw)
		if err != nil || c.Pred.Result.Err != nil || c.Golds[0].Result.Err != nil || len(c.Unread()) > 0 {
			t.Errorf("%.60s: %v %v %q", line, err, c.Pred.Result.Err, c.Unread())
		}
	}
}
