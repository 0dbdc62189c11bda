package custom

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The page for practitioners names everything that a judge file can say, and its judges can be
// loaded.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/judges/custom-judges.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	names := append(fieldNames(), members...)
	for i := range reflect.TypeFor[header]().NumField() {
		names = append(names, reflect.TypeFor[header]().Field(i).Tag.Get("yaml"))
	}
	names = append(names, reModule.Members.Keys()...)
	names = append(names, decimal{}.AttrNames()...)
	for _, name := range names {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
			t.Errorf("%s is not mentioned", name)
		}
	}
	judges := 0
	for _, block := range regexp.MustCompile("(?s)```(python|yaml)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		file := map[string]string{"python": "j.star", "yaml": "j.yaml"}[block[1]]
		if !strings.Contains(block[2], "name") {
			continue
		}
		judges++
		if _, err := Load(t.Context(), file, []byte(block[2]), &Options{SQL: &fakeSQL{}}); err != nil {
			t.Errorf("%v\n%s", err, block[2])
		}
	}
	if judges < 5 {
		t.Errorf("%d judges on the page", judges)
	}
}
