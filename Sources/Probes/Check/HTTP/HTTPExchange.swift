internal import CheckResults
internal import ForeignText
internal import HTTPSerialization
internal import NIOCore
internal import NIOHTTP1

/// One request and its response on one connection: the common part of HTTP/1 and HTTP/2.
///
/// The handlers of both protocols report here. `@unchecked Sendable`: used only on the connection's event loop.
final class HTTPExchange: @unchecked Sendable {
    /// The callbacks of a check, in this order; `finished` is called once.
    struct Events {
        var sentRequest: () -> Void
        var receivedFirstByte: () -> Void
        /// Called with the response and the body received so far, and a finding when the exchange failed.
        var finished: (HTTPExchange, Finding?) -> Void
    }

    /// The maximum number of informational responses (1xx) to skip.
    private static let maximumInformational = 16

    let request: SerializedRequest
    let limits: ProbeLimits
    /// The subject of findings.
    let subject: String
    /// The response's head and the facts about its body; nil before the head.
    private(set) var response: ResponseReport?
    /// The decoded body.
    private(set) var body = ByteBuffer()
    /// `true` once a byte of the response was received.
    private(set) var hasFirstByte = false
    /// Receives the sizes of the body's pieces, which are then dropped; nil to decode and keep the body.
    var sink: ((Int) -> Void)?
    /// The content to send instead of the request's own body.
    var upload: UploadContent?
    /// The reader of the rest of the request's own body; nil if nothing is left.
    var feed: RequestBodyFeed?
    /// The error code of a received GOAWAY frame.
    var goAway: UInt32?
    /// The error code of a received RST_STREAM frame.
    var serverReset: UInt32?

    /// `true` if the server ended the exchange because it requires HTTP/1.1, before it answered.
    var requiresHTTPOne: Bool {
        response == nil && [goAway, serverReset].contains(HTTPTwoCode.httpOneRequired)
    }

    private var events: Events?
    private var informational = 0
    private var isBodyEncoded = false
    /// `true` if the whole response arrived before the request was sent.
    private var isAnswered = false

    init(request: SerializedRequest, limits: ProbeLimits, events: Events) {
        self.request = request
        self.limits = limits
        self.events = events
        subject = request.url.authority
    }

    /// The bytes of the content to send.
    var contentLength: Int { upload?.length ?? request.body.length }

    /// Returns whether the response has no body, whatever its header says (RFC 9110, section 6.4.1).
    func isBodyless(status: Int) -> Bool { request.method == "HEAD" || status == 204 || status == 304 }

    var isOver: Bool { events == nil }

    /// Drops the callbacks.
    func abandon() { (events, sink) = (nil, nil) }

    func sentRequest() {
        events?.sentRequest()
        if isAnswered { finish(nil) }
    }

    func receivedFirstByte() {
        guard !hasFirstByte else { return }
        hasFirstByte = true
        events?.receivedFirstByte()
    }

    /// The treatment of the rest of a response, as determined by its head.
    enum HeadKind {
        case informational
        /// The body is not compressed.
        case plain
        /// The body is compressed.
        case compressed(Inflater.Format)
        /// The exchange has failed.
        case refused
    }

    /// Handles a response head.
    func received(version: String, status: Int, headers: [HeaderField]) -> HeadKind {
        if (100..<200).contains(status) {
            informational += 1
            if status == 101 {
                return refuse(.httpMalformed, "status 101 switches to a protocol that was not requested")
            }
            guard informational <= Self.maximumInformational else {
                return refuse(.httpMalformed, "more than \(Self.maximumInformational) informational responses")
            }
            return .informational
        }
        response = ResponseReport(httpVersion: version, status: status, headers: headers)
        guard headers.count <= limits.headerCount else {
            return refuse(.httpHeaderTooLarge, "\(headers.count) header fields; \(limits.headerCount) are allowed")
        }
        guard !isBodyless(status: status), sink == nil else { return .plain }
        if let length = declaredLength(headers), length > limits.bodyBytes {
            let text = length == .max ? "at least \(length)" : "\(length)"
            return refuse(.httpTooLarge, "Content-Length is \(text); \(limits.bodyBytes) bytes are allowed")
        }
        return encoding(headers)
    }

