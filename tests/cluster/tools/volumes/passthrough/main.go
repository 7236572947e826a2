// Passthrough mounts a folder somewhere else through FUSE and changes nothing of what goes through.
//
// It is what FUSE costs gocryptfs: the same library with the same mount options, as many threads that
// run Go, the same way of opening the files below (never O_DIRECT), and every byte through a buffer
// of this process. It has neither gocryptfs' cipher nor what belongs to its format: blocks that are
// read before a part of them is written, a lock per file, and space that is allocated before a write.
// The library's own loopback files would not do: they splice, lock each write, and hand the file to
// the kernel where that is new enough, so that no request would come here at all.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// below is what the library's file does well enough; without PassthroughFd, Read and Write.
type below interface {
	fs.FileAllocater
	fs.FileFlusher
	fs.FileFsyncer
	fs.FileGetattrer
	fs.FileLseeker
	fs.FileReleaser
	fs.FileSetattrer
}

type file struct {
	below
	fd int
}

func (f *file) Read(_ context.Context, buffer []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	count, err := syscall.Pread(f.fd, buffer, offset)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	return fuse.ReadResultData(buffer[:count]), fs.OK
}

func (f *file) Write(_ context.Context, data []byte, offset int64) (uint32, syscall.Errno) {
	count, err := syscall.Pwrite(f.fd, data, offset)
	return uint32(count), fs.ToErrno(err)
}

type node struct {
	fs.LoopbackNode
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	handle, flags, errno := n.LoopbackNode.Open(ctx, flags&^syscall.O_DIRECT)
	return wrapped(handle, errno), flags, errno
}

func (n *node) Create(
	ctx context.Context, name string, flags uint32, mode uint32, out *fuse.EntryOut,
) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, handle, flags, errno := n.LoopbackNode.Create(ctx, name, flags&^syscall.O_DIRECT, mode, out)
	return inode, wrapped(handle, errno), flags, errno
}

func wrapped(handle fs.FileHandle, errno syscall.Errno) fs.FileHandle {
	if errno != fs.OK {
		return nil
	}
	fd, _ := handle.(fs.FilePassthroughFder).PassthroughFd()
	return &file{handle.(below), fd}
}

func mount(lower, point string) (*fuse.Server, error) {
	var stat syscall.Stat_t
	if err := syscall.Stat(lower, &stat); err != nil {
		return nil, fmt.Errorf("%s: %w", lower, err)
	}
	root := &fs.LoopbackRoot{
		Path: lower,
		Dev:  stat.Dev,
		NewNode: func(root *fs.LoopbackRoot, _ *fs.Inode, _ string, _ *syscall.Stat_t) fs.InodeEmbedder {
			return &node{fs.LoopbackNode{RootData: root}}
		},
	}
	root.RootNode = root.NewNode(root, nil, "", &stat)
	// As gocryptfs has them: initGoFuse in its mount.go.
	second := time.Second
	return fs.Mount(point, root.RootNode, &fs.Options{
		NegativeTimeout: &second,
		AttrTimeout:     &second,
		EntryTimeout:    &second,
		NullPermissions: true,
		RootStableAttr:  &fs.StableAttr{Ino: stat.Ino},
		MountOptions: fuse.MountOptions{
			MaxWrite:    fuse.MAX_KERNEL_WRITE,
			DirectMount: true,
			AllowOther:  true,
			Options:     []string{"default_permissions"},
			FsName:      lower,
			Name:        "passthrough",
		},
	})
}

// atLeastFour is what gocryptfs' main does. Under a container's limit of one core Go takes fewer, and
// the arms would differ in how many requests they answer at a time.
func atLeastFour() {
	if runtime.GOMAXPROCS(0) < 4 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(4)
	}
}

func main() {
	atLeastFour()
	if len(os.Args) != 3 {
		log.Fatal("usage: passthrough <folder> <mount point>")
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	server, err := mount(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal("passthrough: ", err)
	}
	syscall.Umask(0)
	go func() {
		for range signals {
			if err := server.Unmount(); err != nil {
				log.Print("passthrough: ", err)
			}
		}
	}()
	server.Wait()
}
