package import CheckResults
package import EventLoopExecutor
internal import Glibc
internal import LinuxSupport
internal import NIOCore

/// One ICMP echo request to one address, sent without privileges (icmp(7)).
package struct ICMPEcho: Sendable, Hashable {
    /// The reply to a request.
    package struct Reply: Sendable, Hashable, CustomStringConvertible {
        /// The address that was asked; a router may answer from another one of its own.
        package var address: String
        /// The source address of the request, if known.
        package var localAddress: WireEndpoint?
        /// The time from the request to the reply.
        package var roundTrip: Duration
        /// The received TTL or hop limit of the reply, if the kernel reports it.
        package var hopLimit: Int?
        /// The size of the ICMP message, in bytes.
        package var size: Int

        package var description: String {
            "\(size) bytes from \(address)" + (hopLimit.map { ", \($0) hops left" } ?? "")
        }
    }

    /// The result of an echo request.
    package struct Outcome: Sendable {
        /// The reply; nil when none arrived.
        package var reply: Reply?
        /// The reason there was no reply; nil when there was one.
        package var finding: Finding?
    }

    /// The address; its port is ignored.
    package var target: WireEndpoint
    /// The egress interface (SO_BINDTODEVICE); nil for that of the route.
    package var interface: String?
    /// The TTL or hop limit of the request; nil for the system's default.
    package var hopLimit: UInt8?
    /// The number of random payload bytes, which identify the reply; 8 to 1024.
    package var payloadSize = 56

    package init(target: WireEndpoint, interface: String? = nil, hopLimit: UInt8? = nil) {
        self.target = target
        self.interface = interface
        self.hopLimit = hopLimit
    }

    /// Sends the request.
    ///
    /// - Parameters:
    ///   - gate: The access to the event loop of the exchange, which is never blocked.
    ///   - timeout: The maximum time to wait for the reply.
    ///   - meter: Counts the bytes; it belongs to the event loop.
    ///   - completion: Called once, on the event loop, also after a cancellation.
    package func start(
        on gate: LoopGate,
        timeout: Duration,
        meter: ByteMeter = ByteMeter(),
        completion: @escaping @Sendable (Outcome) -> Void
    ) -> WireExchange {
        let exchange = ICMPExchange(
            echo: self,
            gate: gate,
            timeout: timeout,
            meter: meter,
            completion: completion
        )
        gate.execute { exchange.begin() }
        return WireExchange(
            on: gate,
            onExpiry: { exchange.timeIsUp(after: $0) },
            onCancel: { exchange.cancel() }
        )
    }
}

/// A running echo exchange.
///
/// `@unchecked Sendable`: every method runs on `eventLoop`, to which the socket's events and the deadline come too, so that
/// no state is accessed by two threads.
private final class ICMPExchange: @unchecked Sendable {
    private static let messagesPerTurn = 64

    private let echo: ICMPEcho
    private let gate: LoopGate
    private let timeout: Duration
    private let meter: ByteMeter
    private let completion: @Sendable (ICMPEcho.Outcome) -> Void
    private let message: ICMPEchoMessage

    private var socket: DatagramSocket?
    private var deadline: DeadlineTimer?
    private var started = NIODeadline.uptimeNanoseconds(0)
    private var ignored = 0
    private var isOver = false

    private var eventLoop: any EventLoop { gate.eventLoop }

    init(
        echo: ICMPEcho,
        gate: LoopGate,
        timeout: Duration,
        meter: ByteMeter,
        completion: @escaping @Sendable (ICMPEcho.Outcome) -> Void
    ) {
        self.echo = echo
        self.gate = gate
        self.timeout = timeout
        self.meter = meter
        self.completion = completion
        message = ICMPEchoMessage(
            isIPv6: echo.target.isIPv6,
            sequence: .random(in: .min ... .max),
            payload: (0..<min(max(echo.payloadSize, 8), 1024)).map { _ in .random(in: .min ... .max) }
        )
    }

