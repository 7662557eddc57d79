internal import AgentEvents
internal import ForeignText

/// The subject (NATS) or topic (MQTT) of an event, with `<device>`, `<type>` and `<subject>` in the place of its
/// properties.
///
/// `reachagent.<device>.<type>` makes `reachagent.edge7.path.changed`: the type keeps its dots, and each is a token of
/// its own in NATS. Every other character that a broker gives a meaning becomes an underscore.
public struct SubjectTemplate: Sendable, Hashable {
    /// The rules of a broker's names.
    public enum Syntax: Sendable, Hashable {
        /// NATS: tokens with dots between them.
        case subject
        /// MQTT: levels with slashes between them.
        case topic

        /// The rules of a broker.
        public init(_ scheme: BrokerAddress.Scheme) { self = scheme.isNATS ? .subject : .topic }

        /// The character between tokens.
        public var separator: Character { self == .subject ? "." : "/" }
        var word: String { self == .subject ? "subject" : "topic" }
        var token: String { self == .subject ? "token" : "level" }
    }

    /// A property of an event.
    enum Variable: String, CaseIterable {
        case device, type, subject
    }

    /// A part of a token.
    enum Part: Sendable, Hashable {
        case text(String)
        case variable(Variable)
    }

    /// The maximum number of bytes of a template.
    public static let maximumBytes = 255
    /// The maximum number of bytes of one token that comes from an event.
    static let maximumTokenBytes = 128

    /// The rules of the names.
    public let syntax: Syntax
    let tokens: [[Part]]

    /// Reads a template.
    ///
    /// - Throws: ``SinkSettingError``: the device is a token of its own, and stands before the other variables, so that
    ///   one wildcard names all events of a device.
    public init(_ text: String, syntax: Syntax) throws(SinkSettingError) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else {
            throw SinkSettingError(
                "expected a \(syntax.word) of 1 to \(Self.maximumBytes) bytes, got \(text.utf8.count)"
            )
        }
        guard text.first != "$" else {
            throw SinkSettingError("a \(syntax.word) must not begin with '$', which the broker keeps for itself")
        }
        var tokens: [[Part]] = []
        for token in text.split(separator: syntax.separator, omittingEmptySubsequences: false) {
            guard !token.isEmpty else {
                throw SinkSettingError("'\(ForeignText.shown(text))' has an empty \(syntax.token)")
            }
            tokens.append(try Self.parts(of: token, syntax: syntax))
        }
        let first = tokens.firstIndex { token in token.contains { if case .variable = $0 { true } else { false } } }
        guard let first, tokens[first] == [.variable(.device)] else {
            throw SinkSettingError(
                """
                expected '<device>' as a \(syntax.token) of its own before '<type>' and '<subject>', \
                got '\(ForeignText.shown(text))'
                """
            )
        }
        self.syntax = syntax
        self.tokens = tokens
    }

    private static func parts(of token: Substring, syntax: Syntax) throws(SinkSettingError) -> [Part] {
        var parts: [Part] = []
        var rest = token
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let name = rest[rest.index(after: start)..<end]
            guard let variable = Variable(rawValue: String(name)) else {
                throw SinkSettingError(
                    "expected '<device>', '<type>' or '<subject>', got '<\(ForeignText.shown(String(name)))>'"
                )
            }
            if start > rest.startIndex { parts.append(.text(try literal(rest[..<start], syntax))) }
            parts.append(.variable(variable))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.text(try literal(rest, syntax))) }
        return parts
    }

    private static func literal(_ text: Substring, _ syntax: Syntax) throws(SinkSettingError) -> String {
        guard let bad = text.unicodeScalars.first(where: { !syntax.allows($0) }) else { return String(text) }
        throw SinkSettingError("a \(syntax.word) must not contain '\(ForeignText.shown(String(bad)))'")
    }

    /// The subject or topic of an event.
    ///
    /// - Parameters:
    ///   - device: The device's name.
    ///   - type: The type of the event, with or without the prefix `reachagent.`.
    ///   - subject: The subject of the event.
    public func name(device: String, type: String, subject: String) -> String {
        name(of: tokens[...]) { variable in
            switch variable {
            case .device: syntax.token(device)
            case .type: syntax.type(EventType.shortName(of: type))
            case .subject: syntax.token(subject)
            }
        }
    }

    /// Returns the part of all names that ends with the device: `reachagent.edge7`.
    ///
    /// Below it are the events of this device alone.
    public func root(device: String) -> String {
        let end = tokens.firstIndex(of: [.variable(.device)]).map { $0 + 1 } ?? tokens.count
        return name(of: tokens[..<end]) { _ in syntax.token(device) }
    }

    /// The subject or topic filter that takes all events of a device, and with a topic the state and status beside
    /// them: `reachagent.edge7.>`, `reachagent/edge7/#`.
    public func filter(device: String) -> String {
        guard tokens.last != [.variable(.device)] else { return root(device: device) }
        return root(device: device) + (syntax == .subject ? ".>" : "/#")
    }

    private func name(of tokens: ArraySlice<[Part]>, _ value: (Variable) -> String) -> String {
        tokens.map { token in
            token.map { part in
                switch part {
                case .text(let text): text
                case .variable(let variable): value(variable)
                }
            }.joined()
        }.joined(separator: String(syntax.separator))
    }
}

