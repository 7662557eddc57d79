internal import AgentEvents
internal import Brokers
internal import CNATS
internal import ForeignText
internal import Sinks

/// A consumer of the events of all devices, on a connection of its own.
///
/// It pulls: events wait at the broker until they are requested. Pushing with flow control occasionally stalls for ten
/// seconds with libnats 3.4.1, because a synchronous subscription answers the flow control late.
///
/// It belongs to one thread, which it blocks.
final class FleetConsumer {
    /// The timeout for an answer of the broker, in milliseconds.
    private static let patience: Int64 = 10_000
    /// The limit of each request.
    enum Limit {
        /// The bytes of the answer, which has many small events.
        case bytes
        /// The number of messages of the maximum size.
        case messages
    }

    /// The maximum number of events in a request.
    private static let batch: UInt64 = 256
    /// The time after which the broker deletes an ephemeral consumer without requests, in nanoseconds.
    private static let inactivity: Int64 = 300_000_000_000
    /// The time for which the broker waits for the acknowledgement of an event, unless a consumer has another one.
    private static let acknowledgementWait: Duration = .seconds(30)

    private let template: SubjectTemplate
    private let reader: NATSReader
    private let context: OpaquePointer
    private let subscription: OpaquePointer
    private let isDurable: Bool
    /// The events that are delivered: every one if an existing durable consumer is continued.
    let policy: DeliverPolicy
    private let limit: Limit
    /// True if an answer had fewer events than were requested, although as many waited: it ended at its bytes or after
    /// its time, and an event may be lost.
    private(set) var isIncomplete = false
    /// The fetched events, the next one last.
    private var fetched: [OpaquePointer] = []
    /// The events of a durable consumer that were returned but not acknowledged.
    private var handedOut: [OpaquePointer] = []
    /// The interval at which the broker is asked to wait longer for acknowledgements.
    private let extensionInterval: Duration
    /// The start of the current wait for acknowledgements.
    private var waitStart = ContinuousClock.now
    /// The number of events that waited after the last one.
    private var pending: UInt64 = 0
    /// The number of messages that were received, events or not.
    private var received: Int64 = 0

    /// Connects, and starts to consume.
    ///
    /// - Parameters:
    ///   - source: The broker, the credentials and the subjects.
    ///   - policy: The events to deliver; an existing durable consumer continues after its last acknowledged one instead.
    ///   - limit: The limit of each request.
    ///   - durable: The name of a durable consumer; `nil` for an ephemeral one.
    /// - Throws: The reason for the failure.
    init(
        _ source: FleetSource,
        _ policy: DeliverPolicy,
        limit: Limit = .bytes,
        durable: String? = nil
    ) throws(TransportFailure) {
        template = source.template
        self.limit = limit
        isDurable = durable != nil
        reader = try NATSReader(source.settings)
        var context: OpaquePointer?
        let status = natsConnection_JetStream(&context, reader.connection, nil)
        guard status == NATS_OK, let context else { throw reader.failure(status, doing: "use JetStream") }
        self.context = context
        let existing = durable.flatMap { Self.consumer($0, context, source) }
        extensionInterval = (existing?.acknowledgementWait ?? Self.acknowledgementWait) / 3
        self.policy = existing == nil ? policy : .all
        do throws(TransportFailure) {
            subscription = try Self.subscribe(
                reader,
                context,
                source,
                // The library refuses a start that differs from the one with which the consumer was created.
                existing == nil ? policy : nil,
                stream: existing?.stream ?? source.settings.stream,
                durable: durable
            )
        } catch {
            jsCtx_Destroy(context)
            throw error
        }
    }

    deinit {
        reader.stop()
        for message in fetched + handedOut { natsMsg_Destroy(message) }
        natsSubscription_Destroy(subscription)
        jsCtx_Destroy(context)
    }

    /// The broker's account of a consumer.
    struct Account {
        /// The time of its creation.
        let created: Timestamp
        /// The number of delivered events.
        let delivered: UInt64
        /// The number of events that wait.
        let waiting: UInt64

        /// The number of events to deliver at the start.
        var total: UInt64 { delivered &+ waiting }
    }

