-- What opens tng's packets, in plain Lua: SHA-256 and HKDF (RFC 6234, RFC 5869), AES-128-GCM (FIPS 197, SP 800-38D),
-- ChaCha20-Poly1305 (RFC 8439), the masks of RFC 9001 section 5.4 and the weak checksum of docs/wire.md section 2.6.
-- Wireshark's own Lua offers none of these. It reads captures; nothing here is fit to keep a secret.
--
-- Answers a table; tng.lua loads it. Bytes are strings, words are numbers below 2^32.

local seal = {}

local byte, char, sub, rep = string.byte, string.char, string.sub, string.rep
local band, bxor, rotl, rotr, shr
if bit32 then
    band, bxor, rotl, rotr, shr = bit32.band, bit32.bxor, bit32.lrotate, bit32.rrotate, bit32.rshift
else
    -- Lua 5.3 and later have operators instead, which 5.2 cannot read.
    band, bxor, rotl, rotr, shr = assert(load([[
        local function bxor(a, b, ...)
            local x = a ~ b
            if ... then return bxor(x, ...) end
            return x
        end
        return function(a, b) return a & b end, bxor,
            function(a, n) return ((a << n) | (a >> (32 - n))) & 0xffffffff end,
            function(a, n) return ((a >> n) | (a << (32 - n))) & 0xffffffff end,
            function(a, n) return a >> n end
    ]]))()
end

