internal import LinuxSupport
public import Sinks

/// A connection to NATS JetStream, over libnats: each event is stored once, in order.
///
/// On each connection the broker itself reports the device's newest event, so a lost or copied cursor file does no
/// harm. ``JetStreamSession`` implements the conversation, ``NATSWire`` the connection and its thread.
public final class NATSTransport: SinkTransport {
    /// The timeouts: sufficient for round trips of four seconds, of which a TLS connection takes three, and for a lost
    /// segment.
    package struct Patience: Sendable {
        /// The timeout for an attempt to connect to one address of a server.
        package var connection: Duration = .seconds(20)
        /// The timeout for a reply of JetStream.
        package var answer: Duration = .seconds(20)

        /// Creates the default timeouts.
        package init() {}
    }

    /// The maximum number of former connections whose threads have not ended yet.
    private static let maximumEnding = 4
    private let settings: SinkSettings
    private let template: SubjectTemplate
    private let patience: Patience
    private let wake: @Sendable () -> Void

    private var wire: NATSWire?
    private var session: JetStreamSession
    private var isConnecting = false
    /// True if a connection is to be established as soon as enough of the former ones have ended.
    private var isDue = false
    /// Stopped connections whose threads still wait for the library.
    private var ending: [NATSWire] = []
    private var nextPoll: ContinuousClock.Instant?
    private var events: [TransportEvent] = []
    private var closedBytes: UInt64 = 0

    /// Creates a transport that is not connected.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - wake: Called from any thread when ``takeEvents()`` is due.
    /// - Throws: ``SinkSettingError`` if the subject of the settings is not valid.
    public convenience init(
        _ settings: SinkSettings,
        wake: @escaping @Sendable () -> Void
    ) throws(SinkSettingError) {
        try self.init(settings, patience: Patience(), wake: wake)
    }

    /// Creates a transport with other timeouts; otherwise like ``init(_:wake:)``.
    package init(
        _ settings: SinkSettings,
        patience: Patience,
        wake: @escaping @Sendable () -> Void
    ) throws(SinkSettingError) {
        self.settings = settings
        self.patience = patience
        self.wake = wake
        template = try settings.template()
        session = JetStreamSession(settings, template: template, token: "")
    }

    deinit {
        wire?.stop()
        for wire in ending { wire.stop() }
    }

    // MARK: - SinkTransport

    /// `nil`, because the connection's thread wakes the sink's.
    public var descriptor: Int32? { nil }

    /// `false`, for the same reason.
    public var wantsToWrite: Bool { false }

    /// The timeout of a reply, or the next poll of a blocked thread.
    public var deadline: ContinuousClock.Instant? {
        guard let answer = session.deadline, let poll = nextPoll else { return session.deadline ?? nextPoll }
        return min(answer, poll)
    }

    /// The bytes of all connections on the link, with headers, as the kernel counts them; those of failed attempts are
    /// estimated.
    public var bytes: UInt64 { closedBytes + (wire?.bytes ?? 0) }

    /// Starts to connect to one of the servers.
    public func connect() {
        guard wire == nil else { return }
        isDue = true
        poll()
    }

    /// Sends an event.
    public func publish(_ message: SinkMessage) {
        perform(session.publish(message, at: .now))
        // A rejection here is the only answer to the event.
        if !events.isEmpty { wake() }
    }

    /// Does nothing: the stream contains the events, from which its readers derive the state.
    public func publishState(_ state: [UInt8]) {}

    /// Does nothing: a device whose events end is silent.
    public func publishPresence(isOnline: Bool) {}

    /// Does nothing: beside the events there is nothing.
    public func clear(_ topics: [String]) {}

    /// `false`, for the same reason.
    public var isClearing: Bool { false }

    /// Ends the connection.
    public func disconnect() {
        events = []
        isDue = false
        close()
    }

    /// Handles the inputs of the connection's thread, and returns the events since the last call.
    public func takeEvents() -> [TransportEvent] {
        let inputs = wire?.takeInputs() ?? []
        // The session may end before the last input.
        for input in inputs where wire != nil {
            isConnecting = false
            perform(session.handle(input, at: .now))
        }
        perform(session.tick(.now))
        poll()
        defer { events = [] }
        return events
    }

    // MARK: - The connection

    /// The interval at which a blocked thread is interrupted again.
    private var interval: Duration { patience.connection / 10 }

    private func begin() {
        isDue = false
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        session = JetStreamSession(settings, template: template, token: token, answerLimit: patience.answer)
        do throws(SystemError) {
            wire = try NATSWire(settings, inbox: session.inbox, wake: wake)
            isConnecting = true
            nextPoll = .now + interval
        } catch {
            fail(
                TransportFailure(
                    code: "broker_unreachable",
                    detail: "no thread is left for a connection (\(error.errno))"
                )
            )
        }
    }

    private func perform(_ outputs: [JetStreamSession.Output]) {
        var requests: [NATSRequest] = []
        for output in outputs {
            switch output {
            case .send(let request): requests.append(request)
            case .report(.disconnected(let failure)):
                events.append(.disconnected(failure))
                close()
                return
            case .report(let event): events.append(event)
            }
        }
        wire?.send(requests)
    }

    private func fail(_ failure: TransportFailure) {
        events.append(.disconnected(failure))
        wake()
    }

    private func close() {
        guard let wire else { return }
        closedBytes += wire.bytes
        wire.stop()
        if !wire.hasEnded { ending.append(wire) }
        self.wire = nil
        isConnecting = false
        session = JetStreamSession(settings, template: template, token: "")
        nextPoll = ending.isEmpty ? nil : .now + interval
    }

    /// Interrupts threads that block in the library without a timeout of their own.
    private func poll() {
        ending.removeAll(where: \.hasEnded)
        if isDue, ending.count < Self.maximumEnding { begin() }
        guard isConnecting || !ending.isEmpty else {
            nextPoll = nil
            return
        }
        guard nextPoll.map({ $0 <= .now }) ?? true else { return }
        nextPoll = .now + interval
        for wire in ending { wire.interrupt(longerThan: .zero) }
        if isConnecting { wire?.interrupt(longerThan: patience.connection) }
    }
}
