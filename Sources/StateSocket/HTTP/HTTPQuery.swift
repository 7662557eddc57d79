internal import AgentEvents
internal import ForeignText

/// The parameters after the `?` of a request.
struct HTTPQuery {
    /// The maximum number of parameters.
    private static let maximumCount = 160

    private let parameters: [(name: ForeignText, value: ForeignText)]

    /// Reads `name=value` pairs; `+` and percent-encoded bytes are decoded.
    init(_ text: some Sequence<UInt8>) {
        parameters = Array(text).split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumCount).map { pair in
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (ForeignText(Self.decoded(pair[..<mark])), ForeignText(Self.decoded(pair[mark...].dropFirst())))
        }
    }

    /// Returns the subscription of `/events`.
    ///
    /// - Parameter lastID: The ID of the last event that a reconnecting client has; it takes precedence over
    ///   `since_seq`. A number without a stream is one of any stream.
    func events(lastID: String?) throws(HTTPRefusal) -> SubscriptionParameters {
        var subscription = try subscription(format: .serverSent)
        guard let id = lastID?.utf8 else { return subscription }
        let dash = id.lastIndex(of: UInt8(ascii: "-"))
        let digits = dash.map { id[id.index(after: $0)...] } ?? id[...]
        guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let number = UInt64(String(decoding: digits, as: UTF8.self))
        else { return subscription }
        (subscription.since, subscription.stream) = (number, dash.map { ForeignText(id[..<$0]) })
        return subscription
    }

    /// Returns the subscription of `/api/history`.
    func history() throws(HTTPRefusal) -> SubscriptionParameters {
        var subscription = try subscription(format: .plain)
        subscription.isHistory = true
        return subscription
    }

    /// Returns the parameters of `/api/report`.
    func report() throws(HTTPRefusal) -> ReportRequest {
        var request = ReportRequest()
        for (name, value) in parameters {
            guard let known = ReportRequest.names.first(where: { name == ForeignText($0.utf8) }) else {
                throw Self.unknown(name, besides: ReportRequest.names)
            }
            guard (1...256).contains(value.bytes.count), let text = String(validating: value.bytes, as: UTF8.self),
                request.values.updateValue(text, forKey: known) == nil
            else { throw HTTPRefusal(.badRequest, "the parameter '\(known)' must be one string of 1 to 256 bytes") }
        }
        return request
    }

    private static func unknown(_ name: ForeignText, besides names: [String]) -> HTTPRefusal {
        HTTPRefusal(
            .badRequest,
            "there is no parameter '\(name.shown(limit: 64))' (parameters: \(names.joined(separator: ", ")))"
        )
    }

    private func subscription(format: LineFormat) throws(HTTPRefusal) -> SubscriptionParameters {
        var types: [ForeignText] = []
        var subjects: [ForeignText] = []
        var since: UInt64?
        guard parameters.count <= Self.maximumCount else {
            throw HTTPRefusal(.badRequest, "there are more than \(Self.maximumCount) parameters")
        }
        for (name, value) in parameters {
            if name == "types" {
                types += value.bytes.split(separator: UInt8(ascii: ",")).map { ForeignText($0) }
            } else if name == "subjects" {
                subjects.append(value)
            } else if name == "since_seq" {
                guard since == nil, let number = UInt64(String(decoding: value.bytes, as: UTF8.self)) else {
                    throw HTTPRefusal(.badRequest, "the parameter 'since_seq' must be one number of an event")
                }
                since = number
            } else {
                throw Self.unknown(name, besides: ["types", "subjects", "since_seq"])
            }
        }
        if let flaw = EventFilter.flaw(inTypes: types) ?? EventFilter.flaw(in: subjects, named: "subjects") {
            throw HTTPRefusal(.badRequest, flaw)
        }
        return SubscriptionParameters(
            format: format,
            filter: EventFilter(types: types.isEmpty ? nil : types, subjects: subjects.isEmpty ? nil : subjects),
            since: since
        )
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            // The initializer also reads a sign.
            if byte == UInt8(ascii: "%"), rest.count >= 2, rest.prefix(2).allSatisfy({ !"+-".utf8.contains($0) }),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}

extension EventFilter {
    /// Returns an error message for the texts of a filter; `nil` if they are valid.
    static func flaw(in texts: [ForeignText], named name: String) -> String? {
        texts.count <= 64 && texts.allSatisfy { (1...256).contains($0.bytes.count) }
            ? nil : "the parameter '\(name)' must have 1 to 64 strings of 1 to 256 bytes"
    }

    /// Returns an error message for the types of a filter; `nil` if they are valid.
    ///
    /// A subscription to an unknown type would wait forever.
    static func flaw(inTypes types: [ForeignText]) -> String? {
        if let flaw = flaw(in: types, named: "types") { return flaw }
        guard let type = types.first(where: { EventType.matching(String(decoding: $0.bytes, as: UTF8.self)).isEmpty })
        else { return nil }
        let names = EventType.allCases.map(\.shortName)
        let name = type.shown(limit: ControlRequest.shownLimit)
        let question = KeySuggestion.question(about: EventType.shortName(of: name), among: names)
        return "there is no event type '\(name)'\(question) (event types: \(names.joined(separator: ", ")))"
    }
}
