package counterexample

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Functions of texts and patterns. A pattern is one of RE2 in BigQuery as in the engine. Elsewhere, one is
// taken that means the same in every syntax.

// prefixCall is whether a text begins or ends with another, or has it inside.
func prefixCall(name string, dialects ...sqlparts.Dialect) func(c *carrier, args []expr) expr {
	return func(c *carrier, args []expr) expr {
		if len(args) != 2 || !slices.Contains(dialects, c.dialect) {
			return expr{}
		}
		if c.learn {
			c.learnKind(args[0], Text)
		}
		if l := args[1].literal; l != nil {
			for _, col := range args[0].near {
				c.values.pattern(col, map[string]string{"starts_with": l.Text + "%", "ends_with": "%" + l.Text, "contains": "%" + l.Text + "%"}[name])
			}
		}
		return expr{sql: name + "(" + c.text(args[0]).sql + ", " + c.text(args[1]).sql + ")", kind: Bool}
	}
}

// sideCall is LEFT or RIGHT.
func sideCall(name string) func(c *carrier, args []expr) expr {
	return func(c *carrier, args []expr) expr {
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

// padded is LPAD or RPAD, with a literal length and text.
func padded(name string) func(c *carrier, args []expr) expr {
	return func(c *carrier, args []expr) expr {
		if len(args) < 2 || len(args) > 3 || args[1].literal == nil || c.dialect == sqlparts.SQLite || c.dialect == sqlparts.TSQL {
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

// plainPattern tells whether a pattern means the same in POSIX, Java and RE2.
var plainPattern = regexp.MustCompile(`^([A-Za-z0-9 _,;:@#%&=<>/"'!~-]|\\[.+*?()|\[\]]|[.*+?|()^$]|\[\^?[A-Za-z0-9 _,;:.@-]+\])*$`)

// pattern reads a regular expression. first tells that it matters which of several matches is taken.
func (c *carrier) regular(x, p expr, first bool) string {
	if p.literal == nil || p.literal.Kind != sqlparts.String {
		refuse("a regular expression that is computed")
	}
	text := p.literal.Text
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil || len(text) > 500 {
		refuse("a regular expression of this form")
	}
	if c.dialect != sqlparts.BigQuery && c.dialect != sqlparts.DuckDB && (!plainPattern.MatchString(text) || first && strings.ContainsAny(text, "|?")) {
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

// match is a text that a regular expression matches, as far as it is easily found.
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

// textFunctions are more functions of texts, by all their names.
func textFunctions() map[string]func(c *carrier, args []expr) expr {
	const bq, sf, duck, spark, pg = sqlparts.BigQuery, sqlparts.Snowflake, sqlparts.DuckDB, sqlparts.Databricks, sqlparts.Postgres
	return map[string]func(c *carrier, args []expr) expr{
		"starts_with": prefixCall("starts_with", bq, duck, pg), "startswith": prefixCall("starts_with", sf, spark),
		"ends_with": prefixCall("ends_with", bq, duck), "endswith": prefixCall("ends_with", sf, spark), "contains": prefixCall("contains", sf, duck, spark),
		"left": sideCall("left"), "right": sideCall("right"), "lpad": padded("lpad"), "rpad": padded("rpad"),
		"regexp_contains": func(c *carrier, args []expr) expr {
			if len(args) != 2 || c.dialect != bq {
				return expr{}
			}
			if c.learn {
				c.learnKind(args[0], Text)
			}
			return expr{sql: "regexp_matches(" + c.text(args[0]).sql + ", " + c.regular(args[0], args[1], false) + ")", kind: Bool}
		},
		"regexp_like": func(c *carrier, args []expr) expr {
			if len(args) != 2 || c.dialect != sf {
				return expr{}
			}
			return expr{sql: "regexp_full_match(" + c.text(args[0]).sql + ", " + c.regular(args[0], args[1], false) + ")", kind: Bool} // Snowflake's is of the whole text
		},
		"regexp_replace": func(c *carrier, args []expr) expr {
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
			return expr{sql: "regexp_replace(" + c.text(args[0]).sql + ", " + c.regular(args[0], args[1], true) + ", " + with + ", 'g')", kind: Text}
		},
		"regexp_extract": regexpPart(bq), "regexp_substr": regexpPart(bq, sf),
		"contains_substr": func(c *carrier, args []expr) expr {
			if len(args) != 2 || c.dialect != bq || args[1].literal == nil || !isASCII(args[1].literal.Text) {
				return expr{}
			}
			for _, col := range args[0].near {
				c.values.pattern(col, "%"+args[1].literal.Text+"%")
			}
			c.folds, c.bytes = true, true
			return expr{sql: "contains(lower(" + c.text(args[0]).sql + "), lower(" + args[1].sql + "))", kind: Bool}
		},
		"split": func(c *carrier, args []expr) expr {
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
			return expr{sql: "string_split(" + c.text(args[0]).sql + ", " + args[1].sql + ")", kind: List, of: &expr{kind: Text, near: args[0].near, made: true}}
		},
		"split_part": func(c *carrier, args []expr) expr {
			if len(args) != 3 || c.dialect == sqlparts.SQLite || args[1].literal == nil || args[1].literal.Text == "" || args[2].literal == nil {
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

// separated notes that texts are taken apart at a separator.
func (c *carrier) separated(x expr, by string) {
	for _, col := range x.near {
		c.values.pattern(col, "a"+strings.NewReplacer("%", "", "_", "").Replace(by)+"b")
		c.values.pattern(col, strings.Join([]string{"b", "a", "c", "d", "e"}, strings.NewReplacer("%", "", "_", "").Replace(by)))
	}
}

// regexpPart is the first part of a text that a regular expression matches, or its one group.
func regexpPart(dialects ...sqlparts.Dialect) func(c *carrier, args []expr) expr {
	return func(c *carrier, args []expr) expr {
		if len(args) != 2 || !slices.Contains(dialects, c.dialect) || args[1].literal == nil {
			return expr{}
		}
		re, err := regexp.Compile(args[1].literal.Text)
		if err != nil || re.NumSubexp() > 1 || c.dialect == sqlparts.Snowflake && re.NumSubexp() > 0 {
			return expr{}
		}
		if c.learn {
			c.learnKind(args[0], Text)
		}
		x, p := c.text(args[0]).sql, c.regular(args[0], args[1], true)
		return expr{sql: "(CASE WHEN regexp_matches(" + x + ", " + p + ") THEN regexp_extract(" + x + ", " + p + ", " + strconv.Itoa(re.NumSubexp()) + ") END)", kind: Text}
	}
}
