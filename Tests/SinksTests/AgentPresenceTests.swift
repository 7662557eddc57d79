import AgentEvents
import Sinks
import Testing

/// The retained state and presence while the agent comes and goes.
struct AgentPresenceTests {
    private static let full = MachineState(connectivity: .full, via: .wired, interface: "eth0")

    /// An engine of a connected MQTT sink, whose agent is present.
    private static func connected(_ change: (inout SinkSettings) -> Void = { _ in }) throws -> EngineDriver {
        var driver = try EngineDriver("mqtt://b", change)
        driver.feed(.agent(isConnected: true))
        driver.feed(.machine(full))
        driver.begin()
        _ = driver.tickAtDeadline()
        return driver
    }

    @Test func `a broker that keeps the state learns that the agent is away for too long, and is back`() throws {
        var driver = try Self.connected()
        #expect(driver.feed(.agent(isConnected: false)).isEmpty)
        driver.pass(.seconds(29))
        #expect(!driver.feed(.tick).contains(.publishPresence(isOnline: false)))
        driver.pass(.seconds(1))
        #expect(
            driver.feed(.tick) == [
                .publishState(MachineState.unknown.payload), .publishPresence(isOnline: false),
            ]
        )
        #expect(driver.engine.status.state == .connected)
        #expect(driver.feed(.agent(isConnected: true)) == [.publishPresence(isOnline: true)])
        #expect(driver.feed(.machine(Self.full)).contains(.publishState(Self.full.payload)))
    }

    @Test func `the end of the wait is the deadline of an idle engine`() throws {
        var driver = try Self.connected()
        for _ in 0..<10 where driver.engine.deadline != nil { _ = driver.tickAtDeadline() }
        #expect(driver.engine.deadline == nil)
        driver.feed(.agent(isConnected: false))
        #expect(driver.engine.deadline == driver.now.instant + .seconds(30))
        #expect(driver.tickAtDeadline().contains(.publishPresence(isOnline: false)))
        #expect(driver.engine.deadline == nil)
    }

    @Test func `a restart of the agent publishes nothing`() throws {
        var driver = try Self.connected()
        for _ in 0..<3 {
            var effects = driver.feed(.agent(isConnected: false))
            driver.pass(.seconds(25))
            effects += driver.feed(.agent(isConnected: true)) + driver.feed(.machine(Self.full)) + driver.feed(.tick)
            #expect(!effects.contains { if case .publishPresence = $0 { true } else { false } })
            #expect(!effects.contains { if case .publishState = $0 { true } else { false } })
        }
    }

    @Test func `an agent that goes while the broker is away is offline from the next connection on`() throws {
        var driver = try Self.connected()
        driver.feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "connection refused"))))
        driver.feed(.agent(isConnected: false))
        driver.pass(.seconds(30))
        var effects = driver.feed(.tick)
        while driver.engine.status.state != .connecting { effects += driver.tickAtDeadline() }
        let states = effects.compactMap { if case .publishState(let state) = $0 { state } else { nil } }
        #expect(states == [MachineState.unknown.payload])
        let connection = try #require(effects.firstIndex(of: .connect))
        #expect(effects[..<connection].last == .publishPresence(isOnline: false))
        #expect(
            driver.feed(.transport(.connected(newest: nil))).contains(.publishState(MachineState.unknown.payload))
        )
    }

    @Test func `a connection begins with the newest state of the machine`() throws {
        var driver = try Self.connected()
        let none = MachineState(connectivity: .none, via: .none)
        var effects = driver.feed(.machine(none))
        effects += driver.feed(.transport(.disconnected(.unreachable)))
        effects += driver.feed(.machine(Self.full))
        while driver.engine.status.state != .connecting { effects += driver.tickAtDeadline() }
        let isState = { (effect: ShippingEngine.Effect) in if case .publishState = effect { true } else { false } }
        let connection = try #require(effects.firstIndex(of: .connect))
        #expect(effects[..<connection].last(where: isState) == .publishState(Self.full.payload))
        // The broker may take its time to accept the connection.
        #expect(driver.feed(.machine(none)).contains(.publishState(none.payload)))
        #expect(driver.feed(.transport(.connected(newest: nil))).contains(.publishState(none.payload)))
    }

    @Test func `a sink that never had an agent is offline`() throws {
        var driver = try EngineDriver("mqtt://b")
        var effects = driver.feed(.agent(isConnected: false))
        while driver.engine.status.state != .connecting { effects += driver.tickAtDeadline() }
        #expect(effects.contains(.publishPresence(isOnline: false)))
        #expect(!effects.contains(.publishPresence(isOnline: true)))
    }

    @Test(arguments: [("mqtt://b", false), ("nats://b", true)])
    func `a broker that keeps nothing is not told`(_ address: String, _ keepsState: Bool) throws {
        var driver = try EngineDriver(address) { $0.mqtt?.keepsState = keepsState }
        driver.feed(.agent(isConnected: true))
        driver.begin()
        driver.feed(.agent(isConnected: false))
        driver.pass(.seconds(31))
        let effects = driver.feed(.tick) + driver.feed(.agent(isConnected: true))
        #expect(!effects.contains { if case .publishPresence = $0 { true } else { false } })
        #expect(!effects.contains { if case .publishState = $0 { true } else { false } })
    }
}
