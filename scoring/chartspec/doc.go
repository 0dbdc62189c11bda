// Package chartspec reads charts that are described as data, and computes the points that they show.
//
// [Read] reads Vega-Lite (versions 4 to 6), the JSON of Plotly figures, and plain fields such as {"mark": "bar", "x":
// "region", "y": "revenue"} into one [Chart]. [View.Points] applies the filters and aggregates of a chart to a result.
//
// A chart is untrusted. Its text is at most [MaxBytes] long and nested at most [MaxDepth] deep, and it has at most
// [MaxViews] views and [MaxPoints] points. Expressions are read only if they compare fields with literals. Everything
// that may change the points and is not read is listed in [Chart.Undecided] or [View.Undecided], so that a chart is
// never taken for right because a part of it was ignored. Values are exact: no number passes through a float64 unless
// the chart or the result holds one.
package chartspec
