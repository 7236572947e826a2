-- The workloads of the published study of encrypted column types in PostgreSQL. Every arm runs this
-- script: --encrypted=none is the plain one. The server has the extension encbench_enclave in the
-- encrypted arms, and nothing of it in the plain one.
--
--     scenario 1   --encrypted=k,c,pad
--     scenario 2   --encrypted=id,k,c,pad
--     scenario 3   as 2, --lookup=k: rows are found by k, of which each row has one of its own
--
--     point   SELECT c                    range   SELECT SUM(k) over range_size rows
--     write   a transaction of UPDATE k=k+1, UPDATE c, DELETE and INSERT
--
-- Row 0 of the first table belongs to no workload. The first thread prints its digest before and
-- after the run, as it has opened it.

-- A transaction becomes one trace, which has more constants than the 500 that LuaJIT expects.
require("jit.opt").start("maxirconst=2000")

local ffi = require("ffi")
local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local cipher_of = dofile(folder .. "/enclave_cipher.lua")

sysbench.cmdline.options = {
   tables = {"Number of tables", 1},
   table_size = {"Number of rows per table, beside row 0 of the first", 10000},
   range_size = {"Rows of a range", 100},
   encrypted = {"Columns with encrypted types, separated by commas, or none", "none"},
   lookup = {"The column by which rows are found: id or k", "id"},
   workload = {"point, range or write", "point"},
   key_file = {"File that holds the key, as 32 hexadecimal digits", ""},
   index = {"Operator class of encrypted indexes: Single or PageBatch", "Single"},
   create_secondary = {"Create an index on k", true},
}

local C = "###########-###########-###########-###########-###########-"
   .. "###########-###########-###########-###########-###########"
local PAD = "###########-###########-###########-###########-###########"

local cipher

-- How a column is written: its type, how a value becomes a parameter or a literal, and how one is
-- read, which gets its place and size in a result.
local function plain_column(definition, bound, from_server)
   return { definition = definition, bound = bound, open = from_server, class = "",
            set = function(parameter, value) parameter:set(value) end,
            literal = function(value) return "'" .. value .. "'" end }
end

local function encrypted_column(kind, length, seal, put, open, empty)
   return { definition = string.format("enc_%s DEFAULT '%s' NOT NULL", kind, seal(empty)),
            bound = {sysbench.sql.type.VARCHAR, length + 1}, inferred = true, open = open,
            class = sysbench.opt.index == "PageBatch" and " enc_" .. kind .. "_batch_ops" or "",
            set = function(parameter, value)
               parameter.data_len[0] = put(value, parameter.buffer, parameter.max_len)
            end,
            literal = function(value) return "'" .. seal(value) .. "'" end }
end

-- The last four bytes, because a sum has eight.
local function plain_int(place, size)
   local raw = ffi.cast("const uint8_t *", place) + size - 4
   return bit.bor(bit.lshift(raw[0], 24), bit.lshift(raw[1], 16), bit.lshift(raw[2], 8), raw[3])
end

local function plain_text(place, size) return ffi.string(place, size) end

local function without_padding(text) return (text:gsub(" +$", "")) end

-- The names in --encrypted, each a key.
local function encrypted_names()
   local names = {}
   if sysbench.opt.encrypted == "none" then return names end
   for name in (sysbench.opt.encrypted .. ","):gmatch("([^,]*),") do
      if name ~= "id" and name ~= "k" and name ~= "c" and name ~= "pad" then
         error("--encrypted must be none, or some of: id, k, c, pad", 0)
      end
      names[name] = true
   end
   return names
end

-- The four columns, made when a command begins, for then the options are known.
local function columns()
   local int, char = sysbench.sql.type.INT, sysbench.sql.type.CHAR
   local made = {
      id = plain_column("INTEGER NOT NULL", {int}, plain_int),
      k = plain_column("INTEGER DEFAULT '0' NOT NULL", {int}, plain_int),
      c = plain_column("CHAR(120) DEFAULT '' NOT NULL", {char, 120}, plain_text),
      pad = plain_column("CHAR(60) DEFAULT '' NOT NULL", {char, 60}, plain_text),
   }
   local names = encrypted_names()
   if next(names) == nil then return made end
   cipher = cipher_of.from_file(sysbench.opt.key_file)
   local sealed = {
      id = {"int4", 48, cipher.seal_int, cipher.put_int, cipher.open_int, 0},
      k = {"int4", 48, cipher.seal_int, cipher.put_int, cipher.open_int, 0},
      c = {"text", 204, cipher.seal_text, cipher.put_text, cipher.open_text, ""},
      pad = {"text", 124, cipher.seal_text, cipher.put_text, cipher.open_text, ""},
   }
   for name in pairs(names) do made[name] = encrypted_column(unpack(sealed[name])) end
   if names.id then made.id.definition = "enc_int4 NOT NULL" end
   return made
