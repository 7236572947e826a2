"""Compares what two revisions of this repository produce from the same inputs."""
