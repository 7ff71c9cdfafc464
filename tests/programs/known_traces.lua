-- SPDX-License-Identifier: GPL-2.0-or-later
-- Calls itself DEPTH times through C code, for SECONDS, and burns time there: known_traces.lua SECONDS DEPTH. string.gsub
-- is in C, and calls back. The loop is hot, so LuaJIT makes a trace of it.
local depth = tonumber(arg[2])

local function burn()
	local x = 0
	for i = 1, 2000000 do
		x = x + (i * i) % 7
	end
	return x
end

local function descend(level)
	if level == depth then
		return burn()
	end
	return string.gsub("a", "a", function()
		descend(level + 1)
	end)
end

print("running")
io.stdout:flush()
local finish = os.clock() + tonumber(arg[1])
while os.clock() < finish do
	descend(1)
end
