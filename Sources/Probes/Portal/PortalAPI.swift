public import CheckResults
internal import ForeignText
internal import HTTPSerialization
public import ServerTrust

/// Queries a network's captive portal API (RFC 8908).
///
/// The API's address comes from DHCP or from router advertisements (RFC 8910); see ``NetworkdPortal``.
public enum PortalAPI {
    /// The media type of a response.
    public static let contentType = "application/captive+json"
    /// The maximum size of a response, in bytes.
    public static let maximumBytes = 64 * 1024

    /// Returns the check that queries a captive portal API.
    ///
    /// It accepts no redirect, no other media type, and no body above ``maximumBytes``; the report contains the body as
    /// received, with any secrets of the request, for ``evidence(in:)``.
    /// - Parameters:
    ///   - uri: The API's address, which must be an `https` URL.
    ///   - interface: The interface of the network; nil for that of the route.
    ///   - trust: The evaluator of the server's trust.
    ///   - timeout: The timeout of the whole check.
    /// - Throws: ``PortalAddressError`` for an address that must not be queried.
    public static func probe(
        for uri: String,
        interface: String? = nil,
        trust: TrustEvaluator = TrustEvaluator(anchors: .system),
        timeout: Duration = .seconds(10)
    ) throws(PortalAddressError) -> Probe {
        let url: HTTPURL
        do {
            url = try HTTPURL(parsing: uri)
        } catch {
            throw PortalAddressError(reason: error.description)
        }
        guard url.scheme == .https else { throw PortalAddressError(reason: "the URL's scheme is not 'https'") }
        var headers = HeaderFields()
        do {
            try headers.set("Accept", contentType)
        } catch {
            throw PortalAddressError(reason: error.description)
        }
        var probe = Probe(
            target: .http(url),
            request: ProbeRequest(headers: headers),
            expectations: ResponseExpectations(acceptableContentTypes: [contentType]),
            trust: trust,
            interface: interface,
            timeout: timeout,
            limits: ProbeLimits(
                bodyBytes: maximumBytes,
                inflatedBodyBytes: maximumBytes,
                keptBodyBytes: maximumBytes
            )
        )
        // The login page's address usually repeats the session of the API's, and the user needs it.
        probe.isBodyRedacted = false
        return probe
    }

    /// Returns the portal evidence in the report of a ``probe(for:interface:trust:timeout:)``.
    ///
    /// A network that claims not to be captive is no proof of the open Internet: the verdict is then `unclear`, without
    /// a code.
    public static func evidence(in report: CheckReport) -> PortalEvidence {
        guard report.verdict == .ok, let body = report.hops.last?.response?.body else {
            return PortalEvidence(.unclear, code: report.verdict.code)
        }
        guard let answer = try? PortalAnswer(parsing: body) else {
            return PortalEvidence(.unclear, code: .httpUndecodable)
        }
        guard answer.isCaptive else { return PortalEvidence(.unclear) }
        return PortalEvidence(.portal, code: .portalAPI, url: answer.userPortalURL)
    }
}

/// The reason an address cannot be used as a captive portal API.
public struct PortalAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, as a clause.
    public let reason: String

    init(reason: String) { self.reason = reason }

    /// The message for operators.
    public var description: String { "the address of the captive portal interface cannot be used: \(reason)" }
}

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
                throw ParseError(reason: "'\(name)' is not an integer from 0 to 2^64 - 1")
            case let value?: throw wrong(name, value, "a number")
            }
        }

        private func wrong(_ name: String, _ value: JSONValue, _ kind: String) -> ParseError {
            ParseError(reason: "'\(name)' is \(value.kind), not \(kind)")
        }
    }
}
