import AgentEvents
import Sinks
import Testing

/// Two machines that ship under one name.
struct ConflictTests {
    private static let foreign = StoredPosition(id: "other-7", time: "2023-11-14T22:13:20Z")
    private static let conflict = TransportFailure(code: "broker_conflict", detail: "newer")

    /// The waits between attempts that all find the same newest event.
    private static func waits(_ driver: inout EngineDriver, _ newest: StoredPosition, count: Int) -> [Duration] {
        (0..<count).map { _ in
            let start = driver.now.instant
            _ = driver.connect(newest: newest)
            return start.duration(to: driver.now.instant)
        }
    }

    @Test("another machine's events remain a visible conflict, with attempts up to five minutes apart")
    func lasting() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(1)))
        driver.feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "gone"))))
        #expect(driver.connect(newest: Self.foreign).contains(.disconnect))
        let since = driver.engine.status.since
        let waits = Self.waits(&driver, Self.foreign, count: 60)
        #expect(waits.suffix(50).reduce(.zero, +) > .seconds(50 * 100), "\(waits)")
        #expect(waits.allSatisfy { $0 <= .seconds(300) })
        #expect(driver.engine.status.code == "broker_conflict" && driver.engine.status.state == .waiting)
        #expect(driver.engine.status.detail?.contains("'edge'") == true)
        #expect(driver.engine.status.since == since)
        // While it is asked whether that is still so, nothing else is shown.
        for _ in 0..<20 where driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.engine.status.state == .connecting && driver.engine.status.code == "broker_conflict")
        #expect(driver.engine.status.since == since)
    }

    @Test("the conflict ends with the other machine's events")
    func ended() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(1)))
        driver.feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "gone"))))
        _ = driver.connect(newest: Self.foreign)
        let first = try #require(driver.journal.events.first?.event)
        _ = driver.connect(newest: StoredPosition(id: "s-1", time: first.time.description))
        #expect(driver.engine.status.state == .connected && driver.engine.status.code == nil)
        driver.feed(.journal(.opened(stream: "s", newest: 1)))
        driver.feed(.journal(.event(first)))
        #expect(driver.publish().published == [2])
    }

    @Test("the first connection of a sink takes over, as the device may have been replaced")
    func takeover() throws {
        var driver = try EngineDriver()
        let effects = driver.connect(newest: Self.foreign)
        #expect(effects.contains(.subscribe(stream: "other", after: 6)))
        let anew = driver.feed(.journal(.restarted(stream: "s")))
        #expect(anew.contains(.subscribe(stream: "s", after: 0)))
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(driver.publish().published == [1])
    }

    @Test(
        "a history that this machine has started is not a conflict, but a later one of a cloned disk is",
        arguments: [("s-1", false), ("s~1-1", false), ("s~2-1", true), ("other-1", true)]
    )
    func generations(_ id: String, _ isConflict: Bool) throws {
        var driver = try EngineDriver()
        _ = driver.connect(newest: StoredPosition(id: "s-9", time: "2023-11-14T22:13:00Z"))
        // The journal is of an earlier time: it begins the next generation.
        driver.feed(.journal(.restarted(stream: "s")))
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(driver.publish().published == [1])
        driver.feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "gone"))))
        _ = driver.connect(newest: StoredPosition(id: id, time: "2023-11-14T22:13:30Z"))
        #expect((driver.engine.status.code == "broker_conflict") == isConflict)
    }

    @Test("a connection that ships and ends in a conflict is never a success, however often it happens")
    func flapping() throws {
        var driver = try EngineDriver()
        driver.begin()
        var waits: [Duration] = []
        for sequence in 1...40 as ClosedRange<UInt64> {
            _ = driver.publish()
            driver.feed(.transport(.acknowledged(sequence)))
            driver.feed(.transport(.disconnected(Self.conflict)))
            let event = try #require(driver.journal.events.last?.event)
            let start = driver.now.instant
            _ = driver.connect(newest: StoredPosition(id: "s-\(sequence)", time: event.time.description))
            waits.append(start.duration(to: driver.now.instant))
            driver.feed(.journal(.opened(stream: "s", newest: sequence)))
            driver.feed(.journal(.event(event)))
        }
        #expect(waits.suffix(30).reduce(.zero, +) > .seconds(30 * 100), "\(waits)")
        // The end of the trouble begins anew.
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(41)))
        driver.feed(.transport(.disconnected(.init(code: "broker_unreachable", detail: "gone"))))
        let start = driver.now.instant
        _ = driver.tickAtDeadline()
        #expect(start.duration(to: driver.now.instant) <= .seconds(1))
    }
}
