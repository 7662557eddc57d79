import AgentEvents
import Sinks
import Testing

/// The handling of the messages that a broker rejects.
struct RefusalTests {
    @Test("an event that is too large is lost, reported, and never resent")
    func tooLarge() throws {
        var driver = try EngineDriver()
        driver.begin()
        for _ in 0..<4 { _ = driver.publish() }
        driver.feed(.transport(.acknowledged(1)))
        let failure = TransportFailure(code: "broker_too_large", detail: "event 2 is too large")
        let effects = driver.feed(.transport(.refused(2, failure)))
        #expect(effects.contains(.lost(2...2, failure)) && effects.contains(.report))
        _ = driver.feed(.transport(.refused(3, failure)))
        let report = driver.engine.takeReport(bytes: 10)
        #expect(report.lost == SinkLoss(sink: "test", firstSequence: 2, lastSequence: 3, code: "broker_too_large"))
        #expect(report.status.code == "broker_too_large" && report.status.state == .connected)
        #expect(report.target == SinkTarget(broker: "nats://b", device: "edge"))
        #expect(driver.engine.takeReport(bytes: 10).lost == nil)
        driver.feed(.transport(.acknowledged(4)))
        #expect(driver.engine.status.acknowledged == 4)
    }

    @Test("the loss of an event about a loss is not reported as a loss")
    func lossOfLoss() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish("sink.lost")
        driver.feed(.transport(.refused(1, .init(code: "broker_too_large", detail: "too large"))))
        #expect(driver.engine.takeReport(bytes: 0).lost == nil)
        #expect(driver.engine.status.acknowledged == 1)
    }

    @Test("a denied event is kept; the connection ends when all is answered, and the next one starts with it")
    func deniedEvent() throws {
        var driver = try EngineDriver()
        driver.begin()
        for _ in 0..<3 { _ = driver.publish() }
        driver.feed(.transport(.refused(1, .denied)))
        #expect(driver.publish().published == [])
        driver.feed(.transport(.acknowledged(2)))
        let effects = driver.feed(.transport(.acknowledged(3)))
        #expect(effects.contains(.disconnect))
        #expect(driver.engine.status.state == .waiting && driver.engine.status.code == "broker_denied")
        let third = try #require(driver.journal.events.dropFirst(2).first?.event)
        let next = driver.connect(newest: StoredPosition(id: "s-3", time: third.time.description))
        #expect(next.contains(.subscribe(stream: "s", after: 2)))
        driver.feed(.journal(.opened(stream: "s", newest: 4)))
        #expect(driver.feed(.journal(.event(third))).published == [1])
        #expect(driver.engine.status.acknowledged != 3)
        driver.feed(.transport(.acknowledged(1)))
        #expect(driver.engine.status.acknowledged == 3)
    }

    @Test("a rejected retained message is shown, and stops no event")
    func limited() throws {
        var driver = try EngineDriver("mqtt://b")
        driver.begin()
        #expect(driver.feed(.transport(.limited(.denied))).contains(.warn(.denied)))
        #expect(driver.engine.status.state == .connected && driver.engine.status.code == "broker_denied")
        #expect(driver.publish().published == [1])
        driver.feed(.transport(.acknowledged(1)))
        #expect(driver.engine.status.acknowledged == 1 && driver.engine.status.detail == "no permission")
        driver.feed(.transport(.disconnected(.unreachable)))
        driver.begin()
        #expect(driver.engine.status.state == .connected && driver.engine.status.code == nil)
    }

    @Test("a rejected retained message does not hide the reason for which an event was rejected")
    func limitedAfterRefusal() throws {
        var driver = try EngineDriver("mqtt://b")
        driver.begin()
        for _ in 0..<2 { _ = driver.publish() }
        let full = TransportFailure(code: "broker_full", detail: "no room")
        driver.feed(.transport(.refused(1, full)))
        #expect(driver.feed(.transport(.limited(.denied))) == [.warn(.denied)])
        driver.feed(.transport(.acknowledged(2)))
        #expect(driver.engine.status.state == .waiting && driver.engine.status.code == "broker_full")
    }

    @Test("a conflict is resolved by querying the broker again")
    func conflict() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        let effects = driver.feed(.transport(.refused(1, .init(code: "broker_conflict", detail: "newer"))))
        #expect(effects.contains(.disconnect))
        let first = try #require(driver.journal.events.first?.event)
        _ = driver.connect(newest: StoredPosition(id: "s-1", time: first.time.description))
        driver.feed(.journal(.opened(stream: "s", newest: 1)))
        #expect(driver.feed(.journal(.event(first))).published == [])
        #expect(driver.engine.status.acknowledged == 1)
    }
}
