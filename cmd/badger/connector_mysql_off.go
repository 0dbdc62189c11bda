//go:build no_mysql

package main

func init() { leaveOut("mysql", "mysql", "mariadb") }
