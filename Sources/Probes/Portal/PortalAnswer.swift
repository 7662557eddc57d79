internal import ForeignText
internal import HTTPSerialization

/// The response of a captive portal API (RFC 8908, section 5).
public struct PortalAnswer: Sendable, Hashable {
    /// `true` if the network is captive for this device.
    public var isCaptive: Bool
    /// The login page; only an `https` address is kept.
    public var userPortalURL: String?
    /// A page about the venue of the network.
    public var venueInfoURL: String?
    /// `true` if the session can be extended at the portal; nil if unknown.
    public var canExtendSession: Bool?
    /// The seconds until the network becomes captive again; nil if unknown.
    public var secondsRemaining: UInt64?
    /// The bytes until the network becomes captive again; nil if unknown.
    public var bytesRemaining: UInt64?

    /// Creates an answer.
    public init(
        isCaptive: Bool,
        userPortalURL: String? = nil,
        venueInfoURL: String? = nil,
        canExtendSession: Bool? = nil,
        secondsRemaining: UInt64? = nil,
        bytesRemaining: UInt64? = nil
    ) {
        self.isCaptive = isCaptive
        self.userPortalURL = userPortalURL
        self.venueInfoURL = venueInfoURL
        self.canExtendSession = canExtendSession
        self.secondsRemaining = secondsRemaining
        self.bytesRemaining = bytesRemaining
    }

    /// Parses the body of a response.
    ///
    /// Unknown members are ignored, null counts as absent, and an address that must not be shown is left out.
    /// - Throws: ``ParseError`` when the body is not a JSON object, is too large or too deep, has no `captive` member,
    ///   or has a member of the wrong type.
    public init(parsing bytes: [UInt8]) throws(ParseError) {
        guard bytes.count <= PortalAPI.maximumBytes else {
            throw ParseError(reason: "it has more than \(PortalAPI.maximumBytes) bytes")
        }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes, maximumDepth: 16)
        } catch {
            throw ParseError(reason: error.description)
        }
        guard case .object(let object) = value else { throw ParseError(reason: "it is \(value.kind), not an object") }
        let members = Members(object: object)
        guard let isCaptive = try members.bool("captive") else { throw ParseError(reason: "'captive' is missing") }
        self.isCaptive = isCaptive
        userPortalURL = try members.string("user-portal-url").flatMap { PortalURL.absolute($0, overTLS: true) }
        venueInfoURL = try members.string("venue-info-url").flatMap { PortalURL.absolute($0) }
        canExtendSession = try members.bool("can-extend-session")
        secondsRemaining = try members.count("seconds-remaining")
        bytesRemaining = try members.count("bytes-remaining")
    }

    /// The reason a body is not a valid response.
    public struct ParseError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The error, as a clause.
        public let reason: String

        init(reason: String) { self.reason = reason }

        /// The message for operators.
        public var description: String { "the captive portal interface's answer cannot be used: \(reason)" }
    }

    /// The members of an object, with checked types.
    private struct Members {
        let object: [ForeignText: JSONValue]

        func bool(_ name: String) throws(ParseError) -> Bool? {
            switch object[ForeignText(name)] {
            case nil, .null?: return nil
            case .bool(let value)?: return value
            case let value?: throw wrong(name, value, "a boolean")
            }
        }

        func string(_ name: String) throws(ParseError) -> String? {
            switch object[ForeignText(name)] {
            case nil, .null?: return nil
            case .string(let value)?: return String(decoding: value.bytes, as: UTF8.self)
            case let value?: throw wrong(name, value, "a string")
            }
        }

        func count(_ name: String) throws(ParseError) -> UInt64? {
            switch object[ForeignText(name)] {
            case nil, .null?: return nil
            case .number(let number)?:
                if let count = number.uint64 { return count }
                throw ParseError(reason: "'\(name)' is no whole number from 0 to 2^64 - 1")
            case let value?: throw wrong(name, value, "a number")
            }
        }

        private func wrong(_ name: String, _ value: JSONValue, _ kind: String) -> ParseError {
            ParseError(reason: "'\(name)' is \(value.kind), not \(kind)")
        }
    }
}

extension PortalAPI {
    /// The response of a captive portal API.
    public typealias Answer = PortalAnswer
}
