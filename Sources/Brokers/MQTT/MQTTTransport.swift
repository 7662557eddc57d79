internal import Glibc
public import Sinks

/// A connection to an MQTT broker (3.1.1 or 5), over libmosquitto.
///
/// Events are sent with QoS 1: a broker acknowledges that it has them, but cannot be queried. So an event arrives at
/// least once; its `id` and `seq` let a reader drop duplicates and detect gaps. With ``MQTTSettings/keepsState`` the
/// broker also retains the machine's last state, and its presence: `online`, and `offline` by the last will.
///
/// The caller waits for the socket; only names are looked up on a separate thread. Between two keep-alives an idle
/// connection wakes no thread.
public final class MQTTTransport: SinkTransport {
    /// The timeouts.
    package struct Patience: Sendable {
        /// The timeout for connecting, from the name lookup to the broker's answer.
        package var connection: Duration = .seconds(20)
        /// The timeout for the next acknowledgement, or for the answer to a keep-alive.
        package var answer: Duration = .seconds(20)
        /// The keep-alive interval, in seconds: after one and a half intervals the broker publishes the will.
        package var keepAlive: UInt16 = 120

        /// Creates the default timeouts.
        package init() {}
    }

    private enum Phase {
        case idle
        /// The name is being looked up.
        case resolving(NameResolution)
        /// TCP is connecting to the first address; the others follow on failure.
        case connecting(MQTTSession, [String], until: ContinuousClock.Instant)
        /// TCP is connected.
        case talking(MQTTConversation)
    }

    private let settings: SinkSettings
    private let server: BrokerAddress.Server
    private let retained: MQTTRetained
    private let failures: MQTTFailure
    private let patience: Patience
    private let wake: @Sendable () -> Void

    private var phase = Phase.idle
    private var events: [TransportEvent] = []
    /// The last lookup, which may still be running.
    private var resolution: NameResolution?
    private var state: [UInt8]?
    private var isOnline = true
    /// True after the broker has refused to retain messages; it gets events alone from then on.
    private var retainsNothing = false
    /// The deadline of the connection attempt.
    private var connectionEnd = ContinuousClock.now
    private var closedBytes: UInt64 = 0

    /// Creates a transport that is not connected.
    ///
    /// - Parameters:
    ///   - settings: The sink.
    ///   - host: The host's name, for people; Home Assistant shows it.
    ///   - version: The agent's version, for people.
    ///   - wake: Called from any thread when ``takeEvents()`` is due.
    /// - Throws: ``SinkSettingError`` if the topic of the settings is not valid.
    public convenience init(
        _ settings: SinkSettings,
        host: String,
        version: String? = nil,
        wake: @escaping @Sendable () -> Void
    ) throws(SinkSettingError) {
        try self.init(settings, host: host, version: version, patience: Patience(), wake: wake)
    }

    /// Creates a transport with other timeouts; otherwise like ``init(_:host:version:wake:)``.
    package init(
        _ settings: SinkSettings,
        host: String,
        version: String? = nil,
        patience: Patience,
        wake: @escaping @Sendable () -> Void
    ) throws(SinkSettingError) {
        self.settings = settings
        self.patience = patience
        self.wake = wake
        retained = try MQTTRetained(settings, host: host, version: version)
        // An address has at least one server.
        server = settings.broker.servers.first ?? BrokerAddress.Server(host: "localhost", port: 1883)
        failures = MQTTFailure(
            broker: server.authority,
            client: Self.clientIdentifier(of: settings),
            version: settings.mqtt?.version ?? .five
        )
    }

    /// Returns the client identifier of a sink, which no other sink of any device has.
    ///
    /// A dot, which devices' names lack, separates a sink's name with a hyphen: otherwise device `a-b` with sink `c` and
    /// device `a` with sink `b-c` had the same identifier, and the broker would end their connections in turn.
    package static func clientIdentifier(of settings: SinkSettings) -> String {
        "reachagent-\(settings.device)\(settings.name.contains("-") ? "." : "-")\(settings.name)"
    }

    // MARK: - SinkTransport

    /// The socket, once there is one.
    public var descriptor: Int32? { session?.descriptor }

    /// True while TCP is connecting, and while buffered data waits to be written.
    public var wantsToWrite: Bool {
        if case .connecting = phase { return true }
        return session?.wantsToWrite ?? false
    }

    /// The next keep-alive or timeout.
    public var deadline: ContinuousClock.Instant? {
        guard events.isEmpty else { return .now }
        return switch phase {
        case .idle: nil
        case .resolving: connectionEnd
        case .connecting(_, _, let end): min(end, connectionEnd)
        case .talking(let conversation): conversation.deadline
        }
    }

    /// The bytes on the link, with all headers, as the kernel counts them; excluding the name lookup.
    public var bytes: UInt64 { closedBytes &+ (session?.bytes ?? 0) }

    /// Starts to connect, after reading the credentials and authorities again.
    public func connect() {
        end()
        events = []
        connectionEnd = .now + patience.connection
        // A second lookup is not started while one hangs; an unexpected answer is an old one.
        let lookup = resolution.flatMap { $0.result == nil ? $0 : nil } ?? NameResolution(server.host, wake: wake)
        resolution = lookup
        phase = .resolving(lookup)
    }

    /// Sends an event.
    public func publish(_ message: SinkMessage) {
        guard case .talking(let conversation) = phase else { return }
        conversation.publish(message)
        // Nothing else would make the caller fetch an event that libmosquitto rejected immediately.
        if conversation.hasChanges { wake() }
    }

