package scoring

import "strings"

// namesOfTypes lists, for each type, the names that engines, drivers and file formats have for it: in
// upper case, without parameters, between commas.
var namesOfTypes = map[Type]string{
	Bool: "BOOL,BOOLEAN,BIT,LOGICAL,BOOL_,BOOLEANTYPE",
	Int64: "INT,INTEGER,INT64,INT32,INT16,INT8,INT4,INT2,INT1,INT24,UINT8,UINT16,UINT32,BIGINT,SMALLINT,TINYINT,MEDIUMINT,MIDDLEINT,BYTEINT,LONG,LONGLONG,SHORT,TINY,BYTE,YEAR," +
		"UTINYINT,USMALLINT,UINTEGER,SERIAL,SERIAL2,SERIAL4,SERIAL8,BIGSERIAL,SMALLSERIAL,OID,XID,CID,PLS_INTEGER,BINARY_INTEGER,SIMPLE_INTEGER," +
		"LONGTYPE,INTEGERTYPE,SHORTTYPE,BYTETYPE,BIG INT",
	Decimal: "DECIMAL,DEC,NUMERIC,NUM,NUMBER,FIXED,NEWDECIMAL,BIGNUMERIC,BIGDECIMAL,MONEY,SMALLMONEY,DECFLOAT,DECIMALTYPE,DECIMAL32,DECIMAL64,DECIMAL128,DECIMAL256," +
		"UBIGINT,UINT64,XID8,HUGEINT,UHUGEINT,BIGNUM,VARINT,INT128,INT256,UINT128,UINT256",
	Float64: "FLOAT,FLOAT4,FLOAT8,FLOAT16,FLOAT32,FLOAT64,BFLOAT16,HALFFLOAT,DOUBLE,DOUBLE PRECISION,REAL,BINARY_FLOAT,BINARY_DOUBLE,FLOATTYPE,DOUBLETYPE",
	String: "STRING,TEXT,VARCHAR,VARCHAR2,CHAR,CHARACTER,NVARCHAR,NVARCHAR2,NCHAR,NTEXT,BPCHAR,CHARACTER VARYING,CHAR VARYING,VARYING CHARACTER,NATIONAL CHARACTER,NATIONAL CHAR,NATIVE CHARACTER," +
		"NATIONAL CHARACTER VARYING,NATIONAL CHAR VARYING,NATIONAL VARCHAR,NCHAR VARYING,CHARACTER LARGE OBJECT,CHAR LARGE OBJECT,NATIONAL CHARACTER LARGE OBJECT,NCHAR LARGE OBJECT," +
		"CLOB,NCLOB,DBCLOB,TINYTEXT,MEDIUMTEXT,LONGTEXT,LONG VARCHAR,LONG NVARCHAR,VAR_STRING,GRAPHIC,VARGRAPHIC,LONG VARGRAPHIC,FIXEDSTRING,STRINGTYPE,VARCHARTYPE,CHARTYPE,UTF8,LARGE_UTF8,LARGE_STRING," +
		"UUID,GUID,UNIQUEIDENTIFIER,ENUM,ENUM8,ENUM16,SET,CATEGORY,INTERVAL,CALENDARINTERVAL,CALENDARINTERVALTYPE,DURATION,TIMEDELTA64,TIMEDELTA,PERIOD,RANGE," +
		`NAME,"CHAR",SYSNAME,CITEXT,XML,XMLTYPE,JSONPATH,ROWID,UROWID,TID,HIERARCHYID,BIT VARYING,VARBIT,BITSTRING,BITMAP,TIMETZ,TIME WITH TIME ZONE,TIME_TZ,HSTORE,LTREE,LQUERY,VECTOR,HALFVEC,SPARSEVEC,` +
		"INET,INET4,INET6,IPV4,IPV6,IPADDRESS,IPPREFIX,CIDR,MACADDR,MACADDR8,TSVECTOR,TSQUERY,PG_LSN,PG_SNAPSHOT,TXID_SNAPSHOT,REFCURSOR,UNKNOWN," +
		"REGCLASS,REGCOLLATION,REGCONFIG,REGDICTIONARY,REGNAMESPACE,REGOPER,REGOPERATOR,REGPROC,REGPROCEDURE,REGROLE,REGTYPE," +
		"GEOGRAPHY,GEOMETRY,SPHERICALGEOGRAPHY,ST_GEOMETRY,SDO_GEOMETRY,MBR,POINT,LINE,LSEG,BOX,BOX2D,BOX3D,PATH,POLYGON,CIRCLE,RING,LINESTRING,MULTIPOINT,MULTILINESTRING,MULTIPOLYGON,GEOMETRYCOLLECTION,GEOMCOLLECTION,BINGTILE,KDBTREE,COLOR," +
		"INT4RANGE,INT8RANGE,NUMRANGE,TSRANGE,TSTZRANGE,DATERANGE,INT4MULTIRANGE,INT8MULTIRANGE,NUMMULTIRANGE,TSMULTIRANGE,TSTZMULTIRANGE,DATEMULTIRANGE," +
		"HLLSKETCH,HYPERLOGLOG,P4HYPERLOGLOG,SETDIGEST,QDIGEST,TDIGEST,AGGREGATEFUNCTION,BFILE,FILE,DATASET,NOTHING",
	Bytes: "BYTES,BINARY,VARBINARY,BINARY VARYING,BYTEA,VARBYTE,RAW,LONG RAW,BLOB,TINYBLOB,MEDIUMBLOB,LONGBLOB,TINY_BLOB,MEDIUM_BLOB,LONG_BLOB,BINARY LARGE OBJECT,IMAGE,ROWVERSION,LARGE_BINARY,BINARYTYPE," +
		"CHAR FOR BIT DATA,VARCHAR FOR BIT DATA,LONG VARCHAR FOR BIT DATA,CHARACTER FOR BIT DATA",
	Date: "DATE,DATE32,DATE64,NEWDATE,DATETYPE",
	Time: "TIME,TIME64,TIME32,TIME_NS,TIME WITHOUT TIME ZONE",
	Timestamp: "TIMESTAMP,DATETIME,DATETIME2,SMALLDATETIME,DATETIME64,DATETIME32,TIMESTAMP_NTZ,TIMESTAMPNTZ,TIMESTAMP WITHOUT TIME ZONE,TIMESTAMP_S,TIMESTAMP_MS,TIMESTAMP_US,TIMESTAMP_NS," +
		"TIMESTAMPTYPE,TIMESTAMPNTZTYPE",
	TimestampTZ: "TIMESTAMPTZ,TIMESTAMP_TZ,TIMESTAMP_LTZ,TIMESTAMPLTZ,TIMESTAMP WITH TIME ZONE,TIMESTAMP WITH LOCAL TIME ZONE,DATETIMEOFFSET",
	JSON:        "JSON,JSONB,VARIANT,OBJECT,ARRAY,STRUCT,RECORD,ROW,MAP,LIST,LARGE_LIST,FIXED_SIZE_LIST,TUPLE,NESTED,UNION,SUPER,BSON,INT2VECTOR,OIDVECTOR,ARRAYTYPE,STRUCTTYPE,MAPTYPE,VARIANTTYPE",
	Null:        "NULL,VOID,NULLTYPE,VOIDTYPE",
	Any:         "ANY,SQL_VARIANT,DYNAMIC,ANYDATA",
}

