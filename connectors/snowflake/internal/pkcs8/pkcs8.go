// Package pkcs8 reads private keys from PEM files, encrypted ones too, since gosnowflake only accepts parsed keys. See
// the connector's README.md for other libraries.
package pkcs8

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des" //nolint:gosec // what older versions of openssl encrypt keys with
	"crypto/pbkdf2"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // the default of PBES2
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"hash"
)

var (
	errNoKey       = errors.New("expected a PEM file with an RSA private key in PKCS #8")
	errNeedsPhrase = errors.New(
		"the key is encrypted, and no passphrase is configured (private_key_passphrase_env or private_key_passphrase_file)")
	errWrongPhrase   = errors.New("the passphrase is wrong")
	errUnknownCipher = errors.New(
		"unsupported encryption; expected PBES2 with PBKDF2 and AES or triple DES, as openssl pkcs8 -topk8 writes it")
)

// Key parses an RSA key in PKCS #8, encrypted or not, or in PKCS #1, from a PEM file. passphrase is "" if there is
// none. Errors describe the expected format and contain no part of the key.
func Key(file []byte, passphrase string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return nil, errNoKey
	}
	der := block.Bytes
	switch block.Type {
	case "RSA PRIVATE KEY":
		if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
			return key, nil
		}
		return nil, errNoKey
	case "ENCRYPTED PRIVATE KEY":
		if passphrase == "" {
			return nil, errNeedsPhrase
		}
		var err error
		if der, err = decrypt(der, passphrase); err != nil {
			return nil, err
		}
		if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
			if key, ok := key.(*rsa.PrivateKey); ok {
				return key, nil
			}
			return nil, errNoKey
		}
		return nil, errWrongPhrase
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if key, ok := key.(*rsa.PrivateKey); ok && err == nil {
		return key, nil
	}
	return nil, errNoKey
}

// The structures of PKCS #5 (RFC 8018, appendix A).
type encryptedKey struct {
	Algorithm pkix.AlgorithmIdentifier
	Data      []byte
}

type pbes2 struct {
	KDF    pkix.AlgorithmIdentifier
	Cipher pkix.AlgorithmIdentifier
}

type pbkdf2Params struct {
	Salt       []byte
	Iterations int
	KeyLength  int                      `asn1:"optional"`
	PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
}

// maxIterations limits the work that a key file can cause.
const maxIterations = 10_000_000

var (
	oidPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}

	prfs = map[string]func() hash.Hash{
		"":                    sha1.New,
		"1.2.840.113549.2.7":  sha1.New,
		"1.2.840.113549.2.9":  sha256.New,
		"1.2.840.113549.2.10": sha512.New384,
		"1.2.840.113549.2.11": sha512.New,
	}
	ciphers = map[string]struct {
		keyLength int
		block     func([]byte) (cipher.Block, error)
	}{
		"2.16.840.1.101.3.4.1.2":  {16, aes.NewCipher},
		"2.16.840.1.101.3.4.1.22": {24, aes.NewCipher},
		"2.16.840.1.101.3.4.1.42": {32, aes.NewCipher},
		"1.2.840.113549.3.7":      {24, des.NewTripleDESCipher},
	}
)

func decrypt(der []byte, passphrase string) ([]byte, error) {
	var e encryptedKey
	if rest, err := asn1.Unmarshal(der, &e); err != nil || len(rest) > 0 {
		return nil, errNoKey
	}
	var scheme pbes2
	if !e.Algorithm.Algorithm.Equal(oidPBES2) {
		return nil, errUnknownCipher
	}
	if _, err := asn1.Unmarshal(e.Algorithm.Parameters.FullBytes, &scheme); err != nil ||
		!scheme.KDF.Algorithm.Equal(oidPBKDF2) {
		return nil, errUnknownCipher
	}
	var kdf pbkdf2Params
	if _, err := asn1.Unmarshal(scheme.KDF.Parameters.FullBytes, &kdf); err != nil || kdf.Iterations < 1 ||
		kdf.Iterations > maxIterations {
		return nil, errUnknownCipher
	}
	prf, ok := prfs[kdf.PRF.Algorithm.String()]
	c, known := ciphers[scheme.Cipher.Algorithm.String()]
	var iv []byte
	if _, err := asn1.Unmarshal(scheme.Cipher.Parameters.FullBytes, &iv); err != nil || !ok || !known {
		return nil, errUnknownCipher
	}
	key, err := pbkdf2.Key(prf, passphrase, kdf.Salt, kdf.Iterations, c.keyLength)
	if err != nil {
		return nil, errUnknownCipher
	}
	block, err := c.block(key)
	if err != nil || len(iv) != block.BlockSize() || len(e.Data) == 0 || len(e.Data)%block.BlockSize() != 0 {
		return nil, errUnknownCipher
	}
	plain := make([]byte, len(e.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, e.Data)
	padding := int(plain[len(plain)-1])
	if padding < 1 || padding > block.BlockSize() ||
		!bytes.Equal(plain[len(plain)-padding:], bytes.Repeat([]byte{byte(padding)}, padding)) {
		return nil, errWrongPhrase
	}
	return plain[:len(plain)-padding], nil
}
