package judgebackend

import "testing"

// Every kind has its consequences written down.
func TestKindsAreComplete(t *testing.T) {
	for k, c := range kinds {
		if c.code == 0 || c.text == "" {
			t.Errorf("%s: code %v, text %q", k, c.code, c.text)
		}
		if c.retry && c.trips {
			t.Errorf("%s is tried again and stops everything", k)
		}
	}
}
