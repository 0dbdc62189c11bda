// Package driverinit disables side effects of gosnowflake 1.19.1 at program start and at the first authentication:
// unpacking and loading a native library, querying the metadata servers of three clouds, and creating directories
// for caches of credentials and of revocation lists. Environment variables control them, and most are read when the
// driver's package is initialized. This package does not import the driver and is therefore initialized first. It
// overrides existing values, because badger's configuration alone determines outbound connections and written
// files.
package driverinit

import "os"

func init() {
	for name, value := range map[string]string{
		"SF_DISABLE_MINICORE":                  "true",
		"SNOWFLAKE_DISABLE_PLATFORM_DETECTION": "true",
		"SNOWFLAKE_CRL_ON_DISK_CACHE_DIR":      os.DevNull,   // exists, and is not a directory
		"SF_TEMPORARY_CREDENTIAL_CACHE_DIR":    "/proc/self", // a directory in which no file can be created
	} {
		_ = os.Setenv(name, value)
	}
}
