package calibration

import (
	"os"
	"path/filepath"

	"github.com/badger-eval/badger/internal/errcode"
)

// Draw writes the pictures of a report: as one file each into the directory svg, and together with the table as a
// page into the file html. Either may be "". Errors name the flag.
func Draw(r *Report, svg, html string) error {
	if svg == "" && html == "" {
		return nil
	}
	pictures := Pictures(r)
	write := func(flag, path string, text []byte) error {
		if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // a report, to be read by others
			return errcode.New(errcode.PermissionDenied, "%s: %w", flag, err)
		}
		return nil
	}
	if svg != "" {
		if err := os.MkdirAll(svg, 0o755); err != nil { //nolint:gosec // likewise
			return errcode.New(errcode.PermissionDenied, "--svg: %w", err)
		}
		for _, picture := range pictures {
			text, err := picture.SVG()
			if err != nil {
				return err
			}
			if err := write("--svg", filepath.Join(svg, picture.Name+".svg"), text); err != nil {
				return err
			}
		}
	}
	if html != "" {
		page, err := Page(r, pictures)
		if err != nil {
			return err
		}
		return write("--html", html, page)
	}
	return nil
}
