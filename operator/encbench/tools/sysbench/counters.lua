-- Counts this thread's events in the file that ENCBENCH_COUNTERS names, and puts their latency into a
-- histogram there. images/turnstile/src/counters.rs describes the file: turnstile makes it, sets the
-- epoch, and reads what the tool counted while it is stopped. An event costs two readings of the clock
-- and a logarithm more.
--
-- session.lua loads this file after the workload's script, whose event() it wraps.

local ffi = require("ffi")

-- Names of our own, because the script may declare the same functions in other words.
ffi.cdef[[
typedef struct { long seconds; long nanoseconds; } encbench_time;
typedef struct { uint64_t present, events, spanned, new_orders, latency[2044]; } encbench_record;
int encbench_open(const char *path, int flags, ...) __asm__("open");
int encbench_close(int file) __asm__("close");
void *encbench_map(void *at, size_t length, int protection, int flags, int file, long offset)
   __asm__("mmap");
int encbench_clock(int clock, encbench_time *time) __asm__("clock_gettime");
]]

local HEADER, BUCKETS, LOWEST_MS, HIGHEST_MS = 4096, 2044, 0.001, 100000
local READ_WRITE, SHARED, MONOTONIC = 3, 1, 1
local PER_LOGARITHM = BUCKETS / math.log(HIGHEST_MS / LOWEST_MS)

local path = os.getenv("ENCBENCH_COUNTERS")
local time = ffi.new("encbench_time")
local inner = assert(event, "the script has no function event, so that its events cannot be counted")
local epoch, record
local events, spanned = 0, 0
-- Of the event under way: a transaction that is tried again after a deadlock is still the same event.
local began, began_in

local function now()
   ffi.C.encbench_clock(MONOTONIC, time)
   return tonumber(time.seconds) * 1e3 + tonumber(time.nanoseconds) * 1e-6
end

-- A slice has two epochs: the even one until it counts, and the odd one while it does.
local function slice_of(number)
   return math.floor(number / 2)
end

local function map(thread)
   local length = HEADER + (thread + 1) * ffi.sizeof("encbench_record")
   local file = ffi.C.encbench_open(path, 2)
   assert(file >= 0, "cannot open " .. path)
   local start = ffi.C.encbench_map(nil, length, READ_WRITE, SHARED, file, 0)
   assert(start ~= ffi.cast("void *", -1), "cannot map " .. path)
   ffi.C.encbench_close(file)
   epoch = ffi.cast("volatile uint32_t *", start)
   record = ffi.cast("encbench_record *", ffi.cast("char *", start) + HEADER) + thread
   record.present = 1
end

function event(thread)
   if not record then map(thread) end
   -- The epoch first here and last below: a stop in between makes the event a spanned one. A server
   -- answers while the tool is stopped, so such an event mostly ends before the next slice counts.
   if not began then
      began_in = epoch[0]
      began = now()
   end
   local stop = inner(thread)
   local took = now() - began
   local ended_in = epoch[0]
   events = events + 1
   record.events = events
   if slice_of(ended_in) ~= slice_of(began_in) then
      spanned = spanned + 1
      record.spanned = spanned
   elseif ended_in % 2 == 1 then
      local bucket = math.floor(math.log(took / LOWEST_MS) * PER_LOGARITHM)
      bucket = math.max(0, math.min(BUCKETS - 1, bucket))
      record.latency[bucket] = tonumber(record.latency[bucket]) + 1
   end
   began = nil
   return stop
end
