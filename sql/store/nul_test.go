package store

import "testing"

func TestWithoutEscapedNUL(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"b"}`: `{"a":"b"}`, `"\u0000"`: `"\ufffd"`, `["\u0000\u0000x\u0000"]`: `["\ufffd\ufffdx\ufffd"]`, `"\\u0000"`: `"\\u0000"`, `"\\\u0000"`: `"\\\ufffd"`, `"\n\u00001"`: `"\n\ufffd1"`, `"\`: `"\`,
	} {
		if got := withoutEscapedNUL(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
