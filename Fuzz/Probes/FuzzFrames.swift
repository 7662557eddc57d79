internal import CheckResults
internal import FuzzKit
internal import NIOCore
internal import NIOEmbedded

@testable import Probes

/// An HTTP/2 response as a hostile server sends it, in pieces, until it closes.
enum FuzzFrames {
    private static let limits = ProbeLimits(bodyBytes: 4096, inflatedBodyBytes: 16_384)
    private static let request = (try? HTTPURL(parsing: "https://host.test/")).flatMap { url in
        try? RequestSerializer().serialize(ProbeRequest(), to: url)
    }
    private static let server = try? SocketAddress(ipAddress: "192.0.2.1", port: 443)

    private struct Outcome: Equatable {
        var finding: Finding?
        var response: ResponseReport?
        var body: [UInt8]
    }

    static func run(_ input: [UInt8]) {
        // Pieces grow with the input, so that there are never more than some thousands.
        guard let piece = input.first.map({ Int($0) + 1 + input.count / 4096 }) else { return }
        let bytes = Array(input.dropFirst())
        let resets = resets(in: bytes)
        guard let whole = outcome(bytes, piece: bytes.count + 1, resets),
            let pieces = outcome(bytes, piece: piece, resets)
        else { return }
        // Of several frames in one piece a later one may break the rules, which counts before the response does.
        require(whole.finding != nil || pieces == whole, "the pieces make a difference: \(pieces.finding, default: "")")
    }

    private static func outcome(_ bytes: [UInt8], piece: Int, _ resets: Set<UInt32>) -> Outcome? {
        guard let request, let server else { return nil }
        var outcomes: [Outcome] = []
        let exchange = HTTPExchange(
            request: request,
            limits: limits,
            events: HTTPExchange.Events(
                sentRequest: {},
                receivedFirstByte: {},
                finished: { exchange, finding in
                    let body = Array(exchange.body.readableBytesView)
                    outcomes.append(Outcome(finding: finding, response: exchange.response, body: body))
                }
            )
        )
        let channel = EmbeddedChannel()
        channel.connect(to: server, promise: nil)
        guard (try? HTTPTwoConnection.begin(exchange, on: channel)) != nil else { return nil }
        channel.embeddedEventLoop.run()
        var rest = bytes[...]
        while !rest.isEmpty, outcomes.isEmpty {
            _ = try? channel.writeInbound(ByteBuffer(bytes: rest.prefix(piece)))
            channel.embeddedEventLoop.run()
            rest = rest.dropFirst(piece)
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        require(outcomes.count == 1, "an exchange ended \(outcomes.count) times")
        if let outcome = outcomes.first { check(outcome, resets) }
        return outcomes.first
    }

    private static func check(_ outcome: Outcome, _ resets: Set<UInt32>) {
        require(outcome.body.count <= limits.inflatedBodyBytes, "the body has no bound")
        require((outcome.response?.bodyBytes ?? 0) <= limits.bodyBytes, "the body has no bound")
        require(outcome.finding != nil || outcome.response != nil, "success without a response")
        guard let finding = outcome.finding else {
            return require((outcome.response?.headers.count ?? 0) <= limits.headerCount, "the header has no bound")
        }
        require(finding.evidence.utf8.count < 4096, "evidence without a bound")
        let blame = "the server reset the stream with "
        guard finding.evidence.hasPrefix(blame) else { return }
        let name = finding.evidence.dropFirst(blame.count)
        require(resets.contains { HTTPTwoCode.name($0) == name }, "a reset that the server did not send: \(name)")
    }

    /// Returns the codes of the RST_STREAM frames (RFC 9113, sections 4.1 and 6.4).
    private static func resets(in bytes: [UInt8]) -> Set<UInt32> {
        var codes: Set<UInt32> = []
        var rest = bytes[...]
        while rest.count >= 9 {
            let header = Array(rest.prefix(9))
            let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            let payload = rest.dropFirst(9).prefix(length)
            if header[3] == 3, length == 4, payload.count == 4 {
                codes.insert(payload.reduce(0) { $0 << 8 | UInt32($1) })
            }
            rest = rest.dropFirst(9 + length)
        }
        return codes
    }
}
