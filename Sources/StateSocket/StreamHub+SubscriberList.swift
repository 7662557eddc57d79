internal import AgentEvents
internal import ForeignText

extension StreamHub {
    /// Returns the answer to `subscribers`: one object with all connections, the oldest first.
    func describeSubscribers() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("limit", connections.limit)
            json.name("subscribers")
            json.array(connections.list) { json, connection in
                json.object { json in write(connection, to: &json) }
            }
        }
        return json.bytes
    }

    private func write(_ connection: Connection, to json: inout JSONWriter) {
        json.member("socket", connection.socket.rawValue)
        if let peer = connection.peer {
            json.member("pid", ifPresent: peer.process) { $0.number($1) }
            json.member("uid", peer.user)
            json.member("gid", ifPresent: peer.group) { $0.number($1) }
            json.member("command", ifPresent: peer.command)
        }
        json.member("address", ifPresent: connection.address)
        json.member("connected", connection.since)
        json.member("state", state(of: connection))
        if let stream = connection.stream {
            for (name, list) in [
                ("types" as StaticString, stream.parameters.filter.types),
                ("subjects", stream.parameters.filter.subjects),
            ] {
                json.member(name, ifPresent: list) { json, list in json.array(list) { $0.string($1.shown()) } }
            }
            if stream.next > 0 {
                let newest = intake.newestReleased
                json.member("next_seq", stream.next)
                json.member("lag", newest >= stream.next ? newest - stream.next + 1 : 0)
            }
        }
        json.member("dropped", ifPresent: connection.stream?.listener?.dropped) { $0.number($1) }
        json.member("lines", connection.sentLines)
        json.member("bytes", connection.sentBytes)
    }

    /// Returns the state in the protocol's terms.
    private func state(of connection: Connection) -> String {
        switch connection.stream?.phase {
        case nil: "idle"
        case .waiting: "opening"
        case .replaying: "replaying"
        case .live: "live"
        case .ended: "lagged"
        }
    }
}
