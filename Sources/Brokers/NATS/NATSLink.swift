internal import CNATS
internal import Glibc
internal import Sinks

/// A libnats connection, driven by the thread that it belongs to.
///
/// The library calls back only on that thread: when it has connected, when it wants to write, and when it closes.
final class NATSLink {
    /// An estimate of the bytes of a failed attempt, including the server's certificate chain.
    static let attemptBytes: UInt64 = 8 << 10

    private let server: BrokerAddress.Server
    private var connection: OpaquePointer?
    private var subscription: OpaquePointer?
    /// The library's descriptor; -1 before it has connected.
    private(set) var socket: Int32 = -1
    /// A duplicate descriptor of the same socket, which stays open when the library closes its own.
    private var descriptor: Int32 = -1
    private var wantsToWrite = false
    private var lastDenial = ""
    /// The secrets that the server has learned.
    private(set) var secrets = BrokerSecrets()
    /// The bytes that the server had sent when the last complete message was read.
    private var receivedBefore: UInt64 = 0

    init(_ server: BrokerAddress.Server) { self.server = server }

    deinit { close() }

    /// Connects; blocks until it succeeds or fails.
    func connect(_ options: NATSOptions) -> natsStatus {
        secrets = options.secrets
        let status = natsOptions_SetEventLoop(
            options.pointer,
            Unmanaged.passUnretained(self).toOpaque(),
            { place, loop, _, socket in
                place?.pointee = loop
                NATSLink.of(loop)?.socket = socket
                return NATS_OK
            },
            { _, _ in NATS_OK },
            { loop, wanted in
                NATSLink.of(loop)?.wantsToWrite = wanted
                return NATS_OK
            },
            { _ in NATS_OK }
        )
        guard status == NATS_OK else { return status }
        return options.connect { natsConnection_Connect(&connection, options.pointer) }
    }

    /// Sets the descriptor to wait for, which its owner keeps.
    func take(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Serves the connection until it ends; returns the reason, or `nil` if it was stopped.
    func serve(_ wire: NATSWire) -> TransportFailure? {
        guard natsConnection_HasHeaderSupport(connection) == NATS_OK else {
            return TransportFailure(
                code: "broker_protocol",
                detail: "\(server.authority) is too old: it knows no headers"
            )
        }
        guard natsConnection_SubscribeSync(&subscription, connection, "\(wire.inbox).*") == NATS_OK else {
            return failure
        }
        natsSubscription_SetPendingLimits(
            subscription,
            Int32(NATSWire.maximumInputs),
            Int32(NATSWire.maximumInputBytes)
        )
        let maximum = Int(clamping: natsConnection_GetMaxPayload(connection))
        // Else each event would count as too large, and as lost.
        guard maximum > 0 else {
            return TransportFailure(
                code: "broker_protocol",
                detail: "\(server.authority) takes no message: its 'max_payload' is \(maximum)"
            )
        }
        guard wire.add(.opened(maximumPayload: maximum, secrets: secrets)) else { return Self.flooded }
        while !wire.isStopped {
            for request in wire.takeRequests() where !publish(request) { return failure }
            var entries = [
                pollfd(fd: wire.wakeupDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(wantsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0),
            ]
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            let ready = Int32(entries[1].revents)
            if ready & POLLOUT != 0 { natsConnection_ProcessWriteEvent(connection) }
            if ready & ~POLLOUT != 0 {
                natsConnection_ProcessReadEvent(connection)
                guard deliver(to: wire), !isIncompleteTooLarge else { return Self.flooded }
            }
            if natsConnection_IsClosed(connection) { return failure }
        }
        return nil
    }

    /// Ends the connection immediately, and discards unsent data.
    func close() {
        // The library would wait half a second for the server to read everything.
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
        if let subscription { natsSubscription_Destroy(subscription) }
        if let connection { natsConnection_Destroy(connection) }
        (subscription, connection, socket, descriptor) = (nil, nil, -1, -1)
    }

    private var failure: TransportFailure {
        guard let connection else {
            return TransportFailure(code: "broker_unreachable", detail: "\(server.authority) is not connected")
        }
        return NATSFailure.ended(connection, with: server, secrets)
    }

    private static let flooded = TransportFailure(
        code: "broker_protocol",
        detail: "the broker has sent more than was requested"
    )

    private func noteCompleteMessage() { receivedBefore = ConnectionBytes(of: descriptor)?.received ?? receivedBefore }

    /// True if the server has sent more without a complete message than the largest one takes: libnats has no limit for
    /// a message or a line, and keeps what it has of them.
    private var isIncompleteTooLarge: Bool {
        (ConnectionBytes(of: descriptor)?.received ?? 0) > receivedBefore + UInt64(NATSWire.maximumInputBytes)
    }

    private func publish(_ request: NATSRequest) -> Bool {
        var message: OpaquePointer?
        let status = request.payload.withUnsafeBytes { bytes in
            natsMsg_Create(
                &message,
                request.subject,
                request.reply,
                bytes.bindMemory(to: CChar.self).baseAddress,
                Int32(clamping: bytes.count)
            )
        }
        guard status == NATS_OK, let message else { return false }
        defer { natsMsg_Destroy(message) }
        for header in request.headers where natsMsgHeader_Set(message, header.name, header.value) != NATS_OK {
            return false
        }
        return natsConnection_PublishMsg(connection, message) == NATS_OK
    }

    /// Delivers the data that the library has read; returns false if it is too much.
    private func deliver(to wire: NATSWire) -> Bool {
        while true {
            var message: OpaquePointer?
            switch natsSubscription_NextMsg(&message, subscription, 0) {
            case NATS_OK:
                guard let message else { return true }
                defer { natsMsg_Destroy(message) }
                noteCompleteMessage()
                guard let read = Self.read(message), wire.add(.message(read)) else { return false }
            case NATS_NO_RESPONDERS:
                noteCompleteMessage()
                guard wire.add(.unanswered) else { return false }
            default: return deliverDenial(to: wire)
            }
        }
    }

    /// Delivers a denial of the server: the library keeps the last error, so a new one here is a denial.
    private func deliverDenial(to wire: NATSWire) -> Bool {
        var text: UnsafePointer<CChar>?
        guard natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED, let text else { return true }
        let denial = String(cString: text)
        guard denial != lastDenial else { return true }
        lastDenial = denial
        return wire.add(.denied(denial))
    }

    private static func read(_ message: OpaquePointer) -> NATSMessage? {
        let count = Int(natsMsg_GetDataLength(message))
        guard count <= NATSMessage.maximumBytes, let subject = natsMsg_GetSubject(message) else { return nil }
        var result = NATSMessage(subject: String(cString: subject), payload: [])
        if count > 0, let data = natsMsg_GetData(message) {
            result.payload = Array(UnsafeRawBufferPointer(start: data, count: count))
        }
        for field in NATSMessage.Field.allCases {
            var value: UnsafePointer<CChar>?
            guard natsMsgHeader_Get(message, field.rawValue, &value) == NATS_OK, let value,
                strnlen(value, NATSMessage.maximumFieldBytes + 1) <= NATSMessage.maximumFieldBytes
            else { continue }
            result.fields[field] = String(cString: value)
        }
        return result
    }

    private static func of(_ loop: UnsafeMutableRawPointer?) -> NATSLink? {
        loop.map { Unmanaged<NATSLink>.fromOpaque($0).takeUnretainedValue() }
    }
}