extension SubjectTemplate.Syntax {
    /// Text of any origin as one token: characters that mean something to a broker or a terminal become underscores,
    /// what is too long is cut, and nothing becomes one underscore.
    public func token(_ text: String) -> String {
        var token = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += String(scalar).utf8.count
            guard bytes <= SubjectTemplate.maximumTokenBytes else { break }
            token.append(allows(scalar) ? scalar : "_")
        }
        return token.isEmpty ? "_" : String(token)
    }

    /// True for text that ``token(_:)`` leaves as it is.
    public func isToken(_ text: String) -> Bool { text.utf8.elementsEqual(token(text).utf8) }

    /// A type, whose dots stay.
    func type(_ text: String) -> String {
        guard self == .subject else { return token(text) }
        return text.split(separator: ".", omittingEmptySubsequences: false).prefix(8).map { token(String($0)) }
            .joined(separator: ".")
    }

    func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .subject where [".", "*", ">"].contains(scalar): false
        case .topic where ["/", "+", "#"].contains(scalar): false
        default: scalar.value > 0x20 && !scalar.properties.isWhitespace && !ForeignText.isActive(scalar)
        }
    }
}

extension SubjectTemplate {
    /// The topic of the retained state: `<root>/state`, with ``MachineState/payload``.
    public func stateTopic(device: String) -> String { root(device: device) + "\(syntax.separator)state" }

    /// The topic of the retained presence: `<root>/status`, with `online` or `offline`.
    public func statusTopic(device: String) -> String { root(device: device) + "\(syntax.separator)status" }
}

extension SubjectTemplate {
    /// The filter that takes the events of all devices: `reachagent.*.>`, `reachagent/+/#`.
    public var allDevices: String {
        let end = tokens.firstIndex(of: [.variable(.device)]) ?? tokens.count
        let fixed = tokens[..<end].map { token in
            token.map { part in if case .text(let text) = part { text } else { "" } }.joined()
        }
        let wildcards = syntax == .subject ? ["*", ">"] : ["+", "#"]
        let rest = end + 1 < tokens.count ? wildcards : Array(wildcards.prefix(1))
        return (fixed + rest).joined(separator: String(syntax.separator))
    }

    /// The device in a subject or topic that ``allDevices`` takes; `nil` in a shorter one.
    public func device(in name: String) -> Substring? {
        let place = tokens.firstIndex(of: [.variable(.device)]) ?? tokens.count
        let names = name.split(separator: syntax.separator, maxSplits: place + 1, omittingEmptySubsequences: false)
        return names.indices.contains(place) && !names[place].isEmpty ? names[place] : nil
    }
}
