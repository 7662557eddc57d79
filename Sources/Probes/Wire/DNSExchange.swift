internal import CheckResults
internal import EventLoopExecutor
internal import Glibc
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix

/// A running DNS query.
///
/// `@unchecked Sendable`: every method runs on `eventLoop`, and the state is accessed only there.
final class DNSExchange: @unchecked Sendable {
    /// The maximum number of messages read before the event loop's other work continues.
    private static let messagesPerTurn = 64

    private let query: DNSQuery
    private let gate: LoopGate
    private let timeout: Duration
    private let meter: ByteMeter
    private let completion: @Sendable (DNSQuery.Outcome) -> Void
    private var id = UInt16.random(in: .min ... .max)

    /// The socket of a query over UDP.
    private var socket: DatagramSocket?
    /// The channel of a query over TCP.
    private var channel: (any Channel)?
    private var deadline: DeadlineTimer?
    private var repetition: Scheduled<Void>?
    private var started = NIODeadline.uptimeNanoseconds(0)
    private var sent = 0
    private var ignored = 0
    private var isOver = false
    private var isByStream = false
    /// `true` until the server turns out not to know EDNS.
    private var isExtended = true

    private var eventLoop: any EventLoop { gate.eventLoop }

    init(
        query: DNSQuery,
        gate: LoopGate,
        timeout: Duration,
        meter: ByteMeter,
        completion: @escaping @Sendable (DNSQuery.Outcome) -> Void
    ) {
        self.query = query
        self.gate = gate
        self.timeout = timeout
        self.meter = meter
        self.completion = completion
    }

    // MARK: Sending

    func begin() {
        guard !isOver else { return }
        started = .now()
        deadline = DeadlineTimer(Deadline(after: timeout, from: started), on: eventLoop) {
            self.timeIsUp(after: self.timeout)
        }
        do {
            let socket = try DatagramSocket(.udp, to: query.server, interface: query.interface)
            self.socket = socket
            sendDatagram(on: socket)
            if !isOver { watch(socket) }
        } catch {
            return finish(nil, error.finding)
        }
        scheduleRepetition()
    }

    /// Schedules the one repetition of the query that was sent last.
    private func scheduleRepetition() {
        let pause = min(.seconds(1), timeout / 3)
        repetition?.cancel()
        repetition = eventLoop.scheduleTask(in: .pause(pause)) { self.sendAgain() }
    }

