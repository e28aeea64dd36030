package proxmox

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/proxaudit/proxaudit/inventory"
)

var (
	// tokenID has the forms of pve-access-control PVE/AccessControl.pm (verify_username, token id) and
	// pve-common PVE/JSONSchema.pm (pve-realm).
	tokenID    = regexp.MustCompile(`^[^\s:/!=]+@[A-Za-z][A-Za-z0-9.\-_]+![A-Za-z][A-Za-z0-9.\-_]+$`)
	userID     = regexp.MustCompile(`^[^\s:/!=]+@[A-Za-z][A-Za-z0-9.\-_]+$`)
	uuidShape  = regexp.MustCompile(`^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	visibleRun = regexp.MustCompile(`^[\x21-\x7e]+$`)
)

// shortName is a token's name of one character.
var shortName = regexp.MustCompile(`^[^\s:/!=]+@[A-Za-z][A-Za-z0-9.\-_]+![A-Za-z0-9.\-_]$`)

const wantTokenID = "want USER@REALM!NAME, as `pveum user token list USER@REALM` shows it"

// The checks of a token and of a URL say what is wrong with a value, to be put behind the name of the place where it
// stands. The values themselves are in none of the errors: what stands in the wrong place may be the secret.

// CheckTokenID refuses what is no token ID.
func CheckTokenID(id string) error {
	switch {
	case id == "":
		return errors.New("is empty: " + wantTokenID)
	case strings.HasPrefix(id, "PVEAPIToken"):
		return errors.New("is a whole Authorization header (PVEAPIToken=…): give the part up to the second = as the ID and what follows it as the secret")
	case uuidShape.MatchString(id):
		return errors.New("is a UUID: that is the shape of a token's secret, not of its ID; " + wantTokenID + " (have the two been swapped?)")
	case strings.Contains(id, "="):
		return errors.New("has the secret behind it (ID=SECRET): give the two apart; " + wantTokenID)
	case userID.MatchString(id):
		return errors.New("has no !: it is the name of a user, and proxaudit does not log in with a password; " + wantTokenID)
	case strings.Contains(id, "!") && !strings.Contains(id, "@"):
		return errors.New("lacks the realm: " + wantTokenID)
	case shortName.MatchString(id):
		return errors.New("has a token's name of one character, and Proxmox wants two at least, a letter first: " + wantTokenID)
	case !tokenID.MatchString(id):
		return errors.New("has a shape that Proxmox does not give one: " + wantTokenID)
	}
	return nil
}

// CheckSecret refuses what cannot be a token's secret.
func CheckSecret(secret string) error {
	switch {
	case secret == "":
		return errors.New("is empty: Proxmox shows it once, when the token is made (`pveum user token add USER@REALM NAME --privsep 0`)")
	case strings.HasPrefix(secret, "PVEAPIToken"):
		return errors.New("is a whole Authorization header (PVEAPIToken=…): give only what follows the last =")
	case strings.Contains(secret, "!") && strings.Contains(secret, "="):
		return errors.New("has the token's ID in front of it (ID=SECRET): give only what follows the =")
	case strings.ContainsAny(secret, "!@="):
		return errors.New("has the shape of a token's ID: the secret is the UUID that Proxmox showed when the token was made (have the two been swapped?)")
	case !visibleRun.MatchString(secret):
		return errors.New("holds blanks or characters that cannot stand in a header")
	}
	return nil
}

func verifyToken(id, secret string) error {
	if err := CheckTokenID(id); err != nil {
		return fmt.Errorf("the token ID %w", err)
	}
	if err := CheckSecret(secret); err != nil {
		return fmt.Errorf("the token's secret %w", err)
	}
	return nil
}

// trimmed takes off what a file or a copy leaves around a secret.
func trimmed(s inventory.Secret) inventory.Secret {
	return inventory.NewSecret(strings.TrimSpace(s.Reveal()))
}
