// A registry for images that stores files and asks for a password.
//
// The stock binary links the storage of three clouds and costs minutes to compile.
package main

import (
	"os"

	"github.com/distribution/distribution/v3/registry"

	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
)

func main() {
	if registry.RootCmd.Execute() != nil {
		os.Exit(1)
	}
}