end

local function known(name, choices)
   for _, choice in ipairs(choices) do
      if sysbench.opt[name] == choice then return end
   end
   error(string.format("--%s must be one of: %s", name, table.concat(choices, ", ")), 0)
end

local function check_options()
   encrypted_names()
   known("lookup", {"id", "k"})
   known("workload", {"point", "range", "write"})
   known("index", {"Single", "PageBatch"})
   if sysbench.opt.workload == "write" and sysbench.opt.lookup == "k" then
      error("write finds its rows by id: leave out --lookup=k", 0)
   end
end

-- Loading

local function common_divisor(a, b)
   while b > 0 do a, b = b, a % b end
   return a
end

-- Where rows are found by k, a permutation of their numbers: each k is one row's, in no order.
local function k_of_rows()
   local size = sysbench.opt.table_size
   if sysbench.opt.lookup == "id" then
      return function() return sysbench.rand.default(1, size) end
   end
   local step = math.floor(size * 0.618) + 1
   while common_divisor(step, size) > 1 do step = step + 1 end
   return function(row) return (row * step) % size + 1 end
end

-- A primary key takes the default operator class alone; another one makes a unique index.
local function primary_key(connection, name, column)
   if column.class == "" then
      connection:query(string.format("ALTER TABLE %s ADD PRIMARY KEY (id)", name))
   else
      connection:query(string.format("CREATE UNIQUE INDEX %s_pkey ON %s (id%s)",
                                     name, name, column.class))
   end
end

local function load_table(connection, number)
   local column, k_of = columns(), k_of_rows()
   local name = "sbtest" .. number
   print(string.format("Creating table '%s'...", name))
   connection:query(string.format("CREATE TABLE %s (id %s, k %s, c %s, pad %s)", name,
      column.id.definition, column.k.definition, column.c.definition, column.pad.definition))
   primary_key(connection, name, column.id)
   connection:bulk_insert_init("INSERT INTO " .. name .. " (id, k, c, pad) VALUES")
   for row = number == 1 and 0 or 1, sysbench.opt.table_size do
      connection:bulk_insert_next(string.format("(%s, %s, %s, %s)",
         column.id.literal(row), column.k.literal(row == 0 and 0 or k_of(row)),
         column.c.literal(sysbench.rand.string(C)), column.pad.literal(sysbench.rand.string(PAD))))
   end
   connection:bulk_insert_done()
   if sysbench.opt.create_secondary then
      connection:query(string.format("CREATE INDEX k_%d ON %s (k%s)", number, name,
                                     column.k.class))
   end
   connection:query("ANALYZE " .. name)
end

local function cmd_prepare()
   check_options()
   local connection = sysbench.sql.driver():connect()
   local threads = sysbench.opt.threads
   for number = sysbench.tid % threads + 1, sysbench.opt.tables, threads do
      load_table(connection, number)
   end
end

sysbench.cmdline.commands = { prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND} }

function cleanup()
   local connection = sysbench.sql.driver():connect()
   for number = 1, sysbench.opt.tables do
      print(string.format("Dropping table 'sbtest%d'...", number))
      connection:query("DROP TABLE IF EXISTS sbtest" .. number)
   end
end

-- Running

local connection, column, statements, begin, commit

-- The first binding prepares the statement, whose parameters then have these types. sysbench names
-- none of ours, and leaves those to the server that it names no type for, such as DATETIME. By the
-- second binding they are texts. A cast in the statement would cost the server a twelfth of the
-- query's instructions.
local function bind(statement, names, parameters)
   for place, name in ipairs(names) do
      if column[name].inferred then parameters[place].type = sysbench.sql.type.DATETIME end
   end
   statement:bind_param(unpack(parameters))
   for place, name in ipairs(names) do
      if column[name].inferred then parameters[place].type = sysbench.sql.type.VARCHAR end
   end
   statement:bind_param(unpack(parameters))
end

-- A statement whose parameters are these columns. set has a function for each. (What runs for each
-- transaction keeps to what LuaJIT compiles: no variable arguments, no tables made of them.)
local function prepared(text, ...)
   local names, parameters, set = {...}, {}, {}
   local statement = connection:prepare(text)
   for place, name in ipairs(names) do
      local parameter, put = statement:bind_create(unpack(column[name].bound)), column[name].set
      parameters[place] = parameter
      set[place] = function(value) put(parameter, value) end
   end
   bind(statement, names, parameters)
   return { set = set, statement = statement }