    /// Counts a piece of the encoded body; returns false if the piece must be dropped.
    func receivedBody(bytes count: Int) -> Bool {
        let total = (response?.bodyBytes ?? 0) + count
        if let sink {
            response?.bodyBytes = total
            sink(count)
            return false
        }
        response?.bodyBytes = min(total, limits.bodyBytes)
        guard total > limits.bodyBytes else { return true }
        fail(.httpTooLarge, "the body has more than the allowed \(limits.bodyBytes) bytes")
        return false
    }

    /// Collects a piece of the decoded body.
    func collect(_ piece: inout ByteBuffer) {
        guard !isOver else { return }
        if isBodyEncoded {
            let total = body.readableBytes + piece.readableBytes
            response?.decodedBodyBytes = min(total, limits.inflatedBodyBytes)
            guard total <= limits.inflatedBodyBytes else {
                return fail(
                    .httpTooLarge,
                    "the decoded body has more than the allowed \(limits.inflatedBodyBytes) bytes"
                )
            }
        }
        body.writeBuffer(&piece)
    }

    /// Completes the response.
    func complete() {
        guard response != nil else { return }
        // A server may respond before it has read the whole upload, which is nevertheless measured to its end.
        if let upload, !upload.isAtEnd { isAnswered = true } else { finish(nil) }
    }

    func fail(_ code: FindingCode, _ evidence: String) {
        finish(Finding(code, subject: subject, evidence: evidence))
    }

    func fail(_ finding: Finding) { finish(finding) }

    private func finish(_ finding: Finding?) {
        guard let events else { return }
        self.events = nil
        sink = nil
        if isAnswered, finding != nil, let status = response?.status, let upload {
            let evidence = "the server answered with \(status), and took only part of the \(upload.length) bytes"
            return events.finished(self, Finding(.httpStatus, subject: subject, evidence: evidence))
        }
        events.finished(self, finding)
    }

    private func refuse(_ code: FindingCode, _ evidence: String) -> HeadKind {
        fail(code, evidence)
        return .refused
    }

    private func declaredLength(_ headers: [HeaderField]) -> Int? {
        guard let value = headers.first(where: { $0.isNamed("content-length") })?.value else { return nil }
        // More than any number of bytes is still a length.
        let isNumber = !value.isEmpty && value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isNumber ? Int(value) ?? .max : nil
    }

    private func encoding(_ headers: [HeaderField]) -> HeadKind {
        let codings = headers.filter { $0.isNamed("content-encoding") }
            .flatMap { Array($0.value.utf8).split(separator: UInt8(ascii: ",")) }
            .map(Self.coding)
            .filter { !$0.isEmpty && !$0.elementsEqual("identity".utf8) }
        guard let coding = codings.first else { return .plain }
        guard codings.count == 1, let format = Self.format(coding) else {
            let listed = Array(codings.joined(separator: Array(", ".utf8)))
            return refuse(.httpContentEncoding, "Content-Encoding is \(Snippet.quoted(listed))")
        }
        isBodyEncoded = true
        response?.decodedBodyBytes = 0
        return .compressed(format)
    }

    /// Returns a coding trimmed and in lower case; works on bytes, because a single character may be as long as the
    /// field.
    private static func coding(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.filter { $0 != 0x20 && $0 != 0x09 }.map(\.lowercasedASCII)
    }

    private static func format(_ coding: [UInt8]) -> Inflater.Format? {
        // RFC 9110, section 8.4.1.3: x-gzip is gzip.
        if coding.elementsEqual("gzip".utf8) || coding.elementsEqual("x-gzip".utf8) { return .gzip }
        return coding.elementsEqual("deflate".utf8) ? .deflate : nil
    }
}
