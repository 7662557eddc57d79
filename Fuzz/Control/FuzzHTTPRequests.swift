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
        for (user, password) in head.headers["authorization"].compactMap(PasswordCheck.credentials) {
            require(!user.contains(UInt8(ascii: ":")), "a user with a colon")
            require(user.count + password.count < 1024, "credentials without a bound")
        }
        guard let request = try? HTTPRequest(head, names: ["status.example.org"]) else { return }
        // Whatever is answered had one Host, was for a host that is ours, and came from no other origin.
        let field = head.headers["host"].first
        require(head.headers["host"].count == 1, "a request without one Host is answered")
        require(field.flatMap { HTTPHost($0) } != nil, "a request with a malformed Host is answered")
        let host = (authority(of: head.uri) ?? field).flatMap { HTTPHost($0) }
        require(host.map { $0.isLocal || $0.name == "status.example.org" } ?? false, "a stranger's host is answered")
        require(head.method == .GET || head.method == .HEAD, "another method is answered")
        if case .events(let subscription) = request.resource {
            _ = subscription.filter.passes(type: "reachagent.path.changed".utf8)
        }
    }

    /// The host and port of a target that is a whole URI, which count instead of Host (RFC 9112, section 3.2.2).
    private static func authority(of target: String) -> String? {
        let parts = target.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty, let scheme = parts.first.map({ String(Substring($0)).lowercased() }),
            scheme == "http:" || scheme == "https:"
        else { return nil }
        return String(Substring(parts[2].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
    }
}
