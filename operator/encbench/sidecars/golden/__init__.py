"""The golden copy: an init container that puts a stopped server's files back to what was loaded.

It runs before the server at every start of the pod and does what the pod's annotation
`encbench.io/reset` asks for: nothing, make the golden copy, or restore it. Each restoring has a
name, which is written down on the volume when it is complete. So a pod that is made anew by
somebody else finds its restoring done and keeps the data, and one that was killed in the middle
begins again.

Copies are plain: never a reflink, whose shared blocks the server would have to copy at its first
write, within the measured window. The page cache is left as it would be without them. Standard
library only, as root of nothing: it is the server's user. What it did is its termination message.
"""
