// MinIO, and before it a filter for requests that it would take although no key has signed them.
//
// Its repository is archived, so the last version keeps known holes. Who knows an access key, which
// every upload URL shows, could store any object without the secret (CVE-2026-40344 and
// CVE-2026-41145). Who holds an upload URL could copy other objects with it (CVE-2026-97731), or make
// its own unreadable (CVE-2026-34204). encbench promises that such a URL allows one PUT of one key,
// and tests/contract/store/test_forgeries.py tests it. A header of another kind must not be taken for
// the signature that MinIO then finds in the URL, so that a request has only one of both. The filter
// is as strict as S3, except that it refuses unsigned payloads with a trailer altogether, as the
// advisory advises.
//
// The program as a whole is under the AGPL, because MinIO is.
package main

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "unsafe" // for go:linkname

	minio "github.com/minio/minio/cmd"
	"github.com/minio/mux"
)

// What each request passes, outermost first. MinIO exports no place for a filter.
//
//go:linkname middlewares github.com/minio/minio/cmd.globalMiddlewares
var middlewares []mux.MiddlewareFunc

const (
	unsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	refusal         = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>%s</Message></Error>
`
)

var listed = regexp.MustCompile(`^AWS4-HMAC-SHA256.*SignedHeaders=([^,\s]*)`)

// inURL is what says in a URL who has signed it.
var inURL = []string{
	"X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "AWSAccessKeyId", "Signature",
}

func main() {
	time.Local = time.UTC // its own main has its reasons for this
	middlewares = append([]mux.MiddlewareFunc{filter}, middlewares...)
	minio.Main(os.Args)
}

func filter(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := unsigned(r); reason != "" {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, refusal, reason)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unsigned says what of a request is not signed and has to be; nothing where all is well.
func unsigned(r *http.Request) string {
	if slices.Contains(r.Header.Values("X-Amz-Content-Sha256"), unsignedTrailer) {
		return "the payload has to be signed"
	}
	query := r.URL.Query()
	if r.Header.Get("Authorization") != "" && slices.ContainsFunc(inURL, query.Has) {
		return "it is signed in its headers or in its URL, not in both"
	}
	signed, known := signedHeaders(r)
	if !known {
		return "" // MinIO itself refuses what has no signature
	}
	for name := range r.Header {
		name = strings.ToLower(name)
		ours := strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "x-minio-")
		if ours && !slices.Contains(signed, name) {
			return "there are headers that are not signed"
		}
	}
	return ""
}

// signedHeaders are those that the signature names, whether it is in a header or in the URL.
func signedHeaders(r *http.Request) ([]string, bool) {
	if found := listed.FindStringSubmatch(r.Header.Get("Authorization")); found != nil {
		return strings.Split(strings.ToLower(found[1]), ";"), true
	}
	query := r.URL.Query()
	if !query.Has("X-Amz-SignedHeaders") {
		return nil, false
	}
	return strings.Split(strings.ToLower(query.Get("X-Amz-SignedHeaders")), ";"), true
}
