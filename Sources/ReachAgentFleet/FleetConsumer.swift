internal import AgentEvents
internal import Brokers
internal import CNATS
internal import ForeignText
internal import Sinks

/// A consumer of the events of all devices, on a connection of its own.
///
/// It pulls: events wait at the broker until they are requested. Pushing with flow control stalls for ten seconds now
/// and then with libnats 3.4.1, because a synchronous subscription answers the flow control late.
///
/// Belongs to one thread, which it blocks.
final class FleetConsumer {
    /// The time within which the broker must answer, in milliseconds.
    private static let patience: Int64 = 10_000
    /// The maximum number of events that are asked for at once.
    private static let batch: UInt64 = 256
    /// The time after which the broker deletes an ephemeral consumer that asks for nothing, in nanoseconds.
    private static let inactivity: Int64 = 300_000_000_000

    private let template: SubjectTemplate
    private let reader: NATSReader
    private let context: OpaquePointer
    private let subscription: OpaquePointer
    private let isDurable: Bool
    /// Events that were fetched, the next one last.
    private var fetched: [OpaquePointer] = []
    /// Events of a durable consumer that were handed out, and are not acknowledged.
    private var handedOut: [OpaquePointer] = []
    /// The number of events that waited behind the last one.
    private var pending: UInt64 = 0

    /// Connects, and begins to consume.
    ///
    /// - Parameters:
    ///   - source: The broker, the credentials and the subjects.
    ///   - delivery: The events to deliver; of a durable consumer that exists already, those after its last acknowledged one.
    ///   - durable: The name of a durable consumer; `nil` for an ephemeral one.
    /// - Throws: The reason that it cannot.
    init(_ source: FleetSource, _ delivery: FleetDelivery, durable: String? = nil) throws(TransportFailure) {
        template = source.template
        isDurable = durable != nil
        reader = try NATSReader(source.settings)
        var context: OpaquePointer?
        let status = natsConnection_JetStream(&context, reader.connection, nil)
        guard status == NATS_OK, let context else { throw reader.failure(status, doing: "use JetStream") }
        self.context = context
        do throws(TransportFailure) {
            subscription = try Self.subscribe(reader, context, source, delivery, durable: durable)
        } catch {
            jsCtx_Destroy(context)
            throw error
        }
    }

    deinit {
        for message in fetched + handedOut { natsMsg_Destroy(message) }
        natsSubscription_Destroy(subscription)
        jsCtx_Destroy(context)
    }

    /// The number of events that are to be delivered at the beginning; `nil` where the broker does not say.
    func backlog() -> UInt64? {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        guard natsSubscription_GetConsumerInfo(&info, subscription, nil, nil) == NATS_OK, let info else { return nil }
        defer { jsConsumerInfo_Destroy(info) }
        return info.pointee.NumPending &+ info.pointee.Delivered.Consumer
    }

    /// The next event.
    ///
    /// - Parameter milliseconds: The time to wait for one.
    /// - Returns: `nil` when none came within the time.
    /// - Throws: The reason for the end of the connection.
    func next(within milliseconds: Int64) throws(TransportFailure) -> FleetDelivered? {
        if fetched.isEmpty { try fetch(within: milliseconds) }
        guard let message = fetched.popLast() else { return nil }
        defer { if isDurable { handedOut.append(message) } else { natsMsg_Destroy(message) } }
        let delivered = try delivered(message)
        pending = delivered.pending
        return delivered
    }

    /// Acknowledges every event that was handed out, and returns when the broker has got that.
    func acknowledge() throws(TransportFailure) {
        guard !handedOut.isEmpty else { return }
        var status = NATS_OK
        for message in handedOut {
            if status == NATS_OK { status = natsMsg_Ack(message, nil) }
            natsMsg_Destroy(message)
        }
        handedOut.removeAll(keepingCapacity: true)
        if status == NATS_OK { status = natsConnection_FlushTimeout(reader.connection, Self.patience) }
        guard status == NATS_OK else { throw reader.failure(status, doing: "acknowledge events") }
    }

    /// The reason that events which wait do not come: a permission that is missing is no answer either.
    var silence: TransportFailure { reader.failure(NATS_TIMEOUT, doing: "read events") }

    /// True when the next event has been fetched already.
    var hasNext: Bool { !fetched.isEmpty }

    private func fetch(within milliseconds: Int64) throws(TransportFailure) {
        var list = natsMsgList()
        // More than there are would be waited for.
        let count = Int32(clamping: max(1, min(pending, Self.batch)))
        let status = natsSubscription_Fetch(&list, subscription, count, milliseconds, nil)
        defer { natsMsgList_Destroy(&list) }
        if status == NATS_TIMEOUT { return }
        guard status == NATS_OK else { throw reader.failure(status, doing: "read events") }
        guard let messages = list.Msgs else { return }
        for index in (0..<Int(list.Count)).reversed() {
            guard let message = messages[index] else { continue }
            fetched.append(message)
            // Ours from now on: the list destroys what it still has.
            messages[index] = nil
        }
    }

