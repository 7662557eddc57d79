import AgentEvents
import Sinks
import Testing

/// The attempts to subscribe to the agent's events, each of which fails.
struct SubscriptionRetryTests {
    /// Fails the current subscription, and returns the time until the next one.
    private static func wait(_ driver: inout EngineDriver) -> Duration {
        let failed = driver.now.instant
        var effects = driver.feed(.journal(.closed))
        for _ in 0..<100 where !effects.contains(subscribe) { effects = driver.tickAtDeadline() }
        #expect(effects.contains(subscribe))
        return driver.now.instant - failed
    }

    private static let subscribe = ShippingEngine.Effect.subscribe(stream: "s", after: 0)

    @Test func `attempts back off up to five minutes, and a hello resets the delay`() throws {
        var driver = try EngineDriver()
        driver.begin()
        let waits = (0..<60).map { _ in Self.wait(&driver) }
        #expect(waits[0] <= .seconds(1) && waits[1] <= .seconds(2) && waits[2] <= .seconds(4))
        #expect(waits.allSatisfy { $0 <= .seconds(300) })
        #expect(waits.suffix(40).contains { $0 > .seconds(150) })
        #expect(driver.engine.status.state == .connected)
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(Self.wait(&driver) <= .seconds(1))
    }

    @Test func `an agent that connects anew ends the wait`() throws {
        var driver = try EngineDriver()
        driver.begin()
        for _ in 0..<20 { _ = Self.wait(&driver) }
        #expect(!driver.feed(.journal(.closed)).contains(Self.subscribe))
        #expect(driver.feed(.agent(isConnected: true)).contains(Self.subscribe))
        #expect(Self.wait(&driver) <= .seconds(1))
    }
}
