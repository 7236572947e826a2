-- What the client's cipher seals, it opens, and nothing that differs from it by a bit.
-- `sysbench cipher.lua check`, with CIPHER and KEY_FILE in the environment.

local ffi = require("ffi")
ffi.cdef[[ int EVP_DecodeBlock(uint8_t *, const uint8_t *, int); ]]
local crypto = ffi.load("libcrypto.so.3")

local function raw(text)
   local made = ffi.new("uint8_t[?]", #text)
   local size = crypto.EVP_DecodeBlock(made, text, #text)
   return made, size - select(2, text:gsub("=", ""))
end

local function refused(open, place, size)
   local opens, why = pcall(open, place, size)
   return not opens and (why:match("does not open a value") or why:match("not an encrypted value"))
end

local function check()
   local cipher = dofile(os.getenv("CIPHER")).from_file(os.getenv("KEY_FILE"))
   local numbers = {0, 1, -1, 2147483647, -2147483648}
   for _ = 1, 1000 do numbers[#numbers + 1] = math.random(-2147483648, 2147483647) end
   for _, number in ipairs(numbers) do
      local place, size = raw(cipher.seal_int(number))
      assert(size == 36 and cipher.open_int(place, size) == number, number)
   end
   local flipped = 0
   for _, one in ipairs({{cipher.seal_int(5), cipher.open_int},
                         {cipher.seal_text("text"), cipher.open_text}}) do
      local place, size = raw(one[1])
      for at = 0, size - 1 do
         for power = 0, 7 do
            place[at] = bit.bxor(place[at], 2 ^ power)
            assert(refused(one[2], place, size), at)
            place[at] = bit.bxor(place[at], 2 ^ power)
            flipped = flipped + 1
         end
      end
      for shorter = 0, size - 1 do assert(not pcall(one[2], place, shorter), shorter) end
      one[2](place, size)
   end
   local room = ffi.new("uint8_t[49]")
   assert(cipher.put_int(5, room, 49) == 48 and room[48] == 0)
   for _, put in ipairs({function() cipher.put_int(5, room, 48) end,
                         function() cipher.put_text("text", room, 48) end,
                         function() cipher.seal_text(string.rep("x", 160)) end}) do
      local fits, why = pcall(put)
      assert(not fits and why:match("too long to be bound"))
   end
   print(string.format("%d numbers, %d flips", #numbers, flipped))
end

sysbench.cmdline.options = {}
sysbench.cmdline.commands = { check = {check} }
