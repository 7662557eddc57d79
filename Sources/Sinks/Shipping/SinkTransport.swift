/// A connection to a broker, as far as shipping is concerned.
///
/// Belongs to one thread, the sink's. Nothing blocks: results come as ``TransportEvent`` from ``takeEvents()``, which
/// is asked whenever ``descriptor`` is ready, ``deadline`` is over, or the transport has called the closure `wake` that
/// it was made with (from any thread, any number of times).
public protocol SinkTransport: AnyObject {
    /// A descriptor to wait for; `nil` for a transport with threads of its own, which wakes the sink's thread.
    var descriptor: Int32? { get }
    /// `true` to wait until the descriptor can be written to as well.
    var wantsToWrite: Bool { get }
    /// The next moment at which ``takeEvents()`` has something to do by itself, such as a keep-alive.
    var deadline: ContinuousClock.Instant? { get }
    /// The bytes sent and received since the transport was made, or an estimate that errs upward.
    var bytes: UInt64 { get }

    /// Begins to connect. The answer is ``TransportEvent/connected(newest:)`` or ``TransportEvent/disconnected(_:)``.
    func connect()
    /// Sends an event; the answer is one of the events with its number. Called only while connected.
    func publish(_ message: SinkMessage)
    /// Publishes the machine's state for brokers that keep one; ignored by the others.
    func publishState(_ state: [UInt8])
    /// Ends the connection in order; nothing is answered any more, and ``connect()`` may be called again.
    func disconnect()
    /// Does what is due, and returns what has happened since the last call.
    func takeEvents() -> [TransportEvent]
}

/// One event of the journal on its way to a broker.
public struct SinkMessage: Sendable, Hashable {
    /// The number in the journal.
    public var sequence: UInt64
    /// The subject or topic.
    public var subject: String
    /// The id of the event among those of its device, by which the broker recognises a double, and a reader the position: see
    /// ``StoredPosition``.
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
    /// The connection is made. `newest` is the newest event of this device that the broker has stored; `nil` where it
    /// has none, or cannot be asked (``SinkSettings/mqtt``).
    case connected(newest: StoredPosition?)
    /// The broker has stored the event with this number, or had stored it before.
    case acknowledged(UInt64)
    /// The broker refuses the event, and would refuse it again: too large, no permission, no stream.
    case refused(UInt64, TransportFailure)
    /// The connection could not be made, or has ended; what was not acknowledged may or may not be stored.
    case disconnected(TransportFailure)
}

/// The reason for the end of a connection, or of a refusal.
public struct TransportFailure: Error, Sendable, Hashable {
    /// A stable code in snake_case: `broker_unreachable`, `broker_tls`, `broker_denied`, `broker_no_stream`,
    /// `broker_too_large`, `broker_conflict`, `broker_timeout`, `broker_protocol`, `credentials_unreadable`.
    public var code: String
    /// A sentence for people, without a secret.
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
