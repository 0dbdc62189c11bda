//go:build !linux

package preflight

// openFiles, freeBytes and defaultRoute return that the value is unknown: they are implemented on Linux only.
func openFiles() (n uint64, known bool) { return 0, false }

func freeBytes(string) (n uint64, known bool) { return 0, false }

func defaultRoute() (route, known bool) { return false, false }