    private func opened(_ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let error): failed(error)
        case .success(let channel) where isOver: channel.close(promise: nil)
        case .success(let channel):
            self.channel = channel
            send(on: channel)
        }
    }

    private func sendAgain() {
        guard !isOver, let socket else { return }
        sendDatagram(on: socket)
    }

    private var message: [UInt8] { DNSMessage.query(id: id, query.question, isExtended: isExtended) }

    private func sendDatagram(on socket: DatagramSocket) {
        sent += 1
        do {
            let message = message
            try socket.send(message)
            meter.count(sent: message.count, headers: WireOverhead.udp(isIPv4: !query.server.isIPv6))
        } catch {
            queuedFailure(on: socket, or: error.errno)
        }
    }

    private func send(on channel: any Channel) {
        let message = message
        var bytes = ByteBuffer()
        bytes.writeInteger(UInt16(clamping: message.count))
        bytes.writeBytes(message)
        channel.writeAndFlush(bytes).hop(to: eventLoop).whenFailure { self.failed($0) }
    }

    /// Repeats the query without EDNS (RFC 6891, section 7), under another id: late answers to the former are ignored.
    private func askWithoutExtension() {
        guard let socket else { return }
        isExtended = false
        id &+= 1
        sendDatagram(on: socket)
        if !isOver { scheduleRepetition() }
    }

    /// Repeats the query over TCP (RFC 7766, section 5).
    private func askByStream() {
        guard !isByStream else { return }
        isByStream = true
        socket = nil
        let query = query
        ClientBootstrap(group: eventLoop)
            // The query's own deadline is the timeout.
            .connectTimeout(.hours(24))
            .channelInitializer { channel in
                guard !self.isOver else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
                self.channel = channel
                return InterfaceBinding.apply(query.interface, to: channel).flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteCounter(self.meter), DNSStreamHandler(exchange: self),
                    ])
                }
            }
            .connect(to: query.server.socketAddress(interface: query.interface))
            .hop(to: eventLoop)
            .whenComplete { self.opened($0) }
    }

    // MARK: Receiving

    private func watch(_ socket: DatagramSocket) {
        do throws(SystemError) {
            try socket.whenReadable(on: gate) { self.readable() }
        } catch {
            failed(error.errno)
        }
    }

    private func readable() {
        guard !isOver, let socket else { return }
        // Bounded: a peer that sends faster than this reads must not monopolize the event loop.
        for _ in 0..<Self.messagesPerTurn {
            guard let error = socket.receiveError() else { break }
            if let finding = finding(error) { return finish(nil, finding) }
        }
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard let datagram = try socket.receive() else { break }
                meter.count(
                    received: datagram.bytes.count,
                    headers: WireOverhead.udp(isIPv4: !query.server.isIPv6)
                )
                received(datagram.bytes, at: socket.localAddress, by: .udp)
                guard !isOver, !isByStream else { return }
            }
        } catch {
            return queuedFailure(on: socket, or: error.errno)
        }
        watch(socket)
    }

    /// Handles a message; over TCP it can only be the server's, over UDP any host may have sent it.
    func received(_ bytes: [UInt8], at localAddress: WireEndpoint?, by transport: DNSReply.Transport) {
        guard !isOver, (transport == .tcp) == isByStream else { return }
        // The id first: a blind forgery is not worth decoding.
        guard bytes.starts(with: DNSMessage.bigEndian(id)), let beginning = try? DNSMessage.Beginning(bytes),
            isAnswer(beginning)
        else {
            ignored += 1
            if transport == .tcp { malformed("the message is not the answer to the query") }
            return
        }
        if transport == .udp, beginning.header.isTruncated { return askByStream() }
        do {
            let message = try DNSMessage.decode(bytes)
            if isExtended, transport == .udp, message.lacksExtension { return askWithoutExtension() }
            let reply = DNSReply(
                message: message,
                server: query.server,
                localAddress: localAddress,
                transport: transport,
                size: bytes.count,
                roundTrip: Duration(NIODeadline.now() - started)
            )
            finish(reply, reply.finding(for: query.question))
        } catch {
            malformed(error.description)
        }
    }

    /// Returns whether a message belongs to this query, by its id and its question, which a server may omit from an
    /// error.
    private func isAnswer(_ beginning: DNSMessage.Beginning) -> Bool {
        let header = beginning.header
        guard header.id == id, header.isResponse, header.operation == 0 else { return false }
        if beginning.questions.isEmpty { return header.flags & 0xf != 0 }
        return beginning.questions == [query.question]
    }

    // MARK: End

    func cancel() {
        let evidence = "cancelled while waiting for \(query.server)"
        finish(nil, Finding(.cancelled, subject: query.question.name.description, evidence: evidence))
    }

    func failed(_ error: any Error) {
        let subject = query.server.description
        switch error {
        case let failure as WireFailure: finish(nil, failure.finding)
        case let failure as IOError:
            let isLocal = failure.isOfConnectCall
            finish(nil, systemFinding(failure.errnoCode, operation: "connection by TCP", isLocal: isLocal))
        default: finish(nil, Finding(.connectFailed, subject: subject, evidence: String(describing: error)))
        }
    }

    /// Returns the finding for an ICMP error, or for a local error of the kernel; nil if the error is not final.
    private func finding(_ error: QueuedError) -> Finding? {
        guard error.origin != .local else { return systemFinding(error.error, operation: "query by UDP") }
        // The kernel fragments the next datagram.
        guard error.error != EMSGSIZE else { return nil }
        let code: FindingCode = error.error == ECONNREFUSED ? .connectRefused : .hostUnreachable
        return ICMPUnreachable.finding(error, to: query.server, code: code, hasRoute: !route.isMissing)
    }

    private var route: LocalRoute { LocalRoute(to: query.server, over: query.interface, by: isByStream ? .tcp : .udp) }

    private func systemFinding(_ error: CInt, operation: String, isLocal: Bool = false) -> Finding {
        SystemFinding.make(error, operation: operation, over: route, isLocal: isLocal)
    }

    private func queuedFailure(on socket: DatagramSocket, or error: CInt) {
        if let queued = socket.receiveError(), let finding = finding(queued) { return finish(nil, finding) }
        failed(error)
    }

    private func failed(_ error: CInt) {
        finish(nil, systemFinding(error, operation: "query by UDP"))
    }

    func closedStream() {
        guard isByStream, channel != nil else { return }
        let evidence = "closed before the answer was complete"
        finish(nil, Finding(.connectionClosed, subject: query.server.description, evidence: evidence))
    }

    private func malformed(_ evidence: String) {
        finish(nil, Finding(.dnsMalformed, subject: query.server.description, evidence: evidence))
    }

    func timeIsUp(after timeout: Duration) {
        // By TCP the query is repeated only for an answer that was truncated: the server is not silent.
        var evidence = isByStream ? "the answer by UDP was truncated, and no complete one" : "no answer"
        evidence += " to \(query.question) within \(timeout.secondsText)"
        evidence += isByStream ? " by UDP and TCP" : sent == 1 ? ", 1 query sent" : ", \(sent) queries sent"
        if ignored > 0 { evidence += ", \(ignored) other datagrams ignored" }
        finish(nil, Finding(.dnsTimeout, subject: query.server.description, evidence: evidence))
    }

    private func finish(_ reply: DNSReply?, _ finding: Finding?) {
        guard !isOver else { return }
        isOver = true
        deadline?.cancel()
        repetition?.cancel()
        socket = nil
        channel?.close(promise: nil)
        channel = nil
        completion(DNSQuery.Outcome(reply: reply, finding: finding))
    }
}

extension DNSMessage {
    /// `true` for the answers of a server that does not know EDNS.
    fileprivate var lacksExtension: Bool {
        !isExtended && (responseCode == .formatError || responseCode == .notImplemented)
    }
}
