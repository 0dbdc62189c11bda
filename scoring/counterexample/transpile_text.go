package counterexample

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Functions on strings and patterns. BigQuery and the engine have patterns of RE2. For other dialects, only
// patterns are accepted that mean the same in every syntax.

// prefixCall returns a translator of a function that tests whether a string starts with, ends with or contains
// another.
func prefixCall(name string, dialects ...sqlparts.Dialect) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) != 2 || !slices.Contains(dialects, c.dialect) {
			return expr{}
		}
		if c.learn {
			c.learnKind(args[0], Text)
		}
		if l := args[1].literal; l != nil {
			for _, col := range args[0].near {
				c.values.pattern(col,
					map[string]string{"starts_with": l.Text + "%", "ends_with": "%" + l.Text, "contains": "%" + l.Text + "%"}[name])
			}
		}
		return expr{sql: name + "(" + c.text(args[0]).sql + ", " + c.text(args[1]).sql + ")", kind: Bool}
	}
}

// sideCall returns a translator of LEFT or RIGHT.
func sideCall(name string) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) != 2 || args[1].literal == nil || c.dialect == sqlparts.SQLite {
			return expr{}
		}
		n, err := strconv.Atoi(args[1].literal.Text)
		if err != nil || n < 0 {
			return expr{}
		}
		if c.learn {
			c.learnKind(args[0], Text)
		}
		return expr{sql: name + "(" + c.text(args[0]).sql + ", " + strconv.Itoa(n) + ")", kind: Text}
	}
}

// padded returns a translator of LPAD or RPAD with a literal length and text.
func padded(name string) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) < 2 || len(args) > 3 || args[1].literal == nil || c.dialect == sqlparts.SQLite ||
			c.dialect == sqlparts.TSQL {
			return expr{}
		}
		n, err := strconv.Atoi(args[1].literal.Text)
		with := "' '"
		if len(args) == 3 {
			if args[2].literal == nil || args[2].literal.Text == "" {
				return expr{}
			}
			with = c.text(args[2]).sql
		}
		if err != nil || n < 0 || n > maxLength {
			return expr{}
		}
		return expr{sql: name + "(" + c.text(args[0]).sql + ", " + strconv.Itoa(n) + ", " + with + ")", kind: Text}
	}
}

// plainPattern matches the regular expressions that have the same meaning in POSIX, Java and RE2.
var plainPattern = lazyregexp.New(
	`^([A-Za-z0-9 _,;:@#%&=<>/"'!~-]|\\[.+*?()|\[\]]|[.*+?|()^$]|\[\^?[A-Za-z0-9 _,;:.@-]+\])*$`)

// classPattern matches the patterns of plainPattern, also with Perl's character classes such as \d.
var classPattern = lazyregexp.New(
	`^([A-Za-z0-9 _,;:@#%&=<>/"'!~-]|\\[.+*?()|\[\]/sSdDwWbB-]|[.+*?|()^$]|\[\^?([A-Za-z0-9 _,;:.@()"'/-]|\\[sdw])+\])*$`)

func parsePattern(text string) (*syntax.Regexp, error) { return syntax.Parse(text, syntax.Perl) }

// oneMatch reports whether a match at a given start has the same length in all engines, although POSIX takes the
// longest alternative and Perl the first: all alternatives start with different letters, or have the same length.
func oneMatch(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpQuest:
		return false
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if re.Flags&syntax.NonGreedy != 0 {
			return false
		}
	case syntax.OpAlternate:
		length, begins := width(re.Sub[0]), map[rune]bool{}
		same, apart := length >= 0, true
		for _, sub := range re.Sub {
			same = same && width(sub) == length
			first := begin(sub)
			apart = apart && first != 0 && !begins[first]
			begins[first] = true
		}
		if !same && !apart {
			return false
		}
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !oneMatch(sub) })
}

// width returns the number of characters of every match, or -1 if it varies.
func width(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return 0
	case syntax.OpCapture:
		return width(re.Sub[0])
	case syntax.OpConcat:
		sum := 0
		for _, sub := range re.Sub {
			n := width(sub)
			if n < 0 {
				return -1
			}
			sum += n
		}
		return sum
	}
	return -1
}

// begin returns the letter that every match starts with, or 0 if it varies.
func begin(re *syntax.Regexp) rune {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return re.Rune[0]
		}
	case syntax.OpCapture, syntax.OpPlus:
		return begin(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if width(sub) != 0 {
				return begin(sub)
			}
		}
	}
	return 0
}

