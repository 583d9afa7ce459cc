-- A Wireshark dissector for tng (docs/wire.md). Needs Wireshark or tshark 4.0 or later, with Lua.
--
--   tshark -X lua_script:wireshark/tng.lua -r capture.pcapng
--   tshark -X lua_script:wireshark/tng.lua -o tng.keys:keys.txt -r capture.pcapng -V
--
-- To keep it: copy tng.lua and tng_seal.lua to the folder of personal Lua plugins (Help, About, Folders).
--
-- Channel packets are decrypted with key log lines (docs/wire.md section 2.5), from the file that the preference names,
-- and from comments on packets, where `tng sim run --pcapng` and `--capture` put them. What rides in set-up messages
-- stays sealed: its keys are never told. Packets between neighbours on a helped path are in clear but for what they
-- carry, which is shown as far as the keys of the two ends go. A tunnel is not told apart by its packets: of its legacy
-- flows the first 64 are shown as such.

local seal = dofile((debug.getinfo(1, "S").source:match("^@(.*[/\\])") or "") .. "tng_seal.lua")

local tng = Proto("tng", "tng")

tng.prefs.port = Pref.uint("UDP port", 4860,
    "What comes from this port or goes to it is tng's. Elsewhere an INIT is recognized")
tng.prefs.keys = Pref.string("Key log", "", "A file of lines that begin with tng1, for decryption")

local MESSAGES = {
    [0x01] = "INIT", [0x02] = "REPLY", [0x03] = "COOKIE", [0x04] = "VERSION", [0x05] = "WRONG_KEY", [0x06] = "UNSERVED",
    [0x07] = "JOIN", [0x08] = "JOINED", [0x09] = "ANSWERED", [0x0a] = "DECLINED", [0x0b] = "ORDER",
    [0x0e] = "PUNCH",
    [0x0d] = "OFFER",
    [0xa1] = "Trickles INIT", [0xa2] = "Trickles REPLY", [0xa3] = "Trickles COOKIE", [0xa4] = "Trickles VERSION",
    [0xa5] = "Trickles WRONG_KEY", [0xa8] = "Trickles REQUEST", [0xa9] = "Trickles RESPONSE",
    [0xaa] = "Trickles REQUEST without seals", [0xab] = "Trickles RESPONSE without seals",
}
local DECLINED = {
    [1] = "capability unknown", [2] = "capability expired", [3] = "no more flows at once",
    [4] = "not passed on to that address", [5] = "overloaded",
    [6] = "the path leads back", [7] = "another version", [8] = "order cannot be read",
}
local CIPHERS = { [1] = "AES-128-GCM", [2] = "ChaCha20-Poly1305", [3] = "weak checksum" }

-- Fields

