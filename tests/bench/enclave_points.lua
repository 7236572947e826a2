-- The workload of the script that SCRIPT names, and in the file COUNTS how many transactions each
-- thread has had: tests/bench/enclave_points.py reads it while they run.

dofile(os.getenv("SCRIPT"))

local ffi = require("ffi")
ffi.cdef[[
int open(const char *, int, ...);
void *mmap(void *, size_t, int, int, int, long);
]]

local READ_WRITE, PROT_READ_WRITE, MAP_SHARED = 2, 3, 1
local APART = 8 -- a cache line of numbers, so that threads do not wait for each other

local begin_thread, run, count = thread_init, event, nil

function thread_init()
   local file = ffi.C.open(os.getenv("COUNTS"), READ_WRITE)
   local size = sysbench.opt.threads * APART * 8
   local place = ffi.C.mmap(nil, size, PROT_READ_WRITE, MAP_SHARED, file, 0)
   if file < 0 or ffi.cast("intptr_t", place) == -1 then error("COUNTS cannot be mapped", 0) end
   count = ffi.cast("uint64_t *", place) + sysbench.tid * APART
   begin_thread()
end

function event()
   run()
   count[0] = count[0] + 1
end