// regular returns the engine's SQL for the literal regular expression p, which is matched with x. first reports
// whether the result depends on which of several matches is found. A pattern that dialects may interpret differently
// is refused.
func (c *transpiler) regular(x, p expr, first bool) string {
	if p.literal == nil || p.literal.Kind != sqlparts.String {
		refuse("a regular expression that is computed")
	}
	text := p.literal.Text
	tree, err := parsePattern(text)
	if err != nil || len(text) > 500 {
		refuse("a regular expression of this form")
	}
	plain := plainPattern
	if c.dialect == sqlparts.Snowflake || c.dialect == sqlparts.Databricks {
		plain = classPattern
	}
	if c.dialect != sqlparts.BigQuery && c.dialect != sqlparts.DuckDB &&
		(!plain.MatchString(text) || first && !oneMatch(tree)) {
		refuse("a regular expression that dialects read in different ways")
	}
	example := match(tree)
	for _, col := range x.near {
		c.values.pattern(col, strings.NewReplacer("%", "", "_", "").Replace(example))
		c.values.pattern(col, "%"+strings.NewReplacer("%", "", "_", "").Replace(example)+"%")
	}
	c.wide = c.wide || !isASCII(text)
	return quoteText(text)
}

func isASCII(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) }

// match returns a string that matches a regular expression, if it is easy to find, else "".
func match(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			if r := re.Rune[0]; r >= ' ' {
				return string(r)
			}
			return "x"
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus:
		return match(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(match(re.Sub[0]), min(re.Min, 20))
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(match(sub))
		}
		return b.String()
	case syntax.OpAlternate:
		return match(re.Sub[0])
	}
	return ""
}

// textFunctions returns the translators of further string functions, by name.
func textFunctions() map[string]func(c *transpiler, args []expr) expr {
	const bq, sf, duck, spark, pg = sqlparts.BigQuery, sqlparts.Snowflake, sqlparts.DuckDB, sqlparts.Databricks,
		sqlparts.Postgres
	return map[string]func(c *transpiler, args []expr) expr{
		"starts_with": prefixCall("starts_with", bq, duck, pg), "startswith": prefixCall("starts_with", sf, spark),
		"ends_with": prefixCall("ends_with", bq, duck), "endswith": prefixCall("ends_with", sf, spark),
		"contains": prefixCall("contains", sf, duck, spark),
		"left":     sideCall("left"), "right": sideCall("right"), "lpad": padded("lpad"), "rpad": padded("rpad"),
		"regexp_contains": func(c *transpiler, args []expr) expr {
			if len(args) != 2 || c.dialect != bq {
				return expr{}
			}
			if c.learn {
				c.learnKind(args[0], Text)
			}
			return expr{sql: "regexp_matches(" + c.text(args[0]).sql + ", " + c.regular(args[0], args[1], false) + ")",
				kind: Bool}
		},
		"regexp_like": func(c *transpiler, args []expr) expr {
			if len(args) != 2 || c.dialect != sf {
				return expr{}
			}
			// Snowflake's function matches the whole string.
			return expr{sql: "regexp_full_match(" + c.text(args[0]).sql + ", " + c.regular(args[0], args[1], false) + ")",
				kind: Bool}
		},
		"regexp_replace": func(c *transpiler, args []expr) expr {
			if len(args) < 2 || len(args) > 3 || c.dialect != bq && c.dialect != sf {
				return expr{}
			}
			with := "''"
			if len(args) == 3 {
				if args[2].literal == nil || strings.ContainsAny(args[2].literal.Text, `\$`) || len(args[2].literal.Text) > 1 {
					return expr{}
				}
				with = c.text(args[2]).sql
			} else if c.dialect == bq {
				return expr{}
			}
			return expr{
				sql:  "regexp_replace(" + c.text(args[0]).sql + ", " + c.regular(args[0], args[1], true) + ", " + with + ", 'g')",
				kind: Text}
		},
		"regexp_extract": regexpPart(bq), "regexp_substr": regexpPart(bq, sf),
		"format": formatCall,
		"contains_substr": func(c *transpiler, args []expr) expr {
			if len(args) != 2 || c.dialect != bq || args[1].literal == nil || !isASCII(args[1].literal.Text) {
				return expr{}
			}
			for _, col := range args[0].near {
				c.values.pattern(col, "%"+args[1].literal.Text+"%")
			}
			c.folds, c.bytes = true, true
			return expr{sql: "contains(lower(" + c.text(args[0]).sql + "), lower(" + args[1].sql + "))", kind: Bool}
		},
		"split": func(c *transpiler, args []expr) expr {
			if len(args) == 1 && c.dialect == bq {
				args = append(args, expr{sql: "','", kind: Text, literal: &sqlparts.Literal{Kind: sqlparts.String, Text: ","}})
			}
			if len(args) != 2 || c.dialect != bq && c.dialect != sf || args[1].literal == nil || args[1].literal.Text == "" {
				return expr{}
			}
			if c.learn {
				c.learnKind(args[0], Text)
			}
			c.separated(args[0], args[1].literal.Text)
			return expr{sql: "string_split(" + c.text(args[0]).sql + ", " + args[1].sql + ")", kind: List,
				of: &expr{kind: Text, near: args[0].near, made: true}}
		},
		"split_part": func(c *transpiler, args []expr) expr {
			if len(args) != 3 || c.dialect == sqlparts.SQLite || args[1].literal == nil || args[1].literal.Text == "" ||
				args[2].literal == nil {
				return expr{}
			}
			n, err := strconv.Atoi(args[2].literal.Text)
			if err != nil || n < 1 {
				return expr{}
			}
			if c.learn {
				c.learnKind(args[0], Text)
			}
			c.separated(args[0], args[1].literal.Text)
			return expr{sql: "split_part(" + c.text(args[0]).sql + ", " + args[1].sql + ", " + strconv.Itoa(n) + ")", kind: Text}
		},
	}
}

