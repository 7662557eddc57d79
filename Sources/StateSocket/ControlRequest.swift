internal import AgentEvents
internal import ForeignText

/// The failure of a request: a code of the protocol, a message for people, and the time to wait before a retry.
struct ControlFailure: Error, Hashable {
    var code: RequestCode
    var message: String
    var retryAfter: Duration?
}

/// One request of control.sock.
struct ControlRequest {
    /// The maximum length of a client's text in an error message, in bytes.
    static let shownLimit = 64
    /// The maximum number of values and names in a request; a subscription with 64 types and 64 subjects has 140.
    private static let maximumValues = 16_384

    /// The method's name.
    let method: ForeignText
    /// The parameters as one JSON object.
    private let parameters: JSONObject?
    /// `true` if the client accepts more than one reply.
    let wantsMore: Bool

    /// Parses a line.
    init(parsing line: [UInt8]) throws(ControlFailure) {
        let object = try Self.read { () throws(JSONObject.Flaw) in
            try JSONObject(line, maximumValues: Self.maximumValues)
        }
        if let stranger = object.firstName(besides: ["method", "parameters", "more"]) {
            let name = ForeignText.shown(stranger, limit: Self.shownLimit)
            throw ControlFailure(code: .invalidRequest, message: "there is no member '\(name)'")
        }
        method = ForeignText(try Self.read { () throws(JSONObject.Flaw) in try object.requiredString("method") })
        parameters = try Self.read { () throws(JSONObject.Flaw) in try object.object("parameters") }
        wantsMore = try Self.read { () throws(JSONObject.Flaw) in try object.boolean("more") } ?? false
    }

    /// The content of the request, by the method's entry in ``ControlMethod/all``.
    func call() throws(ControlFailure) -> ControlCall {
        guard let entry = ControlMethod.all.first(where: { method == $0.name }) else {
            throw ControlMethod.unknown(method)
        }
        if let stranger = parameters?.firstName(besides: entry.parameters) {
            let name = ForeignText.shown(stranger, limit: Self.shownLimit)
            throw Self.invalidParameters("the method '\(entry.name)' has no parameter '\(name)'")
        }
        return try entry.call(self)
    }

    /// Reads a part of the request; an error in it becomes the failure of the request.
    static func read<Value>(
        _ kind: String = "member",
        code: RequestCode = .invalidRequest,
        _ body: () throws(JSONObject.Flaw) -> Value
    ) throws(ControlFailure) -> Value {
        do throws(JSONObject.Flaw) {
            return try body()
        } catch {
            switch error {
            case .syntax:
                throw ControlFailure(code: .invalidJSON, message: "the line is not one JSON object in UTF-8")
            case .duplicate(let path):
                let isParameter = path.count > 1 && path[0].elementsEqual("parameters".utf8)
                let name = ForeignText.shown(Array(path.joined(separator: [UInt8(ascii: ".")])), limit: shownLimit)
                throw ControlFailure(
                    code: isParameter ? .invalidParameters : code,
                    message: "the member '\(name)' is given twice"
                )
            case .missing(let name): throw ControlFailure(code: code, message: "the \(kind) '\(name)' is missing")
            case .mismatch(let name, let expected):
                throw ControlFailure(code: code, message: "the \(kind) '\(name)' must be \(expected)")
            }
        }
    }

    static func invalidParameters(_ message: String) -> ControlFailure {
        ControlFailure(code: .invalidParameters, message: message)
    }
}

extension ControlRequest {
    /// Returns the probe in a `probe` request; `nil` for all probes.
    func probeName() throws(ControlFailure) -> ForeignText? {
        try parameter { parameters throws(JSONObject.Flaw) in try parameters.string("name") }.map { ForeignText($0) }
    }

    /// Returns the subscription in a `subscribe` request.
    func subscription() throws(ControlFailure) -> SubscriptionParameters {
        guard wantsMore else {
            throw ControlFailure(code: .expectedMore, message: "'subscribe' has many replies and needs \"more\":true")
        }
        let (types, subjects) = (try texts("types"), try texts("subjects"))
        if let flaw = types.flatMap(EventFilter.flaw(inTypes:))
            ?? subjects.flatMap({ EventFilter.flaw(in: $0, named: "subjects") })
        {
            throw Self.invalidParameters(flaw)
        }
        let since: UInt64? = try parameter { parameters throws(JSONObject.Flaw) in try parameters.integer("since_seq") }
        let sinceTime = try time("since_time")
        if since != nil, sinceTime != nil {
            throw Self.invalidParameters("the parameters 'since_seq' and 'since_time' exclude each other")
        }
        return SubscriptionParameters(
            format: .reply,
            filter: EventFilter(types: types, subjects: subjects),
            since: since,
            sinceTime: sinceTime,
            stream: try parameter { parameters throws(JSONObject.Flaw) in try parameters.string("stream") }
                .map { ForeignText($0) },
            wantsSnapshot: try parameter { parameters throws(JSONObject.Flaw) in try parameters.boolean("snapshot") }
        )
    }

    /// Returns a time.
    private func time(_ name: String) throws(ControlFailure) -> Timestamp? {
        guard let text = try parameter({ parameters throws(JSONObject.Flaw) in try parameters.string(name) }) else {
            return nil
        }
        guard let time = Timestamp(utc: text.span) else {
            throw Self.invalidParameters(
                "the parameter '\(name)' must be an RFC 3339 time in UTC, such as \"2026-11-21T07:00:00Z\""
            )
        }
        return time
    }

    /// Returns the texts of a filter.
    private func texts(_ name: String) throws(ControlFailure) -> [ForeignText]? {
        guard let list = try parameter({ parameters throws(JSONObject.Flaw) in try parameters.strings(name) }) else {
            return nil
        }
        guard !list.isEmpty else {
            throw Self.invalidParameters("the parameter '\(name)' must have 1 to 64 strings of 1 to 256 bytes")
        }
        return list.map { ForeignText($0) }
    }

    /// Returns a parameter; `nil` if it is absent.
    func parameter<Value>(
        _ body: (JSONObject) throws(JSONObject.Flaw) -> Value?
    ) throws(ControlFailure) -> Value? {
        guard let parameters else { return nil }
        return try Self.read("parameter", code: .invalidParameters) { () throws(JSONObject.Flaw) in
            try body(parameters)
        }
    }
}
