"""The loop over campaigns, testbeds and trials, and what the passes over them share.

27 files, because what each kind does is in a room of its own, and these serve several of them.
"""