// formatPart matches a conversion that has the same syntax in BigQuery's FORMAT and in the engine.
var formatPart = lazyregexp.New(`%(%|s|0?[0-9]{0,2}d|0?[0-9]{0,2}\.[0-9]f)`)

// formatCall translates BigQuery's FORMAT, which is NULL if an argument is.
func formatCall(c *transpiler, args []expr) expr {
	if len(args) < 1 || c.dialect != sqlparts.BigQuery || args[0].literal == nil ||
		args[0].literal.Kind != sqlparts.String {
		return expr{}
	}
	text := args[0].literal.Text
	parts := formatPart.FindAllString(text, -1)
	if strings.Contains(formatPart.ReplaceAllString(text, ""), "%") {
		refuse("FORMAT with this format")
	}
	values, nulls := []string{quoteText(text)}, []string{"FALSE"}
	rest := args[1:]
	for _, part := range parts {
		if part == "%%" {
			continue
		}
		if len(rest) == 0 {
			return expr{}
		}
		x := rest[0]
		rest = rest[1:]
		nulls = append(nulls, x.sql+" IS NULL")
		switch {
		case part == "%s":
			if c.learn {
				c.learnKind(x, Text)
			}
			x = c.text(x)
		case strings.HasSuffix(part, "d"):
			if c.learn {
				c.learnKind(x, Int)
			}
			if x = c.numeric(x); x.kind != Int && !c.learn {
				refuse("FORMAT of a number with a fraction as a whole one")
			}
		default:
			digits, _ := strconv.Atoi(part[strings.Index(part, ".")+1 : len(part)-1])
			x.sql = c.round(c.numeric(x), digits)
		}
		values = append(values, x.sql)
	}
	if len(rest) > 0 {
		return expr{}
	}
	return expr{
		sql:  "(CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE printf(" + strings.Join(values, ", ") + ") END)",
		kind: Text}
}

// separated records that the strings of the columns in x are split at a separator, so that generated strings contain
// it.
func (c *transpiler) separated(x expr, by string) {
	for _, col := range x.near {
		c.values.pattern(col, "a"+strings.NewReplacer("%", "", "_", "").Replace(by)+"b")
		c.values.pattern(col,
			strings.Join([]string{"b", "a", "c", "d", "e"}, strings.NewReplacer("%", "", "_", "").Replace(by)))
	}
}

// isOne reports whether an argument is the literal number 1.
func isOne(x expr) bool { return x.literal != nil && x.kind == Int && x.literal.Text == "1" }

// regexpPart returns a translator of a function that returns the first match of a regular expression, or its only
// group.
func regexpPart(dialects ...sqlparts.Dialect) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		group := false // return the first group instead of the match
		if c.dialect == sqlparts.Snowflake && (len(args) == 5 || len(args) == 6) && isOne(args[2]) && isOne(args[3]) &&
			args[4].literal != nil && args[4].literal.Text == "e" && (len(args) == 5 || isOne(args[5])) {
			args, group = args[:2], true
		}
		if len(args) != 2 || !slices.Contains(dialects, c.dialect) || args[1].literal == nil {
			return expr{}
		}
		re, err := regexp.Compile(args[1].literal.Text)
		if err != nil || re.NumSubexp() > 1 || c.dialect == sqlparts.Snowflake && !group && re.NumSubexp() > 0 {
			return expr{}
		}
		if c.learn {
			c.learnKind(args[0], Text)
		}
		x, p := c.text(args[0]).sql, c.regular(args[0], args[1], true)
		return expr{
			sql: "(CASE WHEN regexp_matches(" + x + ", " + p + ") THEN regexp_extract(" + x + ", " + p + ", " +
				strconv.Itoa(re.NumSubexp()) + ") END)", kind: Text}
	}
}
