package metric

import "testing"

// TestDisplayNames checks that every metric has a display name of its own, and every group a name.
func TestDisplayNames(t *testing.T) {
	owner := map[string]string{}
	for _, m := range All() {
		if other := owner[m.Display]; m.Display == "" || other != "" {
			t.Errorf("%s and %s are both displayed as %q", m.Name, other, m.Display)
		}
		owner[m.Display] = m.Name
		if DisplayName(m.Name) != m.Display {
			t.Errorf("%s is displayed as %q, expected %q", m.Name, DisplayName(m.Name), m.Display)
		}
		if groupNames[m.Group] == "" {
			t.Errorf("the group %s has no name", m.Group)
		}
	}
	if got := DisplayName("my_judge"); got != "my_judge" {
		t.Errorf("a custom metric is displayed as %q", got)
	}
}