    /// Publishes the state, now and on each connection.
    public func publishState(_ state: [UInt8]) {
        guard retained.keepsState, state != self.state else { return }
        self.state = state
        guard !retainsNothing, case .talking(let conversation) = phase else { return }
        conversation.keep(retained.state(state))
        if conversation.hasChanges { wake() }
    }

    /// Publishes `online` or `offline`, now and on each connection; `online` until the first call.
    public func publishPresence(isOnline: Bool) {
        guard isOnline != self.isOnline else { return }
        self.isOnline = isOnline
        guard case .talking(let conversation) = phase else { return }
        if let message = presence(isOnline: isOnline) { conversation.keep(message) }
        if conversation.hasChanges { wake() }
    }

    /// Removes the retained messages of topics, while connected.
    public func clear(_ topics: [String]) {
        guard !retainsNothing, case .talking(let conversation) = phase else { return }
        for topic in topics { conversation.keep(RetainedMessage(topic: topic, payload: [])) }
    }

    /// True while the broker has not answered each retained message.
    public var isClearing: Bool {
        guard case .talking(let conversation) = phase else { return false }
        return conversation.hasUnansweredRetained
    }

    /// Sends the disconnect without blocking, and closes the connection.
    public func disconnect() {
        if case .talking(let conversation) = phase { conversation.sayFarewell(presence(isOnline: false)) }
        end()
        events = []
    }

    /// Continues with everything that is possible now.
    public func takeEvents() -> [TransportEvent] {
        advance(.now)
        defer { events = [] }
        return events
    }

    // MARK: - The steps

    private var session: MQTTSession? {
        switch phase {
        case .idle, .resolving: nil
        case .connecting(let session, _, _): session
        case .talking(let conversation): conversation.session
        }
    }

    private func presence(isOnline: Bool) -> RetainedMessage? {
        retainsNothing ? nil : retained.presence(isOnline: isOnline)
    }

    private func advance(_ now: ContinuousClock.Instant) {
        switch phase {
        case .idle: break
        case .resolving(let lookup): finishResolving(lookup, isLate: now >= connectionEnd)
        case .connecting(let session, let addresses, let end):
            finishConnecting(session, addresses, isLate: now >= min(end, connectionEnd))
        case .talking(let conversation): talk(conversation, now)
        }
    }

    private func finishResolving(_ lookup: NameResolution, isLate: Bool) {
        switch lookup.result {
        case .success(let addresses):
            resolution = nil
            open(addresses[...], lastError: nil)
        case .failure(let failure):
            resolution = nil
            fail(failure)
        case nil where isLate:
            fail(
                TransportFailure(
                    code: "broker_unreachable",
                    detail: "the name '\(server.host)' cannot be resolved: no name server has answered"
                )
            )
        case nil: break
        }
    }

    /// Starts to connect to the first usable address.
    private func open(_ addresses: ArraySlice<String>, lastError: TransportFailure?) {
        var addresses = addresses
        var lastError = lastError
        while let address = addresses.first {
            let session: MQTTSession
            do {
                session = try makeSession()
            } catch {
                return fail(error)
            }
            do {
                try session.connect(to: address, port: server.port, keepAlive: Int32(patience.keepAlive))
                // An address that does not answer leaves time for the others.
                let end = ContinuousClock.now + (connectionEnd - .now) / addresses.count
                phase = .connecting(session, Array(addresses), until: end)
                return
            } catch {
                lastError = failures.loss(of: session, error, isGreeted: false)
            }
            addresses = addresses.dropFirst()
        }
        fail(lastError ?? failures.unreachable(ENETUNREACH))
    }

    private func makeSession() throws(TransportFailure) -> MQTTSession {
        var encryption: MQTTEncryption?
        if settings.broker.scheme.isEncrypted {
            encryption = try MQTTEncryption(settings, trust: try BrokerTrust(settings, for: server))
        }
        var password: String?
        if let path = settings.credentials.passwordFile { password = try CredentialFile.firstLine(of: path) }
        return try MQTTSession(
            settings,
            client: failures.client,
            password: password,
            will: presence(isOnline: false),
            encryption: encryption
        )
    }

    /// Checks if TCP has connected.
    private func finishConnecting(_ session: MQTTSession, _ addresses: [String], isLate: Bool) {
        switch session.connectionResult {
        case 0:
            let conversation = MQTTConversation(
                session,
                greetings: retainsNothing ? [] : retained.greetings(isOnline: isOnline, state: state),
                retainsNothing: retainsNothing,
                failures: failures,
                patience: patience,
                connectionEnd: connectionEnd
            )
            phase = .talking(conversation)
            talk(conversation, .now)
        case let error?:
            close()
            open(addresses.dropFirst(), lastError: failures.unreachable(error))
        case nil where isLate:
            close()
            open(addresses.dropFirst(), lastError: failures.unreachable(ETIMEDOUT))
        case nil: break
        }
    }

    private func talk(_ conversation: MQTTConversation, _ now: ContinuousClock.Instant) {
        conversation.advance(now)
        events += conversation.takeEvents()
        if let failure = conversation.failure { fail(failure) }
    }

    // MARK: - Ends

    private func fail(_ failure: TransportFailure) {
        if failure.code == failures.noRetain.code { retainsNothing = true }
        end()
        events.append(.disconnected(failure))
    }

    private func end() {
        close()
        phase = .idle
    }

    private func close() {
        session?.measure()
        closedBytes &+= session?.bytes ?? 0
        // The phase owns the session.
        phase = .idle
    }
}
