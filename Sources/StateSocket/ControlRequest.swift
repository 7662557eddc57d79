internal import ForeignText

/// A request's refusal: a code of the protocol, a message for people, and the time after which to try again.
struct ControlFailure: Error, Hashable {
    var code: String
    var message: String
    var retryAfter: Duration?
}

/// One request of control.sock.
struct ControlRequest: Hashable {
    /// The longest part of a client's text that an error repeats, in bytes.
    private static let shownLimit = 64

    /// The method's name.
    var method: ForeignText
    /// The parameters as one JSON object.
    var parameters: [UInt8]
    /// Whether the client takes more than one reply.
    var wantsMore: Bool

    /// Reads a line.
    init(parsing line: [UInt8]) throws(ControlFailure) {
        let object: RequestObject
        do {
            object = try RequestObject(line)
        } catch {
            throw Self.failure(of: error)
        }
        if let stranger = object.firstName(besides: ["method", "parameters", "more"]) {
            throw Self.invalid("there is no member '\(stranger.shown(limit: Self.shownLimit))'")
        }
        switch object.string("method") {
        case .missing: throw Self.invalid("the member 'method' is missing")
        case .wrongType: throw Self.invalid("the member 'method' must be a string")
        case .value(let method): self.method = method
        }
        switch object.object("parameters") {
        case .missing: parameters = Array("{}".utf8)
        case .wrongType: throw Self.invalid("the member 'parameters' must be an object")
        case .value(let text): parameters = text
        }
        switch object.boolean("more") {
        case .missing: wantsMore = false
        case .wrongType: throw Self.invalid("the member 'more' must be true or false")
        case .value(let more): wantsMore = more
        }
    }

    private static func failure(of flaw: RequestObject.Flaw) -> ControlFailure {
        switch flaw {
        case .syntax:
            return ControlFailure(code: "invalid_json", message: "the line is not one JSON object in UTF-8")
        case .duplicate(let path):
            let isParameter = path.count > 1 && path.first.map { $0 == "parameters" } ?? false
            let name = ForeignText(path.map(\.bytes).joined(separator: [UInt8(ascii: ".")]))
            return ControlFailure(
                code: isParameter ? "invalid_parameters" : "invalid_request",
                message: "the member '\(name.shown(limit: shownLimit))' is given twice"
            )
        }
    }

    private static func invalid(_ message: String) -> ControlFailure {
        ControlFailure(code: "invalid_request", message: message)
    }
}

extension ControlRequest {
    /// Checks that a method that takes no parameters was given none.
    func checkHasNoParameters() throws(ControlFailure) { _ = try parameters(known: []) }

    /// The name in a `probe`; `nil` for all probes.
    func probeName() throws(ControlFailure) -> ForeignText? {
        try Self.optional(parameters(known: ["name"]).string("name"), "name", "a string")
    }

    /// The parameters, of which none has another name than these.
    private func parameters(known: [ForeignText]) throws(ControlFailure) -> RequestObject {
        guard let object = try? RequestObject(parameters) else {
            throw ControlFailure(code: "invalid_parameters", message: "the parameters must be an object")
        }
        guard let stranger = object.firstName(besides: known) else { return object }
        let (method, name) = (method.shown(limit: Self.shownLimit), stranger.shown(limit: Self.shownLimit))
        throw ControlFailure(code: "invalid_parameters", message: "the method '\(method)' has no parameter '\(name)'")
    }

    /// The order that a `subscribe` gives.
    func order() throws(ControlFailure) -> StreamOrder {
        guard wantsMore else {
            throw ControlFailure(code: "expected_more", message: "'subscribe' has many replies and needs \"more\":true")
        }
        let object = try parameters(known: ["types", "subjects", "since_seq", "stream", "snapshot"])
        let types = try Self.optional(object.strings("types"), "types", "an array of strings")
        let subjects = try Self.optional(object.strings("subjects"), "subjects", "an array of strings")
        for (name, list) in [("types", types), ("subjects", subjects)] {
            guard let list else { continue }
            guard !list.isEmpty, list.count <= 64, list.allSatisfy({ (1...256).contains($0.bytes.count) }) else {
                throw ControlFailure(
                    code: "invalid_parameters",
                    message: "the parameter '\(name)' must have 1 to 64 strings of 1 to 256 bytes"
                )
            }
        }
        if let type = types?.first(where: { !Self.isPattern($0) }) {
            throw ControlFailure(code: "invalid_parameters", message: "the parameter 'types' has no type '\(type)'")
        }
        return StreamOrder(
            form: .reply,
            filter: EventFilter(types: types, subjects: subjects),
            since: try Self.optional(object.number("since_seq"), "since_seq", "a whole number of 64 bits"),
            stream: try Self.optional(object.string("stream"), "stream", "a string"),
            wantsSnapshot: try Self.optional(object.boolean("snapshot"), "snapshot", "true or false") ?? true
        )
    }

    /// Letters, digits, `_` and dots, with a `*` at the end or not: types that this agent does not know may come to be.
    private static func isPattern(_ type: ForeignText) -> Bool {
        let name = type.bytes.last == UInt8(ascii: "*") ? type.bytes.dropLast() : type.bytes[...]
        return name.allSatisfy { byte in
            byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: ".")
        }
    }

    private static func optional<Content>(
        _ value: RequestObject.Value<Content>,
        _ name: String,
        _ kind: String
    ) throws(ControlFailure) -> Content? {
        switch value {
        case .missing: return nil
        case .wrongType:
            throw ControlFailure(code: "invalid_parameters", message: "the parameter '\(name)' must be \(kind)")
        case .value(let content): return content
        }
    }
}
