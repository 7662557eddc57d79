/// A connection to a broker, with the operations that shipping needs.
///
/// It belongs to the sink's thread, and never blocks: results come as ``TransportEvent`` from ``takeEvents()``, which
/// is called whenever ``descriptor`` is ready, ``deadline`` has passed, or the transport has called its `wake` closure
/// (from any thread, any number of times).
public protocol SinkTransport: AnyObject {
    /// A descriptor to wait for; `nil` for a transport with its own threads, which wakes the sink's thread.
    var descriptor: Int32? { get }
    /// `true` to wait until the descriptor is also writable.
    var wantsToWrite: Bool { get }
    /// The next moment at which ``takeEvents()`` is due without other events, such as for a keep-alive.
    var deadline: ContinuousClock.Instant? { get }
    /// The bytes sent and received since the creation of the transport, or an estimate that errs upward.
    var bytes: UInt64 { get }

    /// Starts to connect; the answer is ``TransportEvent/connected(newest:)`` or ``TransportEvent/disconnected(_:)``.
    func connect()
    /// Sends an event while connected; the answer is one of the events with its number.
    func publish(_ message: SinkMessage)
    /// Publishes the machine's state for brokers that retain it; ignored by the others.
    func publishState(_ state: [UInt8])
    /// Publishes that the machine reports, or does not, for brokers that retain it, now and on each connection; ignored
    /// by the others.
    func publishPresence(isOnline: Bool)
    /// Removes what the broker retains under topics, while connected; ignored by brokers that retain nothing.
    func clear(_ topics: [String])
    /// `true` while answers to messages that the broker retains, or removes, are due.
    var isClearing: Bool { get }
    /// Ends the connection in order; no answers follow, and ``connect()`` may be called again.
    func disconnect()
    /// Does everything that is due, and returns the events since the last call.
    func takeEvents() -> [TransportEvent]
}

/// One event of the journal on its way to a broker.
public struct SinkMessage: Sendable, Hashable {
    /// The number in the journal.
    public var sequence: UInt64
    /// The subject or topic.
    public var subject: String
    /// The id of the event among those of its device, by which the broker recognises a duplicate, and a reader the
    /// position: see ``StoredPosition``.
    public var id: String
    /// The event: a CloudEvents object in JSON.
    public var payload: [UInt8]

    /// Creates a message.
    public init(sequence: UInt64, subject: String, id: String, payload: [UInt8]) {
        self.sequence = sequence
        self.subject = subject
        self.id = id
        self.payload = payload
    }
}

/// An answer of a broker, or the end of the connection.
public enum TransportEvent: Sendable, Hashable {
    /// The connection is established.
    ///
    /// `newest` is the newest event of this device that the broker has stored; `nil` if there is none, or if the broker
    /// cannot be queried (``SinkSettings/mqtt``).
    case connected(newest: StoredPosition?)
    /// The broker has stored the event with this number, or had stored it before.
    case acknowledged(UInt64)
    /// The broker rejects the event, and would reject it again: too large, no permission, no stream.
    case refused(UInt64, TransportFailure)
    /// The broker takes events, but not everything beside them, such as the retained state.
    case limited(TransportFailure)
    /// The connection failed or has ended; events that were not acknowledged may or may not be stored.
    case disconnected(TransportFailure)
}

/// The reason for the end of a connection, or for a rejection.
public struct TransportFailure: Error, Sendable, Hashable {
    /// A stable code in snake_case: `broker_unreachable`, `broker_tls`, `broker_denied`, `broker_no_stream`,
    /// `broker_no_retain`, `broker_too_large`, `broker_conflict`, `broker_timeout`, `broker_protocol`,
    /// `credentials_unreadable`.
    public var code: String
    /// A sentence for people, without secrets.
    public var detail: String

    /// Creates a failure.
    public init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// The position of an event that a broker has stored.
public struct StoredPosition: Sendable, Hashable {
    /// The id of the message (``SinkMessage/id``).
    public var id: String
    /// The time of the event, from its payload (RFC 3339).
    public var time: String

    /// Creates a position.
    public init(id: String, time: String) {
        self.id = id
        self.time = time
    }
}
