internal import AgentEvents
internal import Glibc
internal import NIOCore
internal import NIOTLS
internal import PortAccess

/// One client, used on the event loop.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum number of ignored bytes that are read, so that a client that sends little is not reset at the end.
    static let maximumDiscardedBytes = 64 << 10

    /// The transport of a connection.
    enum Transport {
        /// A Unix socket.
        case unix
        /// A TCP port on a loopback address.
        case local
        /// A TCP port that other hosts can reach, with its access rules.
        case remote(PortAccess)
    }

    let socket: SocketName
    /// Cancels the work for the client once the connection is closed.
    let cancellation = WorkCancellation()
    /// The number assigned by the hub; 0 before admission.
    private(set) var number = 0
    private(set) var peer: Peer?
    /// The user or host to which the connection is attributed.
    private(set) var origin = ClientOrigin.user(.max)
    /// The client's address, at a port that other hosts can reach.
    private(set) var address: String?
    /// The moment of the connection, on the wall clock and on the clock that is never set.
    private let began = (time: Timestamp.now, instant: ContinuousClock.now)
    private(set) var stream: EventStream?
    /// The requests of control.sock.
    private(set) var conversation: Conversation?
    /// The requests of http.sock and of the TCP ports.
    private(set) var exchange: HTTPExchange?
    private(set) var sentBytes = 0
    private(set) var sentLines = 0
    /// `true` once the last line was written.
    private(set) var isEnding = false
    /// `true` while the connection is queued for a turn.
    var isQueued = false

    private let hub: StreamHub
    private let transport: Transport
    private var context: ChannelHandlerContext?
    private var discardedBytes = 0
    private var isReading = true
    private var needsFlush = false
    /// The socket that NIO was given.
    private var descriptor: CInt?
    /// The socket; `nil` from the moment at which NIO closes it.
    ///
    /// NIO closes it before it reports that and before it fails what was to be written, and its number may be
    /// another socket's at once: by then the channel is not active any more.
    private var openDescriptor: CInt? { context?.channel.isActive == true ? descriptor : nil }
    /// `true` if NIO may still have queued writes.
    private var mayBeQueued = false
    private var patience: Scheduled<Void>?
    /// The number of unread bytes when the time for reading began.
    private var unreadBytes = 0
    /// `true` while writes have to wait for a TLS handshake.
    private var awaitsHandshake = false

    init(_ socket: SocketName, over transport: Transport = .unix, in hub: StreamHub) {
        self.socket = socket
        self.transport = transport
        self.hub = hub
    }

    /// The handler of the requests; `nil` for events.sock.
    var requests: (any RequestHandler)? { if let conversation { conversation } else { exchange } }

    /// `true` at a port that other hosts can reach.
    var isRemote: Bool {
        if case .remote = transport { true } else { false }
    }

    /// `true` if more can be written.
    var isWritable: Bool { !isEnding && (!mayBeQueued || context?.channel.isWritable ?? false) }

    /// Returns the moment of the connection, by the wall clock as it is set now.
    ///
    /// - Parameters:
    ///   - now: The present time of the wall clock.
    ///   - instant: The present time of the clock that is never set.
    func connected(at now: Timestamp = .now, _ instant: ContinuousClock.Instant = .now) -> Timestamp {
        began.time.moved(elapsed: began.instant.duration(to: instant), until: now)
    }

    // MARK: Calls by NIO

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        identify(context)
        switch hub.connections.admit(self) {
        case .success(let number): self.number = number
        case .failure(let refusal):
            // An answer, and so the connection, would have to wait for the handshake.
            guard !isRemote else { return close() }
            let line = ReplyLine.refusal(refusal, of: origin)
            return end(with: socket == .http ? HTTPResponse.refusal(line) : line)
        }
        peer?.findCommand()
        switch socket {
        case .events: return hub.turns.add(self)
        case .control:
            conversation = Conversation(for: self, in: hub)
        case .http: exchange = HTTPExchange(for: self, access: httpAccess, in: hub)
        }
        hub.connections.expectRequests()
        requests?.closeIfDone()
    }

    private func identify(_ context: ChannelHandlerContext) {
        let descriptor = withDescriptor { $0 }
        switch transport {
        case .unix: peer = descriptor.flatMap { Peer(of: $0) }
        case .local: peer = descriptor.flatMap { Peer(ofTCP: $0) }
        case .remote(let access):
            let address = context.channel.remoteAddress
            if let host = RemoteHost(address) { origin = .host(host) }
            self.address = address?.ipAddress
            // Written data has to be encrypted first.
            awaitsHandshake = access.tls != nil
            if awaitsHandshake { return }
        }
        if let peer { origin = .user(peer.user) }
        self.descriptor = descriptor
    }

    private var httpAccess: HTTPExchange.Access {
        switch transport {
        case .unix: .granted
        case .local: .user(peer?.user)
        case .remote(let access): access.passwords.map { .password($0) } ?? .granted
        }
    }

    /// Starts the stream of events.sock or handles one request; returns `true` if there may be more work.
    func takeTurn() -> Bool {
        if let requests { return requests.takeTurn() }
        if socket == .events, stream == nil, !isEnding { subscribe(.everything) { _ in } }
        return false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let conversation, !isEnding { conversation.receive(bytes) } else { discard(bytes) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { requests?.closeInput() }
        if case .handshakeCompleted = event as? TLSUserEvent { awaitsHandshake = false }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        stream?.resume()
        requests?.resume()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        descriptor = nil
        isEnding = true
        cancellation.cancel()
        stopLimitingReading()
        stream?.end()
        stream = nil
        requests?.forget()
        (conversation, exchange) = (nil, nil)
        if number > 0 { hub.remove(self) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client has disconnected or the socket is broken, so no error is sent.
        context.close(promise: nil)
    }

    // MARK: Subscriptions

    /// Starts a subscription.
    func subscribe(_ parameters: SubscriptionParameters, whenDecided: @escaping (StreamRefusal?) -> Void) {
        let stream = EventStream(parameters, for: self, in: hub, whenDecided: whenDecided)
        self.stream = stream
        stream.open()
    }

    /// Removes a rejected subscription.
    func unsubscribe() { stream = nil }

    // MARK: Writing and reading

    /// Writes lines, which are sent by the next ``flush()``.
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

    /// Sends as many bytes as the socket accepts if nothing is queued before them; returns their number.
    ///
    /// A thousand subscribers are a thousand cold pipelines: bypassing them halves the cost of a line. NIO handles the
    /// remaining bytes and all errors.
    private func sendAtOnce(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) -> Int {
        guard let descriptor = openDescriptor, !hasQueued(context) else { return 0 }
        return buffer.withUnsafeReadableBytes {
            max(0, send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)))
        }
    }

    private func hasQueued(_ context: ChannelHandlerContext) -> Bool {
        guard mayBeQueued else { return false }
        mayBeQueued = needsFlush || (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) != 0
        return mayBeQueued
    }

    /// The number of written bytes that the client does not accept yet.
    var unsentBytes: Int {
        guard mayBeQueued, let context else { return 0 }
        return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Calls a closure once everything written so far has been sent or has failed.
    func whenSent(_ body: @escaping () -> Void) {
        guard let context else { return body() }
        let body = NIOLoopBound(body, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in body.value() }
    }

    /// Sends the written lines.
    func flush() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }

    /// Writes the last line, and closes once it has been sent, or the client reads nothing for too long.
    func end(with line: ByteBuffer?) {
        guard let context, !isEnding else { return }
        guard !awaitsHandshake else { return close() }
        if let line { write(line, lines: 1) }
        isEnding = true
        needsFlush = false
        let closing = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in closing.value.close() }
        if context.channel.isActive { limitReading() }
    }

    /// Closes once the client has read nothing of what was written for a while; a former limit is replaced.
    func limitReading() {
        guard let context else { return }
        stopLimitingReading()
        unreadBytes = unsentBytes + kernelBytes
        let reading = NIOLoopBound(self, eventLoop: context.eventLoop)
        patience = context.eventLoop.scheduleTask(in: hub.lagPatience) { reading.value.checkReading() }
    }

    /// Closes unless the client has read something since the limit began, which begins again while something is unread.
    func checkReading() {
        let unread = unsentBytes + kernelBytes
        guard unread > 0 || isEnding else { return stopLimitingReading() }
        guard unread < unreadBytes else { return close() }
        limitReading()
    }

    /// Ends the limit.
    func stopLimitingReading() {
        patience?.cancel()
        patience = nil
    }

    /// The number of bytes in the kernel's send buffer.
    ///
    /// The kernel accepts more only once a large part of it is free, which a slow client may take longer than the limit
    /// for.
    private var kernelBytes: Int {
        withDescriptor { descriptor -> Int in
            var count: CInt = 0
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(max(0, count)) : 0
        } ?? 0
    }

    /// Closes immediately; TLS waits up to a second for the client's answer, and no request is accepted meanwhile.
    func close() {
        guard let context else { return }
        isEnding = true
        // Closing a socket with unread bytes resets the connection, and the client may lose lines that it has not read
        // yet.
        if let descriptor = openDescriptor {
            var room = [UInt8](repeating: 0, count: 4096)
            for _ in 0..<16 where recv(descriptor, &room, room.count, CInt(MSG_DONTWAIT)) <= 0 { break }
        }
        context.close(promise: nil)
    }

    /// Continues or pauses reading.
    func setReading(_ isReading: Bool) {
        guard self.isReading != isReading, discardedBytes < Self.maximumDiscardedBytes else { return }
        self.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    /// Discards unexpected input, and stops reading if there is too much of it.
    func discard(_ bytes: ByteBuffer) {
        guard discardedBytes < Self.maximumDiscardedBytes else { return }
        let sum = discardedBytes + bytes.readableBytes
        if sum >= Self.maximumDiscardedBytes { setReading(false) }
        discardedBytes = sum
    }

    private func withDescriptor<Result>(_ body: (CInt) -> Result) -> Result? {
        try? context?.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { body($0) }
    }
}

extension ByteBuffer {
    /// Returns the readable bytes after the first ones.
    fileprivate func rest(after count: Int) -> ByteBuffer {
        var rest = self
        rest.moveReaderIndex(forwardBy: min(count, readableBytes))
        return rest
    }
}
