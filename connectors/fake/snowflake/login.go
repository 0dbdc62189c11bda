package snowflake

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	text, err := body(r)
	var in struct {
		Data struct {
			Account    string         `json:"ACCOUNT_NAME"`
			User       string         `json:"LOGIN_NAME"`
			Password   string         `json:"PASSWORD"`
			Token      string         `json:"TOKEN"`
			Method     string         `json:"AUTHENTICATOR"`
			Parameters map[string]any `json:"SESSION_PARAMETERS"`
		} `json:"data"`
	}
	if err != nil || json.Unmarshal(text, &in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch in.Data.Method {
	case "SNOWFLAKE_JWT":
		if s.PublicKey == nil || !signed(in.Data.Token, s.PublicKey) {
			fail(w, Error{"390144", "08001", "JWT token is invalid."})
			return
		}
	case "OAUTH", "PROGRAMMATIC_ACCESS_TOKEN":
		if s.Token == "" || in.Data.Token != s.Token {
			fail(w, Error{map[string]string{"OAUTH": "390303", "PROGRAMMATIC_ACCESS_TOKEN": "390394"}[in.Data.Method], "08001",
				"Invalid access token."})
			return
		}
	default:
		if in.Data.Password != s.Password {
			fail(w, Error{"390100", "08001", "Incorrect username or password was specified."})
			return
		}
	}
	q := r.URL.Query()
	x := &session{user: in.Data.User, database: strings.ToUpper(q.Get("databaseName")),
		schema: strings.ToUpper(q.Get("schemaName")), params: map[string]string{}}
	for name, value := range in.Data.Parameters {
		x.params[name] = fmt.Sprint(value)
	}
	if q.Get("warehouse") == "NOWHERE" {
		fail(w, Error{"390201", "08004", "The requested warehouse 'NOWHERE' does not exist or not authorized."})
		return
	}
	if err := s.makeSchema(x); err != nil {
		fail(w, Error{"390201", "08004", "The requested database '" + x.database + "' does not exist or not authorized."})
		return
	}
	n := s.number()
	t, m := fmt.Sprintf("session-%d", n), fmt.Sprintf("master-%d", n)
	s.sessions[t], s.masters[m] = x, x
	reply(w, map[string]any{
		"token": t, "masterToken": m, "validityInSeconds": 3600, "masterValidityInSeconds": 14400, "sessionId": n,
		"serverVersion": "9.0.0",
		"parameters": []map[string]any{{"name": "TIMEZONE", "value": "UTC"},
			{"name": "CLIENT_STAGE_ARRAY_BINDING_THRESHOLD", "value": 0}},
		"sessionInfo": map[string]any{"databaseName": x.database, "schemaName": x.schema, "warehouseName": q.Get("warehouse"),
			"roleName": q.Get("roleName")},
	})
}

// signed verifies a JSON Web Token.
func signed(token string, key *rsa.PublicKey) bool {
	at := strings.LastIndexByte(token, '.')
	if at < 0 {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(token[at+1:])
	sum := sha256.Sum256([]byte(token[:at]))
	return err == nil && rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
}

// renew gives a session a new token for its master token.
func (s *Server) renew(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.masters[token(r)]
	if old == nil {
		fail(w, Error{"390114", "08001", "Authentication token has expired. The user must authenticate again."})
		return
	}
	x := *old
	x.expired = false
	n := s.number()
	t, m := fmt.Sprintf("session-%d", n), fmt.Sprintf("master-%d", n)
	s.sessions[t], s.masters[m] = &x, &x
	reply(w, map[string]any{"sessionToken": t, "masterToken": m, "sessionId": n, "validityInSecondsST": 3600,
		"validityInSecondsMT": 14400})
}
