import AgentEvents
import Sinks
import Testing

/// The age of the waiting events on machines whose time of day is wrong, or set while events wait.
struct WaitingAgeTests {
    private static let boot = Timestamp(microsecondsSince1970: 10_000_000)

    /// A sink that waits for another medium, and has just looked for the oldest event.
    private static func driver(at time: Timestamp = EngineDriver.start) throws -> EngineDriver {
        var driver = try EngineDriver {
            $0.media = ["wifi"]
            $0.maximumAge = 3600
            $0.window = 1
        }
        driver.now.time = time
        driver.pass(.seconds(10))
        _ = driver.machine(.full, .wwan, "wwan0")
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        return driver
    }

    /// The time until the sink connects.
    private static func wait(_ driver: inout EngineDriver) -> Duration {
        let start = driver.now.instant
        for _ in 0..<100 where driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        return start.duration(to: driver.now.instant)
    }

    @Test("a clock that starts in 1970 and is set later makes no event old")
    func stepForward() throws {
        var driver = try Self.driver(at: Self.boot)
        _ = driver.publish()
        driver.pass(.seconds(600))
        driver.now.time = EngineDriver.start
        #expect(!driver.feed(.clockChanged).contains(.connect))
        #expect(driver.engine.status.code == "medium_excluded")
        let waited = Self.wait(&driver)
        #expect(waited >= .seconds(2999) && waited <= .seconds(3001), "\(waited)")
    }

    @Test("a plausible clock that is set while an event waits changes nothing", arguments: [-86_400, 86_400])
    func step(_ seconds: Int64) throws {
        var driver = try Self.driver()
        _ = driver.publish()
        driver.now.time = Timestamp(microsecondsSince1970: driver.now.time.microsecondsSince1970 + seconds * 1_000_000)
        driver.feed(.clockChanged)
        let waited = Self.wait(&driver)
        #expect(waited >= .seconds(3599) && waited <= .seconds(3601), "\(waited)")
    }

    @Test("an event from a clock that was ahead, or had not been set, waits from the moment it is seen")
    func implausible() throws {
        for time in [Self.boot, Timestamp(microsecondsSince1970: 4_000_000_000_000_000)] {
            var driver = try Self.driver()
            driver.journal.append(identity: 1, type: "path.changed", at: time)
            driver.feed(.journal(.event(try #require(driver.journal.events.last?.event))))
            let waited = Self.wait(&driver)
            #expect(waited >= .seconds(3599) && waited <= .seconds(3601), "\(time): \(waited)")
        }
    }

    @Test("the age of an event from before the start of the sink counts")
    func former() throws {
        var driver = try Self.driver()
        _ = driver.publish()
        let event = try #require(driver.journal.events.last?.event)
        var next = try Self.driver()
        next.pass(.seconds(1800))
        next.feed(.journal(.event(event)))
        let waited = Self.wait(&next)
        #expect(waited >= .seconds(1799) && waited <= .seconds(1801), "\(waited)")
    }

    @Test("events without a plausible time that waited together are shipped together")
    func together() throws {
        var driver = try EngineDriver {
            $0.media = ["wifi"]
            $0.maximumAge = 3600
            $0.window = 1
        }
        driver.now.time = Self.boot
        for number in 1...3 { driver.journal.append(identity: number, type: "path.changed", at: Self.boot) }
        let events = driver.journal.events.compactMap(\.event)
        #expect(events.count == 3)
        driver.pass(.seconds(10))
        _ = driver.machine(.full, .wwan, "wwan0")
        driver.feed(.journal(.opened(stream: "s", newest: 3)))
        driver.feed(.journal(.event(events[0])))
        _ = Self.wait(&driver)
        driver.feed(.transport(.connected(newest: nil)))
        driver.feed(.journal(.opened(stream: "s", newest: 3)))
        var published: [UInt64] = []
        for event in events { published += driver.feed(.journal(.event(event))).published }
        for number in 1...2 as ClosedRange<UInt64> {
            published += driver.feed(.transport(.acknowledged(number))).published
        }
        #expect(published == [1, 2, 3])
        #expect(driver.feed(.transport(.acknowledged(3))).contains(.disconnect))
    }

    @Test("a sink without budget asks again when the clock was set, and not otherwise")
    func budget() throws {
        var driver = try EngineDriver()
        driver.begin()
        driver.pass(.seconds(60))
        driver.feed(.tick)
        #expect(!driver.feed(.clockChanged).contains(.report))
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 0)))
        #expect(driver.engine.status.code == "budget_exhausted")
        driver.pass(.seconds(60))
        driver.feed(.tick)
        #expect(!driver.feed(.tick).contains(.report))
        // A minute before midnight.
        driver.now.time = Timestamp(microsecondsSince1970: 1_700_092_740_000_000)
        #expect(driver.feed(.clockChanged).contains(.report))
        let deadline = try #require(driver.engine.deadline)
        #expect(deadline - driver.now.instant <= .seconds(121))
    }
}
