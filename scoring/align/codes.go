package align

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

func (c *column) codes() *cell.CodeText {
	if c.code == nil {
		t := cell.ReadCodes(c.col)
		c.code = &t
	}
	return c.code
}

// Words in names of columns that hold codes whose separators have no meaning, and in names of columns that hold bytes.
var (
	groupedCodes = []string{
		"phone", "telephone", "tel", "mobile", "fax", "cellphone", "msisdn", "whatsapp", "hotline", "iban", "isbn", "issn",
		"ean", "gtin", "upc", "barcode", "card", "creditcard",
		"ssn", "nin", "nino", "bban", "bic", "swift", "routing", "sortcode", "imei", "orcid", "npi", "postcode", "zip",
		"zipcode", "siren", "siret", "cusip", "isin",
	}
	byteWords = []string{"mac", "hash", "sha", "sha1", "sha256", "sha512", "md5", "checksum", "fingerprint", "digest",
		"hex", "bytes", "byte", "signature", "thumbprint", "etag"}
)

// codeReadings returns the ways to compare two columns as codes in different notations: UUIDs, bytes, and codes whose
// separators have no meaning according to a name or their check digits.
func (a *aligner) codeReadings(g, p *column) (out []viewPair) {
	if g.col.Type != scoring.String && p.col.Type != scoring.String {
		return nil
	}
	view := func(gf, pf string) {
		out = append(out,
			viewPair{g: cell.View{Kind: scoring.KindText, Format: gf}, p: cell.View{Kind: scoring.KindText, Format: pf}})
	}
	grouped := g.nameHas(groupedCodes...) || p.nameHas(groupedCodes...)
	if isNumeric(g) || isNumeric(p) { // a number is a code without separators
		text, number := g, p
		if isNumeric(g) {
			text, number = p, g
		}
		if (grouped || text.codes().Check) && text.codes().Groups && text.textFormats().numbers.Format == "" &&
			(number.col.Type == scoring.Int64 || number.col.Type == scoring.Decimal) {
			view(cell.FormatCode, cell.FormatCode)
		}
		return out
	}
	gc, pc := g.codes(), p.codes()
	if gc.UUID && pc.UUID && (gc.Dashes || pc.Dashes) {
		view(cell.FormatUUID, cell.FormatUUID)
	}
	named := g.nameHas(byteWords...) || p.nameHas(byteWords...)
	switch {
	case gc.Bytes && pc.Hex:
		view("", cell.FormatHex)
	case gc.Hex && pc.Bytes:
		view(cell.FormatHex, "")
	case gc.Hex && pc.Hex && (named || gc.Marked && pc.Marked):
		view(cell.FormatHex, cell.FormatHex)
	}
	switch {
	case gc.Bytes && pc.Base64:
		view("", cell.FormatBase64)
	case gc.Base64 && pc.Bytes:
		view(cell.FormatBase64, "")
	case gc.Hex && pc.Base64:
		view(cell.FormatHex, cell.FormatBase64)
	case gc.Base64 && pc.Hex:
		view(cell.FormatBase64, cell.FormatHex)
	}
	numbers := g.textFormats().numbers.Format != "" && p.textFormats().numbers.Format != "" // whose points are content
	if gc.Groups && pc.Groups && !numbers && (grouped || gc.Check && pc.Check || gc.Plus && pc.Plus) {
		view(cell.FormatCode, cell.FormatCode)
	}
	return out
}
