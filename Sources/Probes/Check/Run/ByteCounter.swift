internal import CheckResults
internal import Glibc
internal import NIOCore

/// Counts the bytes of one connection; the first handler of its pipeline, so that TLS records are counted as sent.
///
/// The bytes on the link are read from the kernel after every read and at the end: a closed connection cannot be
/// queried.
final class ByteCounter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The stages of an attempt to connect.
    private enum Attempt {
        /// The peer may have answered already.
        case pending
        /// connect(2) itself failed: nothing has left this machine.
        case rejected
        /// The attempt failed before the connection was established.
        case failed
        /// The connection was established.
        case established
    }

    private let meter: ByteMeter
    private let start = NIODeadline.now()
    /// The end of the connection; nil while it is open.
    private var end: NIODeadline?
    private var attempt = Attempt.pending
    private var channel: (any Channel)?
    private var isIPv4 = false
    private var payload = 0
    private var reads = 0
    private var measured: TCPCounters?
    /// The payload at the last reading of the kernel's counters, and the time of the reading.
    private var measuredPayload = 0
    private var measuredAt = NIODeadline.uptimeNanoseconds(0)
    private var hasFailed = false

    init(_ meter: ByteMeter) { self.meter = meter }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        meter.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        channel = nil
        end = .now()
    }

    func connect(context: ChannelHandlerContext, to address: SocketAddress, promise: EventLoopPromise<Void>?) {
        isIPv4 = address.protocol == .inet
        let connected = promise ?? context.eventLoop.makePromise(of: Void.self)
        connected.futureResult.assumeIsolated().whenFailure { [self] error in attempt = Self.attempt(endedBy: error) }
        context.connect(to: address, promise: connected)
    }

    /// Returns the stage that an attempt had reached when it ended with an error.
    private static func attempt(endedBy error: any Error) -> Attempt {
        guard let error = error as? IOError else { return .pending }
        if error.isOfConnectCall { return .rejected }
        switch SystemFinding.code(error.errnoCode) {
        case .connectRefused, .connectTimeout, .hostUnreachable, .noRoute: return .failed
        // A reset, for example, may end a connection that the kernel has already established.
        default: return .pending
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        attempt = .established
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        meter.count(received: count)
        payload += count
        reads += 1
        guard !meter.isExceeded else { return }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Also read before an end of file closes the connection, but not at each of thousands of reads a second.
        if NIODeadline.now() - measuredAt > .milliseconds(5) { measure() }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        measure()
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = unwrapOutboundIn(data).readableBytes
        payload += count
        reads += 1
        // Bytes that the socket never accepts are not counted as sent.
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success: meter.count(sent: count)
            case .failure(let error): tell(error, context)
            }
        }
        context.write(data, promise: written)
    }

    /// Reports a write error as a read error.
    ///
    /// The kernel reports a connection's error once (SO_ERROR in socket(7)): after a failed write, reading returns only
    /// end of file, and a reset would look like an orderly close. EPIPE says only that the connection was closed
    /// before.
    private func tell(_ error: any Error, _ context: ChannelHandlerContext) {
        guard !hasFailed, let error = error as? IOError, error.errnoCode != EPIPE else { return }
        hasFailed = true
        measure()
        context.fireErrorCaught(error)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        measure()
        context.close(mode: mode, promise: promise)
    }

    /// Returns the bytes carried by the link, including the teardown still to come.
    func finish() -> Int {
        measure()
        channel = nil
        guard measured != nil, attempt != .failed else { return onWire }
        // Four segments close a connection, and TLS adds its closure alert.
        return onWire + 6 * WireOverhead.tcp(isIPv4: isIPv4) + 64
    }

    /// The bytes carried by the link so far.
    private var onWire: Int {
        switch attempt {
        case .rejected: return 0
        case .failed:
            // The answer may be an ICMP error with extensions (RFC 4884), as large as the headers of three segments.
            let segments = max(1 + repetitions, measured?.segments ?? 0) + 3
            return segments * WireOverhead.tcp(isIPv4: isIPv4)
        case .pending, .established: break
        }
        guard let measured else { return estimate }
        // Bytes since the last reading count as small segments, each acknowledged.
        let segments = measured.segments + 2 * ((payload - measuredPayload + 535) / 536)
        return max(measured.payload, payload) + segments * WireOverhead.tcp(isIPv4: isIPv4)
    }

    /// Reads the kernel's counters; nil if the connection is closed or the kernel does not count.
    func counters() -> TCPCounters? {
        guard channel?.isActive == true else { return nil }
        measure()
        return measured
    }

    /// Reads the kernel's counters, and returns the bytes carried by the link so far.
    func currentOnWire() -> Int {
        measure()
        return onWire
    }

    /// The estimate without the kernel's counters: small segments, each acknowledged, and the repeated SYNs.
    private var estimate: Int {
        let segments = 8 + (payload == 0 ? repetitions : 0) + 2 * (reads + payload / 536)
        return payload + segments * WireOverhead.tcp(isIPv4: isIPv4)
    }

    /// The maximum number of repeated SYNs: one each second until the peer answers or the connection ends.
    private var repetitions: Int {
        min(10, Int(clamping: ((end ?? .now()) - start).nanoseconds / 1_000_000_000))
    }

    private func measure() {
        guard let options = channel as? any SocketOptionProvider else { return }
        measuredAt = .now()
        let answer: EventLoopFuture<TCPCounters.Answer> = options.unsafeGetSocketOption(
            level: .tcp,
            name: NIOBSDSocket.Option(rawValue: CInt(TCP_INFO))
        )
        answer.assumeIsolated().whenSuccess { [self] answer in
            guard let counters = TCPCounters(answer) else { return }
            (measured, measuredPayload) = (counters, payload)
        }
    }
}

