"""The objects of one testbed: an engine supplies parts, and each object is assembled once.

One module builds the objects that every database has (`children`, `pod`); the others bring what
only some have: the golden copy, a FUSE file system, the confidential proxy, TLS.
"""
