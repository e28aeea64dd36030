// Package normalize turns the answers of Proxmox VE 7, 8 and 9 into the structs of package inventory. It is pure:
// decoded JSON in, structs out.
//
// Proxmox's API is Perl's: whether a number arrives as a number or a string depends on the version and on how the
// value was last used, booleans are 0, 1 or "", keys with a default are absent, and many values are "property
// strings" (key=value pairs in any order, the first key often left out). The functions here take all of these
// spellings, and say so if a value is none of them: a default is never put in the place of something unreadable.
package normalize
