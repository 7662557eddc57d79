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

    @Test("a clock that is slewed moves nothing")
    func slew() throws {
        var driver = try Self.driver()
        let former = driver.engine.status
        driver.now.time = Timestamp(microsecondsSince1970: driver.now.time.microsecondsSince1970 + 999_999)
        #expect(!driver.feed(.clockChanged).contains(.report))
        #expect(driver.engine.status == former)
    }
}
