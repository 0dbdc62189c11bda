package sqlparts

// Certainty is how certain the meaning of a name is.
type Certainty uint8

// Sure: the name has exactly the meaning that is listed, in any query that runs. Ambiguous: the name has several
// meanings, so an engine rejects it or picks one by an undocumented rule. Unsure: the name has one of the listed
// meanings, and which one is unknown; an empty list means that nothing has the name.
const (
	Sure Certainty = iota
	Ambiguous
	Unsure
)

// MeaningKind is the kind of thing that a name refers to.
type MeaningKind uint8

// The kinds of meanings.
const (
	BaseColumn   MeaningKind = iota // a column of a base table
	QueryColumn                     // an output column of a derived table, a CTE or a function in FROM
	MergedColumn                    // a column that USING or NATURAL merges
	SelectAlias                     // an element of the select list, by its alias or, in a key, its column's name
	RowOfSource                     // the row of a source; of an array in FROM, the element
	LambdaParam                     // a parameter of an enclosing lambda
	Variable                        // a variable that an earlier statement declared
	QuotedText                      // a string in double quotes, as SQLite reads an unknown quoted name
	PartOfDate                      // a bare word such as DAY among the arguments of a date function
)

// Meaning is one thing that a name may mean.
type Meaning struct {
	Kind   MeaningKind
	Known  bool          // its source certainly has it; false: the source may have it
	Fields int           // number of parts at the end of the name that are fields of the column
	Outer  int           // number of query levels between the name and the meaning; 0: the same query
	Source *Source       // of a column or a row; nil if Among lists several
	Among  []*Source     // the sources that may have the column, if there are several
	Column *ColumnDef    // of a base column; nil if the schema does not have it
	Index  int           // of a query's column or an alias: its index in the output; -1 if unknown, as after a star
	Item   *Item         // of an alias; nil if it comes from a star
	Merged *MergedSource // of a merged column
}

// is reports whether two meanings are the same.
func (m *Meaning) is(o *Meaning) bool {
	return m.Kind == o.Kind && m.Source == o.Source && m.Column == o.Column && m.Index == o.Index && m.Item == o.Item &&
		m.Merged == o.Merged &&
		m.Fields == o.Fields && m.Outer == o.Outer && len(m.Among)+len(o.Among) == 0
}

// MergedSource is a column into which USING or a natural join merges two. Its value is the right column's in a RIGHT
// JOIN, that of the side that has a row in a FULL JOIN, and otherwise the left column's.
type MergedSource struct {
	Name        Ident
	Join        JoinKind
	Left, Right Meaning
	Doubt       Certainty // the lower certainty of the two sides
}

// OutputColumn is an output column of a query or a source.
type OutputColumn struct {
	Name   Ident // empty if it has no name or the name is unknown
	Item   *Item // its element of the select list, which may be a star; nil for a function or VALUES
	Star   bool  // a placeholder for all columns of From, which are unknown
	From   *Source
	Index  int        // of a column from a star: its position in the output of From
	Column *ColumnDef // of a column from a star: its definition, if From is a base table
	Merged *MergedSource
}

// BoundTable is a base table that scripts read.
type BoundTable struct {
	Name Name   // the most qualified name that a script uses for it
	Def  *Table // its definition in the schema; nil if the schema does not certainly have the table

	dialect Dialect
	named   Name      // its name as written
	scripts uint64    // bit set of the scripts that use this name, by script number modulo 64
	last    [1]string // the last part in lower case
	root    *BoundTable
	listed  *Table // the definition in the schema, certain or not; nil if there is none
	sure    bool   // the definition lists all columns
	columns map[string][]*ColumnDef
	learned names       // columns that queries certainly attribute to the table
	apart   *BoundTable // another table with the same last name
	several bool        // several tables of the schema match the name
}

// ReadingKind is the kind of thing that a source of FROM reads.
type ReadingKind uint8

// The kinds of readings.
const (
	ReadsTable    ReadingKind = iota
	ReadsQuery                // a derived table, or a common table expression
	ReadsItself               // the recursive common table expression whose body contains the source
	ReadsWrite                // the rows that a data-modifying statement in WITH returns
	ReadsFunction             // a table function or an array
	ReadsJoin                 // a parenthesised join
	ReadsText                 // text that was not understood
)

// Reading describes what a source of FROM reads.
type Reading struct {
	Kind  ReadingKind
	Table *BoundTable
	Query *Query
	CTE   *CTE // the common table expression that the source names
	Doubt Certainty
	Array *Meaning // of a dotted name such as t.items: the array column whose elements it reads
}
