-- Runs the script that ENCBENCH_SCRIPT names, a built-in one or a path, and has the first session of
-- the first thread say what it negotiated (tools/session.py reads it):
--
--     encbench-session tls=TLSv1.3 cipher=TLS_AES_128_GCM_SHA256
--
-- Each thread says when its last transaction was over, in seconds of the load and as Unix time
-- (progress.py reads it), because sysbench's own time ends with the last thread_done():
--
--     encbench-over 61.002345 1763731234.123456
--
-- sysbench loads this file in place of the script, once for each thread and once to read options and
-- commands; what the script declares is global and so declared all the same. Only the first thread's
-- driver is replaced, by one that hands out the real connections: a transaction costs what it cost.

local script = assert(os.getenv("ENCBENCH_SCRIPT"), "ENCBENCH_SCRIPT must name the script to run")

local questions = {
   mysql = "SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')",
   pgsql = "SELECT 'Ssl_version', version FROM pg_stat_ssl WHERE pid = pg_backend_pid() "
      .. "UNION ALL SELECT 'Ssl_cipher', cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
}

-- An answer that does not come is not the answer "none".
local function word(answers, name)
   if answers[name] == nil then return "unknown" end
   return answers[name] == "" and "none" or answers[name]
end

local function tell(connection, driver)
   local rows = connection:query(questions[driver])
   local answers = {}
   for _ = 1, rows.nrows do
      local row = rows:fetch_row()
      answers[row[1]] = row[2] or ""
   end
   rows:free()
   -- On a line of its own, for the script may have left one unfinished, and in one write, for other
   -- threads write lines as well.
   io.write(string.format("\nencbench-session tls=%s cipher=%s\n",
                          word(answers, "Ssl_version"), word(answers, "Ssl_cipher")))
   io.flush()
end

local make_driver = sysbench.sql.driver
local told = sysbench.tid ~= 0

local function connect(driver)
   local connection = driver:connect()
   if not told then
      told = true
      tell(connection, driver:name())
   end
   return connection
end

function sysbench.sql.driver(...)
   local driver = make_driver(...)
   if told then return driver end
   -- A method is made once: an event() that asks the driver for its name would be interpreted if
   -- each call made a function, which LuaJIT does not compile.
   return setmetatable({connect = function() return connect(driver) end}, {
      __index = function(own, name)
         local value = driver[name]
         if type(value) ~= "function" then return value end
         own[name] = function(_, ...) return value(driver, ...) end
         return own[name]
      end,
   })
end

sysbench.cmdline.script_path, test = script, script
if script:find("/", 1, true) then
   assert(loadfile(script))()
else
   require(script)
end

local ffi = require("ffi")
ffi.cdef[[
typedef struct { long seconds; long nanoseconds; } encbench_moment;
int encbench_now(int clock, encbench_moment *now) __asm__("clock_gettime");
int encbench_sleep_until(int clock, int flags, const encbench_moment *until, void *left)
   __asm__("clock_nanosleep");
extern const encbench_moment encbench_load __asm__("sb_exec_timer");
]]
local REALTIME, MONOTONIC, ABSOLUTE, INTERRUPTED = 0, 1, 1, 4

local function seconds(moment)
   return tonumber(moment.seconds) + tonumber(moment.nanoseconds) / 1e9
end

local function now(clock)
   local moment = ffi.new("encbench_moment")
   ffi.C.encbench_now(clock, moment)
   return seconds(moment)
end

-- sysbench's timer of the load begins with the moment of its start. A build that hides it has its
-- threads say nothing.
local has_timer, load = pcall(function() return ffi.C.encbench_load end)
local done = thread_done
function thread_done(...)
   if has_timer then
      io.stdout:write(string.format("\nencbench-over %.6f %.6f\n",
                                    now(MONOTONIC) - seconds(load), now(REALTIME)))
   end
   if done then return done(...) end
end

-- Of several clients (tools/gathering.py): each thread connects and prepares, and then waits for the
-- moment at which all of them begin. What it lacks by then, it does late.
local gather = os.getenv("ENCBENCH_GATHER")
if gather then
   -- By a clock that nobody sets.
   local zero = now(REALTIME) - now(MONOTONIC)
   local at = tonumber(os.getenv("ENCBENCH_START_AT")) + tonumber(gather) - zero
   local moment = ffi.new("encbench_moment", math.floor(at), math.floor(at % 1 * 1e9))
   local init = thread_init
   function thread_init(...)
      if init then init(...) end
      repeat
         local code = ffi.C.encbench_sleep_until(MONOTONIC, ABSOLUTE, moment, nil)
      until code ~= INTERRUPTED
   end
end
