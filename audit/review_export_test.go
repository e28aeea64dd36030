package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
)

// keyOfUnread is the key of vm/dc1/101 without a UUID and a time of creation.
func keyOfUnread() string {
	sum := sha256.Sum256([]byte("vm\x00dc1\x00vmid\x00101\x00"))
	return hex.EncodeToString(sum[:16])
}
