/// Asks a network's captive portal interface (RFC 8908) whether the network is captive.
///
/// The address comes from DHCP or from router advertisements (RFC 8910); see ``NetworkdPortal``.
public enum PortalAPI {
    /// The media type of an answer.
    public static let contentType = "application/captive+json"
    /// The largest answer that is read, in bytes.
    public static let maximumBytes = 64 * 1024

    /// The check that asks an interface at its address.
    ///
    /// It takes no redirect, no other media type, and no body above ``maximumBytes``; the report has the body, for
    /// ``evidence(in:)``.
    /// - Parameters:
    ///   - uri: The interface's address, which must be an `https` one.
    ///   - interface: The interface that the network is on; nil for the route's.
    ///   - trust: Who decides whether the server is the right one.
    ///   - timeout: The time for everything.
    /// - Throws: ``PortalAddressError`` for an address that must not be asked.
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
        return Probe(
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
    }

    /// What the report of a ``probe(for:interface:trust:timeout:)`` says about a portal.
    ///
    /// A network that says that it is not captive is no proof of the open Internet, so that is unclear, without a code.
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

/// Why an address cannot be a captive portal interface's.
public struct PortalAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a clause.
    public let reason: String

    init(reason: String) { self.reason = reason }

    /// The text that operators read.
    public var description: String { "the address of the captive portal interface cannot be used: \(reason)" }
}
