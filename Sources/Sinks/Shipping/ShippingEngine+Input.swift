public import AgentEvents

extension ShippingEngine {
    /// An input of the engine.
    ///
    /// Inputs are passed in the order of their occurrence, with one exception that the caller must ensure: after
    /// ``Effect/subscribe(stream:after:)`` or ``Effect/unsubscribe``, no input of the former subscription follows, and
    /// after ``Effect/disconnect`` or ``Effect/connect`` none of the former connection.
    public enum Input: Sendable, Hashable {
        /// The machine's state (``MachineState/init(_:)``), after every snapshot or `reachability.changed` from the
        /// agent.
        ///
        /// It comes from a subscription that is always open and replays nothing, because the changes in a replay are
        /// outdated.
        case machine(MachineState)
        /// That subscription's connection to the agent was established (its hello), or has ended, or failed for the
        /// first time.
        case agent(isConnected: Bool)
        /// The agent's answer to a report, with the bytes of the reports that it has not answered yet.
        case reported(SinkReportReply, unanswered: UInt64 = 0)
        /// An input of the current subscription to the journal.
        case journal(JournalInput)
        /// An input of the current connection to the broker.
        case transport(TransportEvent)
        /// ``ShippingEngine/deadline`` has passed.
        ///
        /// The input is harmless at any other time.
        case tick
        /// The machine has resumed from a suspend, or the time of day was set.
        case clockChanged
        /// The agent has reloaded its configuration, which has the same settings for this sink.
        case reloaded
        /// The program stops, or the sink is no longer configured.
        ///
        /// The effects are the last ones: saving the cursor, the reports, and the end of both connections.
        case stop
    }

    /// An input of the subscription to the journal that ``Effect/subscribe(stream:after:)`` requested.
    public enum JournalInput: Sendable, Hashable {
        /// The agent's hello, on each connection of the subscription.
        case opened(stream: String, newest: UInt64)
        /// The next event, in ascending order of the numbers.
        ///
        /// If events after the requested number were removed, the subscription continues with the oldest one left; the
        /// engine detects the gap itself.
        case event(JournalEvent)
        /// The agent does not know the requested stream or number (`stream_changed`, `sequence_unknown`): its stream is
        /// this one.
        ///
        /// No input follows; the engine subscribes again.
        case restarted(stream: String)
        /// The subscription has ended, and the caller does not reconnect; the engine subscribes again after a pause,
        /// which grows with each failure, or once the agent is connected again.
        ///
        /// A caller that reconnects by itself, and resumes after the last event that it passed, never reports this.
        case closed
    }

    /// An effect requested by the engine; effects are carried out in order.
    public enum Effect: Sendable, Hashable {
        /// Calls ``SinkTransport/connect()``.
        case connect
        /// Calls ``SinkTransport/disconnect()``.
        case disconnect
        /// Ends the current subscription to the journal, if any, and starts another one: all types, without a snapshot,
        /// after a number; `stream` is that of the number, `nil` to accept any.
        case subscribe(stream: String?, after: UInt64)
        /// Ends the current subscription to the journal.
        case unsubscribe
        /// Calls ``SinkTransport/publish(_:)``.
        case publish(SinkMessage)
        /// Calls ``SinkTransport/publishState(_:)``.
        case publishState([UInt8])
        /// Calls ``SinkTransport/publishPresence(isOnline:)``.
        case publishPresence(isOnline: Bool)
        /// Saves the cursor with ``SinkCursorFile``.
        case save(SinkCursor)
        /// Reports to the agent with the control method `sink`: ``ShippingEngine/takeReport(bytes:)`` provides the
        /// content, and the reply is ``Input/reported(_:unanswered:)``.
        case report
        /// Logs events that will never reach the broker.
        ///
        /// Rejected ones are in the next report.
        case lost(ClosedRange<UInt64>, TransportFailure)
        /// Logs a problem that does not change the shipping of events.
        case warn(TransportFailure)
    }

    /// A moment on both clocks.
    public struct Moment: Sendable, Hashable {
        /// The continuous time, including suspends, which determines all waits.
        public var instant: ContinuousClock.Instant
        /// The time of day, which is only for people and other machines.
        public var time: Timestamp

        /// Creates a moment.
        public init(instant: ContinuousClock.Instant, time: Timestamp) {
            self.instant = instant
            self.time = time
        }

        /// The current moment.
        public static var now: Moment { Moment(instant: .now, time: .now) }
    }
}

/// One numbered event of the journal.
public struct JournalEvent: Sendable, Hashable {
    /// The number.
    public let sequence: UInt64
    /// The moment of the event.
    public let time: Timestamp
    /// The JSON text, as the agent wrote it, without the newline.
    public let line: [UInt8]
    /// The envelope.
    let scanned: ScannedLine

    /// Creates an event; `nil` if it has no number or no time.
    ///
    /// - Parameters:
    ///   - line: The JSON text.
    ///   - scanned: Its envelope.
    public init?(_ line: [UInt8], scanned: ScannedLine) {
        // The number fits a signed integer in every reader of the stream, and can be incremented here.
        guard let sequence = scanned.sequence, (1...UInt64(Int64.max)).contains(sequence), let time = scanned.time
        else { return nil }
        self.sequence = sequence
        self.time = time
        self.line = line
        self.scanned = scanned
    }

    /// Creates an event; `nil` if the line is not a numbered event.
    public init?(_ line: [UInt8]) {
        guard let scanned = ScannedLine(line.span) else { return nil }
        self.init(line, scanned: scanned)
    }

    /// The type, such as `reachagent.path.changed`.
    public var type: String { String(decoding: line[scanned.type], as: UTF8.self) }
    /// The subject, such as `default` or a probe's name.
    public var subject: String { String(decoding: line[scanned.subject], as: UTF8.self) }
}
