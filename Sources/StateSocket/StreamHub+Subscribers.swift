internal import EventEnvelope

extension StreamHub {
    /// The answer to `subscribers`: one object with all connections, the oldest first.
    func describeSubscribers() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("newest_seq", ring.newest)
            json.name("subscribers")
            json.array(connectionList) { json, connection in
                json.object { json in write(connection, to: &json) }
            }
        }
        return json.bytes
    }

    private func write(_ connection: Connection, to json: inout JSONWriter) {
        json.member("socket", connection.socket.rawValue)
        if let peer = connection.peer {
            json.member("pid", peer.process)
            json.member("uid", peer.user)
            json.member("gid", peer.group)
            json.member("command", ifPresent: peer.command)
        }
        json.member("since", connection.since)
        json.member("sent_lines", connection.sentLines)
        json.member("sent_bytes", connection.sentBytes)
        guard let stream = connection.stream else { return }
        json.name("subscription")
        json.object { json in
            json.member("phase", stream.phase.rawValue)
            for (name, list) in [
                ("types" as StaticString, stream.order.filter.types), ("subjects", stream.order.filter.subjects),
            ] {
                json.member(name, ifPresent: list) { json, list in json.array(list) { $0.string($1) } }
            }
            json.member("since_seq", ifPresent: stream.order.since) { $0.number($1) }
            guard stream.next > 0 else { return }
            json.member("next_seq", stream.next)
            json.member("lag", ring.next > stream.next ? ring.next - stream.next : 0)
        }
    }
}
