"""The API: one file a kind, and what CRDs, conditions and their documentation are made from.

24 files, because the kinds, their shared parts and the schema's rules refer to each other.
"""
