// Package sqlproof proves that two queries are the same.
package sqlproof
