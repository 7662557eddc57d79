internal import AgentEvents
internal import Brokers
internal import Sinks

/// One device: an engine, a connection of its own, and a stand-in for a journal.
final class Device {
    /// The number of events that are handed in at once.
    private static let batch: UInt64 = 32

    /// The journal's stream.
    private let stream: String
    private let transport: NATSTransport
    private var engine: ShippingEngine
    /// The newest number of the journal.
    private var newest: UInt64 = 1
    /// The next number of the subscription; `nil` without one.
    private var next: UInt64?
    /// Counts connections: what is left of a batch of a former one is dropped.
    private var connections = 0

    init(_ number: Int, port: UInt16, wake: @escaping @Sendable () -> Void) throws(SinkSettingError) {
        stream = "6f1c" + Self.pad(UInt64(number), 28)
        let settings = SinkSettings(
            name: "bench",
            broker: try BrokerAddress("nats://127.0.0.1:\(port)"),
            device: "device-\(number)"
        )
        engine = try ShippingEngine(settings, cursor: nil, seed: UInt64(number), at: .now)
        transport = try NATSTransport(settings, wake: wake)
        // An engine waits for its first input: the machine's state, which the agent sends first of all.
        handle(.machine(MachineState(connectivity: .full, via: .wired, interface: "eth0")))
    }

    var isConnected: Bool { engine.status.state == .connected }
    var isDone: Bool { engine.status.acknowledged == newest }
    var deadline: ContinuousClock.Instant? { [engine.deadline, transport.deadline].compactMap(\.self).min() }

    /// Has more events.
    func publish(_ count: Int) { newest += UInt64(count) }

    /// Does what is due.
    func turn() {
        let connection = connections
        for event in transport.takeEvents() where connection == connections { handle(.transport(event)) }
        var rest = Self.batch * 8
        while engine.wantsEvents, rest > 0, let number = next, number <= newest {
            next = number + 1
            rest -= 1
            if let event = JournalEvent(line(number)) { handle(.journal(.event(event))) }
        }
        if let deadline = engine.deadline, deadline <= .now { handle(.tick) }
    }

    /// Ends the connection.
    func stop() { handle(.stop) }

    private func handle(_ input: ShippingEngine.Input) {
        for effect in engine.handle(input, at: .now) {
            switch effect {
            case .connect:
                connections += 1
                transport.connect()
            case .disconnect:
                connections += 1
                transport.disconnect()
            case .publish(let message): transport.publish(message)
            case .subscribe(_, let sequence):
                next = sequence + 1
                handle(.journal(.opened(stream: stream, newest: newest)))
            case .unsubscribe: next = nil
            case .report:
                _ = engine.takeReport(bytes: transport.bytes)
                handle(.reported(.init(isMetered: false)))
            case .publishState, .publishPresence, .save, .lost, .warn: break
            }
        }
    }

    /// An event of the usual size.
    private func line(_ number: UInt64) -> [UInt8] {
        let clock = [number / 3600 % 24, number / 60 % 60, number % 60].map { Self.pad($0, 2) }.joined(separator: ":")
        let time = "2026-11-21T\(clock).\(Self.pad(number, 6))Z"
        let state = #"{"via":"wifi","af_status":2,"path":{"via":"wifi","interface":"wlan0","gateway":"192.0.2.1"}}"#
        let cause = #"{"kind":"link","code":"link_down","interface":"wlan0"}"#
        var text = #"{"specversion":"1.0","id":"\#(stream)-\#(number)","source":"/reachagent/edge-7","#
        text += #""type":"reachagent.path.changed","subject":"default","time":"\#(time)","seq":\#(number),"#
        text += #""data":{"from":\#(state),"to":\#(state),"cause":\#(cause),"observed":"\#(time)","settled_ms":0}}"#
        return Array(text.utf8)
    }

    private static func pad(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number).suffix(digits)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
