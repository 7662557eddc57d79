internal import NIOCore
internal import NIOPosix
internal import Probes
internal import Synchronization

/// A DNS server on loopback, over UDP and TCP on one port, that follows a test's script.
///
/// Each query takes the next step of the script, over either protocol; the last step repeats.
public final class ScriptedResolver: Sendable {
    /// The address of the server.
    public let address: String
    /// The port selected by the kernel.
    public let port: Int

    private let script: ResolverScript
    private let channels: OpenChannels

    private init(address: String, port: Int, script: ResolverScript, channels: OpenChannels) {
        self.address = address
        self.port = port
        self.script = script
        self.channels = channels
    }

    /// Starts a server.
    ///
    /// - Throws: When the address cannot be bound.
    public static func start(_ steps: [ResolverStep], address: String = "127.0.0.1") async throws -> ScriptedResolver {
        let script = ResolverScript(steps)
        let channels = OpenChannels()
        let group = MultiThreadedEventLoopGroup.singleton
        let datagrams = DatagramBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(DatagramAnswerer(script: script))
            }
        }
        let streams = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                channels.insert(channel)
                channel.closeFuture.whenComplete { _ in channels.remove(channel) }
                try channel.pipeline.syncOperations.addHandler(StreamAnswerer(script: script))
            }
        }
        // The kernel selects a free UDP port, which may be in use for TCP; then the next one is tried.
        var attempts = 16
        while true {
            let channel = try await datagrams.bind(host: address, port: 0).get()
            let port = channel.localAddress?.port ?? 0
            do {
                let listener = try await streams.bind(host: address, port: port).get()
                channels.insert(channel)
                channels.insert(listener)
                return ScriptedResolver(address: address, port: port, script: script, channels: channels)
            } catch {
                try await channel.close()
                attempts -= 1
                if attempts == 0 { throw error }
            }
        }
    }

    /// The queries so far, in order.
    public var queries: [RecordedQuery] { script.queries }

    /// Waits until a number of queries was received, the server is shut down, or the task is cancelled.
    ///
    /// - Returns: All queries so far.
    @discardableResult
    public func received(queries count: Int) async -> [RecordedQuery] {
        await script.record.wait { $0.queries >= count }
        return queries
    }

    /// Closes all sockets, and resumes every waiting test.
    public func shutDown() async {
        for channel in channels.all() { try? await channel.close() }
        script.record.note { $0.isShutDown = true }
    }
}

/// The remaining steps, and the received queries.
private final class ResolverScript: Sendable {
    let record = ServerRecord()
    private let steps: [ResolverStep]
    private let received = Mutex<[RecordedQuery]>([])

    init(_ steps: [ResolverStep]) { self.steps = steps }

    var queries: [RecordedQuery] { received.withLock { $0 } }

    func messages(for bytes: [UInt8], isByTCP: Bool) -> [[UInt8]]? {
        let question = try? DNSMessage.decode(bytes).questions.first
        let query = RecordedQuery(
            isByTCP: isByTCP,
            name: question?.name.description ?? "",
            type: question?.type.rawValue ?? 0,
            bytes: bytes
        )
        let number = received.withLock { queries in
            queries.append(query)
            return queries.count - 1
        }
        let step = steps.isEmpty ? .silence : steps[min(number, steps.count - 1)]
        record.note { $0.queries += 1 }
        return ResolverAnswers.messages(for: step, query: bytes)
    }
}

private final class DatagramAnswerer: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let script: ResolverScript

    init(script: ResolverScript) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        for message in script.messages(for: Array(envelope.data.readableBytesView), isByTCP: false) ?? [] {
            let answer = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: ByteBuffer(bytes: message))
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}

private final class StreamAnswerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: ResolverScript
    private var received = ByteBuffer()

    init(script: ResolverScript) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        while let query = received.readLengthPrefixedSlice(as: UInt16.self) {
            guard let messages = script.messages(for: Array(query.readableBytesView), isByTCP: true) else {
                return context.close(promise: nil)
            }
            for message in messages {
                var answer = ByteBuffer(bytes: ResolverAnswers.words([UInt16(clamping: message.count)]))
                answer.writeBytes(message)
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            }
        }
    }
}
