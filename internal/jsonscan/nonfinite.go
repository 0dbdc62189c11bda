package jsonscan

import "bytes"

// QuoteNonFinite quotes NaN, Infinity and -Infinity where a value is expected, as Python, DuckDB and others write
// them. JSON has no such values. Data without them is returned unchanged.
func QuoteNonFinite(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	var out []byte // nil until a value must be quoted
	from, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == 'N' || c == 'I' || c == '-'):
			for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
				end := i + len(word)
				if !bytes.HasPrefix(data[i:], []byte(word)) ||
					end < len(data) && bytes.IndexByte([]byte(",]} \t\r\n"), data[end]) < 0 {
					continue
				}
				out = append(append(append(append(out, data[from:i]...), '"'), word...), '"')
				from, i = end, end-1
				break
			}
		}
	}
	if from == 0 {
		return data
	}
	return append(out, data[from:]...)
}
