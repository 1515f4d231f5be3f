-- Sends each line of a file (timestamp, signature, body) as one request, and none twice. Prints the number of requests,
-- the microseconds and the number of errors as its last line.
local requests = {}
local turn = 0

function init(args)
  for line in io.lines(args[1]) do
    local timestamp, signature, body = line:match("^(%S+) (%S+) (.*)$")
    requests[#requests + 1] = wrk.format("POST", nil, {
      ["Content-Type"] = "application/json",
      ["X-Issuer-Key-Id"] = "sandbox",
      ["X-Issuer-Timestamp"] = timestamp,
      ["X-Issuer-Signature"] = signature,
    }, body)
  end
end

function request()
  turn = turn + 1
  if turn > #requests then error("more requests were sent than signed") end
  return requests[turn]
end

function done(summary, latency)
  local e = summary.errors
  print(string.format("%d %d %d", summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout + e.status))
end
