import AgentEvents
import Sinks
import Testing

/// The times of the status on machines whose time of day is set.
struct ClockStepTests {
    private static func moved(_ time: Timestamp, by seconds: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: time.microsecondsSince1970 + seconds * 1_000_000)
    }

    /// The ages of the state and of the acknowledgement, in milliseconds.
    private static func ages(_ driver: EngineDriver) -> [Int64] {
        [driver.engine.status.since, driver.engine.status.acknowledgedTime].compactMap { time in
            time.map { (driver.now.time.microsecondsSince1970 - $0.microsecondsSince1970 + 500) / 1000 }
        }
    }

    /// A sink that is connected and shipped its last event a minute ago.
    private static func driver() throws -> EngineDriver {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(1)))
        driver.pass(.seconds(60))
        driver.feed(.tick)
        return driver
    }

    @Test(
        "a clock that is set leaves the ages of a sink's state and acknowledgement",
        arguments: [-86_400, -2, 2, 1_700_000_000]
    )
    func step(_ seconds: Int64) throws {
        var driver = try Self.driver()
        let ages = Self.ages(driver)
        #expect(ages.count == 2 && ages.allSatisfy { (60_000..<61_000).contains($0) }, "\(ages)")
        driver.now.time = Self.moved(driver.now.time, by: seconds)
        #expect(driver.feed(.clockChanged).contains(.report))
        #expect(Self.ages(driver) == ages)
        // Once.
        let status = driver.engine.status
        driver.pass(.seconds(60))
        #expect(!driver.feed(.clockChanged).contains(.report))
        #expect(driver.engine.status == status)
    }

    @Test("a state that starts between the step and its notification has the present time")
    func stateAfterStep() throws {
        var driver = try Self.driver()
        driver.now.time = Self.moved(driver.now.time, by: 3600)
        driver.feed(.transport(.disconnected(.unreachable)))
        driver.feed(.clockChanged)
        #expect(driver.engine.status.since == driver.now.time)
    }

    // MARK: - The retained state

    private static func state(since: Timestamp) -> MachineState {
        MachineState(connectivity: .full, via: .wired, interface: "eth0", since: since)
    }

    private struct RetainedState: Decodable {
        var since: String
    }

    /// The retained states among effects.
    private static func states(_ effects: [ShippingEngine.Effect]) -> [[UInt8]] {
        effects.compactMap { if case .publishState(let state) = $0 { state } else { nil } }
    }

    @Test("a clock that is set moves the start of the retained state", arguments: [true, false])
    func retainedState(isConnected: Bool) throws {
        var driver = try EngineDriver("mqtt://b")
        let start = driver.now.time
        driver.now.time = Timestamp(microsecondsSince1970: 1_000_000)
        driver.feed(.clockChanged)
        driver.feed(.agent(isConnected: true))
        let state = Self.state(since: driver.now.time)
        // The start is not known as long as the clock is not set.
        let unset = MachineState(connectivity: .full, via: .wired, interface: "eth0")
        #expect(Self.states(driver.feed(.machine(state))) == [unset.payload])
        if isConnected { driver.begin() }
        let elapsed = driver.now.time.microsecondsSince1970 - 1_000_000
        driver.now.time = Self.moved(start, by: 3600)
        let states = Self.states(driver.feed(.clockChanged))
        #expect(states.count == 1)
        let text = try EventDecoder.decode(RetainedState.self, from: states.first ?? []).since
        let time = Timestamp(utc: Array(text.utf8).span)
        let since = try #require(time)
        let age = driver.now.time.microsecondsSince1970 - since.microsecondsSince1970
        #expect(abs(age - elapsed) < 1000)
    }

    @Test("a clock that is set while the agent is absent moves no state")
    func absentState() throws {
        var driver = try EngineDriver("mqtt://b")
        driver.feed(.agent(isConnected: true))
        driver.feed(.machine(Self.state(since: driver.now.time)))
        driver.feed(.agent(isConnected: false))
        driver.pass(.seconds(30))
        #expect(Self.states(driver.feed(.tick)) == [MachineState.unknown.payload])
        driver.now.time = Self.moved(driver.now.time, by: 3600)
        #expect(Self.states(driver.feed(.clockChanged)) == [])
    }

    @Test("a clock that is slewed moves nothing")
    func slew() throws {
        var driver = try Self.driver()
        let former = driver.engine.status
        driver.now.time = Timestamp(microsecondsSince1970: driver.now.time.microsecondsSince1970 + 999_999)
        #expect(!driver.feed(.clockChanged).contains(.report))
        #expect(driver.engine.status == former)
    }
}
