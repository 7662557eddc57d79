import AgentEvents
import AgentTestKit
import EventLoopExecutor
import Foundation
import Glibc
import NIOCore
import NIOPosix
import ProbeTestKit
import Probes
import Synchronization

@testable import Hooks

/// Sends webhooks to servers on loopback, without pauses between the attempts.
final class WebhookBench: Sendable {
    /// Certificates for the loopback addresses, by the authority that the bench trusts.
    static let authority = Result { try TestAuthority.standard(names: ["host.test"], addresses: ["127.0.0.1"]) }

    /// The event that webhooks are sent for.
    static let event = HookEvent(
        type: .reachabilityChanged,
        id: "evt-1",
        sequence: 7,
        time: "2026-01-02T03:04:05.678Z",
        subject: "default",
        line: Array(#"{"id":"evt-1","type":"reachagent.reachability.changed","data":{"to":{"via":"wifi"}}}"#.utf8)
    )

    /// A server's TLS with the bench's certificates.
    static func tls() throws -> ServerTLS {
        let authority = try authority.get()
        return ServerTLS(chain: authority.presented, key: authority.leaf.key.pkcs8PEM)
    }

    /// A webhook for an address.
    static func webhook(_ url: String, _ change: (inout Webhook) throws -> Void = { _ in }) throws -> Webhook {
        let anchors = TrustAnchors(certificates: [try authority.get().root.der])
        var probe = Probe(target: try ProbeTarget(parsing: url), trust: TrustEvaluator(anchors: anchors))
        probe.request.method = Webhook.standardMethod
        var webhook = Webhook(probe: probe, retries: 2)
        try change(&webhook)
        return webhook
    }

    /// A request to the pace for a pause: the failures so far, and the pause that the server wants.
    struct Question: Sendable, Hashable {
        var failures: Int
        var asked: Duration?
    }

    let prober = Prober()
    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let told = Mutex<[Question]>([])
    private let asked = AsyncStream<Void>.makeStream()
    private let ends = AsyncStream<WebhookRun.End>.makeStream()
    private let pause: Duration
    private let recheck: Duration

    /// A bench whose pauses, and checks of a link that a request must not use, are all of these lengths.
    init(pause: Duration = .zero, recheck: Duration = .seconds(3600)) {
        self.pause = pause
        self.recheck = recheck
    }

    /// The requests to the pace so far.
    var questions: [Question] { told.withLock { $0 } }

    /// Begins to send.
    @discardableResult
    func start(
        _ webhook: Webhook,
        variables: [String: String] = [:],
        timeout: Duration = .seconds(600),
        isExcluded: @escaping @Sendable () -> Bool = { false }
    ) -> WebhookRun {
        let pace = WebhookPace(
            pause: { [self] failures, asked in
                told.withLock { $0.append(Question(failures: failures, asked: asked)) }
                self.asked.continuation.yield()
                return pause
            },
            timestamp: { [self] in 1_700_000_000 + questions.count },
            recheck: recheck
        )
        return WebhookRun.start(
            webhook,
            event: Self.event,
            variables: variables,
            timeout: timeout,
            prober: prober,
            on: LoopGate(loop),
            pace: pace,
            isExcluded: isExcluded,
            ended: { [loop, ends] end in
                loop.preconditionInEventLoop()
                ends.continuation.yield(end)
            }
        )
    }

    /// Waits until a pause begins.
    func pauseBegan() async {
        var iterator = asked.stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// Waits for the next end.
    func end() async -> WebhookRun.End? {
        var iterator = ends.stream.makeAsyncIterator()
        return await iterator.next()
    }

    /// Sends a webhook, and waits for its end.
    func send(
        _ webhook: Webhook,
        variables: [String: String] = [:],
        timeout: Duration = .seconds(600)
    ) async -> WebhookRun.End? {
        start(webhook, variables: variables, timeout: timeout)
        let end = await end()
        await prober.shutDown()
        return end
    }

    /// Waits until nothing is under way any more, and returns the ends that were not consumed.
    func close() async throws -> [WebhookRun.End] {
        await prober.shutDown()
        // Twice: the first turn may schedule another one.
        for _ in 0..<2 { try await loop.submit {}.get() }
        ends.continuation.finish()
        var rest: [WebhookRun.End] = []
        for await end in ends.stream { rest.append(end) }
        return rest
    }

    /// Sends a webhook to a server whose connections run these scripts, one each.
    static func send(
        _ scripts: [[ServerStep]],
        tls: ServerTLS? = nil,
        path: String = "/hook",
        variables: [String: String] = [:],
        _ change: (inout Webhook) throws -> Void = { _ in }
    ) async throws -> Sent {
        let server = try await ScriptedServer.start(scripts: scripts, tls: tls)
        let bench = WebhookBench()
        let end = await bench.send(try webhook(server.url(path), change), variables: variables)
        await server.shutDown()
        return Sent(end: end, server: server, questions: bench.questions)
    }

    /// The result of sending a webhook.
    struct Sent {
        let end: WebhookRun.End?
        let server: ScriptedServer
        let questions: [Question]
    }
}

extension WebhookRun.End {
    /// The code of a webhook that was not delivered.
    var undeliveredCode: String? {
        if case .undelivered(let code, _) = outcome { code } else { nil }
    }

    /// The detail of a webhook that was not delivered.
    var undeliveredDetail: String? {
        if case .undelivered(_, let detail) = outcome { detail } else { nil }
    }
}

/// A port on loopback that refuses connections, and that no other test's server can get meanwhile.
final class ClosedPort: Sendable {
    let number: Int
    private let descriptor: Int32

    /// Takes a port that the kernel chooses.
    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        self.descriptor = descriptor
        number = Int(in_port_t(bigEndian: address.sin_port))
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }
}

/// A directory with a file that holds a secret; gone with the value.
final class SecretFileBench: Sendable {
    let path: String
    private let directory: TemporaryDirectory

    init(_ content: String, mode: Int = 0o600) throws {
        directory = try TemporaryDirectory()
        path = try directory.file("secret", content, mode: mode)
    }

    /// Replaces the file as a whole.
    func replace(_ content: String) throws {
        let next = try directory.file("next", content, mode: 0o600)
        guard rename(next, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// Another path beside the file.
    func sibling(_ name: String) -> String { "\(directory.path)/\(name)" }
}
