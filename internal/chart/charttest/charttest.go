// Package charttest checks pictures of package chart in tests.
package charttest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/chart"
)

// elements are the elements that a picture may contain.
var elements = []string{"svg", "title", "desc", "style", "rect", "line", "polyline", "circle", "text"}

// Check checks that the picture as a file is well-formed XML, begins with a title, contains only the expected elements
// and no style or event attributes, and that its coordinates are within its bounds. It returns the file.
func Check(t testing.TB, p *chart.Picture) []byte {
	t.Helper()
	svg, err := p.SVG()
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	if !bytes.Contains(svg, []byte("role=\"img\">\n<title>")) || p.Title == "" {
		t.Errorf("%s: the picture does not begin with a title", p.Name)
	}
	width, height := float64(p.Width), float64(p.Height)
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(elements, e.Name.Local) {
			t.Errorf("%s holds an element %s", p.Name, e.Name.Local)
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			if name == "style" || strings.HasPrefix(name, "on") {
				t.Errorf("%s: <%s> has an attribute %s", p.Name, e.Name.Local, name)
			}
			if !slices.Contains([]string{"x", "x1", "x2", "cx", "y", "y1", "y2", "cy", "r", "rx", "width", "height"}, name) {
				continue
			}
			limit := height
			if strings.Contains(name, "x") || name == "width" {
				limit = width
			}
			if v, err := strconv.ParseFloat(a.Value, 64); err != nil || math.IsNaN(v) || v < 0 || v > limit+0.1 {
				t.Errorf("%s: <%s %s=%q> is outside of %v x %v", p.Name, e.Name.Local, name, a.Value, width, height)
			}
		}
	}
	if width < 300 || height < 100 {
		t.Errorf("%s is %v x %v", p.Name, width, height)
	}
	return svg
}
