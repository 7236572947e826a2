"""`make release VERSION=x.y.z`: everything that a release needs, in one folder.

What comes out follows from the commit: the version is in the sources and only checked, times are
the commit's, and archives are written by `archive` and `oci` in one way. Compiled programs, base
images and images come from the cache if it has them, so only runs with new caches
(`ENCBENCH_CACHE`) show that builds are equal. Three things that may differ are not in the commit:
base images and packages of Debian, which are not pinned; the compilers of this machine; and the
place of cargo's folder, which programs in Rust name in their messages.
"""
