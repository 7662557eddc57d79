#!/usr/bin/env python3
"""Prints the transitions of reachability, each one once, whatever happens to the connection or the agent."""
import json, os, socket, sys, time


def events(path, types):
    """Yields the events of these types, over lost connections and restarts of the agent."""
    wanted = {"types": types}
    while True:
        try:
            agent = socket.socket(socket.AF_UNIX)
            agent.connect(path)
            agent.sendall(json.dumps({"method": "subscribe", "parameters": wanted, "more": True}).encode() + b"\n")
            for line in agent.makefile(encoding="utf-8"):
                reply = json.loads(line)  # a line that was cut off is no JSON, and comes again
                event = reply.get("parameters", {})
                if "error" in reply:
                    print("reachagent:", reply["error"], event.get("message", ""), file=sys.stderr)
                    if reply["error"] == "invalid_parameters":
                        sys.exit(64)  # a misspelt type is misspelt the next time as well
                    if reply["error"] in ("stream_changed", "sequence_unknown", "events_expired"):
                        print("reachagent: events are missing; begins anew, with the state as it is now", file=sys.stderr)
                        wanted = {"types": types}
                    break  # the server keeps the connection, but sends nothing on it: ask again
                elif event["type"] == "reachagent.agent.hello":
                    wanted = {"since_seq": event["data"]["seq"], **wanted, "stream": event["data"]["stream"]}
                elif event.get("seq", wanted["since_seq"] + 1) > wanted["since_seq"]:
                    yield event
                    wanted["since_seq"] = event.get("seq", wanted["since_seq"])
        except (OSError, ValueError) as error:
            print("reachagent:", error, file=sys.stderr)
        time.sleep(1)


path = os.environ.get("REACHAGENT_SOCKET", "/run/reachagent/control.sock")
if os.path.isdir(path):
    path = os.path.join(path, "control.sock")
try:
    for event in events(path, sys.argv[1:] or ["reachability.changed", "target.changed"]):
        state = event["data"].get("to") or event["data"].get("state") or {}
        print(event.get("seq", "-"), event["time"], event["type"], event["subject"], state.get("via"), flush=True)
except BrokenPipeError:
    os._exit(0)  # the reader has gone; sys.exit would write to it once more
except OSError as error:
    print("reachagent: cannot write to standard output:", error, file=sys.stderr)
    os._exit(75)
