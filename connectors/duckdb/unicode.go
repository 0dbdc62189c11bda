package duckdb

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Two operations of the engine produce strings of invalid UTF-8: printf('%c', n) with n above 127, and a regular
// expression with \C. Four crash the process if they get one: strip_accents, nfc_normalize and the collations
// NOACCENT and NFC (https://github.com/duckdb/duckdb/issues/25189). Others detect it and fail.
var (
	byFormat = lazyregexp.New(`%[-+ #0*.$\d]*[hlLjzt]*c`)
	endingIt = map[string]bool{"strip_accents": true, "nfc_normalize": true}
	endingBy = map[string]bool{"noaccent": true, "nfc": true}
)

// checkUnicode returns an error for SQL text with both a producer of invalid UTF-8 and an operation that crashes on it.
// It does not detect those in a view, a macro or a computed format.
func checkUnicode(sql string) error {
	lower := strings.ToLower(sql)
	if !strings.Contains(lower, "strip_accents") && !strings.Contains(lower, "nfc") &&
		!strings.Contains(lower, "noaccent") {
		return nil
	}
	printf, format, pattern, collated, ends := false, false, false, false, ""
	for _, t := range sqlparts.Tokens(sql, sqlparts.DuckDB) {
		switch word := strings.Trim(strings.ToLower(sql[t.Start:t.End]), `"`); {
		case t.Kind == sqlparts.TokenString:
			format = format || byFormat.MatchString(sql[t.Start:t.End])
			pattern = pattern || strings.Contains(sql[t.Start:t.End], `\C`)
		case t.Kind != sqlparts.TokenWord && t.Kind != sqlparts.TokenName:
		case word == "collate":
			collated = true
		case word == "printf":
			printf = true
		case endingIt[word], collated && endingBy[word]:
			ends = word
		}
	}
	if ends == "" || !pattern && !(printf && format) {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "duckdb: unsupported statement: %s crashes the process on invalid UTF-8, which printf('%%c', …) and regular expressions with \\C produce", ends)
}
