"""`make release VERSION=x.y.z`: everything that a release needs, in one folder.

What comes out follows from the commit: the version is in the sources and only checked, times are
the commit's, and archives are written by `archive` and `oci` in one way. Two runs give equal files
as long as the registries of packages give equal packages; base images and packages of Debian are
not pinned.
"""