    private var subject: String { echo.target.addressText }

    func begin() {
        guard !isOver else { return }
        do {
            let socket = try DatagramSocket(.icmp, to: echo.target, interface: echo.interface, hopLimit: echo.hopLimit)
            self.socket = socket
            deadline = DeadlineTimer(Deadline(after: timeout, from: .now()), on: eventLoop) {
                self.timeIsUp(after: self.timeout)
            }
            started = .now()
            do {
                let request = message.request
                try socket.send(request)
                meter.count(sent: request.count, headers: WireOverhead.ip(isIPv4: !echo.target.isIPv6))
            } catch {
                // The kernel may know at once that there is no route; its error queue is more precise than errno.
                return queuedFailure(or: error.errno)
            }
            watch(socket)
        } catch {
            finish(nil, error.finding)
        }
    }

    private func watch(_ socket: DatagramSocket) {
        do throws(SystemError) {
            try socket.whenReadable(on: gate) { self.readable() }
        } catch {
            failed(error.errno)
        }
    }

    private func readable() {
        guard !isOver, let socket else { return }
        // The time is taken before reading, which does not count as latency.
        let now = NIODeadline.now()
        // Bounded: a peer that sends faster than this reads must not monopolize the event loop.
        for _ in 0..<Self.messagesPerTurn {
            guard let error = socket.receiveError() else { break }
            if let finding = finding(error) { return finish(nil, finding) }
        }
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard let received = try socket.receive() else { break }
                meter.count(received: received.bytes.count, headers: WireOverhead.ip(isIPv4: !echo.target.isIPv6))
                if message.isAnswered(by: received.bytes) { return replied(received, at: now) }
                ignored += 1
            }
        } catch {
            return queuedFailure(or: error.errno)
        }
        if !isOver { watch(socket) }
    }

    private func replied(_ received: DatagramSocket.Received, at now: NIODeadline) {
        let hopLimit = received.control.first { message in
            (message.level == CInt(IPPROTO_IP) && message.type == IP_TTL)
                || (message.level == CInt(IPPROTO_IPV6) && message.type == IPV6_HOPLIMIT)
        }
        let reply = ICMPEcho.Reply(
            address: subject,
            localAddress: socket?.localAddress,
            roundTrip: Duration(now - started),
            hopLimit: hopLimit?.integer.map(Int.init),
            size: received.bytes.count
        )
        finish(reply, nil)
    }

    // MARK: End

    func cancel() {
        finish(nil, Finding(.cancelled, subject: subject, evidence: "cancelled while waiting for the reply"))
    }

    /// Returns the finding for an ICMP error, or for a local error of the kernel; nil if the error is not final.
    private func finding(_ error: QueuedError) -> Finding? {
        guard error.origin != .local else { return systemFinding(error.error) }
        return ICMPUnreachable.finding(error, to: echo.target, code: .icmpUnreachable, hasRoute: !route.isMissing)
    }

    private var route: LocalRoute { LocalRoute(to: echo.target, over: echo.interface, by: .icmp) }

    private func systemFinding(_ error: CInt) -> Finding {
        SystemFinding.make(error, operation: "send an echo request", over: route)
    }

    private func queuedFailure(or error: CInt) {
        if let queued = socket?.receiveError(), let finding = finding(queued) { return finish(nil, finding) }
        failed(error)
    }

    private func failed(_ error: CInt) {
        finish(nil, systemFinding(error))
    }

    func timeIsUp(after timeout: Duration) {
        var evidence = "no reply within \(timeout.secondsText)"
        if ignored > 0 { evidence += ", \(ignored) other messages ignored" }
        finish(nil, Finding(.timeout, subject: subject, evidence: evidence))
    }

    private func finish(_ reply: ICMPEcho.Reply?, _ finding: Finding?) {
        guard !isOver else { return }
        isOver = true
        deadline?.cancel()
        socket = nil
        completion(ICMPEcho.Outcome(reply: reply, finding: finding))
    }
}
