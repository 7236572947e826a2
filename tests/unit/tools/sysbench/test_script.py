"""What a Lua script declares."""

import time

import pytest

from encbench.tools.sysbench.problems import LARGEST_SCRIPT
from encbench.tools.sysbench.script import read

WHOLE = """
-- sysbench.cmdline.options = { commented = {"no", 1} }
--[[ sysbench.cmdline.options = { block_comment = {"no"} }
function event() end ]]
sysbench.cmdline.options = {
   tables = {"Number of tables", 1}, -- trailing = {"no"}
   ["table-size"] = {"Rows, as in {accounts = 10}", 10000},
   mode =
      {"One of " .. "fast = 1" .. [[ , slow = 2]], "fast", nested = {inner = 1}}
}
sysbench.cmdline.options.extra = {"Added later", false}
sysbench.cmdline.options["more"] = {"Added later", false}
if sysbench.cmdline.options.tables == 3 then print("options = {x = 1}") end
sysbench.cmdline.commands = { prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND} }
function cmd_prepare() end
function thread_init() end
event = function() end
local function hidden() end
local hidden_too = function() end
function module.method() end
"""


def test_options_of_a_table_and_those_added_to_it() -> None:
    assert read(WHOLE).options == {"tables", "table_size", "mode", "extra", "more"}


def test_commands_and_functions() -> None:
    found = read(WHOLE)
    assert found.commands == {"prepare"}
    assert found.functions == {"cmd_prepare", "thread_init", "event"}


def test_a_plain_prepare_function_is_a_command() -> None:
    found = read("function prepare()\nend\nfunction cleanup() end\n")
    assert found.commands == {"prepare", "cleanup"}


def test_a_script_that_builds_on_sysbench_s_own_inherits() -> None:
    found = read('require("oltp_common")\nfunction event() end')
    assert {"tables", "table_size", "range_size"} <= found.options
    assert "prepare" in found.commands
    found = read("require 'select_random_points'")
    assert "random_points" in found.options
    assert "event" in found.functions
    assert "event" not in read('require "oltp_common"').functions


def test_another_module_is_nothing_to_inherit_from() -> None:
    assert read('local ffi = require("ffi")').options == frozenset()


def test_the_old_interface() -> None:
    assert read("function thread_init() db_connect() end").old_interface
    assert read("local c = sysbench.db.connect()").old_interface
    assert not read("-- db_connect()\nlocal c = sysbench.sql.driver():connect()").old_interface


@pytest.mark.parametrize(
    "text",
    [
        "function db_connect() return sysbench.sql.driver():connect() end con = db_connect()",
        "local function db_connect () end con = db_connect()",
        "db_connect = function() end con = db_connect()",
        "local db_connect = require('helpers').connect con = db_connect()",
        "con = helpers.db_connect() or helpers:db_connect()",
        "print('no db_connect() here' .. [[ sysbench.db.connect() ]])",
    ],
)
def test_a_name_or_a_word_of_the_script_s_own_is_no_old_interface(text: str) -> None:
    assert not read(text).old_interface


@pytest.mark.parametrize(
    "text",
    ["local db_connect = db_connect", "if db_connect == nil then end", "con = db_connect ()"],
)
def test_another_use_of_the_old_interface(text: str) -> None:
    assert read(text).old_interface


def test_hooks_of_the_report() -> None:
    assert read("sysbench.hooks.report_cumulative = f").replaces_reports
    assert not read("-- sysbench.hooks.report_cumulative").replaces_reports
    assert not read('print("sysbench.hooks.report_cumulative")').replaces_reports


def test_a_text_that_is_no_lua_declares_nothing() -> None:
    found = read("sysbench.cmdline.options = { tables = {")
    assert found.options == {"tables"}
    assert read("\x00{{{").options == frozenset()


def test_a_string_that_nothing_closes_ends_with_its_line() -> None:
    found = read(
        'local s = "\\"open\nfunction event() end\nlocal t = \'open\nfunction prepare() end'
    )
    assert found.functions == {"event", "prepare"}
    assert read('local s = "two \\\n lines" function event() end').functions == {"event"}


STRINGS = (r"\"", r"\'", '"', "[=", "--[[", "--[=[")
WORDS = ("require", "require (", "require 'a", "function ", "a=function ", "local ", "{a={", "a =")
CONNECTS = ("db_connect", "db_connect ", "db_connect =", "function db_connect ")


@pytest.mark.parametrize("repeated", [*STRINGS, *WORDS, *CONNECTS, "a", "[", "(", " "])
def test_no_text_takes_long(repeated: str) -> None:
    """The operator reads a script between two looks at the cluster. Squared, it takes minutes."""
    many, before = repeated * (LARGEST_SCRIPT // len(repeated)), time.process_time()
    for begin in ("", '"', "'", "require (", "sysbench.cmdline.options = {"):
        read(f"{begin}{many}")
    assert time.process_time() - before < 10