local F = {}
local all = {}
local function field(name, kind, label, ...)
    local made = ProtoField[kind]("tng." .. name, label, ...)
    F[name] = made
    all[#all + 1] = made
end

field("message", "uint8", "Message", base.HEX, MESSAGES)
field("version", "uint16", "Version")
field("id", "bytes", "Receiver's channel id")
field("initiator_id", "bytes", "Initiator's channel id")
field("responder_id", "bytes", "Responder's channel id")
field("cookie", "bytes", "Cookie")
field("ephemeral", "bytes", "Ephemeral key")
field("static", "bytes", "Static key, sealed")
field("sealed", "bytes", "Sealed")
field("mac1", "bytes", "mac1")
field("eid", "bytes", "Responder's EID")
field("signature", "bytes", "Signature")
field("answer_mac", "bytes", "MAC of the answer")
field("count", "uint8", "Count")
field("unserved", "uint8", "First byte that is not served", base.HEX)
field("introduction", "bytes", "Introduction")
field("punch_own", "bytes", "Drawn by its sender")
field("punch_echo", "bytes", "Drawn by its receiver")
field("first", "uint8", "First byte", base.HEX)
field("phase", "uint8", "Key phase")
field("has_ack", "bool", "Acknowledgment block")
field("has_control", "bool", "Control block")
field("number", "uint64", "Packet number")
field("cipher", "uint8", "Cipher", base.DEC, CIPHERS)
field("sender", "uint8", "Sender", base.DEC, { [0] = "initiator", [1] = "responder" })
field("payload_len", "uint32", "Plaintext length")
field("tag", "bytes", "Tag")
field("key", "string", "Key log line")

field("trickles.epoch", "uint8", "Key epoch, its last byte")
field("trickles.connection", "bytes", "Connection, or the first bytes of it")
field("trickles.instance", "bytes", "Instance")
field("trickles.request", "uint32", "Count of the request")
field("trickles.index", "uint8", "Packet of those that it releases")

field("section", "none", "Section packet")
field("section.id", "bytes", "Receiver's section id")
field("section.wanted", "bool", "Acknowledgment wanted at once")
field("section.number", "uint32", "Packet number, truncated")
field("section.mac", "bytes", "MAC")
field("section.flow", "uint64", "Legacy flow")
field("section.datagram", "bytes", "Legacy datagram")
field("greeting", "bytes", "Greeting, sealed")
field("nonce", "bytes", "Nonce")
field("capability", "bytes", "Capability")
field("instructions", "bytes", "Instructions, sealed")
field("declined", "uint8", "Declined", base.DEC, DECLINED)

field("ack", "none", "Acknowledgment block")
field("ack.ranges", "uint8", "Ranges")
field("ack.largest", "uint64", "Largest acknowledged")
field("ack.delay", "uint64", "Delay", base.UNIT_STRING, { " us" })
field("ack.first", "uint64", "From")
field("ack.last", "uint64", "To")
field("ack.unredeemed", "uint64", "Highest not yet redeemed")
field("ack.ect0", "uint64", "Received with ECT(0)")
field("ack.ect1", "uint64", "Received with ECT(1)")
field("ack.ce", "uint64", "Received with CE")

field("control", "none", "Control block")
field("control.type", "uint8", "Control frame", base.HEX, {
    [0] = "PAD", [1] = "PING", [2] = "CLOSE", [3] = "NEW_ID", [4] = "RETIRE_ID", [5] = "CHALLENGE", [6] = "RESPONSE",
    [7] = "LOST", [8] = "PAYLOAD_MAX", [9] = "CARRY", [10] = "RENEW",
})
field("pads", "uint32", "PADs")
field("code", "uint64", "Code")
field("reason", "string", "Reason")
field("sequence", "uint64", "Sequence")
field("retire_below", "uint64", "Retire all below")
field("new_id", "bytes", "Channel id")
field("reset_token", "bytes", "Stateless reset token")
field("data8", "bytes", "Data")
field("lost", "uint64", "Packet lost on the link")
field("payload_max", "uint64", "Largest end-to-end packet")
field("hops", "uint8", "Hops to go")
field("renewal", "bytes", "Fresh capability, with nonce and proof")

local FRAMES = {
    [0x00] = "PAD", [0x10] = "INIT", [0x11] = "REFUSE", [0x12] = "RESET", [0x13] = "STOP", [0x14] = "CREDIT",
    [0x15] = "HOST_CREDIT",
    [0x16] = "CREATE_CREDIT", [0x17] = "PRIORITY", [0x18] = "INIT_DATAGRAM", [0x19] = "REQUEST", [0x1a] = "RECEIVED",
}
for flags = 0, 7 do FRAMES[0x20 + flags] = "DATAGRAM" end
for flags = 0, 63 do FRAMES[0x40 + flags] = "DATA" end
field("frame", "none", "Frame")
field("frame.type", "uint8", "Frame", base.HEX, FRAMES)
field("stream", "uint64", "Stream")
field("parent", "uint64", "Parent")
field("service", "string", "Service")
field("protocol", "string", "Protocol")
field("final_offset", "uint64", "Final offset")
field("limit", "uint64", "Limit")
field("window", "uint64", "Window")
field("requests", "uint64", "Count of requests")
field("level", "int32", "Level")
field("weight", "uint8", "Weight")
field("offset", "uint64", "Offset")
field("length", "uint32", "Length")
field("final", "bool", "Final")
field("message_ends", "bool", "A message ends")
field("datagram", "uint64", "Datagram")
field("data", "bytes", "Data")

tng.fields = all

local malformed = ProtoExpert.new("tng.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
local unopened = ProtoExpert.new("tng.unopened", "Does not open", expert.group.DECRYPTION, expert.severity.WARN)
tng.experts = { malformed, unopened }

-- What is known of channels

local state

local function unhex(text)
    return (text:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

-- Takes a line of a key log: both directions of a channel, by the id that their packets bear.
local function add_key(line)
    local initiator, responder, cipher, first, second =
        line:match("^tng1 (%x+) (%x+) (%d+) (%x+) (%x+)%s*$")
    if not initiator or #initiator ~= 12 or #responder ~= 12 or #first ~= 64 or #second ~= 64 then return false end
    if state.lines[line] then return true end
    state.lines[line] = true
    cipher = tonumber(cipher)
    local channel = { cipher = cipher, directions = {} }
    for role, secret in pairs({ [0] = first, [1] = second }) do
        channel.directions[role] =
            { role = role, channel = channel, opener = seal.direction(cipher, unhex(secret), role) }
    end
    state.by_id[unhex(responder)] = channel.directions[0]
    state.by_id[unhex(initiator)] = channel.directions[1]
    return true
end

function tng.init()
    -- `opened`: what each packet, known by its bytes, came to; so that copies of it, seen elsewhere or again, are
    -- opened once.
    state = { by_id = {}, lines = {}, opened = {} }
    if tng.prefs.keys ~= "" then
        local file, why = io.open(tng.prefs.keys)
        if not file then
            report_failure("tng: the key log cannot be read: " .. why)
            return
        end
        for line in file:lines() do add_key(line) end
        file:close()
    end
end

-- Reading

local Malformed = setmetatable({}, { __tostring = function() return "malformed" end })

local Reader = {}
Reader.__index = Reader

local function reader(tvb, at, last)
    return setmetatable({ tvb = tvb, at = at, last = last }, Reader)
end

function Reader:left() return self.last - self.at end

function Reader:range(len)
    if len > self:left() then error(Malformed, 0) end
    local range = self.tvb(self.at, len)
    self.at = self.at + len
    return range
end

function Reader:u8()
    return self:range(1):uint()
end

-- Answers the number, as 64 bits, and where it stands (RFC 9000 section 16).
function Reader:varint()
    if self:left() < 1 then error(Malformed, 0) end
    local len = 2 ^ math.floor(self.tvb(self.at, 1):uint() / 64)
    local range = self:range(len)
    if len == 8 then return UInt64(range(4, 4):uint(), range(0, 4):uint() % 2 ^ 30), range end
    return UInt64(range:uint() % 2 ^ (8 * len - 2), 0), range
end

function Reader:add_varint(tree, name)
    local value, range = self:varint()
    tree:add(F[name], range, value)
    return value
end

-- Whether bytes are UTF-8 (RFC 3629): no cut sequences, no longer ones than needed, no surrogates.
local function is_text(bytes)
    local at = 1
    while at <= #bytes do
        local first, second = bytes:byte(at, at + 1)
        local more, low, high = 0, 0x80, 0xbf
        if first >= 0xc2 and first <= 0xdf then more = 1
        elseif first >= 0xe0 and first <= 0xef then
            more = 2
            if first == 0xe0 then low = 0xa0 elseif first == 0xed then high = 0x9f end
        elseif first >= 0xf0 and first <= 0xf4 then
            more = 3
            if first == 0xf0 then low = 0x90 elseif first == 0xf4 then high = 0x8f end
        elseif first >= 0x80 then return false end
        if more > 0 and (not second or second < low or second > high) then return false end
        for i = 2, more do
            local next = bytes:byte(at + i)
            if not next or next < 0x80 or next > 0xbf then return false end
        end
        at = at + 1 + more
    end
    return true
end

function Reader:add_text(tree, name)
    local len = self:varint():tonumber()
    if len > 255 then error(Malformed, 0) end
    if len == 0 then
        tree:add(F[name], "")
        return ""
    end
    local range = self:range(len)
    if not is_text(range:raw()) then error(Malformed, 0) end
    tree:add(F[name], range)
    return range:string()
end

-- How many zero bytes come next; they are taken.
function Reader:zeros()
    local from = self.at
    while self.at < self.last and self.tvb(self.at, 1):uint() == 0 do self.at = self.at + 1 end
    return self.at - from, from
end

-- Channel packets

local function add_acknowledgment(r, tree, told)
    local start = r.at
    local sub = tree:add(F.ack, r.tvb(r.at, 0))
    local first, range = r:u8(), r.tvb(start, 1)
    local count = first % 64
    sub:add(F["ack.ranges"], range, count)
    local words = {}
    if count > 0 then
        local top = r:add_varint(sub, "ack.largest")
        local delay, at = r:varint()
        sub:add(F["ack.delay"], at, delay * 8)
        for i = 1, count do
            local from = r.at
            if i > 1 then
                local gap = r:varint()
                if top < gap + 2 then error(Malformed, 0) end
                top = top - gap - 2
            end
            local less = r:varint()
            if top < less then error(Malformed, 0) end
            local low = top - less
            local item = sub:add(r.tvb(from, r.at - from), "Range: " .. tostring(low) .. " to " .. tostring(top))
            item:add(F["ack.first"], r.tvb(from, r.at - from), low)
            item:add(F["ack.last"], r.tvb(from, r.at - from), top)
            words[#words + 1] = low == top and tostring(top) or (tostring(low) .. "-" .. tostring(top))
            top = low
        end
    end
    if math.floor(first / 64) % 2 == 1 then r:add_varint(sub, "ack.unredeemed") end
    if first >= 128 then
        r:add_varint(sub, "ack.ect0")
        r:add_varint(sub, "ack.ect1")
        r:add_varint(sub, "ack.ce")
    end
    sub:set_len(r.at - start)
    sub:append_text(": " .. table.concat(words, " "))
    told[#told + 1] = "ACK " .. table.concat(words, " ")
end

local CONTROLS = {
    [1] = function() return "PING" end,
    [2] = function(r, tree)
        local code = r:add_varint(tree, "code")
        r:add_text(tree, "reason")
        return "CLOSE " .. tostring(code)
    end,
    [3] = function(r, tree, direction)
        local sequence = r:add_varint(tree, "sequence")
        r:add_varint(tree, "retire_below")
        local id = r:range(6)
        tree:add(F.new_id, id)
        tree:add(F.reset_token, r:range(16))
        -- Packets to the sender of this frame will bear it. Those of sections need no key.
        if direction then state.by_id[id:raw()] = direction.channel.directions[1 - direction.role] end
        return "NEW_ID " .. tostring(sequence)
    end,
    [4] = function(r, tree) return "RETIRE_ID " .. tostring(r:add_varint(tree, "sequence")) end,
    [5] = function(r, tree) tree:add(F.data8, r:range(8)); return "CHALLENGE" end,
    [6] = function(r, tree) tree:add(F.data8, r:range(8)); return "RESPONSE" end,
    [7] = function(r, tree) return "LOST " .. tostring(r:add_varint(tree, "lost")) end,
    [8] = function(r, tree)
        r:add_varint(tree, "sequence")
        return "PAYLOAD_MAX " .. tostring(r:add_varint(tree, "payload_max"))
    end,
    [9] = function() return "CARRY" end,
    [10] = function(r, tree)
        tree:add(F.hops, r:range(1))
        local len = r:u8()
        if len > 93 then error(Malformed, 0) end
        tree:add(F.renewal, r:range(len))
        return "RENEW"
    end,
}

local function add_pads(r, tree, type_field)
    local count, from = r:zeros()
    if count == 0 then return nil end
    local item = tree:add(F[type_field], r.tvb(from, count), 0)
    item:append_text(", " .. count .. " of them")
    item:add(F.pads, r.tvb(from, count), count)
    return "PAD"
end

local function add_controls(r, tree, direction, told)
    local start = r.at
    local len = r:varint():tonumber()
    if len > r:left() then error(Malformed, 0) end
    local block = tree:add(F.control, r.tvb(start, r.at - start + len))
    local inner = reader(r.tvb, r.at, r.at + len)
    r.at = r.at + len
    while inner:left() > 0 do
        if not add_pads(inner, block, "control.type") then
            local from = inner.at
            local kind = inner:u8()
            local item = block:add(F["control.type"], inner.tvb(from, 1))
            local known = CONTROLS[kind] or error(Malformed, 0)
            told[#told + 1] = known(inner, item, direction)
            item:set_len(inner.at - from)
        end
    end
end

-- Streams (docs/wire.md section 4)

-- The rest of DATA and DATAGRAM, behind the offset.
local function add_data(r, tree, kind, words, offset)
    local final, has_length = kind % 2 == 1, math.floor(kind / 2) % 2 == 1
    if not offset then
        offset = UInt64(0, 0)
        tree:add(F.offset, offset):set_generated()
    end
    local len = r:left()
    if has_length then len = r:varint():tonumber() else len = r:left() end
    if len > r:left() then error(Malformed, 0) end
    tree:add(F.length, len):set_generated()
    tree:add(F.final, final):set_generated()
    if len > 0 then tree:add(F.data, r:range(len)) end
    return words .. " [" .. tostring(offset) .. "+" .. len .. (final and ", end]" or "]")
end

local function add_stream_data(r, tree, kind)
    local words = "DATA " .. tostring(r:add_varint(tree, "stream"))
    local len, offset = math.floor(kind / 8) % 8, nil
    if len > 0 then
        local range = r:range(len == 7 and 8 or len)
        offset = range:uint64()
        if offset >= UInt64(0, 0x40000000) then error(Malformed, 0) end
        tree:add(F.offset, range, offset)
    end
    tree:add(F.message_ends, math.floor(kind / 4) % 2 == 1):set_generated()
    return add_data(r, tree, kind, words, offset)
end

local function add_datagram(r, tree, kind)
    local words = "DATAGRAM " .. tostring(r:add_varint(tree, "parent"))
    local final, has_offset = kind % 2 == 1, kind >= 0x24
    if not final or has_offset then words = words .. "/" .. tostring(r:add_varint(tree, "datagram")) end
    return add_data(r, tree, kind, words, has_offset and r:add_varint(tree, "offset") or nil)
end

local STREAMS = {
    [0x10] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        local parent, range = r:varint()
        if parent == UInt64(0, 0) then
            return "INIT " .. tostring(id) .. " " .. r:add_text(tree, "service") .. " " .. r:add_text(tree, "protocol")
        end
        tree:add(F.parent, range, parent - 1)
        return "INIT " .. tostring(id) .. " of " .. tostring(parent - 1)
    end,
    [0x11] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        r:add_varint(tree, "code")
        r:add_text(tree, "reason")
        return "REFUSE " .. tostring(id)
    end,
    [0x12] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        r:add_varint(tree, "code")
        r:add_varint(tree, "final_offset")
        return "RESET " .. tostring(id)
    end,
    [0x13] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        r:add_varint(tree, "code")
        return "STOP " .. tostring(id)
    end,
    [0x14] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        return "CREDIT " .. tostring(id) .. " " .. tostring(r:add_varint(tree, "limit"))
    end,
    [0x15] = function(r, tree)
        local limit = tostring(r:add_varint(tree, "limit"))
        r:add_varint(tree, "window")
        return "HOST_CREDIT " .. limit
    end,
    [0x1a] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        return "RECEIVED " .. tostring(id) .. " " .. tostring(r:add_varint(tree, "offset"))
    end,
    [0x16] = function(r, tree) return "CREATE_CREDIT " .. tostring(r:add_varint(tree, "limit")) end,
    [0x17] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        if r:add_varint(tree, "requests") >= UInt64(0, 1) then error(Malformed, 0) end
        local level, range = r:varint()
        level = level:tonumber()
        if level > 256 then error(Malformed, 0) end
        if level > 0 then tree:add(F.level, range, level - 129) end
        local weight = r:range(1)
        if weight:uint() == 0 then error(Malformed, 0) end
        tree:add(F.weight, weight)
        return "PRIORITY " .. tostring(id)
    end,
    [0x18] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        return "INIT_DATAGRAM " .. tostring(id) .. " of " .. tostring(r:add_varint(tree, "parent"))
    end,
    [0x19] = function(r, tree)
        local id = r:add_varint(tree, "stream")
        local service = r:add_text(tree, "service")
        local protocol = r:add_text(tree, "protocol")
        local len = r:varint():tonumber()
        if len > r:left() then error(Malformed, 0) end
        tree:add(F.length, len):set_generated()
        if len > 0 then tree:add(F.data, r:range(len)) end
        return "REQUEST " .. tostring(id) .. " " .. service .. " " .. protocol .. " [" .. len .. "]"
    end,
}

local function add_frames(r, tree, told)
    while r:left() > 0 do
        if not add_pads(r, tree, "frame.type") then
            local from = r.at
            local kind = r:u8()
            local item = tree:add(F["frame.type"], r.tvb(from, 1))
            local words
            if kind >= 0x40 and kind <= 0x7f then
                words = add_stream_data(r, item, kind)
            elseif kind >= 0x20 and kind <= 0x27 then
                words = add_datagram(r, item, kind)
            else
                local known = STREAMS[kind] or error(Malformed, 0)
                words = known(r, item)
            end
            told[#told + 1] = words
            item:set_text(words)
            item:set_len(r.at - from)
        end
    end
end

-- Opens a packet, once, and answers what it came to.
local function open(packet, direction)
    local known = state.opened[packet]
    if known == nil then
        local first, number_len, number, plain = direction.opener:open(packet)
        known = first and { first = first, number_len = number_len, number = number, plain = plain } or false
        state.opened[packet] = known
    end
    return known
end

local function dissect_channel(tvb, pinfo, tree, told)
    if tvb:len() < 7 then error(Malformed, 0) end
    local id = tvb(1, 6)
    local direction = state.by_id[id:raw()]
    if not direction or not direction.opener then
        tree:add(F.first, tvb(0, 1)):append_text(", masked")
        tree:add(F.id, id)
        tree:add(F.sealed, tvb(7))
        told[#told + 1] = "channel " .. tostring(id:bytes()) .. (direction and ", unknown cipher" or ", no key")
        return
    end
    local opened = open(tvb:raw(), direction)
    if not opened then
        tree:add(F.first, tvb(0, 1)):append_text(", masked")
        tree:add(F.id, id)
        tree:add_proto_expert_info(unopened)
        told[#told + 1] = "does not open"
        return
    end
    local first, header_len = opened.first, 7 + opened.number_len
    local has_ack, has_control = math.floor(first / 16) % 2 == 1, math.floor(first / 8) % 2 == 1
    local head = tree:add(F.first, tvb(0, 1), first)
    head:add(F.phase, tvb(0, 1), math.floor(first / 32) % 2)
    head:add(F.has_ack, tvb(0, 1), has_ack)
    head:add(F.has_control, tvb(0, 1), has_control)
    tree:add(F.id, id)
    tree:add(F.number, tvb(7, opened.number_len), UInt64(opened.number % 2 ^ 32, math.floor(opened.number / 2 ^ 32)))
    tree:add(F.sender, direction.role):set_generated()
    tree:add(F.cipher, direction.channel.cipher):set_generated()
    tree:add(F.payload_len, #opened.plain):set_generated()
    tree:add(F.tag, tvb(tvb:len() - direction.opener.tag_len))
    told[#told + 1] = "#" .. string.format("%.0f", opened.number)
    if #opened.plain == 0 then return end
    local plain = ByteArray.new(opened.plain, true):tvb("tng, opened")
    local r = reader(plain, 0, plain:len())
    if has_ack then add_acknowledgment(r, tree, told) end
    if has_control then add_controls(r, tree, direction, told) end
    add_frames(r, tree, told)
end

-- A packet between neighbours, and what it carries.
local function dissect_section(tvb, pinfo, tree, told)
    local first = tvb(0, 1):uint()
    local number_len = first % 4 + 1
    local header_len, mac_at = 7 + number_len, tvb:len() - 8
    if mac_at < header_len then error(Malformed, 0) end
    local has_ack, has_control = math.floor(first / 16) % 2 == 1, math.floor(first / 8) % 2 == 1
    local sub = tree:add(F.section, tvb(0, mac_at))
    local head = sub:add(F.first, tvb(0, 1))
    head:add(F.has_ack, tvb(0, 1), has_ack)
    head:add(F.has_control, tvb(0, 1), has_control)
    head:add(F["section.wanted"], tvb(0, 1), math.floor(first / 4) % 2 == 1)
    sub:add(F["section.id"], tvb(1, 6))
    sub:add(F["section.number"], tvb(7, number_len))
    tree:add(F["section.mac"], tvb(mac_at))
    told[#told + 1] = "section " .. tostring(tvb(1, 6):bytes()) .. " #" .. tvb(7, number_len):uint()
    local r = reader(tvb, header_len, mac_at)
    if has_ack then add_acknowledgment(r, sub, told) end
    if has_control then add_controls(r, sub, nil, told) end
    sub:set_len(r.at)
    if r:left() == 0 then return end
    local inner = tvb(r.at, 1):uint()
    if inner >= 0x40 and inner <= 0x7f then
        dissect_channel(r:range(r:left()):tvb(), pinfo, tree, told)
    else
        told[#told + 1] = "legacy flow " .. tostring(r:add_varint(sub, "section.flow"))
        if r:left() > 0 then sub:add(F["section.datagram"], r:range(r:left())) end
    end
end

-- Set-up (docs/wire.md section 2)

-- What rides at the end of another message, if it is one of these.
local function add_inner(tvb, at, tree, allowed)
    local kind = tvb(at, 1):uint()
    local known = allowed[kind] or error(Malformed, 0)
    local inner = tree:add(F.message, tvb(at, 1))
    return known(tvb(at):tvb(), inner, true)
end

local SETUP, ONWARD, HOMEWARD

SETUP = {
    [0x01] = function(tvb, tree, within)
        local len = tvb:len()
        if len > 1200 or len < (within and 400 or 1200) then error(Malformed, 0) end
        tree:add(F.version, tvb(1, 2))
        tree:add(F.initiator_id, tvb(3, 6))
        tree:add(F.cookie, tvb(9, 32))
        tree:add(F.ephemeral, tvb(41, 32))
        tree:add(F.static, tvb(73, 48))
        tree:add(F.sealed, tvb(121, len - 137))
        tree:add(F.mac1, tvb(len - 16, 16))
        return "INIT from " .. tostring(tvb(3, 6):bytes())
    end,
    [0x02] = function(tvb, tree)
        if tvb:len() < 61 or tvb:len() > 1200 then error(Malformed, 0) end
        tree:add(F.initiator_id, tvb(1, 6))
        tree:add(F.responder_id, tvb(7, 6))
        tree:add(F.ephemeral, tvb(13, 32))
        tree:add(F.sealed, tvb(45))
        return "REPLY to " .. tostring(tvb(1, 6):bytes()) .. " from " .. tostring(tvb(7, 6):bytes())
    end,
    [0x03] = function(tvb, tree)
        if tvb:len() ~= 55 then error(Malformed, 0) end
        tree:add(F.initiator_id, tvb(1, 6))
        tree:add(F.cookie, tvb(7, 32))
        tree:add(F.answer_mac, tvb(39, 16))
        return "COOKIE"
    end,
    [0x04] = function(tvb, tree)
        local count = tvb(7, 1):uint()
        if tvb:len() ~= 24 + 2 * count then error(Malformed, 0) end
        tree:add(F.initiator_id, tvb(1, 6))
        tree:add(F.count, tvb(7, 1))
        for i = 1, count do tree:add(F.version, tvb(6 + 2 * i, 2)) end
        tree:add(F.answer_mac, tvb(8 + 2 * count, 16))
        return "VERSION"
    end,
    [0x05] = function(tvb, tree)
        if tvb:len() ~= 103 then error(Malformed, 0) end
        tree:add(F.initiator_id, tvb(1, 6))
        tree:add(F.eid, tvb(7, 32))
        tree:add(F.signature, tvb(39, 64))
        return "WRONG_KEY"
    end,
    [0x06] = function(tvb, tree)
        if tvb:len() ~= 2 then error(Malformed, 0) end
        tree:add(F.unserved, tvb(1, 1))
        return "UNSERVED"
    end,
    [0x07] = function(tvb, tree)
        if tvb:len() > 1200 then error(Malformed, 0) end
        tree:add(F.version, tvb(1, 2))
        tree:add(F["section.id"], tvb(3, 6)):prepend_text("Sender's: ")
        tree:add(F.nonce, tvb(9, 12))
        tree:add(F.greeting, tvb(21, 42))
        return "JOIN from " .. tostring(tvb(3, 6):bytes()) .. " (" .. add_inner(tvb, 63, tree, ONWARD) .. ")"
    end,
    [0x08] = function(tvb, tree)
        tree:add(F["section.id"], tvb(1, 6))
        tree:add(F.nonce, tvb(7, 12))
        tree:add(F.greeting, tvb(19, 42))
        local words = "JOINED to " .. tostring(tvb(1, 6):bytes())
        if tvb:len() == 61 then return words .. " (tunnel)" end
        return words .. " (" .. add_inner(tvb, 61, tree, { [0x02] = SETUP[0x02] }) .. ")"
    end,
    [0x09] = function(tvb, tree)
        tree:add(F["section.id"], tvb(1, 6))
        return "ANSWERED to " .. tostring(tvb(1, 6):bytes()) .. " (" .. add_inner(tvb, 7, tree, HOMEWARD) .. ")"
    end,
    [0x0a] = function(tvb, tree)
        if tvb:len() ~= 8 then error(Malformed, 0) end
        tree:add(F["section.id"], tvb(1, 6))
        tree:add(F.declined, tvb(7, 1))
        return "DECLINED to " .. tostring(tvb(1, 6):bytes()) .. ": " ..
            (DECLINED[tvb(7, 1):uint()] or "for another reason")
    end,
    [0x0e] = function(tvb, tree)
        if tvb:len() ~= 33 then error(Malformed, 0) end
        tree:add(F.introduction, tvb(1, 16))
        tree:add(F.punch_own, tvb(17, 8))
        tree:add(F.punch_echo, tvb(25, 8))
        return "PUNCH for " .. tostring(tvb(1, 16):bytes())
    end,
    [0x0d] = function(tvb, tree)
        if tvb:len() < 101 then error(Malformed, 0) end
        tree:add(F.initiator_id, tvb(1, 6))
        tree:add(F.version, tvb(7, 2))
        tree:add(F.ephemeral, tvb(9, 32))
        tree:add(F.eid, tvb(41, 32))
        tree:add(F.nonce, tvb(73, 12))
        return "OFFER to " .. tostring(tvb(1, 6):bytes())    end,
}

-- Trickles (docs/wire.md sections 2.9 and 2.10): the same messages set up a connection, under first bytes of their own.
for kind = 1, 5 do
    SETUP[0xa0 + kind] = function(tvb, tree) return "Trickles " .. SETUP[kind](tvb, tree) end
end
-- Between ends that leave seals out the first byte is another, and what would be sealed stands in clear.
for first, seal in pairs({ [0xa8] = 16, [0xaa] = 0 }) do
    SETUP[first] = function(tvb, tree)
        if tvb:len() < 22 + seal then error(Malformed, 0) end
        tree:add(F["trickles.epoch"], tvb(1, 1))
        tree:add(F["trickles.connection"], tvb(2, 16))
        tree:add(F["trickles.request"], tvb(18, 4))
        if seal > 0 then tree:add(F.sealed, tvb(22)) end
        return MESSAGES[first] .. " #" .. tvb(18, 4):uint() .. " of " .. tostring(tvb(2, 4):bytes())
    end
end
for first, seal in pairs({ [0xa9] = 16, [0xab] = 0 }) do
    SETUP[first] = function(tvb, tree)
        if tvb:len() < 18 + seal then error(Malformed, 0) end
        tree:add(F["trickles.connection"], tvb(1, 4))
        tree:add(F["trickles.instance"], tvb(5, 8))
        tree:add(F["trickles.request"], tvb(13, 4))
        tree:add(F["trickles.index"], tvb(17, 1))
        if seal > 0 then tree:add(F.sealed, tvb(18)) end
        local connection = tostring(tvb(1, 4):bytes())
        return MESSAGES[first] .. " to #" .. tvb(13, 4):uint() .. " of " .. connection ..
            ", packet " .. tvb(17, 1):uint()
    end
end

ONWARD = {
    [0x01] = SETUP[0x01],
    [0x0b] = function(tvb, tree)
        local len = tvb(1, 1):uint()
        if len > 64 then error(Malformed, 0) end
        tree:add(F.capability, tvb(2, len))
        tree:add(F.nonce, tvb(2 + len, 12))
        tree:add(F.instructions, tvb(14 + len))
        return "ORDER"
    end,
}
HOMEWARD = {
    [0x02] = SETUP[0x02], [0x03] = SETUP[0x03], [0x04] = SETUP[0x04], [0x05] = SETUP[0x05], [0x06] = SETUP[0x06],
}

local comments = Field.new("frame.comment")

function tng.dissector(tvb, pinfo, root)
    if tvb:len() == 0 then return 0 end
    local first = tvb(0, 1):uint()
    local setup = SETUP[first]
    if not setup and (first < 0x40 or first > 0x9f) then return 0 end
    for _, comment in ipairs({ comments() }) do add_key(comment.value) end
    pinfo.cols.protocol = "tng"
    local tree, told = root:add(tng, tvb()), {}
    local fine, why = pcall(function()
        if setup then
            tree:add(F.message, tvb(0, 1))
            told[1] = setup(tvb, tree)
        elseif first >= 0x80 then
            dissect_section(tvb, pinfo, tree, told)
        else
            dissect_channel(tvb, pinfo, tree, told)
        end
    end)
    if not fine then
        -- A mistake of this script is one, and not the packet's.
        if why ~= Malformed and not tostring(why):find("out of bounds", 1, true) then error(why, 0) end
        tree:add_proto_expert_info(malformed)
        -- A reset of a section is random bytes, and nobody but its receiver knows it.
        told[#told + 1] = (first >= 0x80 and tvb:len() >= 23 and tvb:len() <= 43)
            and "malformed, or a stateless reset" or "malformed"
    end
    local text = table.concat(told, ", ")
    pinfo.cols.info = text
    tree:append_text(": " .. text)
    return tvb:len()
end

-- Ports

local ports = DissectorTable.get("udp.port")
local port = tng.prefs.port
ports:add(port, tng)

function tng.prefs_changed()
    if port ~= tng.prefs.port then
        ports:remove(port, tng)
        port = tng.prefs.port
        ports:add(port, tng)
    end
end

-- An INIT is unmistakable: its length, its version, and that both ends' later packets belong to the same conversation.
-- So is the JOIN that a client sends to the first helper.
local function is_init(tvb)
    if tvb:len() ~= 1200 then return false end
    local first = tvb(0, 1):uint()
    return (first == 0x01 or first == 0x07 or first == 0xa1) and tvb(1, 2):uint() == 1
end

-- What bears an id that is known, wherever it comes from: a host that captures itself may not know its own address.
local function is_known(tvb)
    if tvb:len() < 23 then return false end
    local first = tvb(0, 1):uint()
    if first ~= 0x02 and (first < 0x40 or first > 0x7f) then return false end
    for _, comment in ipairs({ comments() }) do add_key(comment.value) end
    return state.by_id[tvb(1, 6):raw()] ~= nil
end

tng:register_heuristic("udp", function(tvb, pinfo, root)
    if is_init(tvb) then
        pinfo.conversation = tng
    elseif not is_known(tvb) then
        return false
    end
    tng.dissector(tvb, pinfo, root)
    return true
end)