    /// Returns the broker's account; `nil` if the broker does not report it.
    func account() -> Account? {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        guard natsSubscription_GetConsumerInfo(&info, subscription, nil, nil) == NATS_OK, let info else { return nil }
        defer { jsConsumerInfo_Destroy(info) }
        return Account(
            created: Timestamp(microsecondsSince1970: info.pointee.Created / 1000),
            delivered: info.pointee.Delivered.Consumer,
            waiting: info.pointee.NumPending
        )
    }

    /// Returns the next event.
    ///
    /// - Parameter milliseconds: The maximum time to wait.
    /// - Returns: `nil` if none arrived in time.
    /// - Throws: The reason for the end of the connection.
    func next(within milliseconds: Int64) throws(TransportFailure) -> DeliveredMessage? {
        if fetched.isEmpty { try fetch(within: milliseconds) }
        guard let message = fetched.popLast() else { return nil }
        defer { if isDurable { handedOut.append(message) } else { natsMsg_Destroy(message) } }
        let delivered = try delivered(message)
        pending = delivered.pending
        return delivered
    }

    /// Acknowledges every returned event, and waits until the broker has received the acknowledgements.
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

    /// Asks the broker to wait longer for the acknowledgements of a durable consumer, if that is due: while a slow reader
    /// of the output takes its time, it would deliver the events again.
    func extendAcknowledgementWait() {
        guard isDurable, waitStart + extensionInterval <= .now else { return }
        waitStart = .now
        // The end of a connection is a failure of the next call.
        for message in fetched + handedOut { natsMsg_InProgress(message, nil) }
    }

    /// The reason that waiting events do not arrive: a missing permission also results in no answer.
    var silence: TransportFailure { reader.failure(NATS_TIMEOUT, doing: "read events") }

    /// True if the next event has already been fetched.
    var hasNext: Bool { !fetched.isEmpty }

    private func fetch(within milliseconds: Int64) throws(TransportFailure) {
        // A request for more events than exist would wait for them.
        let count = max(1, min(pending, batch))
        var request = jsFetchRequest()
        request.Batch = Int32(clamping: count)
        request.NoWait = count > 1
        request.MaxBytes = limit == .bytes ? Int64(NATSReader.maximumAnswerBytes) : 0
        request.Expires = milliseconds * 1_000_000
        var list = natsMsgList()
        waitStart = .now
        let status = natsSubscription_FetchRequest(&list, subscription, &request)
        defer { natsMsgList_Destroy(&list) }
        try checkProgress(list.Count)
        if status == NATS_TIMEOUT { return }
        // Another reader of the consumer has them.
        if status == NATS_NOT_FOUND, count > 1 {
            pending = 0
            return try fetch(within: milliseconds)
        }
        guard status == NATS_OK, let messages = list.Msgs else { throw reader.failure(status, doing: "read events") }
        isIncomplete = isIncomplete || UInt64(list.Count) < count
        for index in (0..<Int(list.Count)).reversed() {
            guard let message = messages[index] else { continue }
            fetched.append(message)
            // Owned here from now on: the list destroys its remaining messages.
            messages[index] = nil
        }
    }

    private var batch: UInt64 {
        guard limit == .messages else { return Self.batch }
        let size = max(1, natsConnection_GetMaxPayload(reader.connection))
        return min(Self.batch, max(1, UInt64(NATSReader.maximumAnswerBytes) / UInt64(size)))
    }

    /// Checks that the server sends messages, events or not, and no more than were requested.
    private func checkProgress(_ events: Int32) throws(TransportFailure) {
        var (messages, dropped) = (Int64(0), Int64(0))
        natsSubscription_GetDelivered(subscription, &messages)
        natsSubscription_GetDropped(subscription, &dropped)
        guard dropped == 0 else { throw reader.flood }
        if events > 0 || messages != received { reader.noteProgress() }
        received = messages
    }

