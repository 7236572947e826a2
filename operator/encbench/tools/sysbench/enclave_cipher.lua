-- The client's side of an encrypted column: sealing parameters and opening results, AES-128-GCM by
-- the libcrypto that libpq has loaded. The form of a value is that of the server's extension
-- (images/postgresql/enclave/src/envelope.h): header, nonce, ciphertext, tag.
--
--     local cipher = dofile("enclave_cipher.lua").from_file("/path/to/key")
--     cipher.seal_int(5), cipher.seal_text("c")      base64, as a statement takes it
--     cipher.put_int(5, place, room), cipher.put_text("c", place, room)
--                                                    the same where a parameter is, with a zero at
--                                                    its end, in so many bytes at most; its length
--     cipher.open_int(place, size), cipher.open_text(place, size)
--                                                    raw, as a prepared statement's result has it
--
-- Each thread has a Lua state, and so a cipher, of its own.
--
-- libcrypto's cipher sets up parameters anew for each value, which takes ten times what AES does.
-- Integers are sealed and opened as the server does it (src/int4_hash.h): AES of two blocks in one
-- call, and a table of constants, computed by that cipher, for the rest of the tag.

local ffi = require("ffi")

ffi.cdef[[
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct engine_st ENGINE;
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *);
const EVP_CIPHER *EVP_aes_128_gcm(void);
int EVP_CipherInit_ex(EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const uint8_t *key,
                      const uint8_t *nonce, int seals);
int EVP_CipherUpdate(EVP_CIPHER_CTX *, uint8_t *out, int *done, const uint8_t *in, int size);
int EVP_CipherFinal_ex(EVP_CIPHER_CTX *, uint8_t *out, int *done);
const EVP_CIPHER *EVP_aes_128_ecb(void);
int EVP_EncryptUpdate(EVP_CIPHER_CTX *, uint8_t *out, int *done, const uint8_t *in, int size);
int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *, int what, int size, void *);
int EVP_EncodeBlock(uint8_t *text, const uint8_t *bytes, int size);
int RAND_bytes(uint8_t *, int);
uint8_t *SHA256(const uint8_t *, size_t, uint8_t *);
]]

local crypto = ffi.load("libcrypto.so.3")

local HEADER, NONCE, TAG = 4, 12, 16
local OVERHEAD = HEADER + NONCE + TAG
local GET_TAG, SET_TAG = 0x10, 0x11
local INT, TEXT = 0xec010101, 0xec010102
local INT_SIZE = 4
local LARGEST = 4096
local FOREIGN = "the server has answered something that is not an encrypted value"
local LARGEST_PARAMETER = 256
-- sysbench copies a bound text into a buffer of that size and ends it with a zero unchecked.

-- Four bytes of a number, the first one the highest. Written out, because a short loop would keep
-- LuaJIT from compiling what is around it.
local function put_number(place, number)
   place[0], place[1] = bit.rshift(number, 24), bit.band(bit.rshift(number, 16), 255)
   place[2], place[3] = bit.band(bit.rshift(number, 8), 255), bit.band(number, 255)
end

local function number_at(place)
   return bit.bor(bit.lshift(place[0], 24), bit.lshift(place[1], 16), bit.lshift(place[2], 8),
                  place[3])
end

local function good(code)
   if code ~= 1 then error("libcrypto failed, or the key does not open a value", 3) end
end

