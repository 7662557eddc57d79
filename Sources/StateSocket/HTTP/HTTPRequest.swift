internal import ForeignText
internal import Glibc
internal import NIOHTTP1

/// An accepted HTTP request.
///
/// This type rejects requests that a foreign web page could make a browser send: those with an unknown host name (DNS
/// rebinding), those with another origin, and those for the contents of such a page.
struct HTTPRequest: Hashable {
    /// The requested resource.
    enum Resource: Hashable {
        /// `/`: the status page.
        case page
        /// `/metrics`, in the format of Prometheus or of OpenMetrics.
        case metrics(isOpenMetrics: Bool)
        /// `/healthz`.
        case health
        /// `/api/status`.
        case status
        /// `/api/history`: events of the past.
        case history(SubscriptionParameters)
        /// `/api/report`: availability and outages.
        case report(ReportRequest)
        /// `/events`: events from now on, or after a number.
        case events(SubscriptionParameters)
    }

    /// The paths, which are listed in the error for any other path.
    static let paths = ["/", "/metrics", "/healthz", "/api/status", "/api/history", "/api/report", "/events"]

    let resource: Resource
    /// `true` if the client may send another request on the connection.
    let keepsConnection: Bool

    /// Checks a request.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - names: The host names that are accepted besides `localhost` and addresses, in lower case.
    init(_ head: HTTPRequestHead, names: Set<String>) throws(HTTPRefusal) {
        let hosts = head.headers["host"]
        let target = HTTPTarget(head.uri)
        // The host of an absolute target counts, and Host is ignored (RFC 9112, section 3.2.2), but must be valid.
        guard hosts.count == 1, let field = hosts.first, HTTPHost(field) != nil else {
            throw HTTPRefusal(.badRequest, "expected exactly one Host header field")
        }
        let host = target.authority ?? field
        guard let name = HTTPHost(host) else {
            throw HTTPRefusal(.badRequest, "expected a host and an optional port in the target")
        }
        guard name.isLocal || names.contains(name.name) else {
            throw HTTPRefusal(
                .misdirectedRequest,
                "the host '\(ForeignText.shown(name.name, limit: 64))' is not allowed; add it to 'names' in [http]"
            )
        }
        for origin in head.headers["origin"] where !HTTPHost.isOrigin(origin, of: host) {
            throw HTTPRefusal(.forbidden, "requests from other origins are not allowed")
        }
        guard !Self.isOfForeignPage(head.headers) else {
            throw HTTPRefusal(.forbidden, "pages of other origins may link to this one, and load nothing from it")
        }
        guard head.method == .GET || head.method == .HEAD else {
            throw .method
        }
        // NIO's decoder reads nothing after a request to change the protocol, which is answered as any other here.
        keepsConnection = head.isKeepAlive && !head.headers.contains(name: "upgrade")
        resource = try Self.resource(head, target)
    }

    /// Returns whether a browser sends a request for a page of another origin, other than to follow a link.
    ///
    /// Images and scripts are requested without an `Origin`. The page cannot read them, but each would be a report to
    /// create or a stream to keep. Browsers have sent these fields to addresses of this machine and over TLS since 2023
    /// (https://www.w3.org/TR/fetch-metadata/), and no page can change them.
    private static func isOfForeignPage(_ headers: HTTPHeaders) -> Bool {
        guard let site = headers.first(name: "sec-fetch-site").map({ ForeignText($0) }), site != "same-origin",
            site != "none"
        else {
            return false
        }
        let isLink =
            headers.first(name: "sec-fetch-mode").map { ForeignText($0) } == "navigate"
            && headers.first(name: "sec-fetch-dest").map { ForeignText($0) } == "document"
        return !isLink
    }

    private static func resource(_ head: HTTPRequestHead, _ target: HTTPTarget) throws(HTTPRefusal) -> Resource {
        let query = HTTPQuery(target.query)
        // The bytes are compared exactly and not decoded, so each resource has only one spelling.
        switch ForeignText(target.path) {
        case "/": return .page
        case "/metrics":
            return .metrics(isOpenMetrics: HTTPAccept.prefersOpenMetrics(head.headers["accept"]))
        case "/healthz": return .health
        case "/api/status": return .status
        case "/api/history": return .history(try query.history())
        case "/api/report": return .report(try query.report())
        case "/events": return .events(try query.events(lastID: head.headers["last-event-id"].first))
        default:
            throw HTTPRefusal(.notFound, "there is no such page; the pages are \(paths.joined(separator: ", "))")
        }
    }
}

/// The rejection of an HTTP request.
struct HTTPRefusal: Error, Hashable {
    let status: HTTPResponseStatus
    /// A message for people.
    let message: String

