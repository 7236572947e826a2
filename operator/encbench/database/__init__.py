"""The objects of one testbed, assembled from the parts that an engine supplies.

`children` and `pod` build what every database has. The other modules add what only some have: the
golden copy, a FUSE file system, the confidential proxy.
"""