/// The kernel's counters of a connection (tcp_info, since Linux 4.19).
struct TCPCounters {
    /// The relevant part of the kernel's structure.
    typealias Answer = SIMD32<UInt64>

    /// Payload bytes in both directions, including retransmissions.
    let payload: Int
    /// Segments in both directions, including empty ones.
    let segments: Int
    /// Payload bytes that the peer has acknowledged.
    let acknowledged: Int
    /// Retransmitted segments.
    let retransmissions: Int

    /// Creates the counters; nil if the kernel does not count sent bytes.
    init?(_ answer: Answer) {
        (payload, segments, acknowledged, retransmissions) = withUnsafeBytes(of: answer) { bytes in
            let received = bytes.loadUnaligned(fromByteOffset: 128, as: UInt64.self)
            let sent = bytes.loadUnaligned(fromByteOffset: 200, as: UInt64.self)
            let out = bytes.loadUnaligned(fromByteOffset: 136, as: UInt32.self)
            let into = bytes.loadUnaligned(fromByteOffset: 140, as: UInt32.self)
            let acknowledged = bytes.loadUnaligned(fromByteOffset: 120, as: UInt64.self)
            let again = bytes.loadUnaligned(fromByteOffset: 100, as: UInt32.self)
            return (
                Int(clamping: sent &+ received), Int(clamping: UInt64(out) + UInt64(into)),
                Int(clamping: acknowledged), Int(clamping: again)
            )
        }
        guard segments > 0 else { return nil }
    }
}

/// The overhead of a message: headers with all their options, including Ethernet's 14 bytes.
enum WireOverhead {
    static func tcp(isIPv4: Bool) -> Int { ip(isIPv4: isIPv4) + 40 }
    static func udp(isIPv4: Bool) -> Int { ip(isIPv4: isIPv4) + 8 }
    static func ip(isIPv4: Bool) -> Int { isIPv4 ? 34 : 54 }
    /// Returns the estimated size of one query to the system's resolver and its answer: over UDP, with EDNS, an answer
    /// of the classical size.
    static func lookup(name: String) -> Int { 2 * udp(isIPv4: false) + 29 + name.utf8.count + 512 }
}
