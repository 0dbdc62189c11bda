package sqlparts

// Facts holds warehouse statistics about the data behind the two queries, in addition to the schema. They decide
// which databases are realistic, and refute nothing.
type Facts struct {
	Columns      []ColumnFacts `json:"columns,omitempty"`
	Inclusions   []Inclusion   `json:"inclusions,omitempty"`
	Dependencies []Dependency  `json:"dependencies,omitempty"`
}

// ColumnFacts are statistics of a column: of a table, or of a result that holds all of its rows.
type ColumnFacts struct {
	Table    string   `json:"table,omitempty"`
	Column   string   `json:"column,omitempty"`
	Rows     int64    `json:"rows"`
	Nulls    int64    `json:"nulls"`
	Distinct int64    `json:"distinct"`         // values that are not NULL
	Low      string   `json:"low,omitempty"`    // the smallest number or date; empty for other strings
	High     string   `json:"high,omitempty"`   // the greatest
	Values   []string `json:"values,omitempty"` // all of them, if they are few
	Empty    int64    `json:"empty,omitempty"`  // texts without a character
	Blank    int64    `json:"blank,omitempty"`  // nonempty strings that begin or end with a blank
}

// Dependency is a column whose values each go with one value of another column of its table, NULL
// among them. Rows where the first is NULL are left aside.
type Dependency struct {
	Table   string  `json:"table"`
	Column  string  `json:"column"`
	Fixes   string  `json:"fixes"`
	Support float64 `json:"support"` // how many rows would break it on average if both had nothing to do with each other
}

// Inclusion is the number of rows of a column whose value does not occur in another column.
type Inclusion struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	ToTable  string `json:"to_table"`
	ToColumn string `json:"to_column"`
	Rows     int64  `json:"rows"`    // that are not NULL
	Missing  int64  `json:"missing"` // of them, those without a partner
}
