internal import NIOCore
internal import NIOPosix

/// One query on its way.
///
/// `@unchecked Sendable`: every method runs on `eventLoop`, and nothing else touches the state.
final class DNSExchange: @unchecked Sendable {
    private let query: DNSQuery
    private let eventLoop: any EventLoop
    private let timeout: Duration
    private let completion: @Sendable (DNSQuery.Outcome) -> Void
    private let id = UInt16.random(in: .min ... .max)

    private var channel: (any Channel)?
    private var timers: [Scheduled<Void>] = []
    private var started = NIODeadline.uptimeNanoseconds(0)
    private var sent = 0
    private var ignored = 0
    private var isOver = false
    private var isByStream = false

    init(
        query: DNSQuery,
        eventLoop: any EventLoop,
        timeout: Duration,
        completion: @escaping @Sendable (DNSQuery.Outcome) -> Void
    ) {
        self.query = query
        self.eventLoop = eventLoop
        self.timeout = timeout
        self.completion = completion
    }

    // MARK: Sending

    func begin() {
        guard !isOver else { return }
        started = .now()
        timers.append(eventLoop.scheduleTask(in: .pause(timeout)) { self.timeIsUp() })
        let query = query
        DatagramBootstrap(group: eventLoop)
            .channelInitializer { channel in
                InterfaceBinding.apply(query.interface, to: channel).flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(DNSDatagramHandler(exchange: self))
                }
            }
            .connect(to: query.server.socketAddress(interface: query.interface))
            .hop(to: eventLoop)
            .whenComplete { self.opened($0) }
    }

    private func opened(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let error): failed(error)
        case .success(let channel) where isOver: channel.close(promise: nil)
        case .success(let channel):
            self.channel = channel
            send(on: channel)
            guard !isByStream else { return }
            let pause = min(.seconds(1), timeout / 3)
            timers.append(eventLoop.scheduleTask(in: .pause(pause)) { self.sendAgain() })
        }
    }

    private func sendAgain() {
        guard !isOver, !isByStream, let channel else { return }
        send(on: channel)
    }

    private func send(on channel: any Channel) {
        sent += 1
        let message = DNSMessage.query(id: id, query.question)
        var bytes = ByteBuffer()
        if isByStream { bytes.writeInteger(UInt16(clamping: message.count)) }
        bytes.writeBytes(message)
        channel.writeAndFlush(bytes).hop(to: eventLoop).whenFailure { self.failed($0) }
    }

    /// Asks again by TCP (RFC 7766 section 5).
    private func askByStream() {
        guard !isByStream else { return }
        isByStream = true
        channel?.close(promise: nil)
        channel = nil
        let query = query
        ClientBootstrap(group: eventLoop)
            // The query's own deadline is the limit.
            .connectTimeout(.pause(timeout))
            .channelInitializer { channel in
                self.channel = channel
                return InterfaceBinding.apply(query.interface, to: channel).flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(DNSStreamHandler(exchange: self))
                }
            }
            .connect(to: query.server.socketAddress(interface: query.interface))
            .hop(to: eventLoop)
            .whenComplete { self.opened($0) }
    }

    // MARK: Receiving

    /// A message came; by TCP it can only be the server's, by UDP anybody may have sent it.
    func received(_ bytes: [UInt8], from channel: any Channel, by transport: DNSReply.Transport) {
        guard !isOver, (transport == .tcp) == isByStream else { return }
        // The id first: what was forged blindly is not worth decoding.
        guard bytes.starts(with: DNSMessage.bigEndian(id)), let beginning = try? DNSMessage.Beginning(bytes),
            isAnswer(beginning)
        else {
            ignored += 1
            if transport == .tcp { malformed("the message is not the answer to the query") }
            return
        }
        if transport == .udp, beginning.header.isTruncated { return askByStream() }
        do {
            let reply = DNSReply(
                message: try DNSMessage.decode(bytes),
                server: query.server,
                localAddress: channel.localAddress.flatMap(Self.endpoint),
                transport: transport,
                size: bytes.count,
                roundTrip: Duration(NIODeadline.now() - started)
            )
            finish(reply, reply.finding(for: query.question))
        } catch {
            malformed(error.description)
        }
    }

    /// Whether a message belongs to this query: its id, and its question, which a server may leave out of an error.
    private func isAnswer(_ beginning: DNSMessage.Beginning) -> Bool {
        let header = beginning.header
        guard header.id == id, header.isResponse, header.operation == 0 else { return false }
        if beginning.questions.isEmpty { return header.flags & 0xf != 0 }
        return beginning.questions == [query.question]
    }

    private static func endpoint(_ address: SocketAddress) -> WireEndpoint? {
        HostAddress(address).map { WireEndpoint($0, port: UInt16(clamping: address.port ?? 0)) }
    }

    // MARK: The end

    func cancel() {
        let evidence = "cancelled while waiting for \(query.server)"
        finish(nil, Finding(.cancelled, subject: query.question.name.description, evidence: evidence))
    }

    func failed(_ error: any Error) {
        let subject = query.server.description
        switch error {
        case let failure as WireFailure: finish(nil, failure.finding)
        case let failure as IOError:
            let operation = isByStream ? "connection by TCP" : "query by UDP"
            let finding = SystemFinding.make(failure.errnoCode, operation: operation, subject: subject)
            guard finding.code == .noRoute, LocalRoute.exists(to: query.server, interface: query.interface) else {
                return finish(nil, finding)
            }
            let evidence = "\(finding.evidence), as a router answered"
            finish(nil, Finding(.hostUnreachable, subject: subject, evidence: evidence))
        case ChannelError.connectTimeout: timeIsUp()
        default: finish(nil, Finding(.connectFailed, subject: subject, evidence: String(describing: error)))
        }
    }

    func closed(by transport: DNSReply.Transport) {
        guard (transport == .tcp) == isByStream, channel != nil else { return }
        let evidence = "closed before the answer was complete"
        finish(nil, Finding(.connectionClosed, subject: query.server.description, evidence: evidence))
    }

    private func malformed(_ evidence: String) {
        finish(nil, Finding(.dnsMalformed, subject: query.server.description, evidence: evidence))
    }

    private func timeIsUp() {
        var evidence = "no answer to \(query.question) within \(timeout.secondsText)"
        evidence += isByStream ? " by UDP and TCP" : sent == 1 ? ", 1 query sent" : ", \(sent) queries sent"
        if ignored > 0 { evidence += ", \(ignored) other datagrams ignored" }
        finish(nil, Finding(.dnsTimeout, subject: query.server.description, evidence: evidence))
    }

    private func finish(_ reply: DNSReply?, _ finding: Finding?) {
        guard !isOver else { return }
        isOver = true
        for timer in timers { timer.cancel() }
        timers = []
        channel?.close(promise: nil)
        channel = nil
        completion(DNSQuery.Outcome(reply: reply, finding: finding))
    }
}
