package imports

import (
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// What pages lack is counted by their totals, and is unknown if they only name the next page.
func TestPages(t *testing.T) {
	t.Parallel()
	type page struct {
		text    string
		records int
	}
	for name, x := range map[string]struct {
		pages []page
		want  Missing
	}{
		"all, on one page":            {[]page{{`{"meta": {"page": 1, "totalItems": 2, "totalPages": 1}}`, 2}}, Missing{}},
		"the first of three":          {[]page{{`{"meta": {"page": 1, "totalItems": 120, "totalPages": 3}}`, 50}}, Missing{Records: 70}},
		"a page twice":                {[]page{{`{"meta": {"page": 1, "totalItems": 4}}`, 2}, {`{"meta": {"page": 1, "totalItems": 4}}`, 2}}, Missing{Records: 2}},
		"two lists":                   {[]page{{`{"meta": {"page": 1, "totalItems": 4}}`, 4}, {`{"meta": {"page": 1, "totalItems": 9}}`, 4}}, Missing{Records: 5}},
		"totals of pages alone":       {[]page{{`{"meta": {"page": 2, "totalPages": 3}}`, 2}}, Missing{Pages: 2}},
		"at the top":                  {[]page{{`{"total_count": 3}`, 1}}, Missing{Records: 2}},
		"a page token":                {[]page{{`{"next_page_token": "t"}`, 5}}, Missing{Pages: 1}},
		"a page token and the last":   {[]page{{`{"next_page_token": "t"}`, 5}, {`{}`, 3}}, Missing{}},
		"an empty token":              {[]page{{`{"next_page_token": ""}`, 5}}, Missing{}},
		"no token":                    {[]page{{`{"next_page_token": null}`, 5}}, Missing{}},
		"cursors of LangSmith":        {[]page{{`{"cursors": {"prev": null, "next": "c"}}`, 100}}, Missing{Pages: 1}},
		"the last of LangSmith":       {[]page{{`{"cursors": {"prev": "a", "next": null}}`, 100}}, Missing{}},
		"a cursor of Langfuse":        {[]page{{`{"meta": {"limit": 50, "cursor": "c"}}`, 50}}, Missing{Pages: 1}},
		"more, as of OpenAI":          {[]page{{`{"object": "list", "has_more": true, "last_id": "x"}`, 20}}, Missing{Pages: 1}},
		"no more, as of OpenAI":       {[]page{{`{"object": "list", "has_more": false, "last_id": "x"}`, 20}}, Missing{}},
		"a member of another meaning": {[]page{{`{"cursor": "x", "total": 9, "page": 2}`, 1}}, Missing{}},
	} {
		var p Pages
		for _, one := range x.pages {
			p.Add(jsonscan.ParseObject([]byte(one.text)), one.records)
		}
		got, sentences := p.Missing()
		if got != x.want || (len(sentences) > 0) != (x.want != Missing{}) {
			t.Errorf("%s: %+v, want %+v; %q", name, got, x.want, sentences)
		}
	}
}
