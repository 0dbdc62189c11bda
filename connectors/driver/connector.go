package driver

// Connector describes a kind of warehouse. The package of each connector declares it in the variable Connector; a
// program imports the package and registers that variable.
type Connector struct {
	Name     string    // name of its directory, and of the build tag no_NAME that excludes it
	Schemes  []string  // the schemes of its URLs, such as duckdb
	Open     Opener    // opens a URL with any of the schemes
	Contacts Contacts  // lists the hosts that a URL with any of the schemes contacts
	Dialects []Dialect // one for each warehouse that functions can be installed in
	Examples []Example // URLs whose contacts docs/reference/residency.md lists
	Place    int       // position of the examples among those of other connectors
}

// Example is a URL for one way to connect to a warehouse, whose contacts a documentation page lists.
type Example struct {
	Title string // the service and the way to connect
	Key   string // the option of the URL that this way needs, or the URL, in Markdown
	URL   string
}
