package proxmox

import (
	"errors"
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

const wantTokenID = "want USER@REALM!NAME, as `pveum user token list USER@REALM` shows it"

// verifyToken refuses an ID and a secret of the wrong shape. The values themselves are in none of the errors: what
// stands in the wrong place may be the secret.
func verifyToken(id, secret string) error {
	switch {
	case id == "":
		return errors.New("the token ID is empty: " + wantTokenID)
	case strings.HasPrefix(id, "PVEAPIToken"):
		return errors.New("the token ID is a whole Authorization header (PVEAPIToken=…): give the part up to the second = as the ID and what follows it as the secret")
	case uuidShape.MatchString(id):
		return errors.New("the token ID is a UUID: that is the shape of a token's secret, not of its ID; " + wantTokenID + " (have the two been swapped?)")
	case strings.Contains(id, "="):
		return errors.New("the token ID has the secret behind it (ID=SECRET): give the two apart; " + wantTokenID)
	case userID.MatchString(id):
		return errors.New("the token ID has no !: it is the name of a user, and proxaudit does not log in with a password; " + wantTokenID)
	case !tokenID.MatchString(id):
		return errors.New("the token ID has a shape that Proxmox does not give one: " + wantTokenID)
	case secret == "":
		return errors.New("the token's secret is empty: Proxmox shows it once, when the token is made (`pveum user token add USER@REALM NAME`)")
	case strings.HasPrefix(secret, "PVEAPIToken"):
		return errors.New("the token's secret is a whole Authorization header (PVEAPIToken=…): give only what follows the last =")
	case tokenID.MatchString(secret) || strings.ContainsAny(secret, "!@="):
		return errors.New("the token's secret has the shape of a token's ID: the secret is the UUID that Proxmox showed when the token was made (have the two been swapped?)")
	case !visibleRun.MatchString(secret):
		return errors.New("the token's secret holds blanks or characters that cannot stand in a header")
	}
	return nil
}

// trimmed takes off what a file or a copy leaves around a secret.
func trimmed(s inventory.Secret) inventory.Secret {
	return inventory.NewSecret(strings.TrimSpace(s.Reveal()))
}
