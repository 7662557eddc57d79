public import AgentEvents

extension ShippingEngine {
    /// An input of the engine.
    ///
    /// The order is that in which things happened, with one exception that the caller sees to: after
    /// ``Effect/subscribe(stream:after:)`` or ``Effect/unsubscribe``, nothing of the former subscription is handed in
    /// any more, and after ``Effect/disconnect`` or ``Effect/connect`` nothing of the former connection.
    public enum Input: Sendable, Hashable {
        /// The machine's state (``MachineState/init(_:)``): whenever the agent sends a snapshot or
        /// `reachability.changed`. It comes from a subscription that is always open and replays nothing, as the changes
        /// in a replay are past.
        case machine(MachineState)
        /// The agent's answer to a report.
        case reported(SinkReportReply)
        /// Something of the present subscription to the journal.
        case journal(JournalInput)
        /// Something of the present connection to the broker.
        case transport(TransportEvent)
        /// ``ShippingEngine/deadline`` is over. Harmless at any other time.
        case tick
        /// The program ends, or the sink is no longer configured. The effects are the last ones: a cursor to save, a
        /// report, and the end of both connections.
        case stop
    }

    /// Something of the subscription to the journal that ``Effect/subscribe(stream:after:)`` asked for.
    public enum JournalInput: Sendable, Hashable {
        /// The agent's hello, on each connection that the subscription takes.
        case opened(stream: String, newest: UInt64)
        /// The next event; the numbers rise. If events after the requested number are gone, the subscription continues
        /// with the oldest that is left; the engine sees the hole itself.
        case event(JournalEvent)
        /// The agent does not know the requested stream or number (`stream_changed`, `sequence_unknown`): its stream is
        /// this one. Nothing follows; the engine subscribes anew.
        case restarted(stream: String)
        /// The subscription has ended, and its connection is not made again by the caller; the engine subscribes again
        /// after a while. A caller that reconnects by itself, and resumes after the last event that it handed in, never
        /// reports this.
        case closed
    }

    /// An effect that the engine wants; carried out in order.
    public enum Effect: Sendable, Hashable {
        /// Calls ``SinkTransport/connect()``.
        case connect
        /// Calls ``SinkTransport/disconnect()``.
        case disconnect
        /// Ends the present subscription to the journal, if any, and begins another one: all types, without a snapshot,
        /// after a number; `stream` is that of the number, `nil` to accept any.
        case subscribe(stream: String?, after: UInt64)
        /// Ends the present subscription to the journal.
        case unsubscribe
        /// Calls ``SinkTransport/publish(_:)``.
        case publish(SinkMessage)
        /// Calls ``SinkTransport/publishState(_:)``.
        case publishState([UInt8])
        /// Saves the cursor with ``SinkCursorFile``.
        case save(SinkCursor)
        /// Reports to the agent with the control method `sink`: ``ShippingEngine/takeReport(bytes:)`` has the content,
        /// and the reply is ``Input/reported(_:)``.
        case report
        /// Logs that these events never get to the broker. Those that it refused are in the next report.
        case lost(ClosedRange<UInt64>, TransportFailure)
    }

    /// A moment, by both clocks.
    public struct Moment: Sendable, Hashable {
        /// The time that passes, suspended or not; what waits goes by it.
        public var instant: ContinuousClock.Instant
        /// The time of day; only what people and other machines read goes by it.
        public var time: Timestamp

        /// A moment.
        public init(instant: ContinuousClock.Instant, time: Timestamp) {
            self.instant = instant
            self.time = time
        }

        /// The present moment.
        public static var now: Moment { Moment(instant: .now, time: .now) }
    }
}

/// One numbered event of the journal.
public struct JournalEvent: Sendable, Hashable {
    /// The number.
    public let sequence: UInt64
    /// The moment of the event.
    public let time: Timestamp
    /// The JSON text, as the agent wrote it, without the line's end.
    public let line: [UInt8]
    /// The envelope.
    let scanned: ScannedLine

    /// An event; `nil` when it has no number, or no time.
    ///
    /// - Parameters:
    ///   - line: The JSON text.
    ///   - scanned: Its envelope.
    public init?(_ line: [UInt8], scanned: ScannedLine) {
        // The number fits a signed integer in every reader of the stream, and has a successor here.
        guard let sequence = scanned.sequence, (1...UInt64(Int64.max)).contains(sequence), let time = scanned.time
        else { return nil }
        self.sequence = sequence
        self.time = time
        self.line = line
        self.scanned = scanned
    }

    /// An event; `nil` when the line is no numbered event.
    public init?(_ line: [UInt8]) {
        guard let scanned = ScannedLine(line.span) else { return nil }
        self.init(line, scanned: scanned)
    }

    /// The type, such as `reachagent.path.changed`.
    public var type: String { String(decoding: line[scanned.type], as: UTF8.self) }
    /// The subject, such as `default` or a probe's name.
    public var subject: String { String(decoding: line[scanned.subject], as: UTF8.self) }
}
