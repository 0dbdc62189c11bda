package driver

// Connector is a kind of warehouse. The package of a connector declares it in the variable Connector, and
// a program links the package and passes the variable on: nothing else names a connector.
type Connector struct {
	Name     string    // of its folder, and in the build tag no_NAME that leaves it out
	Schemes  []string  // the schemes of its URLs, such as duckdb
	Open     Opener    // opens a URL of any of the schemes
	Contacts Contacts  // lists the hosts of a URL of any of the schemes
	Dialects []Dialect // one for each warehouse that functions can be installed in
	Examples []Example // ways to reach its warehouses, for docs/reference/residency.md
	Place    int       // sort key of the examples among those of other connectors
}

// Example is a URL that shows whom a way to reach a warehouse contacts.
type Example struct {
	Title string // what is reached, and how
	Key   string // the URL, or the option of it that makes the difference, in Markdown
	URL   string
}
