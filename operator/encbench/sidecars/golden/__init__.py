"""The golden copy: an init container that restores a stopped server's files to the loaded state.

It runs before the server at every start of the pod and obeys the pod's annotation
`encbench.io/reset`: do nothing, make the golden copy, or restore it. Each restore has a name, which
is written to the volume when the restore is complete. So a recreated pod finds its restore done and
keeps the data, and a pod that was killed in the middle begins again.

Copies are plain, never reflinks: the server would have to copy shared blocks at its first write,
within the measured window. The page cache is left as it would be without them. It uses the standard
library only and runs as the server's user. Its termination message says what it did.
"""