// typeWords maps each name in namesOfTypes to its type.
var typeWords = func() map[string]Type {
	words := map[string]Type{}
	for t, names := range namesOfTypes {
		for _, name := range strings.Split(names, ",") {
			words[name] = t
		}
	}
	return words
}()

// wrappers are types whose last argument, in parentheses, is the actual type.
var wrappers = map[string]bool{"NULLABLE": true, "LOWCARDINALITY": true, "SIMPLEAGGREGATEFUNCTION": true}

// modifiers are words after a type that do not change its values.
var modifiers = []string{" UNSIGNED", " SIGNED", " ZEROFILL", " NOT NULL", " NULL", " AUTO_INCREMENT", " IDENTITY",
	" PRIMARY KEY", " BINARY", " NOT CASESPECIFIC", " CASESPECIFIC"}

// trailing are words after a type that, with the text after them, do not change its values.
var trailing = []string{" CHARACTER SET ", " CHARSET ", " COLLATE ", " DEFAULT ", " COMMENT "}

// ambiguous maps type names that have different meanings in different engines to the second type to try, or to Null
// if the values decide. DATE has a time in Oracle, BIT is a string of bits in PostgreSQL, BYTE is binary in Teradata,
// LONG is text in Oracle, MONEY has a currency sign in PostgreSQL, TIME is a duration in MySQL, where true is a
// TINYINT.
var ambiguous = map[string]Type{
	"DATE": Timestamp, "BIT": Null, "LONG": Null, "BYTE": Bytes, "MONEY": Null, "TIME": Null, "YEAR": Date,
	"TINYINT": Bool,
}