    private func delivered(_ message: OpaquePointer) throws(TransportFailure) -> FleetDelivered {
        var metadata: UnsafeMutablePointer<jsMsgMetaData>?
        let status = natsMsg_GetMetaData(&metadata, message)
        guard status == NATS_OK, let metadata else {
            throw reader.failure(status, doing: "read the position of an event")
        }
        defer { jsMsgMetaData_Destroy(metadata) }
        let device = natsMsg_GetSubject(message).flatMap { template.device(in: String(cString: $0)) } ?? ""
        var identifier: UnsafePointer<CChar>?
        let hasIdentifier = natsMsgHeader_Get(message, "Nats-Msg-Id", &identifier) == NATS_OK
        let count = Int(natsMsg_GetDataLength(message))
        let bytes = natsMsg_GetData(message).map {
            UnsafeRawBufferPointer(start: UnsafeRawPointer($0), count: max(0, count))
        }
        return FleetDelivered(
            message: FleetMessage(
                device: ForeignText(device.utf8),
                id: hasIdentifier ? identifier.map { NATSMessageID.id(in: String(cString: $0), device: device) } : nil,
                stored: Timestamp(microsecondsSince1970: metadata.pointee.Timestamp / 1000),
                payload: bytes.map { Array($0) } ?? []
            ),
            position: metadata.pointee.Sequence.Stream,
            pending: metadata.pointee.NumPending
        )
    }

    private static func subscribe(
        _ reader: NATSReader,
        _ context: OpaquePointer,
        _ source: FleetSource,
        _ delivery: FleetDelivery,
        durable: String?
    ) throws(TransportFailure) -> OpaquePointer {
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        switch delivery {
        case .newest: options.Config.DeliverPolicy = js_DeliverLastPerSubject
        case .since(let moment):
            options.Config.DeliverPolicy = js_DeliverByStartTime
            // libnats 3.4.1 writes a fraction without its leading zeros: a start at .05 s would be one at .5 s.
            let second = moment.microsecondsSince1970 / 1_000_000
            options.Config.OptStartTime = second.multipliedReportingOverflow(by: 1_000_000_000).partialValue
        case .after(let position):
            options.Config.DeliverPolicy = js_DeliverByStartSequence
            options.Config.OptStartSeq = position &+ 1
        case .new: options.Config.DeliverPolicy = js_DeliverNew
        case .all: options.Config.DeliverPolicy = js_DeliverAll
        }
        if durable == nil {
            // Within one connection nothing is lost, and a new one begins after the last event.
            options.Config.AckPolicy = js_AckNone
            options.Config.InactiveThreshold = inactivity
        }
        var subscription: OpaquePointer?
        var code = jsErrCode(0)
        let status = withOptionalCString(source.settings.stream) { stream in
            options.Stream = stream
            return source.template.allDevices.withCString { filter in
                withOptionalCString(durable) { durable in
                    js_PullSubscribe(&subscription, context, filter, durable, nil, &options, &code)
                }
            }
        }
        guard status == NATS_OK, let subscription else {
            throw reader.failure(
                status,
                code: UInt32(code.rawValue),
                doing: "make a consumer of '\(source.template.allDevices)'"
            )
        }
        return subscription
    }
}

/// The part of the stored events that a consumer delivers.
enum FleetDelivery: Sendable, Hashable {
    /// The newest event of each subject: of each device and type.
    case newest
    /// Every event that was stored at a moment or later.
    case since(Timestamp)
    /// Every event behind a position in the stream.
    case after(UInt64)
    /// Events from now on.
    case new
    /// Every event.
    case all

    /// True for an event that is wanted; the broker begins with the whole second of a moment.
    func includes(_ message: FleetMessage) -> Bool {
        if case .since(let moment) = self { message.stored >= moment } else { true }
    }
}

/// An event with its position in the stream.
struct FleetDelivered: Sendable {
    var message: FleetMessage
    /// The position in the stream.
    var position: UInt64
    /// The number of events that wait at the broker behind it.
    var pending: UInt64
}

/// The place that a fleet's events are read from: a broker with credentials, a stream, and the subjects of the devices.
struct FleetSource: Sendable {
    /// The broker and the credentials, as a sink has them.
    let settings: SinkSettings
    /// The form of the subjects.
    let template: SubjectTemplate
}

private func withOptionalCString<Result>(
    _ text: String?,
    _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return text.withCString(body)
}
