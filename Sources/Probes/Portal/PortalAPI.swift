public import CheckResults
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
    /// It accepts no redirect, no other media type, and no body above ``maximumBytes``; the report contains the body,
    /// for ``evidence(in:)``.
    /// - Parameters:
    ///   - uri: The API's address, which must be an `https` one.
    ///   - interface: The interface of the network; nil for the route's.
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

    /// Returns the portal evidence in the report of a ``probe(for:interface:trust:timeout:)``.
    ///
    /// A network that claims not to be captive is no proof of the open Internet, so that is unclear, without a code.
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
