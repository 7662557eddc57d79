internal import AgentEvents
internal import ForeignText

/// The subject (NATS) or topic (MQTT) of an event, with placeholders for its properties: `<device>`, `<type>` and
/// `<subject>`.
///
/// `reachagent.<device>.<type>` yields `reachagent.edge7.path.changed`: the type keeps its dots, which separate tokens
/// in NATS. Every other character with a special meaning for a broker becomes an underscore.
public struct SubjectTemplate: Sendable, Hashable {
    /// The syntax of a broker's names.
    public enum Syntax: Sendable, Hashable {
        /// NATS: tokens separated by dots.
        case subject
        /// MQTT: levels separated by slashes.
        case topic

        /// Creates the syntax of a broker.
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

    /// The syntax of the names.
    public let syntax: Syntax
    let tokens: [[Part]]

    /// Parses a template.
    ///
    /// - Throws: ``SinkSettingError`` unless the device is a separate token before the other variables, so that one
    ///   wildcard matches all events of a device.
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

    /// Returns the subject or topic of an event.
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

    /// Returns the common prefix of all names, up to the device: `reachagent.edge7`.
    ///
    /// Only events of this device are below it.
    public func root(device: String) -> String {
        let end = tokens.firstIndex(of: [.variable(.device)]).map { $0 + 1 } ?? tokens.count
        return name(of: tokens[..<end]) { _ in syntax.token(device) }
    }

    /// Returns the filter that matches all events of a device, and for topics also its state and status:
    /// `reachagent.edge7.>`, `reachagent/edge7/#`.
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
    /// Returns any text as one token: characters with a special meaning for a broker or a terminal become underscores,
    /// a long text is truncated, and an empty one becomes an underscore.
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

    /// Returns true for text that ``token(_:)`` leaves unchanged.
    public func isToken(_ text: String) -> Bool { text.utf8.elementsEqual(token(text).utf8) }

    /// Returns a type, with its dots.
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
    /// Returns the topic of the retained state: `<root>/state`, with ``MachineState/payload``.
    public func stateTopic(device: String) -> String { root(device: device) + "\(syntax.separator)state" }

    /// Returns the topic of the retained presence: `<root>/status`, with `online` or `offline`.
    public func statusTopic(device: String) -> String { root(device: device) + "\(syntax.separator)status" }
}

extension SubjectTemplate {
    /// The filter that matches the events of all devices: `reachagent.*.>`, `reachagent/+/#`.
    public var allDevices: String {
        let end = tokens.firstIndex(of: [.variable(.device)]) ?? tokens.count
        let fixed = tokens[..<end].map { token in
            token.map { part in if case .text(let text) = part { text } else { "" } }.joined()
        }
        let wildcards = syntax == .subject ? ["*", ">"] : ["+", "#"]
        let rest = end + 1 < tokens.count ? wildcards : Array(wildcards.prefix(1))
        return (fixed + rest).joined(separator: String(syntax.separator))
    }

    /// Returns the device in a subject or topic that ``allDevices`` matches; `nil` for a shorter one.
    public func device(in name: String) -> Substring? {
        let place = tokens.firstIndex(of: [.variable(.device)]) ?? tokens.count
        // By bytes, as for the broker: a separator and a combining mark are one character of a `String`.
        let names = name.utf8.split(
            separator: UInt8(ascii: syntax == .subject ? "." : "/"),
            maxSplits: place + 1,
            omittingEmptySubsequences: false
        )
        return names.indices.contains(place) && !names[place].isEmpty ? Substring(names[place]) : nil
    }
}
