-- Sends each request with the next token of a file. Prints the number of requests, the microseconds and the number of
-- errors as its last line.
local requests = {}
local turn = 0

function init(args)
  for token in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", nil, { Authorization = "Bearer " .. token })
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local e = summary.errors
  print(string.format("%d %d %d", summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout + e.status))
end
