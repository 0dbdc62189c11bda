// Package calm keeps the Snowflake driver from doing what nobody asked for when a program starts:
// unpacking and loading a native library, asking the metadata servers of three clouds what machine
// this is, and making a directory for revocation lists. These are switched by environment
// variables, one of which is read when the driver's package is initialised; this package imports
// nothing of it and is therefore initialised before. What the variables say already does not count:
// the configuration of badger says whom it contacts, the environment does not.
package calm

import "os"

func init() {
	for name, value := range map[string]string{
		"SF_DISABLE_MINICORE":                  "true",
		"SNOWFLAKE_DISABLE_PLATFORM_DETECTION": "true",
		"SNOWFLAKE_CRL_ON_DISK_CACHE_DIR":      os.DevNull, // which is no directory: lists stay in memory
	} {
		_ = os.Setenv(name, value)
	}
}
