package postgres

import (
	"context"
	"math/big"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/badger-eval/badger/connectors/driver"
)

// OpenAsRedshift opens a PostgreSQL server and treats it as Redshift is treated, which shows of
// that what both have in common.
func OpenAsRedshift(ctx context.Context, url string, o driver.Options) (driver.Conn, error) {
	c, err := open(ctx, url, o)
	if err != nil {
		return nil, err
	}
	c.redshift = true // but for arrays, which Redshift has none of
	return c, nil
}

// ParseURL is parseURL without the driver's types.
func ParseURL(url string) (host string, port uint16, database, user string, tls, redshift bool, err error) {
	config, redshift, err := parseURL(url)
	if err != nil {
		return "", 0, "", "", false, false, err
	}
	c := config.ConnConfig
	return c.Host, c.Port, c.Database, c.User, c.TLSConfig != nil, redshift, nil
}

// AskFor sets how long a server is asked about a transaction, and returns what it was.
func AskFor(d time.Duration) time.Duration {
	was := askFor
	askFor = d
	return was
}

// ReadNumeric reads a numeric's binary form as text, and as an integer of so many decimals where
// 128 bits hold it.
func ReadNumeric(v []byte, scale int) (text string, textOK bool, unscaled *big.Int, ok bool) {
	b, textOK := numericText(nil, v)
	n, ok := numeric128(v, scale)
	return string(b), textOK, n.BigInt(), ok
}

// ReadNested reads the text of an array of texts, of a row of two, and the binary form of a row.
func ReadNested(v []byte) (array, row, record []byte, errs [3]error) {
	text := &pgType{}
	pair := &pgType{kind: asComposite, fields: []field{{"a", text}, {"b", &pgType{kind: asArray, elem: text, delim: ','}}}}
	array, errs[0] = (&pgType{kind: asArray, elem: pair, delim: ','}).appendJSON(nil, v, 0)
	row, errs[1] = pair.appendJSON(nil, v, 0)
	record, errs[2] = appendRecord(nil, pgtype.NewMap(), v, 0)
	return array, row, record, errs
}

// ReadTimestamp reads a timestamp's text as microseconds since 1970.
func ReadTimestamp(s string) (int64, error) {
	b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Microsecond})
	defer b.Release()
	if err := addInstantText(b, []byte(s)); err != nil {
		return 0, err
	}
	a := b.NewTimestampArray()
	defer a.Release()
	return int64(a.Value(0)), nil
}
