// Package calm keeps gosnowflake 1.19.1 from unwanted actions when a program starts and
// when it signs in first: unpacking and loading a native library, asking the metadata servers of
// three clouds what machine this is, and making directories for caches of credentials and of
// revocation lists. These are switched by environment variables, most of which are read when the
// driver's package is initialised; this package imports nothing of it and is therefore initialised
// before. What the variables say already does not count: the configuration of badger says whom it
// contacts and where it writes, the environment does not.
package calm

import "os"

func init() {
	for name, value := range map[string]string{
		"SF_DISABLE_MINICORE":                  "true",
		"SNOWFLAKE_DISABLE_PLATFORM_DETECTION": "true",
		"SNOWFLAKE_CRL_ON_DISK_CACHE_DIR":      os.DevNull,   // an existing file, so no directory is created
		"SF_TEMPORARY_CREDENTIAL_CACHE_DIR":    "/proc/self", // a directory that is not writable
	} {
		_ = os.Setenv(name, value)
	}
}
