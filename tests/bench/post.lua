-- For wrk: POSTs the lines of a file as JSON bodies, one after the other, and reports in one line
-- requests, microseconds, latency at 50 and 99 percent in microseconds, and answers or sockets that failed.
-- wrk ... -s post.lua URL -- BODIES

local requests = {}
local at = 0

function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format(nil, nil, nil, line)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("figures %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), failed))
end
