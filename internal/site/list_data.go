package site

import (
	"bufio"
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/badger-eval/badger/sql/store"
)

// listData holds all cases of a run in a report in one file. A script sorts, filters and searches them.
type listData struct {
	// Rows are the columns of each case: id, status, value, relation, people, latency, question, reason, tags, and the
	// name of the section of its page, if any.
	Rows [][]string `json:"rows"`
	Page int        `json:"page"` // rows on a page
}

// labelOrNone returns the display name of a relation's label, or "" for "".
func labelOrNone(label string) string {
	if label == "" {
		return ""
	}
	return labelName(label)
}

// writeListData writes all cases of a run as JSON if p is the first page of the list of all cases, else nothing.
func (s *Site) writeListData(ctx context.Context, out *bufio.Writer, p staticPage) error {
	h := heldIn(ctx)
	_, query, _ := strings.Cut(p.address, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	state, err := store.Parse(values)
	if err != nil || h == nil || state.Mode != store.All || state.Page > 1 || h.runs[state.RunID] == nil {
		return err
	}
	list, err := h.pages.List(ctx, state)
	if err != nil {
		return err
	}
	metric := list.State.Metric
	data := listData{Page: pageSize}
	pages := (len(h.runs[state.RunID].ids[store.All]) + pageSize - 1) / pageSize
	for n := range pages {
		at := *list
		at.State.Page = n + 1
		rows, err := rowsOfPage(ctx, &at, append([]string{metric, "relation"}, shownMetrics(list)...))
		if err != nil {
			return err
		}
		for i := range rows {
			s.withholdRow(&rows[i])
			row := rowOfCase(&rows[i], state, metric, nil)
			value := ""
			if row.Cells[0].Value != nil {
				value = figure(row.Cells[0].Value)
			}
			tags := ""
			for _, t := range row.TagLinks {
				tags += t.Text + " "
			}
			section := ""
			if h.withPage[state.RunID][row.ID] {
				section = sectionMark + caseName(state.RunID, row.ID)
			}
			data.Rows = append(data.Rows, []string{
				visible(row.ID), row.Status, value, visible(labelOrNone(row.Relation)), row.People, row.Latency,
				visible(row.Question), visible(row.Reason), visible(tags + row.Database), section,
			})
		}
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, _ = out.WriteString(`<script type="application/json" data-list="` + sectionMark + p.name + `">`)
	_, _ = out.Write(text)
	_, err = out.WriteString("</script>\n")
	return err
}