local function word_be(s, at)
    local a, b, c, d = byte(s, at, at + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
end

local function word_le(s, at)
    local a, b, c, d = byte(s, at, at + 3)
    return ((d * 256 + c) * 256 + b) * 256 + a
end

local function bytes_be(w)
    local d = w % 256; w = (w - d) / 256
    local c = w % 256; w = (w - c) / 256
    local b = w % 256
    return char((w - b) / 256, b, c, d)
end

local function bytes_le(w)
    local a = w % 256; w = (w - a) / 256
    local b = w % 256; w = (w - b) / 256
    local c = w % 256
    return char(a, b, c, (w - c) / 256)
end

local function pad16(s)
    return s .. rep("\0", -#s % 16)
end

-- SHA-256

local primes = {}
do
    local n = 2
    while #primes < 64 do
        local prime = true
        for _, p in ipairs(primes) do
            if n % p == 0 then prime = false; break end
        end
        if prime then primes[#primes + 1] = n end
        n = n + 1
    end
end

-- The first 32 bits of the fractional part of a root (FIPS 180-4 sections 4.2.2 and 5.3.3). A double holds 52 bits,
-- enough for roots below 32.
local function fraction(root)
    return math.floor((root - math.floor(root)) * 4294967296)
end

local K, H0 = {}, {}
for i = 1, 64 do
    -- The cube root, made exact by a step of Newton's method.
    local r = primes[i] ^ (1 / 3)
    r = r - (r * r * r - primes[i]) / (3 * r * r)
    K[i] = fraction(r)
    if i <= 8 then H0[i] = fraction(math.sqrt(primes[i])) end
end

local function sha256(message)
    local bits = #message * 8
    message = message .. "\128" .. rep("\0", (55 - #message) % 64) .. "\0\0\0\0" .. bytes_be(bits % 4294967296)
    local h = { H0[1], H0[2], H0[3], H0[4], H0[5], H0[6], H0[7], H0[8] }
    local w = {}
    for at = 1, #message, 64 do
        for i = 1, 16 do w[i] = word_be(message, at + 4 * (i - 1)) end
        for i = 17, 64 do
            local x, y = w[i - 15], w[i - 2]
            local s0 = bxor(rotr(x, 7), rotr(x, 18), shr(x, 3))
            local s1 = bxor(rotr(y, 17), rotr(y, 19), shr(y, 10))
            w[i] = (w[i - 16] + s0 + w[i - 7] + s1) % 4294967296
        end
        local a, b, c, d, e, f, g, hh = h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]
        for i = 1, 64 do
            local s1 = bxor(rotr(e, 6), rotr(e, 11), rotr(e, 25))
            local ch = bxor(band(e, f), band(4294967295 - e, g))
            local t1 = hh + s1 + ch + K[i] + w[i]
            local s0 = bxor(rotr(a, 2), rotr(a, 13), rotr(a, 22))
            local maj = bxor(band(a, b), band(a, c), band(b, c))
            hh, g, f, e, d, c, b, a = g, f, e, (d + t1) % 4294967296, c, b, a, (t1 + s0 + maj) % 4294967296
        end
        local new = { a, b, c, d, e, f, g, hh }
        for i = 1, 8 do h[i] = (h[i] + new[i]) % 4294967296 end
    end
    local out = {}
    for i = 1, 8 do out[i] = bytes_be(h[i]) end
    return table.concat(out)
end

local function hmac(key, message)
    key = key .. rep("\0", 64 - #key)
    local inner, outer = {}, {}
    for i = 1, 64 do
        local k = byte(key, i)
        inner[i], outer[i] = char(bxor(k, 0x36)), char(bxor(k, 0x5c))
    end
    return sha256(table.concat(outer) .. sha256(table.concat(inner) .. message))
end

-- HKDF-Expand to at most 32 bytes.
local function expand(secret, label, len)
    return sub(hmac(secret, label .. "\1"), 1, len)
end

-- AES-128

local SBOX, T = {}, { {}, {}, {}, {} }
do
    local function double(x)
        x = x * 2
        return x > 255 and bxor(x, 0x11b) or x
    end
    local p, q = 1, 1
    repeat
        p = bxor(p, double(p)) -- times 3
        q = bxor(q, q * 2 % 256)
        q = bxor(q, q * 4 % 256)
        q = bxor(q, q * 16 % 256)
        if q > 127 then q = bxor(q, 9) end -- divided by 3
        local function turned(n) return (q * 2 ^ n) % 256 + math.floor(q / 2 ^ (8 - n)) end
        SBOX[p] = bxor(bxor(q, math.floor(turned(1)), math.floor(turned(2))),
            math.floor(turned(3)), math.floor(turned(4)), 0x63)
    until p == 1
    SBOX[0] = 0x63
    for i = 0, 255 do
        local s = SBOX[i]
        local d = double(s)
        local word = ((d * 256 + s) * 256 + s) * 256 + bxor(d, s)
        for t = 1, 4 do
            T[t][i] = word
            word = rotr(word, 8)
        end
    end
end

local function aes_key(key)
    local w, rcon = {}, 1
    for i = 0, 3 do w[i] = word_be(key, 4 * i + 1) end
    for i = 4, 43 do
        local t = w[i - 1]
        if i % 4 == 0 then
            local a, b, c, d = byte(bytes_be(t), 1, 4)
            t = bxor(((SBOX[b] * 256 + SBOX[c]) * 256 + SBOX[d]) * 256 + SBOX[a], rcon * 16777216)
            rcon = rcon * 2
            if rcon > 255 then rcon = bxor(rcon, 0x11b) end
        end
        w[i] = bxor(w[i - 4], t)
    end
    return w
end

local T0, T1, T2, T3 = T[1], T[2], T[3], T[4]

-- Encrypts one block, given and answered as four words.
local function aes_block(w, a, b, c, d)
    a, b, c, d = bxor(a, w[0]), bxor(b, w[1]), bxor(c, w[2]), bxor(d, w[3])
    local k = 4
    for _ = 1, 9 do
        local a0, b0, c0, d0 = a % 256, b % 256, c % 256, d % 256
        local ar, br, cr, dr = (a - a0) / 256, (b - b0) / 256, (c - c0) / 256, (d - d0) / 256
        local a1, b1, c1, d1 = ar % 256, br % 256, cr % 256, dr % 256
        ar, br, cr, dr = (ar - a1) / 256, (br - b1) / 256, (cr - c1) / 256, (dr - d1) / 256
        local a2, b2, c2, d2 = ar % 256, br % 256, cr % 256, dr % 256
        a = bxor(T0[(ar - a2) / 256], T1[b2], T2[c1], T3[d0], w[k])
        b = bxor(T0[(br - b2) / 256], T1[c2], T2[d1], T3[a0], w[k + 1])
        c = bxor(T0[(cr - c2) / 256], T1[d2], T2[a1], T3[b0], w[k + 2])
        d = bxor(T0[(dr - d2) / 256], T1[a2], T2[b1], T3[c0], w[k + 3])
        k = k + 4
    end
    local p, q, r, s = { byte(bytes_be(a), 1, 4) }, { byte(bytes_be(b), 1, 4) },
        { byte(bytes_be(c), 1, 4) }, { byte(bytes_be(d), 1, 4) }
    local function last(x, y, z, u, key)
        return bxor(((SBOX[x] * 256 + SBOX[y]) * 256 + SBOX[z]) * 256 + SBOX[u], key)
    end
    return last(p[1], q[2], r[3], s[4], w[40]), last(q[1], r[2], s[3], p[4], w[41]),
        last(r[1], s[2], p[3], q[4], w[42]),
        last(s[1], p[2], q[3], r[4], w[43])
end

local function aes_encrypt(w, block)
    local a, b, c, d = aes_block(w, word_be(block, 1), word_be(block, 5), word_be(block, 9), word_be(block, 13))
    return bytes_be(a) .. bytes_be(b) .. bytes_be(c) .. bytes_be(d)
end

-- Xors what `stream` gives, four words a call, to a message whose words `word` reads and `bytes` writes.
local function add_stream(message, word, bytes, size, stream)
    local out, n = {}, 0
    local padded = message .. rep("\0", -#message % size)
    for at = 1, #padded, size do
        local words = stream()
        for i = 1, size / 4 do
            n = n + 1
            out[n] = bytes(bxor(word(padded, at + 4 * (i - 1)), words[i]))
        end
    end
    return sub(table.concat(out), 1, #message)
end

-- GHASH, a byte at a time: M[x] is x times H, R[x] what shifting x out at the far end brings back.
local R = {}
for i = 0, 255 do
    local v = i
    local r = 0
    -- Bit 0 of the lowest byte is the highest power.
    for _ = 1, 8 do
        local low, rlow = v % 2, r % 2
        v = (v - low) / 2
        r = (r - rlow) / 2
        if low == 1 then r = bxor(r, 0xe1000000) end
    end
    R[i] = r
end

local function ghash_key(h)
    local M = { [0] = { 0, 0, 0, 0 } }
    local v = { word_be(h, 1), word_be(h, 5), word_be(h, 9), word_be(h, 13) }
    local bit = 128
    while bit >= 1 do
        M[bit] = v
        local low = v[4] % 2
        local next = {}
        local carry = 0
        for i = 1, 4 do
            local odd = v[i] % 2
            next[i] = (v[i] - odd) / 2 + carry * 2147483648
            carry = odd
        end
        if low == 1 then next[1] = bxor(next[1], 0xe1000000) end
        v, bit = next, bit / 2
    end
    for power = 1, 7 do
        local base = 2 ^ power
        for low = 1, base - 1 do
            local x, y = M[base], M[low]
            M[math.floor(base + low)] = { bxor(x[1], y[1]), bxor(x[2], y[2]), bxor(x[3], y[3]), bxor(x[4], y[4]) }
        end
    end
    return M
end

local function ghash(M, data)
    local a, b, c, d = 0, 0, 0, 0
    for at = 1, #data, 16 do
        a, b = bxor(a, word_be(data, at)), bxor(b, word_be(data, at + 4))
        c, d = bxor(c, word_be(data, at + 8)), bxor(d, word_be(data, at + 12))
        local za, zb, zc, zd = 0, 0, 0, 0
        -- From the last byte to the first: multiply what there is by x^8, add the byte's product.
        for _, word in ipairs({ d, c, b, a }) do
            for _ = 1, 4 do
                local x = word % 256
                word = (word - x) / 256
                local la, lb, lc, ld = za % 256, zb % 256, zc % 256, zd % 256
                local m = M[x]
                zd = bxor((zd - ld) / 256 + lc * 16777216, m[4])
                zc = bxor((zc - lc) / 256 + lb * 16777216, m[3])
                zb = bxor((zb - lb) / 256 + la * 16777216, m[2])
                za = bxor((za - la) / 256, R[ld], m[1])
            end
        end
        a, b, c, d = za, zb, zc, zd
    end
    return a, b, c, d
end

local gcm = {}

function gcm.key(key)
    local w = aes_key(key)
    return { w = w, M = ghash_key(aes_encrypt(w, rep("\0", 16))) }
end

function gcm.mask(w, sample)
    return sub(aes_encrypt(w, sample), 1, 5)
end

gcm.mask_key = aes_key

function gcm.open(key, nonce, header, text, tag)
    local w, n1, n2, n3 = key.w, word_be(nonce, 1), word_be(nonce, 5), word_be(nonce, 9)
    local lengths = "\0\0\0\0" .. bytes_be(#header * 8) .. "\0\0\0\0" .. bytes_be(#text * 8)
    local a, b, c, d = ghash(key.M, pad16(header) .. pad16(text) .. lengths)
    local e, f, g, h = aes_block(w, n1, n2, n3, 1)
    if bytes_be(bxor(a, e)) .. bytes_be(bxor(b, f)) .. bytes_be(bxor(c, g)) .. bytes_be(bxor(d, h)) ~= tag then
        return nil
    end
    local counter = 1
    return add_stream(text, word_be, bytes_be, 16, function()
        counter = counter + 1
        return { aes_block(w, n1, n2, n3, counter) }
    end)
end

-- ChaCha20

local function chacha_block(key, counter, n1, n2, n3)
    local x = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0, 0, 0, 0, 0, 0, 0, 0, counter, n1, n2, n3 }
    for i = 1, 8 do x[4 + i] = key[i] end
    local start = { table.unpack(x) }
    local function quarter(a, b, c, d)
        local xa, xb, xc, xd = x[a], x[b], x[c], x[d]
        xa = (xa + xb) % 4294967296; xd = rotl(bxor(xd, xa), 16)
        xc = (xc + xd) % 4294967296; xb = rotl(bxor(xb, xc), 12)
        xa = (xa + xb) % 4294967296; xd = rotl(bxor(xd, xa), 8)
        xc = (xc + xd) % 4294967296; xb = rotl(bxor(xb, xc), 7)
        x[a], x[b], x[c], x[d] = xa, xb, xc, xd
    end
    for _ = 1, 10 do
        quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15); quarter(4, 8, 12, 16)
        quarter(1, 6, 11, 16); quarter(2, 7, 12, 13); quarter(3, 8, 9, 14); quarter(4, 5, 10, 15)
    end
    for i = 1, 16 do x[i] = (x[i] + start[i]) % 4294967296 end
    return x
end

-- Poly1305 with limbs of 13 bits, so that products and their sums stay whole in a double.
local function limbs(s)
    local out, hold, bits = {}, 0, 0
    for i = 1, #s do
        hold = hold + byte(s, i) * 2 ^ bits
        bits = bits + 8
        if bits >= 13 then
            local low = hold % 8192
            out[#out + 1] = low
            hold, bits = (hold - low) / 8192, bits - 13
        end
    end
    out[#out + 1] = hold
    while #out < 10 do out[#out + 1] = 0 end
    return out
end

local function carry(h)
    for _ = 1, 2 do
        local c = 0
        for i = 1, 10 do
            local v = h[i] + c
            h[i] = v % 8192
            c = (v - h[i]) / 8192
        end
        -- 2^130 is 5.
        h[1] = h[1] + 5 * c
    end
end

local function poly1305(key, message)
    local clamp = { byte(key, 1, 16) }
    for _, i in ipairs({ 4, 8, 12, 16 }) do clamp[i] = band(clamp[i], 15) end
    for _, i in ipairs({ 5, 9, 13 }) do clamp[i] = band(clamp[i], 252) end
    local r = limbs(char(table.unpack(clamp)))
    local h = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
    for at = 1, #message, 16 do
        local m = limbs(sub(message, at, at + 15) .. "\1")
        for i = 1, 10 do h[i] = h[i] + m[i] end
        local new = {}
        for i = 1, 10 do
            local sum = 0
            for j = 1, 10 do
                local k = i - j
                sum = sum + (k >= 0 and h[j] * r[k + 1] or 5 * h[j] * r[k + 11])
            end
            new[i] = sum
        end
        carry(new)
        h = new
    end
    carry(h)
    -- Subtract 2^130 - 5 if h is not below it.
    local g, c = {}, 5
    for i = 1, 10 do
        local v = h[i] + c
        g[i] = v % 8192
        c = (v - g[i]) / 8192
    end
    if c > 0 then h = g end
    -- Plus the second half of the key, modulo 2^128.
    local s = limbs(sub(key, 17, 32))
    local out, hold, bits, over = {}, 0, 0, 0
    for i = 1, 10 do
        local v = h[i] + s[i] + over
        local low = v % 8192
        over = (v - low) / 8192
        hold = hold + low * 2 ^ bits
        bits = bits + 13
        while bits >= 8 and #out < 16 do
            local b = hold % 256
            out[#out + 1] = math.floor(b)
            hold, bits = (hold - b) / 256, bits - 8
        end
    end
    return char(table.unpack(out))
end

local chacha = {}

function chacha.key(key)
    local words = {}
    for i = 1, 8 do words[i] = word_le(key, 4 * i - 3) end
    return words
end

chacha.mask_key = chacha.key

function chacha.mask(key, sample)
    local x = chacha_block(key, word_le(sample, 1), word_le(sample, 5), word_le(sample, 9), word_le(sample, 13))
    return sub(bytes_le(x[1]) .. bytes_le(x[2]), 1, 5)
end

function chacha.open(key, nonce, header, text, tag)
    local n1, n2, n3 = word_le(nonce, 1), word_le(nonce, 5), word_le(nonce, 9)
    local first, once = chacha_block(key, 0, n1, n2, n3), {}
    for i = 1, 8 do once[i] = bytes_le(first[i]) end
    local lengths = bytes_le(#header) .. "\0\0\0\0" .. bytes_le(#text) .. "\0\0\0\0"
    if poly1305(table.concat(once), pad16(header) .. pad16(text) .. lengths) ~= tag then return nil end
    local counter = 0
    return add_stream(text, word_le, bytes_le, 64, function()
        counter = counter + 1
        return chacha_block(key, counter, n1, n2, n3)
    end)
end

-- What a channel's cipher does, by its number on the wire.

local ciphers = {
    [1] = { name = "AES-128-GCM", key_len = 16, algorithm = gcm },
    [2] = { name = "ChaCha20-Poly1305", key_len = 32, algorithm = chacha },
}

local function phase_key(cipher, secret)
    return {
        secret = secret,
        key = cipher.algorithm.key(expand(secret, "tng1 key", cipher.key_len)),
        iv = expand(secret, "tng1 iv", 12),
    }
end

local Sealed = {}
Sealed.__index = Sealed

-- The number of a packet, eight bytes, xored to the end of the IV.
local function nonce(iv, number)
    local high = math.floor(number / 4294967296)
    return sub(iv, 1, 4) .. bytes_be(bxor(word_be(iv, 5), high)) .. bytes_be(bxor(word_be(iv, 9), number % 4294967296))
end

-- The number that a truncated one stands for (RFC 9000 appendix A.3).
local function recover(expected, truncated, len)
    local window = 2 ^ (8 * len)
    local candidate = expected - expected % window + truncated
    if candidate + window / 2 <= expected then return candidate + window end
    if candidate > expected + window / 2 and candidate >= window then return candidate - window end
    return candidate
end

-- Opens a packet of this direction. Answers its unmasked first byte, its number's length, its number, and the
-- plaintext; nothing if it does not open. Packets are to come in about the order in which they were sent.
function Sealed:open(packet)
    if #packet < 7 + 4 + 16 then return nil end
    local mask = self.algorithm.mask(self.header, sub(packet, 12, 27))
    local first = bxor(byte(packet, 1), band(byte(mask, 1), 0x3f))
    local number_len = first % 4 + 1
    local truncated = 0
    local clear = { char(first), sub(packet, 2, 7) }
    for i = 1, number_len do
        local b = bxor(byte(packet, 7 + i), byte(mask, 1 + i))
        truncated = truncated * 256 + b
        clear[2 + i] = char(b)
    end
    local header = table.concat(clear)
    local number = recover(self.expected, truncated, number_len)
    local phase = math.floor(first / 32) % 2
    local key, next = self.current, false
    if phase ~= self.phase then
        if self.previous and number < self.first then
            key = self.previous
        else
            self.next = self.next or phase_key(self.cipher, expand(self.current.secret, "tng1 next", 32))
            key, next = self.next, true
        end
    end
    local text = sub(packet, #header + 1, -17)
    local plain = self.algorithm.open(key.key, nonce(key.iv, number), header, text, sub(packet, -16))
    if not plain then return nil end
    if next then
        self.previous, self.current, self.next = self.current, self.next, nil
        self.phase, self.first = phase, number
    elseif key == self.current then
        self.first = math.min(self.first, number)
    end
    self.expected = math.max(self.expected, number + 1)
    return first, number_len, number, plain
end

local Weak = {}
Weak.__index = Weak

function Weak:open(packet)
    if #packet < 7 + 1 + 4 then return nil end
    local first = byte(packet, 1)
    local number_len = first % 4 + 1
    local truncated = 0
    for i = 1, number_len do truncated = truncated * 256 + byte(packet, 7 + i) end
    local number = recover(self.expected, truncated, number_len)
    local a, b = 0, 0
    local function add(word)
        a = (a + word) % 65537
        b = (b + a) % 65537
    end
    add(self.role)
    for _, shift in ipairs({ 2 ^ 48, 2 ^ 32, 2 ^ 16, 1 }) do add(math.floor(number / shift) % 65536) end
    local text = sub(packet, 1, -5)
    local padded = text .. (#text % 2 == 1 and "\128" or "\128\0")
    for at = 1, #padded, 2 do add(byte(padded, at) * 256 + byte(padded, at + 1)) end
    if (b * 65536 + a + self.key) % 4294967296 ~= word_be(packet, #packet - 3) then return nil end
    self.expected = math.max(self.expected, number + 1)
    return first, number_len, number, sub(packet, 8 + number_len, -5)
end

-- What opens the packets of one direction of a channel, from its first traffic secret; `role` is the sender's: 0 the
-- initiator. Nothing if the cipher is unknown.
function seal.direction(number, secret, role)
    if number == 3 then
        local key = word_be(expand(secret, "tng1 checksum", 4), 1)
        return setmetatable({ key = key, role = role, expected = 1, tag_len = 4 }, Weak)
    end
    local cipher = ciphers[number]
    if not cipher then return nil end
    return setmetatable({
        cipher = cipher,
        algorithm = cipher.algorithm,
        header = cipher.algorithm.mask_key(expand(secret, "tng1 header", cipher.key_len)),
        current = phase_key(cipher, secret),
        phase = 0,
        first = math.huge,
        expected = 1,
        tag_len = 16,
    }, Sealed)
end

seal.sha256, seal.hmac, seal.gcm, seal.chacha = sha256, hmac, gcm, chacha

return seal
