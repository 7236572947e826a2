-- What the client's cipher takes for a value, in microseconds of the thread's CPU time,
-- a line for each turn: `sysbench enclave_cipher.lua bench`, with CIPHER and KEY_FILE in the
-- environment; tests/bench/enclave.py reads it.

local ffi = require("ffi")
ffi.cdef[[
typedef struct { long seconds; long nanoseconds; } moment;
int clock_gettime(int, moment *);
int EVP_DecodeBlock(uint8_t *, const uint8_t *, int);
]]

local THREAD_CPU = 3
local TURNS, CALLS = 30, 10000
local crypto = ffi.load("libcrypto.so.3")

local function now()
   local read = ffi.new("moment")
   ffi.C.clock_gettime(THREAD_CPU, read)
   return tonumber(read.seconds) * 1e6 + tonumber(read.nanoseconds) / 1e3
end

local function raw(text)
   local made = ffi.new("uint8_t[?]", #text)
   local size = crypto.EVP_DecodeBlock(made, text, #text)
   return ffi.string(made, size - select(2, text:gsub("=", "")))
end

local function bench()
   local cipher = dofile(os.getenv("CIPHER")).from_file(os.getenv("KEY_FILE"))
   local text = string.rep("x", 119)
   local int, sealed = raw(cipher.seal_int(5)), raw(cipher.seal_text(text))
   assert(cipher.open_int(int, #int) == 5 and cipher.open_text(sealed, #sealed) == text)
   local calls = {
      { "seal an integer", function() return cipher.seal_int(5) end },
      { "seal a text", function() return cipher.seal_text(text) end },
      { "open an integer", function() return cipher.open_int(int, #int) end },
      { "open a text", function() return cipher.open_text(sealed, #sealed) end },
   }
   for _, one in ipairs(calls) do
      for _ = 1, TURNS do
         local began = now()
         for _ = 1, CALLS do one[2]() end
         print(string.format("client: %s=%.4f", one[1], (now() - began) / CALLS))
      end
   end
end

sysbench.cmdline.options = {}
sysbench.cmdline.commands = { bench = {bench} }
