-- The client's side of an encrypted column: sealing parameters and opening results, AES-128-GCM by
-- the libcrypto that libpq has loaded. The form of a value is that of the server's extension
-- (images/postgresql/enclave/src/envelope.h): header, nonce, ciphertext, tag.
--
--     local cipher = dofile("enclave_cipher.lua").from_file("/path/to/key")
--     cipher.seal_int(5), cipher.seal_text("c")      base64, as a statement takes it
--     cipher.open_int(raw), cipher.open_text(raw)    raw, as a prepared statement's result has it
--
-- Each thread has a Lua state, and so a cipher, of its own.

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
local LARGEST = 4096
local FOREIGN = "the server has answered something that is not an encrypted value"
local LONGEST_PARAMETER = 255
-- sysbench copies a bound text into a buffer of 256 bytes and ends it with a zero unchecked.

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

local function context(key, seals)
   local made = ffi.gc(crypto.EVP_CIPHER_CTX_new(), crypto.EVP_CIPHER_CTX_free)
   good(crypto.EVP_CipherInit_ex(made, crypto.EVP_aes_128_gcm(), nil, key, nil, seals))
   return made
end

local function from_file(path)
   local key = read_key(path)
   local sealer, opener = context(key, 1), context(key, 0)
   local envelope = ffi.new("uint8_t[?]", LARGEST)
   local plain = ffi.new("uint8_t[?]", LARGEST)
   local text = ffi.new("uint8_t[?]", 2 * LARGEST)
   local done = ffi.new("int[1]")
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

   local function seal(header, size)
      local nonce = envelope + HEADER
      local sealed = nonce + NONCE
      put_number(envelope, header)
      new_nonce(nonce)
      good(crypto.EVP_CipherInit_ex(sealer, nil, nil, nil, nonce, 1))
      good(crypto.EVP_CipherUpdate(sealer, nil, done, envelope, HEADER))
      if size > 0 then good(crypto.EVP_CipherUpdate(sealer, sealed, done, plain, size)) end
      good(crypto.EVP_CipherFinal_ex(sealer, sealed + size, done))
      good(crypto.EVP_CIPHER_CTX_ctrl(sealer, GET_TAG, TAG, sealed + size))
      local length = crypto.EVP_EncodeBlock(text, envelope, OVERHEAD + size)
      if length > LONGEST_PARAMETER then error("a sealed value is too long to be bound", 2) end
      return ffi.string(text, length)
   end

   -- The size of the plaintext, which is in `plain` then.
   local function open(header, raw)
      local size = #raw - OVERHEAD
      if size < 0 or #raw > LARGEST then error(FOREIGN, 2) end
      ffi.copy(envelope, raw, #raw)
      if number_at(envelope) ~= bit.tobit(header) then error(FOREIGN, 2) end
      local nonce = envelope + HEADER
      local sealed = nonce + NONCE
      good(crypto.EVP_CipherInit_ex(opener, nil, nil, nil, nonce, 0))
      good(crypto.EVP_CIPHER_CTX_ctrl(opener, SET_TAG, TAG, sealed + size))
      good(crypto.EVP_CipherUpdate(opener, nil, done, envelope, HEADER))
      if size > 0 then good(crypto.EVP_CipherUpdate(opener, plain, done, sealed, size)) end
      good(crypto.EVP_CipherFinal_ex(opener, plain + size, done))
      return size
   end

   return {
      seal_int = function(number)
         put_number(plain, number)
         return seal(INT, 4)
      end,
      seal_text = function(value)
         ffi.copy(plain, value, #value)
         return seal(TEXT, #value)
      end,
      open_int = function(raw)
         if open(INT, raw) ~= 4 then error("an encrypted integer has four bytes", 2) end
         return number_at(plain)
      end,
      open_text = function(raw) return ffi.string(plain, open(TEXT, raw)) end,
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