end

local definitions = {
   point = function(name, key)
      return { prepared("SELECT c FROM " .. name .. " WHERE " .. key .. "=?", key) }
   end,
   range = function(name, key)
      return { prepared("SELECT SUM(k) FROM " .. name .. " WHERE " .. key .. " BETWEEN ? AND ?",
                        key, key) }
   end,
   write = function(name)
      return {
         prepared("UPDATE " .. name .. " SET k=k+? WHERE id=?", "k", "id"),
         prepared("UPDATE " .. name .. " SET c=? WHERE id=?", "c", "id"),
         prepared("DELETE FROM " .. name .. " WHERE id=?", "id"),
         prepared("INSERT INTO " .. name .. " (id, k, c, pad) VALUES (?, ?, ?, ?)",
                  "id", "k", "c", "pad"),
      }
   end,
}

-- The values of the only row, where they are: sysbench's own fetch_row makes a table and strings.
local function values_of(result)
   local row = ffi.C.db_fetch_row(result)
   if row == nil then error("a row that was loaded is not there", 2) end
   return row.values
end

local function opened(value, open)
   if value.ptr == nil then error("a value that was loaded is not there", 2) end
   return open(value.ptr, tonumber(value.len))
end

-- Read the only value as the application would.
local function read_value(result, open)
   opened(values_of(result)[0], open)
   result:free()
end

local function print_digest()
   local ask = prepared("SELECT k, c, pad FROM sbtest1 WHERE id=?", "id")
   ask.set[1](0)
   local result = ask.statement:execute()
   local values = values_of(result)
   local row = table.concat({tostring(opened(values[0], column.k.open)),
                             without_padding(opened(values[1], column.c.open)),
                             without_padding(opened(values[2], column.pad.open))}, "\31")
   result:free()
   ask.statement:close()
   -- On a line of its own, and in one write, for other threads write lines as well.
   io.write(string.format("\nencbench-columns sbtest1 %s\n", cipher_of.sha256(row)))
   io.flush()
end

function thread_init()
   check_options()
   connection = sysbench.sql.driver():connect()
   column, statements = columns(), {}
   local key = sysbench.opt.lookup
   for number = 1, sysbench.opt.tables do
      statements[number] = definitions[sysbench.opt.workload]("sbtest" .. number, key)
   end
   if sysbench.opt.workload == "write" then
      begin, commit = connection:prepare("BEGIN"), connection:prepare("COMMIT")
   end
   if sysbench.tid == 0 then print_digest() end
end

function thread_done()
   if sysbench.tid == 0 then print_digest() end
   for _, of_table in ipairs(statements) do
      for _, one in ipairs(of_table) do one.statement:close() end
   end
   if begin then
      begin:close()
      commit:close()
   end
   connection:disconnect()
end

local function any_table()
   return statements[sysbench.rand.uniform(1, sysbench.opt.tables)]
end

-- By k, keys are drawn uniformly, as in the study's scenario 3, so that a key is about one row.
local function any_key(last)
   if sysbench.opt.lookup == "k" then return sysbench.rand.uniform(1, last) end
   return sysbench.rand.default(1, last)
end

local events = {
   point = function()
      local select = any_table()[1]
      select.set[1](any_key(sysbench.opt.table_size))
      read_value(select.statement:execute(), column.c.open)
   end,
   range = function()
      local select, low = any_table()[1], any_key(sysbench.opt.table_size)
      select.set[1](low)
      select.set[2](low + sysbench.opt.range_size - 1)
      read_value(select.statement:execute(), column.k.open)
   end,
   write = function()
      local last = sysbench.opt.table_size
      local update_k, update_c, replaced = any_table()[1], any_table()[2], any_table()
      local delete, insert, id = replaced[3], replaced[4], any_key(last)
      begin:execute()
      update_k.set[1](1)
      update_k.set[2](any_key(last))
      update_k.statement:execute()
      update_c.set[1](sysbench.rand.string(C))
      update_c.set[2](any_key(last))
      update_c.statement:execute()
      delete.set[1](id)
      delete.statement:execute()
      insert.set[1](id)
      insert.set[2](any_key(last))
      insert.set[3](sysbench.rand.string(C))
      insert.set[4](sysbench.rand.string(PAD))
      insert.statement:execute()
      commit:execute()
   end,
}

function event()
   events[sysbench.opt.workload]()
end
