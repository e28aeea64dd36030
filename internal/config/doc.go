// Package config reads proxaudit.yaml and the PROXMOX_* environment.
//
// Parsing is strict: an unknown key, a key that occurs twice, a value of the wrong type and a value that cannot mean
// anything are errors that name the file, the line and the key. The reason is what a lenient parser does to an audit:
// a misspelt selector selects nothing, and the report is clean.
//
// No error of this package repeats a value that could be a secret.
package config
