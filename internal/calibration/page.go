package calibration

import (
	"bytes"
	_ "embed"
	"html/template"
	"strconv"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
)

//go:embed page.html
var pageText string

var page = template.Must(template.Must(template.New("page").Funcs(template.FuncMap{
	"figure": func(s agreement.Stat) string { return orDash(s, func(v float64) string { return chart.Decimal(v, 3) }) },
	"percent": func(s agreement.Stat) string {
		return orDash(s, func(v float64) string { return chart.Decimal(100*v, 1) + " %" })
	},
	"calls":    func(s agreement.Stat) string { return orDash(s, func(v float64) string { return chart.Decimal(v, 2) }) },
	"interval": interval,
	"class": func(s agreement.Stat) string {
		if !s.Defined {
			return ""
		}
		return agreement.LandisKoch(s.Value)
	},
	"threshold": func(t *float64) string {
		if t == nil {
			return "–"
		}
		return strconv.FormatFloat(*t, 'g', 4, 64)
	},
	"minus": func(a, b int) int { return a - b },
	"signed": func(s agreement.Stat) string {
		return orDash(s, func(v float64) string {
			if v > 0 {
				return "+" + chart.Decimal(v, 3)
			}
			return chart.Decimal(v, 3)
		})
	},
	"p": func(p float64) string {
		if p < 0.001 {
			return "< 0.001"
		}
		return chart.Decimal(p, 3)
	},
}).Parse(chart.Template + `{{define "chart.css"}}` + chart.CSS + `{{end}}`)).Parse(pageText))

func orDash(s agreement.Stat, text func(float64) string) string {
	if !s.Defined {
		return "–"
	}
	return text(s.Value)
}

func interval(i agreement.Interval) string {
	if !i.Defined {
		return ""
	}
	return "[" + chart.Decimal(i.Lo, 3) + ", " + chart.Decimal(i.Hi, 3) + "]"
}

// Page returns the report as one HTML page without external resources.
func Page(r *Report, pictures []*chart.Picture) ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		*Report
		Pictures []*chart.Picture
	}{r, pictures})
	return printable.HTML(b.Bytes()), err
}
