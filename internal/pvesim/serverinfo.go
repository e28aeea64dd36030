package pvesim

// NodeURL returns the URL of the API of one node, "" if there is no such node. A
// node that is off resets every connection.
func (s *Server) NodeURL(node string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.urls[node]
}

// CAPEM returns the certificate of the CA that signed the server's; nil with
// plain HTTP.
func (s *Server) CAPEM() []byte {
	if s.id == nil {
		return nil
	}
	return s.id.caPEM
}

// Fingerprint returns the SHA-256 of the server's certificate, as
// "AA:BB:…"; with plain HTTP it is that of no certificate.
func (s *Server) Fingerprint() string {
	if s.id == nil {
		return fingerprint(nil)
	}
	return s.id.fingerprint
}

// Secret returns the secret of a token, "" if there is no such token.
func (s *Server) Secret(tokenID string) string {
	if t := s.current().tokens[tokenID]; t != nil {
		return t.secret
	}
	return ""
}

// TokenIDs returns the IDs of all tokens, sorted.
func (s *Server) TokenIDs() []string { return sortedKeys(s.current().tokens) }

// AuthHeader returns the value of the Authorization header for a token.
func (s *Server) AuthHeader(tokenID string) string {
	return "PVEAPIToken=" + tokenID + "=" + s.Secret(tokenID)
}