// TypeNamed returns the type for an engine's type name. Parameters such as (38,2) or <INT64>, words such as
// UNSIGNED and NOT NULL, wrappers such as Nullable(…) and letter case are ignored. A name followed by [] or a
// number in brackets, or with the leading underscore that PostgreSQL uses, is an array.
func TypeNamed(name string) (Type, bool) {
	t, _, ok := typeNamed(name)
	return t, ok
}

// typeNamed is [TypeNamed], and also returns the name in upper case without the ignored parts.
func typeNamed(name string) (t Type, plain string, ok bool) {
	if t, ok := typeWords[name]; ok {
		return t, name, true
	}
	word := strings.Join(strings.Fields(strings.ToUpper(name)), " ")
	for {
		open := strings.IndexByte(word, '(')
		if open < 0 || !wrappers[strings.TrimSpace(word[:open])] || !strings.HasSuffix(word, ")") {
			break
		}
		word = strings.TrimSpace(lastArgument(word[open+1 : len(word)-1]))
	}
	// of Arrow and pandas
	zoned := strings.Contains(word, "TZ=") || strings.HasPrefix(word, "DATETIME64[") && strings.Contains(word, ",")
	if i := strings.LastIndexByte(word, '['); i > 0 && strings.HasSuffix(word, "]") {
		if inside := word[i+1 : len(word)-1]; strings.Trim(inside, "0123456789") == "" {
			return JSON, word, true
		}
		word = word[:i] // remove a unit, as in timestamp[us]
	}
	if i := strings.IndexAny(word, "(<"); i >= 0 {
		tail := ""
		if j := strings.LastIndexAny(word, ")>"); j > i {
			tail = word[j+1:]
		}
		word = strings.TrimSpace(word[:i]) + tail
	}
	for _, mark := range trailing {
		if i := strings.Index(word, mark); i > 0 {
			word = word[:i]
		}
	}
	for cut := true; cut; {
		cut = false
		for _, m := range modifiers {
			if rest, ok := strings.CutSuffix(word, m); ok {
				word, cut = rest, true
			}
		}
	}
	word = strings.TrimPrefix(strings.TrimPrefix(word, "UNSIGNED "), "SIGNED ")
	if strings.HasPrefix(word, "INTERVAL") { // DAY TO SECOND, and IntervalDay of ClickHouse
		word = "INTERVAL"
	}
	if rest, ok := strings.CutPrefix(word, "_"); ok && typeWords[rest] != Null {
		return JSON, word, true
	}
	t, ok = typeWords[word]
	if ok && zoned && t == Timestamp {
		t = TimestampTZ
	}
	return t, word, ok
}

// lastArgument returns the last of the arguments that top-level commas separate.
func lastArgument(args string) string {
	depth := 0
	for i := len(args) - 1; i >= 0; i-- {
		switch args[i] {
		case ')':
			depth++
		case '(':
			depth--
		case ',':
			if depth == 0 {
				return args[i+1:]
			}
		}
	}
	return args
}
