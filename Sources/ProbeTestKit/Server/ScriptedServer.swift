internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import Synchronization

/// A TCP, TLS and HTTP server on loopback that follows a test's script.
///
/// Each connection runs a script; see ``ServerStep``. The kernel selects the port. The server records its input, and a
/// test waits for events instead of sleeping: ``received(requests:)``, ``accepted(connections:)``,
/// ``ended(connections:)``. Call ``shutDown()`` at the end.
public final class ScriptedServer: Sendable {
    /// The address of the server.
    public let address: String
    /// The port selected by the kernel.
    public let port: Int
    /// `true` if the server uses TLS.
    public let isSecured: Bool

    private let listener: any Channel
    private let record: ServerRecord
    private let channels: OpenChannels

    private init(address: String, isSecured: Bool, listener: any Channel, record: ServerRecord, channels: OpenChannels)
    {
        self.address = address
        self.isSecured = isSecured
        self.listener = listener
        self.record = record
        self.channels = channels
        port = listener.localAddress?.port ?? 0
    }

    /// Starts a server that runs the same script on every connection.
    ///
    /// - Throws: When the address cannot be bound, or the certificates or their key cannot be used.
    public static func start(
        _ script: [ServerStep],
        tls: ServerTLS? = nil,
        address: String = "127.0.0.1",
        port: Int = 0
    ) async throws -> ScriptedServer {
        try await start(scripts: [script], tls: tls, address: address, port: port)
    }

    /// Starts a server whose connections run one script each, in the order of acceptance; the last script repeats.
    ///
    /// - Throws: When the address cannot be bound, or the certificates or their key cannot be used.
    public static func start(
        scripts: [[ServerStep]],
        tls: ServerTLS? = nil,
        address: String = "127.0.0.1",
        port: Int = 0
    ) async throws -> ScriptedServer {
        let record = ServerRecord()
        let channels = OpenChannels()
        let context = try tls?.makeContext()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = record.note { facts in
                        defer { facts.accepted += 1 }
                        facts.serverNames.append(nil)
                        facts.applicationProtocols.append(nil)
                        return facts.accepted
                    }
                    channels.insert(channel)
                    channel.closeFuture.whenComplete { _ in
                        channels.remove(channel)
                        record.note { $0.ended += 1 }
                    }
                    let steps = scripts.isEmpty ? [] : scripts[min(number, scripts.count - 1)]
                    let secure = tls.flatMap { tls in context.map { (tls, $0) } }
                    try ScriptedConnection(number: number, channel: channel, record: record, steps: steps)
                        .configure(secure)
                }
            }
        let listener = try await bootstrap.bind(host: address, port: port).get()
        return ScriptedServer(
            address: address,
            isSecured: tls != nil,
            listener: listener,
            record: record,
            channels: channels
        )
    }

    /// Returns the server's address as a URL, with the path appended.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        let host = host ?? (address.contains(":") ? "[\(address)]" : address)
        return "\(isSecured ? "https" : "http")://\(host):\(port)\(path)"
    }

    /// The number of accepted connections.
    public var connections: Int { record.facts.accepted }
    /// The requests so far, in the order of completion.
    public var requests: [RecordedRequest] { record.facts.requests }
    /// The name in each connection's ClientHello (SNI), in the order of acceptance; nil without one.
    public var serverNames: [String?] { record.facts.serverNames }
    /// The protocol selected by ALPN on each connection, in the order of acceptance; nil without one.
    public var applicationProtocols: [String?] { record.facts.applicationProtocols }
    /// The TLS library's messages for failed handshakes and connections.
    public var connectionErrors: [String] { record.facts.handshakeFailures }

    /// Waits until a number of connections was accepted, the server is shut down, or the task is cancelled.
    public func accepted(connections count: Int) async { await record.wait { $0.accepted >= count } }

    /// Waits until a number of connections has ended, the server is shut down, or the task is cancelled.
    public func ended(connections count: Int) async { await record.wait { $0.ended >= count } }

    /// Waits until a number of requests was received, the server is shut down, or the task is cancelled.
    ///
    /// - Returns: All requests so far.
    @discardableResult
    public func received(requests count: Int) async -> [RecordedRequest] {
        await record.wait { $0.requests.count >= count }
        return requests
    }

    /// Closes the listening socket and every connection, and resumes every waiting test.
    public func shutDown() async {
        try? await listener.close()
        for channel in channels.all() { try? await channel.triggerUserOutboundEvent(AbruptEnd.drop).get() }
        record.note { $0.isShutDown = true }
    }
}

/// The connections that a server must close when it is shut down.
final class OpenChannels: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func insert(_ channel: any Channel) { channels.withLock { $0[ObjectIdentifier(channel)] = channel } }
    func remove(_ channel: any Channel) { channels.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) } }
    func all() -> [any Channel] { channels.withLock { Array($0.values) } }
}

/// The facts about a server so far, and the waiters for more.
final class ServerRecord: Sendable {
    struct Facts {
        var accepted = 0
        var ended = 0
        var requests: [RecordedRequest] = []
        var serverNames: [String?] = []
        var applicationProtocols: [String?] = []
        var handshakeFailures: [String] = []
        var queries = 0
        var isShutDown = false
    }

    private struct Waiter {
        let isSatisfied: @Sendable (Facts) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var facts = Facts()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    var facts: Facts { state.withLock { $0.facts } }

    @discardableResult
    func note<Result: Sendable>(_ change: @Sendable (inout Facts) -> Result) -> Result {
        let (result, ready) = state.withLock { state in
            let result = change(&state.facts)
            let facts = state.facts
            let ready = state.waiters.filter { facts.isShutDown || $0.value.isSatisfied(facts) }
            for number in ready.keys { state.waiters[number] = nil }
            return (result, ready.values.map(\.continuation))
        }
        for continuation in ready { continuation.resume() }
        return result
    }

    /// Waits until the facts satisfy a condition, the server is shut down, or the task is cancelled.
    func wait(until isSatisfied: @escaping @Sendable (Facts) -> Bool) async {
        let number = state.withLock { state in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.facts.isShutDown || Task.isCancelled || isSatisfied(state.facts) { return true }
                    state.waiters[number] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}