local function read_key(path)
   local file, why = io.open(path, "r")
   if not file then error("the key's file cannot be read: " .. why, 0) end
   local digits = file:read("*a"):match("^(%x+)\r?\n?$")
   file:close()
   if not digits or #digits ~= 32 then
      error("the file " .. path .. " does not hold a key of 32 hexadecimal digits", 0)
   end
   return (digits:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function context(cipher, key, seals)
   local made = ffi.gc(crypto.EVP_CIPHER_CTX_new(), crypto.EVP_CIPHER_CTX_free)
   good(crypto.EVP_CipherInit_ex(made, cipher, nil, key, nil, seals))
   return made
end

-- Sealing and opening by libcrypto's GCM.
local function gcm(key)
   local sealer = context(crypto.EVP_aes_128_gcm(), key, 1)
   local opener = context(crypto.EVP_aes_128_gcm(), key, 0)
   local done = ffi.new("int[1]")

   return {
      -- Ciphertext and tag of what is in `plain`, into an envelope with header and nonce.
      seal = function(plain, size, envelope)
         local nonce = envelope + HEADER
         local sealed = nonce + NONCE
         good(crypto.EVP_CipherInit_ex(sealer, nil, nil, nil, nonce, 1))
         good(crypto.EVP_CipherUpdate(sealer, nil, done, envelope, HEADER))
         if size > 0 then good(crypto.EVP_CipherUpdate(sealer, sealed, done, plain, size)) end
         good(crypto.EVP_CipherFinal_ex(sealer, sealed + size, done))
         good(crypto.EVP_CIPHER_CTX_ctrl(sealer, GET_TAG, TAG, sealed + size))
      end,
      -- The plaintext of an envelope whose header is right.
      open = function(envelope, size, plain)
         local nonce = envelope + HEADER
         local sealed = nonce + NONCE
         local tag = ffi.cast("uint8_t *", sealed + size) -- which is only read
         good(crypto.EVP_CipherInit_ex(opener, nil, nil, nil, nonce, 0))
         good(crypto.EVP_CIPHER_CTX_ctrl(opener, SET_TAG, TAG, tag))
         good(crypto.EVP_CipherUpdate(opener, nil, done, envelope, HEADER))
         if size > 0 then good(crypto.EVP_CipherUpdate(opener, plain, done, sealed, size)) end
         good(crypto.EVP_CipherFinal_ex(opener, plain + size, done))
      end,
   }
end

-- The same for integers. A ciphertext is a number here, its first byte the highest.
local function integers(key, by_libcrypto)
   local aes, done = context(crypto.EVP_aes_128_ecb(), key, 1), ffi.new("int[1]")
   local counters, masks = ffi.new("uint8_t[32]"), ffi.new("uint64_t[4]")
   local mask_bytes = ffi.cast("uint8_t *", masks)
   local hashes = ffi.new("uint64_t[258]") -- of zero, and differences to it for each half byte
   local tag = ffi.new("uint64_t[2]")
   counters[15], counters[31] = 1, 2

   -- What masks a tag, and what masks a plaintext.
   local function set_masks(nonce)
      ffi.copy(counters, nonce, NONCE)
      ffi.copy(counters + 16, nonce, NONCE)
      good(crypto.EVP_EncryptUpdate(aes, mask_bytes, done, counters, 32))
   end

   -- Where the difference for a half byte is; 7 is the highest.
   local function place_of(sealed, half_byte)
      return 2 + 32 * half_byte + 2 * bit.band(bit.rshift(sealed, 4 * half_byte), 15)
   end

   local function set_tag(sealed)
      local a, b, c, d = place_of(sealed, 0), place_of(sealed, 1), place_of(sealed, 2),
                         place_of(sealed, 3)
      local e, f, g, h = place_of(sealed, 4), place_of(sealed, 5), place_of(sealed, 6),
                         place_of(sealed, 7)
      tag[0] = bit.bxor(masks[0], hashes[0], hashes[a], hashes[b], hashes[c], hashes[d],
                        hashes[e], hashes[f], hashes[g], hashes[h])
      tag[1] = bit.bxor(masks[1], hashes[1], hashes[a + 1], hashes[b + 1], hashes[c + 1],
                        hashes[d + 1], hashes[e + 1], hashes[f + 1], hashes[g + 1], hashes[h + 1])
   end

   -- A number that is masked, or one that no longer is.
   local function masked(number) return bit.bxor(number, number_at(mask_bytes + 16)) end

   local function seal(number, envelope)
      local nonce = envelope + HEADER
      set_masks(nonce)
      local sealed = masked(number)
      set_tag(sealed)
      put_number(nonce + NONCE, sealed)
      ffi.copy(nonce + NONCE + INT_SIZE, tag, TAG)
   end

   local function open(envelope)
      local nonce = envelope + HEADER
      local sealed = number_at(nonce + NONCE)
      local found = ffi.cast("const uint64_t *", nonce + NONCE + INT_SIZE)
      set_masks(nonce)
      set_tag(sealed)
      local wrong = bit.bor(bit.bxor(found[0], tag[0]), bit.bxor(found[1], tag[1]))
      good(wrong == 0 and 1 or 0)
      return masked(sealed)
   end

   -- Under a nonce of zeros, which no value gets, a tag without its mask is a hash.
   local function fill_hashes()
      local envelope, plain = ffi.new("uint8_t[36]"), ffi.new("uint8_t[4]")
      local found = ffi.new("uint64_t[2]")
      local function put(sealed, place, base)
         put_number(plain, masked(sealed))
         by_libcrypto.seal(plain, INT_SIZE, envelope)
         ffi.copy(found, envelope + HEADER + NONCE + INT_SIZE, TAG)
         hashes[place] = bit.bxor(found[0], masks[0], base[0])
         hashes[place + 1] = bit.bxor(found[1], masks[1], base[1])
      end
      put_number(envelope, INT)
      set_masks(envelope + HEADER)
      put(0, 0, ffi.new("uint64_t[2]"))
      for half_byte = 0, 7 do
         for value = 0, 15 do
            local sealed = bit.lshift(value, 4 * half_byte)
            put(sealed, place_of(sealed, half_byte), hashes)
         end
      end
   end

   fill_hashes()
   return { seal = seal, open = open }
end

local function from_file(path)
   local key = read_key(path)
   local by_libcrypto = gcm(key)
   local ints = integers(key, by_libcrypto)
   local envelope = ffi.new("uint8_t[?]", LARGEST)
   local plain = ffi.new("uint8_t[?]", LARGEST)
   local text = ffi.new("uint8_t[?]", LARGEST_PARAMETER)
   local random, counter = ffi.new("uint8_t[8]"), 2 ^ 32

   -- Eight random bytes, drawn anew when the counter behind them is used up: no nonce comes twice.
   local function new_nonce(place)
      if counter == 2 ^ 32 then
         good(crypto.RAND_bytes(random, 8))
         counter = 0
      end
      ffi.copy(place, random, 8)
      put_number(place + 8, counter)
      counter = counter + 1
   end

   local function begin(header)
      put_number(envelope, header)
      new_nonce(envelope + HEADER)
   end

   -- A sealed value has to fit as base64, with a zero at its end.
   local function check_room(size, room)
      local needed = 4 * math.floor((OVERHEAD + size + 2) / 3) + 1
      if needed > room or needed > LARGEST_PARAMETER then
         error("a sealed value is too long to be bound", 2)
      end
   end

   local function put_int(number, place, room)
      check_room(INT_SIZE, room)
      begin(INT)
      ints.seal(number, envelope)
      return crypto.EVP_EncodeBlock(place, envelope, OVERHEAD + INT_SIZE)
   end

   local function put_text(value, place, room)
      check_room(#value, room)
      ffi.copy(plain, value, #value)
      begin(TEXT)
      by_libcrypto.seal(plain, #value, envelope)
      return crypto.EVP_EncodeBlock(place, envelope, OVERHEAD + #value)
   end

   -- The envelope, and the size of its plaintext.
   local function checked(header, place, size)
      local raw = ffi.cast("const uint8_t *", place)
      if size < OVERHEAD or size > LARGEST or number_at(raw) ~= bit.tobit(header) then
         error(FOREIGN, 2)
      end
      return raw, size - OVERHEAD
   end

   return {
      put_int = put_int,
      put_text = put_text,
      seal_int = function(number)
         return ffi.string(text, put_int(number, text, LARGEST_PARAMETER))
      end,
      seal_text = function(value)
         return ffi.string(text, put_text(value, text, LARGEST_PARAMETER))
      end,
      open_int = function(place, size)
         local raw, found = checked(INT, place, size)
         if found ~= INT_SIZE then error("an encrypted integer has four bytes", 2) end
         return ints.open(raw)
      end,
      open_text = function(place, size)
         local raw, found = checked(TEXT, place, size)
         by_libcrypto.open(raw, found, plain)
         return ffi.string(plain, found)
      end,
   }
end

local function sha256(value)
   local digest = ffi.new("uint8_t[32]")
   crypto.SHA256(value, #value, digest)
   return (ffi.string(digest, 32):gsub(".", function(byte)
      return string.format("%02x", byte:byte())
   end))
end

return { from_file = from_file, sha256 = sha256 }
