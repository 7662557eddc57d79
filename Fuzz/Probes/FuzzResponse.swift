internal import FuzzKit
internal import NIOCore
internal import NIOEmbedded

@testable import Probes

/// An HTTP/1 response as a hostile server sends it, in pieces, until it closes.
enum FuzzResponse {
    private static let limits = ProbeLimits()
    private static let request = (try? HTTPURL(parsing: "http://host.test/")).flatMap { url in
        try? RequestSerializer().serialize(ProbeRequest(), to: url)
    }

    static func run(_ input: [UInt8]) {
        // Pieces grow with the input, so that there are never more than some thousands.
        guard let request, let pieceLength = input.first.map({ Int($0) + 1 + input.count / 4096 }) else { return }
        var finished = 0
        let exchange = HTTPExchange(
            request: request,
            limits: limits,
            events: HTTPExchange.Events(
                sentRequest: {},
                receivedFirstByte: {},
                finished: { _, _ in finished += 1 }
            )
        )
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        guard (try? HTTPOneConnection.begin(exchange, on: channel)) != nil else { return }
        channel.pipeline.fireChannelActive()
        var rest = input.dropFirst()
        while !rest.isEmpty {
            _ = try? channel.writeInbound(ByteBuffer(bytes: rest.prefix(pieceLength)))
            rest = rest.dropFirst(pieceLength)
        }
        channel.pipeline.fireChannelInactive()
        // The end is told a turn later, in case there is a better reason.
        channel.embeddedEventLoop.run()
        require(finished <= 1, "an exchange ended \(finished) times")
        require(finished == 1, "an exchange did not end with its connection")
        require(exchange.body.readableBytes <= limits.inflatedBodyBytes, "the body has no bound")
        require((exchange.response?.headers.count ?? 0) <= limits.headerCount, "the header has no bound")
    }
}
