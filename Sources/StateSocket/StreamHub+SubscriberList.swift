internal import AgentEvents
internal import ForeignText

extension StreamHub {
    /// The maximum number of types and of subjects of one subscription, and the number of bytes of each.
    private static let (maximumFilters, maximumFilterBytes) = (8, 64)
    /// The maximum size of the list in bytes: half of the longest line that readers accept.
    private static let maximumListBytes = ScannedLine.maximumBytes / 2

    /// Returns the answer to `subscribers`: one object with the connections that fit, the oldest first.
    func describeSubscribers() -> [UInt8] {
        let all = connections.list
        var room = Self.maximumListBytes
        var shown: [[UInt8]] = []
        for connection in all {
            let text = describe(connection)
            room -= text.count + 1
            guard room >= 0 else { break }
            shown.append(text)
        }
        var json = JSONWriter()
        json.object { json in
            json.member("limit", connections.limit)
            json.name("subscribers")
            json.array(shown) { $0.value($1) }
            writeOmitted(all.count - shown.count, as: "subscribers_omitted", to: &json)
        }
        return json.bytes
    }

    private func describe(_ connection: Connection) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in write(connection, to: &json) }
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
        json.member("connected", connection.connected())
        json.member("state", state(of: connection))
        if let stream = connection.stream {
            let filter = stream.parameters.filter
            write(filter.types, as: "types", omitted: "types_omitted", to: &json)
            write(filter.subjects, as: "subjects", omitted: "subjects_omitted", to: &json)
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

    private func write(
        _ list: [ForeignText]?,
        as name: StaticString,
        omitted: StaticString,
        to json: inout JSONWriter
    ) {
        guard let list else { return }
        json.name(name)
        json.array(list.prefix(Self.maximumFilters)) { $0.string($1.shown(limit: Self.maximumFilterBytes)) }
        writeOmitted(list.count - Self.maximumFilters, as: omitted, to: &json)
    }

    private func writeOmitted(_ count: Int, as name: StaticString, to json: inout JSONWriter) {
        if count > 0 { json.member(name, count) }
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
