/// A request's refusal: a code of the protocol, and what to tell people.
struct ControlFailure: Error, Hashable {
    var code: String
    var message: String
}

/// One request of control.sock.
struct ControlRequest: Hashable {
    /// The method's name.
    var method: String
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
        let known = ["method", "parameters", "more"]
        if let stranger = object.members.first(where: { !known.contains($0.name) }) {
            throw Self.invalid("there is no member '\(stranger.name.prefix(64))'")
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
            let code = path.first == "parameters" && path.count > 1 ? "invalid_parameters" : "invalid_request"
            let name = path.joined(separator: ".").prefix(64)
            return ControlFailure(code: code, message: "the member '\(name)' is given twice")
        }
    }

    private static func invalid(_ message: String) -> ControlFailure {
        ControlFailure(code: "invalid_request", message: message)
    }
}

extension ControlRequest {
    /// Checks that a method that takes no parameters was given none.
    func checkHasNoParameters() throws(ControlFailure) {
        guard let object = try? RequestObject(parameters), let member = object.members.first else { return }
        throw ControlFailure(
            code: "invalid_parameters",
            message: "the method '\(method)' has no parameter '\(member.name.prefix(64))'"
        )
    }

    /// The order that a `subscribe` gives.
    func order() throws(ControlFailure) -> StreamOrder {
        guard wantsMore else {
            throw ControlFailure(code: "expected_more", message: "'subscribe' has many replies and needs \"more\":true")
        }
        guard let object = try? RequestObject(parameters) else {
            throw ControlFailure(code: "invalid_parameters", message: "the parameters must be an object")
        }
        let known = ["types", "subjects", "since_seq", "stream", "snapshot"]
        if let stranger = object.members.first(where: { !known.contains($0.name) }) {
            throw ControlFailure(
                code: "invalid_parameters",
                message: "'subscribe' has no parameter '\(stranger.name.prefix(64))'"
            )
        }
        let types = try Self.optional(object.strings("types"), "types", "an array of strings")
        let subjects = try Self.optional(object.strings("subjects"), "subjects", "an array of strings")
        for (name, list) in [("types", types), ("subjects", subjects)] {
            guard let list else { continue }
            guard !list.isEmpty, list.count <= 64, list.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 256 }) else {
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
    private static func isPattern(_ type: String) -> Bool {
        let name = type.hasSuffix("*") ? type.dropLast() : type[...]
        return name.utf8.allSatisfy { byte in
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
