// The token bucket as a Redis script: it uses Redis's own clock, so that processes with different clocks agree. A
// bucket that is full again is deleted, so idle callers take no memory.

export const TAKE_TOKENS = `
local per_second, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local owes = ARGV[4] == 'owes'
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at_ms')
local idle_ms = math.max(0, now_ms - (tonumber(bucket[2]) or now_ms))
local tokens = math.min(burst, (tonumber(bucket[1]) or burst) + idle_ms * per_second / 1000)
if cost > 0 and tokens < cost and not owes then
  return {math.ceil((cost - tokens) / per_second * 1000), math.floor(tokens)}
end
tokens = math.min(burst, tokens - cost)
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at_ms', now_ms)
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / per_second * 1000) + 1000)
return {0, math.floor(tokens)}
`
