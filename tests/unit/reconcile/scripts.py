"""A sysbench script of a user's own."""

SCRIPT = """
sysbench.cmdline.options = {tables = {"", 1}, table_size = {"", 1}}
function prepare() end
function event() end
"""
