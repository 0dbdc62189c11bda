package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/cell"
)

// Render writes the diff for a terminal.
func (f *DiffFigures) Render(w io.Writer, o Options) error {
	v := newDiffView(f, newPrinter(w, o))
	v.summary()
	v.relations()
	v.tables()
	return v.w.Flush()
}

func newDiffView(f *DiffFigures, p *printer) *diffView {
	v := &diffView{DiffFigures: f, printer: p}
	for _, c := range f.Columns {
		v.goldNames = append(v.goldNames, c.Gold)
		if c.PredPosition > 0 {
			v.predNames = append(v.predNames, c.Pred)
		}
	}
	for _, x := range f.Extra {
		v.predNames = append(v.predNames, x.Pred)
	}
	return v
}

// tables prints the mapping of the columns, the rows that differ and the unmatched rows.
func (v *diffView) tables() {
	v.mapping()
	v.differing()
	v.lone("Only in gold", v.GoldRows, v.OnlyGold, v.goldBlocks())
	v.lone("Only in the predicted result", v.PredRows, v.OnlyPred, v.predBlocks())
}

// diffView prints the figures of a diff.
type diffView struct {
	*DiffFigures
	*printer
	goldNames, predNames []string
}

func (v *diffView) goldName(c *DiffColumn) string {
	return columnName(c.Gold, c.GoldPosition, v.goldNames)
}
func (v *diffView) predName(c *DiffColumn) string {
	return columnName(c.Pred, c.PredPosition, v.predNames)
}

func (v *diffView) summary() {
	v.score()
	v.shapes()
}

func (v *diffView) score() {
	line := []span{{"score " + strconv.FormatFloat(v.Score, 'f', -1, 64), bold}}
	if len(line[0].text) > len("score 0.1234") {
		line[0].text = fmt.Sprintf("score %.4f", v.Score)
	}
	line = append(append(line, span{gap, plain}), v.bar(v.Score, 20)...)
	v.line(line...)
}

// shapes prints the sizes of the results and how their rows were matched.
func (v *diffView) shapes() {
	v.line(span{fmt.Sprintf("gold has %s of %s, the predicted result %s of %s",
		printable.Count(v.Gold.Rows, "row"), printable.Count(v.Gold.Columns, "column"), printable.Count(v.Pred.Rows, "row"),
		printable.Count(v.Pred.Columns, "column")), plain})
	if v.Matched == 0 {
		return
	}
	how := ""
	switch v.Method {
	case cell.MethodIndex:
		var keys []string
		for i := range v.Columns {
			if c := &v.Columns[i]; c.Key {
				keys = append(keys, v.goldName(c))
			}
		}
		how = "rows are matched on " + strings.Join(keys, ", ")
	case cell.MethodContent:
		how = "rows are matched by their values"
	case cell.MethodRows:
		how = "all rows agree"
	}
	if v.Method != cell.MethodRows {
		in := ""
		if slices.ContainsFunc(v.Columns, func(c DiffColumn) bool { return c.PredPosition == 0 }) {
			in = " in the paired columns"
		}
		how += fmt.Sprintf(": %d agree%s, %d differ", v.Equal, in, v.Differing)
		if v.OnlyGold > 0 {
			how += fmt.Sprintf(", %d only in gold", v.OnlyGold)
		}
		if v.OnlyPred > 0 {
			how += fmt.Sprintf(", %d only in the predicted result", v.OnlyPred)
		}
	}
	for _, l := range printable.Wrap(how, v.Width) {
		v.line(span{l, plain})
	}
}

// shownRelations is the maximum number of relations that are printed.
const shownRelations = 3

// relations prints the first relations that explain why the results differ.
func (v *diffView) relations() {
	for k, r := range v.Relations[:min(len(v.Relations), shownRelations)] {
		if r.Name == "same" {
			continue
		}
		lead := "why they differ"
		if k > 0 {
			lead = "also"
		}
		for _, l := range printable.Wrap(printable.Text(lead+" ("+r.Name+"): "+r.Text), v.Width) {
			v.line(span{l, plain})
		}
	}
}

