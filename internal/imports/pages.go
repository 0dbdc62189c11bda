package imports

import (
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/printable"
)

// Pages finds out what is missing of lists that an API returns page by page. A page says how many records or pages
// there are, or names the next page.
type Pages struct {
	lists []*pagedList
	next  string // the first member that names a next page
	open  int    // pages that name a next one
	last  int    // pages of such lists that name none
}

// pagedList is a list whose pages say the same totals.
type pagedList struct {
	items, pages int          // -1: not said
	read         int          // records of the pages that were read
	seen         map[int]bool // pages that were read
}

// Members of a page, and of the objects in it that describe it.
var (
	pageObjects = []string{"meta", "pagination", "page_info", "pageInfo", "cursors", "links"}
	pageItems   = []string{"totalItems", "total_items", "totalCount", "total_count", "total"}
	pageTotals  = []string{"totalPages", "total_pages", "pageCount", "page_count"}
	pageNext    = []string{"next_page_token", "nextPageToken", "next_cursor", "nextCursor", "next", "cursor"}
	pageMore    = []string{"has_more", "hasMore", "has_next_page", "hasNextPage"}
)

// Add adds a document with a list of records.
func (p *Pages) Add(document jsonscan.Object, records int) {
	o := object(document)
	number, items, total, next := 0, -1, -1, ""
	look := func(prefix string, in object, names ...string) {
		for _, name := range names {
			raw := in.first(name)
			switch text := nameOf(raw); {
			case next != "" || raw == nil:
			case slices.Contains(pageMore, name) && string(raw) == "true", !slices.Contains(pageMore, name) && text != "":
				next = prefix + name
			}
		}
	}
	count := func(in object, names []string, to *int) {
		if f, ok := in.number(names...); ok && f >= 0 && f < 1e12 && *to < 0 {
			*to = int(f)
		}
	}
	for _, name := range pageObjects {
		in := o.object(name)
		count(in, pageItems, &items)
		count(in, pageTotals, &total)
		if f, ok := in.number("page"); ok && number == 0 {
			number = int(f)
		}
		look(name+".", in, append(pageNext[:len(pageNext):len(pageNext)], pageMore...)...)
	}
	count(o, pageItems[:4], &items)
	count(o, pageTotals, &total)
	look("", o, append(pageNext[:4:4], pageMore...)...)
	if items < 0 && total < 0 {
		if next != "" {
			p.open++
			if p.next == "" {
				p.next = next
			}
		} else {
			p.last++
		}
		return
	}
	i := slices.IndexFunc(p.lists, func(l *pagedList) bool { return l.items == items && l.pages == total })
	if i < 0 {
		i = len(p.lists)
		p.lists = append(p.lists, &pagedList{items: items, pages: total, seen: map[int]bool{}})
	}
	l := p.lists[i]
	if number == 0 { // not said: each is another page
		number = -len(l.seen) - 1
	}
	if !l.seen[number] {
		l.seen[number] = true
		l.read += records
	}
}

// Missing is what a set of pages lacks.
type Missing struct {
	Records int `json:"missing_records"` // by the totals of the pages
	Pages   int `json:"missing_pages"`   // at least, of lists that do not say how many records there are
}

// Missing returns what is missing, and sentences that say of what.
func (p *Pages) Missing() (m Missing, sentences []string) {
	const rest = "; export all pages, and import their files together"
	for _, l := range p.lists {
		switch {
		case l.items > l.read:
			m.Records += l.items - l.read
			sentences = append(sentences, fmt.Sprintf("%d of %s are missing: the export says that there are so many, and %d were read%s",
				l.items-l.read, printable.Count(l.items, "record"), l.read, rest))
		case l.items < 0 && l.pages > len(l.seen):
			m.Pages += l.pages - len(l.seen)
			sentences = append(sentences, fmt.Sprintf("%d of %s are missing: the export says that there are so many%s",
				l.pages-len(l.seen), printable.Count(l.pages, "page"), rest))
		}
	}
	if p.open > 0 && p.last == 0 {
		m.Pages++
		sentences = append(sentences,
			fmt.Sprintf("one page or more is missing: the last one that was read names a next page (%s)%s", p.next, rest))
	}
	return m, sentences
}
