module encbench.io/tests/cluster/tools/volumes

go 1.26.0

tool github.com/rfjakob/gocryptfs/v2

require github.com/hanwen/go-fuse/v2 v2.8.0

require (
	github.com/aperturerobotics/jacobsa-crypto v1.1.0 // indirect
	github.com/rfjakob/eme v1.1.2 // indirect
	github.com/rfjakob/gocryptfs/v2 v2.6.1 // indirect
	github.com/sabhiram/go-gitignore v0.0.0-20210923224102-525f6e181f06 // indirect
	github.com/spf13/pflag v1.0.5 // indirect
	golang.org/x/crypto v0.33.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
	golang.org/x/term v0.29.0 // indirect
)