    private func delivered(_ message: OpaquePointer) throws(TransportFailure) -> DeliveredMessage {
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
        return DeliveredMessage(
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

    /// Returns the stream of an existing durable consumer, and the time for which it waits for acknowledgements; `nil` if
    /// there is none.
    ///
    /// It reports no failure: the library repeats the requests when it subscribes.
    private static func consumer(
        _ name: String,
        _ context: OpaquePointer,
        _ source: FleetSource
    ) -> (stream: String, acknowledgementWait: Duration)? {
        for stream in streams(context, source) {
            var info: UnsafeMutablePointer<jsConsumerInfo>?
            defer { jsConsumerInfo_Destroy(info) }
            guard js_GetConsumerInfo(&info, context, stream, name, nil, nil) == NATS_OK else { continue }
            let wait = info?.pointee.Config?.pointee.AckWait ?? 0
            return (stream, wait > 0 ? .nanoseconds(wait) : acknowledgementWait)
        }
        return nil
    }

    /// Returns the streams that may have the events; the order is arbitrary.
    private static func streams(_ context: OpaquePointer, _ source: FleetSource) -> [String] {
        if let stream = source.settings.stream { return [stream] }
        var options = jsOptions()
        jsOptions_Init(&options)
        var list: UnsafeMutablePointer<jsStreamNamesList>?
        let status = source.template.allDevices.withCString { filter in
            options.Stream.Info.SubjectsFilter = filter
            return js_StreamNames(&list, context, &options, nil)
        }
        defer { jsStreamNamesList_Destroy(list) }
        guard status == NATS_OK, let list, let names = list.pointee.List else { return [] }
        return (0..<Int(list.pointee.Count)).compactMap { index in names[index].map { String(cString: $0) } }
    }

    /// Subscribes to a new consumer with a policy, or to an existing durable one without.
    private static func subscribe(
        _ reader: NATSReader,
        _ context: OpaquePointer,
        _ source: FleetSource,
        _ policy: DeliverPolicy?,
        stream: String?,
        durable: String?
    ) throws(TransportFailure) -> OpaquePointer {
        var options = jsSubOptions()
        jsSubOptions_Init(&options)
        switch policy {
        case nil: break
        case .newest: options.Config.DeliverPolicy = js_DeliverLastPerSubject
        case .since(let moment):
            options.Config.DeliverPolicy = js_DeliverByStartTime
            // libnats 3.4.1 writes a fraction without its leading zeros: a start at .05 s would become .5 s.
            let second = moment.microsecondsSince1970 / 1_000_000
            options.Config.OptStartTime = second.multipliedReportingOverflow(by: 1_000_000_000).partialValue
        case .from(let position):
            options.Config.DeliverPolicy = js_DeliverByStartSequence
            options.Config.OptStartSeq = position
        case .new: options.Config.DeliverPolicy = js_DeliverNew
        case .all: options.Config.DeliverPolicy = js_DeliverAll
        }
        if durable == nil {
            // Within one connection nothing is lost, and a new one starts with the last event.
            options.Config.AckPolicy = js_AckNone
            options.Config.InactiveThreshold = inactivity
        }
        var subscription: OpaquePointer?
        var code = jsErrCode(0)
        let status = withOptionalCString(stream) { stream in
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
        natsSubscription_SetPendingLimits(subscription, Int32(4 * batch), Int32(4 * NATSReader.maximumAnswerBytes))
        return subscription
    }
}

/// The part of the stored events that a consumer delivers.
enum DeliverPolicy: Sendable, Hashable {
    /// The newest event of each subject: of each device and type.
    case newest
    /// Every event stored at this moment or later.
    case since(Timestamp)
    /// Every event from this position in the stream on; if the stream ends before it, every event from now on.
    case from(UInt64)
    /// Events from now on.
    case new
    /// Every event.
    case all

    /// Returns true for a requested event; the broker starts with the whole second of a moment.
    func includes(_ message: FleetMessage) -> Bool {
        if case .since(let moment) = self { message.stored >= moment } else { true }
    }
}

/// The source of a fleet's events: a broker with credentials, a stream, and the subjects of the devices.
struct FleetSource: Sendable {
    /// The broker and the credentials, in the form of a sink's settings.
    let settings: SinkSettings
    /// The template of the subjects.
    let template: SubjectTemplate
}

private func withOptionalCString<Result>(
    _ text: String?,
    _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return text.withCString(body)
}