    init(_ status: HTTPResponseStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Returns the rejection of a request with a body.
    ///
    /// The method comes first: without its body, a request of another one would be rejected too.
    static func body(of head: HTTPRequestHead?) -> HTTPRefusal {
        guard let method = head?.method, method != .GET, method != .HEAD else {
            return HTTPRefusal(.badRequest, "a request without a body is expected")
        }
        return .method
    }

    /// The rejection of any method but GET and HEAD.
    static let method = HTTPRefusal(.methodNotAllowed, "only GET and HEAD are supported")

    /// Returns whether a client waits for an answer to the head before it sends the body (RFC 9110, section 10.1.1).
    static func answersBeforeBody(of head: HTTPRequestHead) -> Bool {
        let expectations = head.headers["expect"].flatMap { $0.utf8.split { ", \t".utf8.contains($0) } }
        guard expectations.contains(where: { $0.equalsIgnoringCase("100-continue") }) else { return false }
        let length = head.headers.first(name: "content-length")
        return length.map { $0.utf8.contains { $0 != UInt8(ascii: "0") } }
            ?? head.headers.contains(name: "transfer-encoding")
    }
}

/// The target of a request: a path with a query (`/events?since_seq=4`), or a whole URI (RFC 9112, section 3.2).
private struct HTTPTarget {
    /// The host and port of a whole URI; `nil` if the target is only a path.
    let authority: String?
    /// The path.
    let path: Substring.UTF8View
    /// The query, without the `?`.
    let query: Substring.UTF8View

    init(_ text: String) {
        var rest = text.utf8[...]
        if let scheme = ["http://", "https://"].first(where: { rest.prefix($0.utf8.count).equalsIgnoringCase($0) }) {
            rest = rest.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            rest = rest[end...]
        } else {
            authority = nil
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        // A URI without a path is that of "/".
        path = authority != nil && mark == rest.startIndex ? Substring("/").utf8 : rest[..<mark]
        query = rest[mark...].dropFirst()
    }
}

/// The host named by a request.
struct HTTPHost: Hashable {
    /// The name or address, without the port and in lower case; an IPv6 address without its brackets.
    let name: String
    /// `true` for an address.
    let isAddress: Bool

    /// `true` for a host that a foreign name server cannot point to this machine: `localhost`, or an address.
    var isLocal: Bool { isAddress || name == "localhost" }

    /// Parses a Host header: `localhost:9718`, `127.0.0.1`, `[::1]:9718`.
    init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard (1...255).contains(bytes.count) else { return nil }
        let end: Int
        if bytes[0] == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = String(decoding: bytes[1..<bracket], as: UTF8.self).lowercased()
            isAddress = Self.isAddress(name, AF_INET6)
            guard isAddress else { return nil }
            end = bracket + 1
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            let isName = bytes[..<end].allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
            guard end > 0, isName else { return nil }
            name = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
            isAddress = Self.isAddress(name, AF_INET)
        }
        let port = bytes[end...]
        guard
            port.isEmpty
                || (port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
        else { return nil }
    }

    /// Returns whether an origin is that of the host named by the request.
    fileprivate static func isOrigin(_ origin: String, of host: String) -> Bool {
        ["http://", "https://"].contains { origin.utf8.equalsIgnoringCase("\($0)\(host)") }
    }

    private static func isAddress(_ text: String, _ family: CInt) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}

/// The negotiation of the metrics format.
private enum HTTPAccept {
    /// Returns whether OpenMetrics 1.0 is accepted, with at least the quality of the text format.
    static func prefersOpenMetrics(_ values: [String]) -> Bool {
        var (open, text) = (0.0, 0.0)
        for range in values.joined(separator: ",").utf8.split(separator: UInt8(ascii: ",")).prefix(32) {
            // No part that counts is longer, and the comparison of long text may cost the square of its length.
            var parts = range.split(separator: UInt8(ascii: ";")).map { part in
                part.count <= 64 ? Substring(part).trimmed.lowercased() : ""
            }[...]
            let type = parts.popFirst() ?? ""
            var (weight, version) = (1.0, "1.0.0")
            for part in parts {
                if part.hasPrefix("q=") { weight = Double(part.dropFirst(2)) ?? 0 }
                if part.hasPrefix("version=") { version = String(part.dropFirst(8)) }
            }
            switch type {
            case "application/openmetrics-text" where version.hasPrefix("1."): open = max(open, weight)
            case "text/plain", "text/*", "*/*": text = max(text, weight)
            default: break
            }
        }
        return open > 0 && open >= text
    }
}

extension Sequence<UInt8> {
    /// Returns whether the bytes are those of a text, without regard to the case of ASCII letters.
    ///
    /// The comparison of strings would cost the square of the length of hostile ones.
    func equalsIgnoringCase(_ text: String) -> Bool {
        lazy.map(\.lowercasedASCII).elementsEqual(text.utf8.lazy.map(\.lowercasedASCII))
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
