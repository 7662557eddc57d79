internal import Dispatch
internal import Glibc
internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS

/// Sets up one accepted connection for its script, on the connection's event loop.
struct ScriptedConnection {
    let number: Int
    let channel: any Channel
    let record: ServerRecord
    let steps: [ServerStep]

    func configure(_ secure: (tls: ServerTLS, context: NIOSSLContext)?) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(BelowTLSHandler())
        if let secure {
            try pipeline.addHandler(ByteToMessageHandler(serverNameHandler()))
            try pipeline.addHandler(secure.tls.makeHandler(secure.context))
        }
        let (arrivals, continuation) = AsyncStream.makeStream(of: ConnectionInbox.Arrival.self)
        let script = { [number, channel, record, steps] in
            var script = ConnectionScript(
                number: number,
                channel: channel,
                record: record,
                isSecured: secure != nil,
                arrivals: arrivals
            )
            let task = ScriptExecutor.begin { await script.run(steps) }
            channel.closeFuture.whenComplete { _ in task.cancel() }
        }
        let inbox = ConnectionInbox(
            arrivals: continuation,
            onActive: script,
            onSecured: { chosen in
                record.note { $0.applicationProtocols[number] = chosen }
                if chosen == "h2" { speakHTTP2() }
            },
            onError: { error in
                let text = String(describing: error)
                record.note { $0.handshakeFailures.append(text) }
            }
        )
        try pipeline.addHandler(inbox)
    }

    /// Records the name in the ClientHello before the TLS handler sees it.
    private func serverNameHandler() -> SNIHandler {
        SNIHandler { [number, channel, record] result in
            if case .hostname(let name) = result { record.note { $0.serverNames[number] = name } }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    /// Adds the HTTP/2 handlers, if the script has a step for them.
    private func speakHTTP2() {
        var answer: (@Sendable (RecordedRequest) -> [HTTP2Step])?
        for step in steps where answer == nil {
            switch step {
            case .serve(let responses):
                answer = { [.respond(responses[$0.target] ?? responses["*"] ?? ScriptedResponse(404))] }
            case .http2(let steps): answer = { _ in steps }
            default: continue
            }
        }
        guard let answer else { return }
        let multiplexer = HTTP2StreamMultiplexer(mode: .server, channel: channel) { [number, record] stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    HTTP2StreamScript(connection: number, record: record, steps: answer)
                )
            }
        }
        let pipeline = channel.pipeline.syncOperations
        do {
            let inbox = try pipeline.handler(type: ConnectionInbox.self)
            inbox.isBypassed = true
            try pipeline.addHandlers([NIOHTTP2Handler(mode: .server), multiplexer], position: .before(inbox))
        } catch {
            channel.close(promise: nil)
        }
    }
}

/// An abrupt end of a connection below TLS, sent down the pipeline as an outbound event.
enum AbruptEnd: Sendable {
    /// FIN without a closure alert.
    case drop
    /// RST, by SO_LINGER with a time of 0 (socket(7)).
    case reset
}

/// Bytes to send below TLS, sent down the pipeline as an outbound event.
struct UnencryptedBytes: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// Executes an ``AbruptEnd``, and sends ``UnencryptedBytes``; it precedes the TLS handler, which would insist on an orderly
/// end, and encrypt.
private final class BelowTLSHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let plain = event as? UnencryptedBytes {
            return context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: plain.bytes)), promise: promise)
        }
        guard let end = event as? AbruptEnd else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if end == .reset, let options = context.channel as? any SocketOptionProvider {
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).cascadeFailure(to: promise)
        }
        context.close(mode: .all, promise: promise)
    }
}

/// Passes a connection's input to its script, and reports the end of the handshake.
final class ConnectionInbox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The inputs that a script waits for.
    enum Arrival: Sendable {
        case secured(applicationProtocol: String?)
        case bytes([UInt8])
    }

    private let arrivals: AsyncStream<Arrival>.Continuation
    private let onActive: () -> Void
    private let onSecured: (String?) -> Void
    private let onError: (any Error) -> Void
    /// Set when HTTP/2 handlers precede this one: then the input is frames, which the script ignores.
    var isBypassed = false

    init(
        arrivals: AsyncStream<Arrival>.Continuation,
        onActive: @escaping () -> Void,
        onSecured: @escaping (String?) -> Void,
        onError: @escaping (any Error) -> Void
    ) {
        self.arrivals = arrivals
        self.onActive = onActive
        self.onSecured = onSecured
        self.onError = onError
    }

    func channelActive(context: ChannelHandlerContext) { onActive() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isBypassed else { return }
        arrivals.yield(.bytes(Array(unwrapInboundIn(data).readableBytesView)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let chosen) = event as? TLSUserEvent {
            onSecured(chosen)
            arrivals.yield(.secured(applicationProtocol: chosen))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        onError(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { arrivals.finish() }
}

/// Runs one script on a queue of its own, which gets a thread on demand.
///
/// On Swift's shared threads, which are few, scripts would wait behind the computations of tests until a client's
/// deadline has passed. On the server's event loop an endless script would block the loop's sockets. A task does not
/// retain its executor: the code that creates a task with one must refer to it until the task has ended.
final class ScriptExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "reachagent.script")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Starts a task on an executor of its own.
    static func begin(_ body: sending @escaping () async -> Void) -> Task<Void, Never> {
        let executor = ScriptExecutor()
        return Task(executorPreference: executor) {
            await body()
            withExtendedLifetime(executor) {}
        }
    }
}