// pairedBy lists the kinds of evidence that pair columns, such as values and name, or else the source of the mapping.
func (v *diffView) pairedBy() string {
	var by []string
	for i := range v.Columns {
		if b := v.Columns[i].By; b != "" && !slices.Contains(by, b) {
			by = append(by, b)
		}
	}
	if len(by) == 0 {
		return v.Source
	}
	return strings.Join(by, " and ")
}

func (v *diffView) mapping() {
	how := ""
	if v.Confidence > 0 {
		how = fmt.Sprintf("paired by %s, %.0f%% certain", printable.Text(v.pairedBy()), 100*v.Confidence)
	}
	v.title("Columns", how)
	v.aside(printable.Text(strings.Join(v.Why, "; ")))
	var g grid
	g.words("gold", 10)
	g.column("")
	g.words("predicted", 10)
	g.words("compared as", 16)
	g.words("cells", 12)
	agree := 0 // columns of a wide table without differences to report
	for i := range v.Columns {
		c := &v.Columns[i]
		if c.PredPosition == 0 {
			g.add(text(v.goldName(c)), inStyle("-", red), inStyle("(missing)", red), nil, nil)
			continue
		}
		if len(v.Columns) > wideTable && c.Gold == c.Pred && c.Fact == "" && !c.Key && c.Differing == 0 {
			agree++
			continue
		}
		as := string(c.Kind)
		if c.Key {
			as = "key, " + as
		}
		if c.Fact != "" {
			as += ", " + c.Fact
		}
		if c.By != "" && c.By != "values" {
			as += ", by " + c.By
		}
		mark, cells := span{"=", green}, span{}
		if c.Differing > 0 {
			mark, cells = span{v.unequal, red}, span{fmt.Sprintf("%d of %d differ", c.Differing, v.Matched), red}
		}
		g.add(text(v.goldName(c)), cellSpans{mark}, text(v.predName(c)), inStyle(printable.Text(as), dim), cellSpans{cells})
	}
	if len(g.rows) > 2*wideTable {
		agree += len(g.rows) - 2*wideTable
		g.rows = g.rows[:2*wideTable]
	}
	for _, x := range v.Extra[:min(len(v.Extra), wideTable)] {
		as := "(extra)"
		if x.Trivial {
			as = "(extra, says nothing new)"
		}
		g.add(nil, inStyle("+", yellow), text(columnName(x.Pred, x.PredPosition, v.predNames)), inStyle(as, dim), nil)
	}
	g.print(v.printer)
	v.rest(agree, "column")
	v.rest(len(v.Extra)-wideTable, "extra column")
}

// wideTable is the maximum number of columns whose mapping is printed in full. Of more columns, those that agree under
// the same name are only counted.
const wideTable = 20

// block is a printed column in a table of rows: one side's values, or those of both sides of a mapped column.
type block struct {
	column             int // index of the cell in the row
	pair               bool
	head, predHead     string
	goldRight          bool
	predRight          bool
	goldWide, predWide int // width on the terminal
	markWide           int
}

func (b *block) width() int {
	if b.pair {
		return b.goldWide + b.markWide + b.predWide
	}
	return b.goldWide
}

