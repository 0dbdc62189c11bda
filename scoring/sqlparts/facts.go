package sqlparts

// Facts holds warehouse statistics about the data behind the two queries, in addition to the schema. They decide
// which databases are realistic, and refute nothing.
type Facts struct {
	Columns      []ColumnFacts `json:"columns,omitempty"`
	Inclusions   []Inclusion   `json:"inclusions,omitempty"`
	Dependencies []Dependency  `json:"dependencies,omitempty"`
}

// ColumnFacts are statistics of a column of a table, or of a result that is not truncated.
type ColumnFacts struct {
	Table    string   `json:"table,omitempty"`
	Column   string   `json:"column,omitempty"`
	Rows     int64    `json:"rows"`
	Nulls    int64    `json:"nulls"`
	Distinct int64    `json:"distinct"`         // number of different values, without NULL
	Low      string   `json:"low,omitempty"`    // the smallest number or date; empty for other strings
	High     string   `json:"high,omitempty"`   // the greatest number or date; empty for other strings
	Values   []string `json:"values,omitempty"` // all distinct values, if there are few of them
	Empty    int64    `json:"empty,omitempty"`  // empty strings
	Blank    int64    `json:"blank,omitempty"`  // nonempty strings that begin or end with a blank
}

// Dependency states that each value of Column occurs with only one value of Fixes, another column of the same table.
// NULL counts as a value of Fixes; rows whose Column is NULL are ignored.
type Dependency struct {
	Table   string  `json:"table"`
	Column  string  `json:"column"`
	Fixes   string  `json:"fixes"`
	Support float64 `json:"support"` // rows expected to violate it if both columns were independent
}

// Inclusion counts the rows of Column whose value does not occur in ToColumn.
type Inclusion struct {
	Table    string `json:"table"`
	Column   string `json:"column"`
	ToTable  string `json:"to_table"`
	ToColumn string `json:"to_column"`
	Rows     int64  `json:"rows"`    // rows whose Column is not NULL
	Missing  int64  `json:"missing"` // those of Rows whose value does not occur in ToColumn
}
