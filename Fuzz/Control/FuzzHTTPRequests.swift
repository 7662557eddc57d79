internal import FuzzKit
internal import NIOCore
internal import NIOEmbedded
internal import NIOHTTP1

@testable import StateSocket

/// Requests at http.sock, as a hostile client or a stranger's page sends them, in pieces.
enum FuzzHTTPRequests {
    static func run(_ input: [UInt8]) {
        guard let piece = input.first.map({ Int($0) + 1 + input.count / 4096 }) else { return }
        let channel = EmbeddedChannel(
            handler: ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
        )
        defer { _ = try? channel.finish() }
        var rest = input.dropFirst()
        while !rest.isEmpty {
            guard (try? channel.writeInbound(ByteBuffer(bytes: rest.prefix(piece)))) != nil else { break }
            rest = rest.dropFirst(piece)
        }
        while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head(let head) = part { judge(head) }
        }
    }

    private static func judge(_ head: HTTPRequestHead) {
        guard let request = try? HTTPRequest(head, names: ["status.example.org"]) else { return }
        // Whatever is answered had one Host that is ours, and came from no other origin.
        let host = head.headers["host"].first.flatMap { HTTPHost($0) }
        require(head.headers["host"].count == 1, "a request without one Host is answered")
        require(host.map { $0.isLocal || $0.name == "status.example.org" } ?? false, "a stranger's host is answered")
        require(head.method == .GET || head.method == .HEAD, "another method is answered")
        if case .events(let subscription) = request.resource {
            _ = subscription.filter.passes(type: "reachagent.path.changed".utf8)
        }
    }
}
