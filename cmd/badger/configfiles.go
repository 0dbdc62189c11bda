package main

import (
	"reflect"
	"strings"
)

// A keyUse is the kind of file that the value of a configuration key names.
type keyUse int

const (
	keyNone      keyUse = iota // none
	keyFile                    // a file
	keyWarehouse               // the URL of a warehouse, which may be a file
	keyCases                   // a case file
	keyRoot                    // a folder that file: references are read from
	keyStore                   // a directory of results of queries
	keyReplay                  // that of replay:FILE
	keyHeader                  // that of file:PATH
	keyWritten                 // a file that lines are added to
)

// keyUses lists the keys of the configuration that name files. Names and positions of entries in maps and lists are
// left out of a key. A name without a dot, such as key_file, is that of the key in every section.
var keyUses = map[string]keyUse{
	"tls.cert": keyFile, "tls.key": keyFile, "client_ca": keyFile, "token_file": keyFile, "keys": keyFile,
	"results.files": keyRoot, "warehouse": keyWarehouse, "execute.url": keyWarehouse, "execute.snapshots": keyStore,
	"metrics.verdict_table": keyFile, "judges": keyFile, "sentinels.cases": keyCases,
	"backend": keyReplay, "headers": keyHeader, "key_file": keyFile, "ca_file": keyFile, "headers_file": keyFile,
	"judge.audit": keyWritten, "judge.ledger": keyWritten,
}

// useOfKey returns the kind of file that the value of a key names.
func useOfKey(key string) keyUse {
	if use, ok := keyUses[key]; ok {
		return use
	}
	return keyUses[key[strings.LastIndexByte(key, '.')+1:]]
}

// configuredFile is a file, or a folder or the URL of a warehouse, that a key of the configuration names.
type configuredFile struct {
	key, text string
	use       keyUse
}

// filesIn returns the files that a configuration names.
func filesIn(c *configuration) (files []configuredFile) {
	eachText(reflect.ValueOf(c).Elem(), "", func(key, text string) {
		use := useOfKey(key)
		prefix := map[keyUse]string{keyReplay: "replay:", keyHeader: "file:"}[use]
		path, ok := strings.CutPrefix(text, prefix)
		if ok && path != "" && use != keyNone {
			files = append(files, configuredFile{key, path, use})
		}
	})
	return files
}

// eachText calls f for each text in a value of the configuration, with its key without the names of entries.
func eachText(v reflect.Value, key string, f func(key, text string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), key, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name, ok := keyOf(v.Type().Field(i), key); ok {
				eachText(v.Field(i), name, f)
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			eachText(v.MapIndex(k), key, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), key, f)
		}
	case reflect.String:
		f(key, v.String())
	}
}

// keyOf returns the key of a field in the section at key; ok is false if it has none.
func keyOf(field reflect.StructField, key string) (name string, ok bool) {
	name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	switch {
	case name == "-":
		return "", false
	case options == "inline":
		return key, true
	}
	return strings.TrimPrefix(key+"."+name, "."), true
}
