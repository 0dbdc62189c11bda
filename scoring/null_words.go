package scoring

import "strings"

// nullWords are the lowercase strings that programs print for NULL: database clients (NULL, (null), [NULL],
// <null>), Python (None, NaT, <NA>, nan), R (NA) and spreadsheets (N/A, #N/A).
var nullWords = map[string]bool{
	"null": true, "(null)": true, "[null]": true, "<null>": true, `\n`: true, "none": true, "nil": true, "nat": true,
	"<na>": true, "nan": true, "na": true, "n/a": true, "#n/a": true,
}

// maxNullWord is the length in bytes of the longest of nullWords.
const maxNullWord = 6

// IsNullWord reports whether text is one of nullWords in lower case, in upper case, or as None, NaN, NaT, Null or
// Nil. A backslash with n, which means a line break, is one only in upper case.
func IsNullWord[T string | []byte](text T) bool {
	if n := len(text); n < 2 || n > maxNullWord {
		return false
	}
	switch text[0] {
	case 'N', 'n', '(', '[', '<', '#', '\\':
	default:
		return false
	}
	word := string(text)
	lower := strings.ToLower(word)
	return nullWords[lower] &&
		(word == lower || word == strings.ToUpper(word) || word == "None" || word == "NaN" || word == "NaT" ||
			word == "Null" || word == "Nil") && word != `\n`
}

// OnlyNull reports whether a word for NULL is never data, so that a column with no other value than it has only
// NULLs. It returns false for none, nil, na, n/a and nan, which may be data.
func OnlyNull(word string) bool {
	switch strings.ToLower(word) {
	case "none", "nil", "na", "n/a", "nan":
		return false
	}
	return true
}

// IsFigure reports whether text has the form of a number, a date or a time: at least one digit, and otherwise only
// characters that occur in these, such as points, commas, colons, slashes, currency signs, T and Z.
func IsFigure[T string | []byte](text T) bool {
	digits := false
	for _, r := range string(text) {
		switch {
		case r >= '0' && r <= '9':
			digits = true
		case strings.ContainsRune(" .,:;'+-−/%()$€£¥₹_TZeE\u00a0\u202f", r):
		default:
			return false
		}
	}
	return digits
}

// WithoutNullWords returns a copy of a STRING or ANY column in which words for NULL are NULL, if its other cells are
// numbers, truth values, dates and times, or strings of that form. Among numbers, NaN, Infinity and -Infinity are
// numbers. It returns any other column unchanged.
func (c *Column) WithoutNullWords() Column {
	if c.Type != String && c.Type != Any {
		return *c
	}
	words, nonFinite, others, figures := 0, 0, 0, 0
	for i := range c.n {
		v := c.Value(i)
		switch {
		case v.Type == Null || v.Type == String && v.text == "":
		case v.Type == String && isNonFinite(v.text):
			nonFinite++
		case v.Type == String && IsNullWord(v.text):
			words++
		case v.Type == String && !IsFigure(v.text), v.Type == JSON, v.Type == Bytes:
			return *c
		case v.Type.Numeric():
			others++
		default:
			others, figures = others+1, figures+1
		}
	}
	numbers := nonFinite > 0 && figures == 0 // non-finite words become numbers only among numbers
	if words+nonFinite == 0 || others == 0 && !(numbers && words == 0) {
		return *c
	}
	b := NewBuilder(c.Name, Null, c.n)
	for i := range c.n {
		v := c.Value(i)
		switch f, ok := notFinite[strings.ToLower(v.text)]; {
		case v.Type == String && ok && numbers:
			b.appendNonFinite(f)
		case v.Type == String && (ok || IsNullWord(v.text)) && (!ok || f != f): //nolint:gocritic // NaN among dates is NULL
			b.AppendNull()
		case v.Type == Int64 && (*Column)(b).Type == Float64 && exactInFloat(v.num):
			b.AppendFloat(float64(v.num))
		default:
			b.Append(v)
		}
	}
	return b.Column()
}

func isNonFinite(text string) bool {
	_, ok := notFinite[strings.ToLower(text)]
	return ok
}

// appendNonFinite appends NaN or an infinity. It converts an INT64 column to FLOAT64 if its values are exact as
// doubles, else to ANY.
func (b *Builder) appendNonFinite(f float64) {
	if c := (*Column)(b); c.Type == Int64 && !b.intsToFloats() {
		b.becomeAny()
	}
	b.Append(FloatValue(f))
}
