public import EventEnvelope

extension JournalSummary: JSONRepresentable {
    /// The most holes that are written; the newest are.
    public static let mostMissing = 32

    /// Writes `{"directory":…,"oldest_seq":…,"newest_seq":…,"segments":…,"bytes":…,"degraded":…,…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("directory", directory)
            json.member("oldest_seq", ifPresent: oldestSequence) { $0.number($1) }
            json.member("newest_seq", ifPresent: newestSequence) { $0.number($1) }
            json.member("segments", segments)
            json.member("bytes", bytes)
            json.member("degraded", trouble != nil)
            json.member("code", ifPresent: trouble?.code)
            json.member("detail", ifPresent: trouble?.detail)
            json.name("missing")
            json.array(missing.suffix(Self.mostMissing)) { json, range in
                json.object { json in
                    json.member("first_seq", range.lowerBound)
                    json.member("last_seq", range.upperBound)
                }
            }
            switch sync {
            case .always: json.member("sync", "always")
            case .never: json.member("sync", "never")
            case .interval(let interval):
                json.member("sync", "interval")
                json.member("sync_ms", interval.milliseconds)
            }
        }
    }
}

extension SocketSummary: JSONRepresentable {
    /// Writes `{"events":…,"control":…,"connections":…,"limit":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("events", events)
            json.member("control", control)
            json.member("connections", connections)
            json.member("limit", limit)
        }
    }
}

extension OverrunSummary: JSONRepresentable {
    /// Writes `{"count":…,"dropped":…,"code":…,"last":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("count", count)
            json.member("dropped", dropped)
            json.member("code", ifPresent: code)
            json.member("last", ifPresent: last) { $1.write(to: &$0) }
        }
    }
}