func (v *diffView) differing() {
	if v.Differing == 0 || len(v.Rows) == 0 {
		return
	}
	var keys, differing, agreeing []block
	for i := range v.Columns {
		c := &v.Columns[i]
		b := block{column: i, head: v.goldName(c), goldRight: c.goldRight, predRight: c.predRight}
		switch {
		case c.PredPosition == 0:
		case c.Key:
			keys = append(keys, b)
		case c.Differing > 0:
			b.pair, b.predHead, b.markWide = true, v.predName(c), printable.Width(v.unequal)+2
			differing = append(differing, b)
		default:
			agreeing = append(agreeing, b)
		}
	}
	v.title("Rows that differ", fmt.Sprintf("%d of %d", v.Differing, v.Matched))
	measure := func(b *block, most int) {
		b.goldWide, b.predWide = printable.Width(b.head), printable.Width(b.predHead)
		for _, r := range v.Rows {
			g, p := r.Cells[b.column].texts()
			b.goldWide, b.predWide = max(b.goldWide, printable.Width(g)), max(b.predWide, printable.Width(p))
		}
		b.goldWide, b.predWide = min(b.goldWide, most), min(b.predWide, most)
	}
	goldWide, predWide := len("gold"), len("pred")
	for _, r := range v.Rows {
		goldWide, predWide = max(goldWide, len(strconv.Itoa(r.Gold))), max(predWide, len(strconv.Itoa(r.Pred)))
	}
	shown := v.choose(v.Width-goldWide-len(gap)-predWide, [][]block{differing[:1], keys, differing[1:], agreeing},
		len(keys)+len(differing), measure)

	g := grid{}
	g.number("gold")
	g.number("pred")
	for _, b := range shown {
		g.column(b.heading(v.printer))
	}
	for _, r := range v.Rows {
		row := []cellSpans{inStyle(strconv.Itoa(r.Gold), dim), inStyle(strconv.Itoa(r.Pred), dim)}
		for _, b := range shown {
			row = append(row, b.show(r.Cells[b.column], v.printer))
		}
		g.add(row...)
	}
	g.print(v.printer)
	v.rest(v.Differing-len(v.Rows), "row")
	var left []string
	for _, b := range differing {
		if !slices.ContainsFunc(shown, func(s block) bool { return s.column == b.column }) {
			left = append(left, b.head)
		}
	}
	if len(left) > 0 {
		v.line(span{
			fmt.Sprintf("%s with differences %s not shown: %s", printable.Count(len(left), "column"),
				map[bool]string{true: "is", false: "are"}[len(left) == 1], strings.Join(left, ", ")), dim})
	}
}

func (v *diffView) rest(n int, what string) {
	if n > 0 {
		v.line(span{"and " + printable.Count(n, "more "+what), dim})
	}
}

// choose returns as many blocks as fit into room, in the order of priority, sorted with keys first and then by column.
// It narrows cells, down to 8, until the first wanted blocks fit.
func (v *diffView) choose(room int, byPriority [][]block, wanted int, measure func(b *block, most int)) []block {
	var all, shown []block
	for _, p := range byPriority {
		all = append(all, p...)
	}
	for most := v.Width / 2; ; most -= 2 {
		shown = shown[:0]
		left := room
		for _, b := range all {
			measure(&b, most)
			if left -= b.width() + len(gap); left < 0 && len(shown) > 0 {
				break
			}
			shown = append(shown, b)
		}
		if len(shown) >= wanted || most <= 8 {
			break
		}
	}
	key := func(b block) int {
		if b.column < len(v.Columns) && v.Columns[b.column].Key {
			return b.column
		}
		return len(v.Columns) + b.column
	}
	slices.SortStableFunc(shown, func(a, b block) int { return key(a) - key(b) })
	return shown
}

func (b *block) heading(p *printer) string {
	head := printable.Pad(printable.Cut(b.head, b.goldWide, p.ellipsis), b.goldWide, b.goldRight)
	if b.pair {
		head += strings.Repeat(" ", b.markWide) +
			printable.Pad(printable.Cut(b.predHead, b.predWide, p.ellipsis), b.predWide, b.predRight)
	}
	return head
}

// show formats a cell of a differing row.
func (b *block) show(c DiffCell, p *printer) cellSpans {
	gold, pred := c.texts()
	if !b.pair {
		return cellSpans{{printable.Pad(printable.Cut(gold, b.goldWide, p.ellipsis), b.goldWide, b.goldRight), plain}}
	}
	if c.Equal {
		gold, pred = printable.Cut(gold, b.goldWide, p.ellipsis), printable.Cut(pred, b.predWide, p.ellipsis)
		return cellSpans{{printable.Pad(gold, b.goldWide, b.goldRight), dim}, {printable.Pad(" =", b.markWide, false), dim},
			{printable.Pad(pred, b.predWide, b.predRight), dim}}
	}
	gold, pred = p.apart(gold, pred, b.goldWide, b.predWide)
	return cellSpans{
		{printable.Pad(gold, b.goldWide, b.goldRight), green}, {" " + p.unequal + " ", bold},
		{printable.Pad(pred, b.predWide, b.predRight), red},
	}
}

