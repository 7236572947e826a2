"""A trial's life: observe, decide by stages, and conclude from what lies in the bucket.

25 files, because each stage of a trial has one, and so has each part of its record.
"""
