internal import EventEnvelope
internal import Glibc
internal import NIOCore

/// One client, on the event loop.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How much of what nobody wants to know is read, so that a client that said a word is not reset at the end.
    static let mostDiscardedBytes = 64 << 10

    let socket: SocketName
    /// The hub's number for it; 0 before it is admitted.
    private(set) var number = 0
    private(set) var peer: Peer?
    private(set) var since = Timestamp(microsecondsSince1970: 0)
    private(set) var stream: EventStream?
    private(set) var conversation: Conversation?
    private(set) var sentBytes = 0
    private(set) var sentLines = 0
    /// Whether the last line was written.
    private(set) var isEnding = false
    /// Whether it waits for its turn in the hub.
    var isQueued = false

    private let hub: StreamHub
    private var context: ChannelHandlerContext?
    private var discardedBytes = 0
    private var isReading = true
    private var needsFlush = false
    /// The socket, as long as NIO has not closed it.
    private var descriptor: CInt?
    /// Whether NIO was given something to write since it was last seen to have nothing left.
    private var mayBeQueued = false
    private var patience: Scheduled<Void>?

    init(_ socket: SocketName, in hub: StreamHub) {
        self.socket = socket
        self.hub = hub
    }

    /// The user at the other end; nobody's number where the kernel does not tell it.
    var user: UInt32 { peer?.user ?? .max }

    /// Whether more can be written.
    var isWritable: Bool { !isEnding && (!mayBeQueued || context?.channel.isWritable ?? false) }

    // MARK: NIO's calls

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        descriptor = withDescriptor { $0 }
        peer = descriptor.flatMap { Peer(of: $0) }
        switch hub.admit(self) {
        case .success(let number): self.number = number
        case .failure(let refusal): return end(with: ReplyLine.refusal(refusal, of: user))
        }
        since = Timestamp(of: CLOCK_REALTIME)
        peer?.findCommand()
        switch socket {
        case .events: hub.queue(self)
        case .control:
            conversation = Conversation(for: self, in: hub)
            hub.expectRequests()
            conversation?.closeIfDone()
        }
    }

    /// Does one thing that waits: begins the stream of events.sock, or handles a request; `true` when more may wait.
    func takeTurn() -> Bool {
        if let conversation { return conversation.takeTurn() }
        if socket == .events, stream == nil, !isEnding { subscribe(.everything) { _ in } }
        return false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let conversation, !isEnding { conversation.receive(bytes) } else { discard(bytes) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { conversation?.closeInput() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        stream?.resume()
        conversation?.resume()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        descriptor = nil
        isEnding = true
        patience?.cancel()
        patience = nil
        stream?.end()
        stream = nil
        conversation?.forget()
        conversation = nil
        if number > 0 { hub.remove(self) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client is gone or the socket broken; there is nobody to tell.
        context.close(promise: nil)
    }

    // MARK: Subscribing

    /// Begins a subscription.
    func subscribe(_ order: StreamOrder, whenDecided: @escaping (StreamRefusal?) -> Void) {
        let stream = EventStream(order, for: self, in: hub, whenDecided: whenDecided)
        self.stream = stream
        stream.open()
    }

    /// Forgets a subscription that was refused.
    func unsubscribe() { stream = nil }

    // MARK: Writing and reading

    /// Writes lines; they are sent with the next ``flush()``.
    func write(_ buffer: ByteBuffer, lines: Int) {
        guard let context, !isEnding else { return }
        sentBytes &+= buffer.readableBytes
        sentLines &+= lines
        let sent = sendAtOnce(buffer, context)
        guard sent < buffer.readableBytes else { return }
        needsFlush = true
        mayBeQueued = true
        context.write(wrapOutboundOut(sent == 0 ? buffer : buffer.rest(after: sent)), promise: nil)
    }

    /// Sends what the socket takes when nothing is queued before it; gives how many bytes that was.
    ///
    /// A thousand subscribers are a thousand cold pipelines: past them, a line costs half as much. What the socket does not
    /// take, and every error, is NIO's.
    private func sendAtOnce(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) -> Int {
        // NIO closes the descriptor before it says so; from then on the channel is not active.
        guard let descriptor, !hasQueued(context), context.channel.isActive else { return 0 }
        return buffer.withUnsafeReadableBytes {
            max(0, send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)))
        }
    }

    private func hasQueued(_ context: ChannelHandlerContext) -> Bool {
        guard mayBeQueued else { return false }
        mayBeQueued = needsFlush || (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) != 0
        return mayBeQueued
    }

    /// Sends what was written.
    func flush() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }

    /// Writes the last line, and closes when it is sent or when the client took too long to read.
    func end(with line: ByteBuffer?) {
        guard let context, !isEnding else { return }
        if let line { write(line, lines: 1) }
        isEnding = true
        needsFlush = false
        let closing = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in closing.value.close() }
        guard context.channel.isActive else { return }
        patience = context.eventLoop.scheduleTask(in: hub.lagPatience) { closing.value.close() }
    }

    /// Closes at once.
    func close() {
        guard let context else { return }
        // A socket that is closed with bytes in it resets the other side, which may lose what it has not read.
        _ = withDescriptor { descriptor in
            var room = [UInt8](repeating: 0, count: 4096)
            for _ in 0..<16 where recv(descriptor, &room, room.count, CInt(MSG_DONTWAIT)) <= 0 { break }
        }
        context.close(promise: nil)
    }

    /// Reads on, or lets the client wait.
    func setReading(_ isReading: Bool) {
        guard self.isReading != isReading, discardedBytes < Self.mostDiscardedBytes else { return }
        self.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    /// Throws away what nobody wants to know, and stops reading when it is too much.
    func discard(_ bytes: ByteBuffer) {
        guard discardedBytes < Self.mostDiscardedBytes else { return }
        let sum = discardedBytes + bytes.readableBytes
        if sum >= Self.mostDiscardedBytes { setReading(false) }
        discardedBytes = sum
    }

    private func withDescriptor<Result>(_ body: (CInt) -> Result) -> Result? {
        try? context?.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { body($0) }
    }
}

extension Timestamp {
    /// What a clock says.
    fileprivate init(of clock: clockid_t) {
        var time = timespec()
        clock_gettime(clock, &time)
        self.init(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

extension ByteBuffer {
    /// The readable bytes behind the first ones.
    fileprivate func rest(after count: Int) -> ByteBuffer {
        var rest = self
        rest.moveReaderIndex(forwardBy: min(count, readableBytes))
        return rest
    }
}