// apart shortens two different strings to the given widths so that their difference is visible: it drops a long common
// prefix.
func (p *printer) apart(gold, pred string, goldWide, predWide int) (string, string) {
	cutGold, cutPred := printable.Cut(gold, goldWide, p.ellipsis), printable.Cut(pred, predWide, p.ellipsis)
	if cutGold == gold && cutPred == pred {
		return gold, pred
	}
	same := 0 // bytes
	for i, r := range gold {
		if !strings.HasPrefix(pred[i:], string(r)) {
			break
		}
		same = i + len(string(r))
	}
	if printable.Width(gold[:same]) < min(goldWide, predWide)-printable.Width(p.ellipsis)-1 {
		return cutGold, cutPred // the cut texts show it
	}
	const context = 4
	back := []rune(gold[:same])
	from := len(string(back[:max(0, len(back)-context)]))
	return printable.Cut(p.ellipsis+gold[from:], goldWide, p.ellipsis), printable.Cut(p.ellipsis+pred[from:], predWide,
		p.ellipsis)
}

// texts returns both sides of a cell, escaped for a terminal.
func (c *DiffCell) texts() (gold, pred string) { return cellText(c.Gold), cellText(c.Pred) }

// cellText formats a value for a terminal. It is quoted if it is empty, "NULL", or begins or ends with a space.
func cellText(s *string) string {
	switch {
	case s == nil:
		return "NULL"
	case *s == "" || *s == "NULL" || (*s)[0] == ' ' || (*s)[len(*s)-1] == ' ':
		return `"` + printable.Text(*s) + `"`
	}
	return printable.Text(*s)
}

func (v *diffView) goldBlocks() []block {
	blocks := make([]block, len(v.Columns))
	for i := range v.Columns {
		blocks[i] = block{column: i, head: v.goldName(&v.Columns[i]), goldRight: v.Columns[i].goldRight}
	}
	return blocks
}

func (v *diffView) predBlocks() []block {
	var blocks []block
	for i := range v.Columns {
		if c := &v.Columns[i]; c.PredPosition > 0 {
			blocks = append(blocks, block{column: i, head: v.predName(c), goldRight: c.predRight})
		}
	}
	for i, x := range v.Extra {
		blocks = append(blocks,
			block{column: len(v.Columns) + i, head: columnName(x.Pred, x.PredPosition, v.predNames), goldRight: x.right})
	}
	return blocks
}

// lone prints unmatched rows of one side; of is their total number.
func (v *diffView) lone(title string, rows []LoneRow, of int, blocks []block) {
	if len(rows) == 0 {
		return
	}
	v.title(title, printable.Count(of, "row"))
	measure := func(b *block, most int) {
		b.goldWide = printable.Width(b.head)
		for _, r := range rows {
			b.goldWide = max(b.goldWide, printable.Width(cellText(r.Cells[b.column])))
		}
		b.goldWide = min(b.goldWide, most)
	}
	var keys, others []block
	for _, b := range blocks {
		if b.column < len(v.Columns) && v.Columns[b.column].Key {
			keys = append(keys, b)
		} else {
			others = append(others, b)
		}
	}
	shown := v.choose(v.Width-max(len("row"), len(strconv.Itoa(rows[len(rows)-1].Row))), [][]block{keys, others},
		len(blocks), measure)
	var g grid
	g.number("row")
	for _, b := range shown {
		g.column(b.heading(v.printer))
	}
	for _, r := range rows {
		row := []cellSpans{inStyle(strconv.Itoa(r.Row), dim)}
		for _, b := range shown {
			row = append(row,
				text(printable.Pad(printable.Cut(cellText(r.Cells[b.column]), b.goldWide, v.ellipsis), b.goldWide, b.goldRight)))
		}
		g.add(row...)
	}
	g.print(v.printer)
	v.rest(of-len(rows), "row")
	if n := len(blocks) - len(shown); n > 0 {
		v.line(span{printable.Count(n, "more column"), dim})
	}
}
