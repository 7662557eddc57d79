import AgentEvents
import Sinks
import Testing

/// Single steps of the engine: when it connects, how it publishes, what it reports.
struct ShippingEngineTests {
    private let denied = TransportFailure(code: "broker_denied", detail: "no permission")
    private let unreachable = TransportFailure(code: "broker_unreachable", detail: "connection refused")

    // MARK: - Attempts

    @Test("a thousand devices that start together connect within two seconds, but not all at once")
    func spread() throws {
        let deadlines = try (0..<1000).map { seed in
            var driver = try EngineDriver(seed: UInt64(seed))
            driver.feed(.tick)
            let deadline = try #require(driver.engine.deadline)
            return deadline - driver.now.instant
        }
        #expect(deadlines.allSatisfy { $0 >= .zero && $0 <= .seconds(2) })
        #expect(deadlines.count { $0 < .milliseconds(200) } < 150)
    }

    @Test("attempts back off up to five minutes, and a success resets the delay")
    func backoff() throws {
        var driver = try EngineDriver()
        var waits: [Duration] = []
        for _ in 0..<200 {
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            let failed = driver.now.instant
            driver.feed(.transport(.disconnected(unreachable)))
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            waits.append(driver.now.instant - failed)
        }
        #expect(waits[0] <= .seconds(1) && waits[1] <= .seconds(2) && waits[2] <= .seconds(4))
        #expect(waits.allSatisfy { $0 <= .seconds(300) })
        let late = waits.suffix(150)
        #expect(late.contains { $0 > .seconds(200) } && late.contains { $0 < .seconds(100) })
        driver.feed(.transport(.connected(newest: nil)))
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(driver.publish().published == [1])
        driver.feed(.transport(.acknowledged(1)))
        let before = driver.now.instant
        driver.feed(.transport(.disconnected(unreachable)))
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(1))
    }

    @Test("an idle connection has no deadline")
    func idle() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(1)))
        for _ in 0..<3 { _ = driver.tickAtDeadline() }
        #expect(driver.engine.deadline == nil)
    }

    @Test(
        "a better path brings the next attempt forward",
        arguments: [(Connectivity.local, Via.wired, "eth1"), (.full, .wired, "eth0")]
    )
    func betterPath(_ connectivity: Connectivity, _ via: Via, _ interface: String) throws {
        var driver = try EngineDriver()
        _ = driver.machine(.local, .wired, "eth0")
        for _ in 0..<30 {
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            driver.feed(.transport(.disconnected(unreachable)))
        }
        _ = driver.machine(connectivity, via, interface)
        let before = driver.now.instant
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(2))
    }

    @Test("a connection whose path is gone is reconnected")
    func pathChanged() throws {
        var driver = try EngineDriver()
        _ = driver.machine(.full, .wifi, "wlan0")
        driver.begin()
        #expect(driver.machine(.full, .wwan, "wwan0").contains(.disconnect))
        #expect(driver.engine.status.code == "path_changed")
        let before = driver.now.instant
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(2))
    }

    @Test("a connection without an answer times out")
    func silence() throws {
        var driver = try EngineDriver()
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        while driver.engine.status.state == .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.engine.status.code == "broker_timeout")
        driver.begin()
        _ = driver.publish()
        var effects: [ShippingEngine.Effect] = []
        while driver.engine.status.state == .connected { effects = driver.tickAtDeadline() }
        #expect(effects.contains(.disconnect))
    }

    // MARK: - Obstacles

    @Test("no password is sent to a captive portal")
    func portal() throws {
        var driver = try EngineDriver()
        _ = driver.machine(.portal, .wifi, "wlan0")
        driver.pass(.seconds(600))
        #expect(!driver.feed(.tick).contains(.connect))
        #expect(driver.engine.status.code == "captive_portal")
        _ = driver.machine(.full, .wifi, "wlan0")
        driver.pass(.seconds(2))
        #expect(driver.feed(.tick).contains(.connect))
    }

    @Test("an unlisted medium is used only for an event that has waited too long, and only until all is shipped")
    func media() throws {
        var driver = try EngineDriver {
            $0.media = ["wifi"]
            $0.maximumAge = 3600
        }
        driver.pass(.seconds(10))
        #expect(driver.machine(.full, .wwan, "wwan0").contains(.subscribe(stream: nil, after: 0)))
        #expect(driver.engine.status.code == "medium_excluded")
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(driver.publish().contains(.unsubscribe))
        let waiting = driver.now
        var effects = driver.tickAtDeadline()
        while !effects.contains(.connect) { effects = driver.tickAtDeadline() }
        let waited = driver.now.instant - waiting.instant
        #expect(waited >= .seconds(3599) && waited <= .seconds(3601))
        driver.feed(.transport(.connected(newest: nil)))
        driver.feed(.journal(.opened(stream: "s", newest: 1)))
        let event = try #require(driver.journal.events.first?.event)
        #expect(driver.feed(.journal(.event(event))).published == [1])
        #expect(driver.feed(.transport(.acknowledged(1))).contains(.disconnect))
        #expect(driver.engine.status.code == "medium_excluded")
    }

    @Test("an unlisted medium without an age that permits it leaves no timer behind")
    func mediaForEver() throws {
        var driver = try EngineDriver { $0.media = ["wired"] }
        driver.pass(.seconds(10))
        _ = driver.machine(.full, .wwan, "wwan0")
        #expect(driver.engine.deadline == nil)
    }

    @Test("an exhausted budget ends the connection once all is answered, and the next day's is requested")
    func budget() throws {
        var driver = try EngineDriver()
        driver.begin()
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 300)))
        #expect(driver.publish().published == [1])
        #expect(driver.publish().published == [2])
        #expect(driver.publish().published == [])
        #expect(driver.engine.status.state == .connected)
        #expect(!driver.feed(.transport(.acknowledged(1))).contains(.disconnect))
        #expect(driver.feed(.transport(.acknowledged(2))).contains(.disconnect))
        #expect(driver.engine.status.code == "budget_exhausted")
        while driver.engine.deadline.map({ $0 - driver.now.instant < .seconds(60) }) == true {
            _ = driver.tickAtDeadline()
        }
        #expect(driver.tickAtDeadline().contains(.report))
        // The run began at 22:13:20.
        let midnight = EngineDriver.start.microsecondsSince1970 + 6_400_000_000
        #expect((0...61_000_000).contains(driver.now.time.microsecondsSince1970 - midnight))
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 10_000)))
        #expect(driver.engine.status.state == .connecting)
    }

    // MARK: - Refusals

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
        driver.feed(.transport(.refused(1, denied)))
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
        #expect(driver.feed(.transport(.limited(denied))).contains(.warn(denied)))
        #expect(driver.engine.status.state == .connected && driver.engine.status.code == "broker_denied")
        #expect(driver.publish().published == [1])
        driver.feed(.transport(.acknowledged(1)))
        #expect(driver.engine.status.acknowledged == 1 && driver.engine.status.detail == "no permission")
        driver.feed(.transport(.disconnected(unreachable)))
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
        #expect(driver.feed(.transport(.limited(denied))) == [.warn(denied)])
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

    // MARK: - Numbers

    @Test("answers to numbers that were never sent change nothing", arguments: [0, 1, 99, UInt64.max])
    func strangeAnswers(_ sequence: UInt64) throws {
        var driver = try EngineDriver()
        driver.begin()
        driver.feed(.transport(.acknowledged(sequence)))
        driver.feed(.transport(.refused(sequence, denied)))
        #expect(driver.engine.status.acknowledged == nil && driver.engine.status.state == .connected)
        #expect(driver.publish().published == [1])
    }

    @Test(
        "a newest message that is not one of ours counts as none",
        arguments: ["", "s-0", "s-18446744073709551615", "s~4294967295-1", "foreign"]
    )
    func strangePosition(_ id: String) throws {
        var driver = try EngineDriver()
        _ = driver.connect(newest: StoredPosition(id: id, time: "2023-11-14T22:13:20Z"))
        // The highest generation has no successor.
        let inputs: [ShippingEngine.JournalInput] = [.opened(stream: "s", newest: 5), .restarted(stream: "s")]
        for input in inputs { driver.feed(.journal(input)) }
        #expect(driver.engine.status.acknowledged == nil)
    }

    @Test("a gap in the numbers is a loss, unless an event declares it")
    func holes() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        func line(_ sequence: Int, _ type: String, _ data: String) throws -> JournalEvent {
            let text = """
                {"specversion":"1.0","id":"s-\(sequence)","source":"/s","type":"reachagent.\(type)",\
                "time":"2023-11-14T23:00:00Z","seq":\(sequence),"data":\(data)}
                """
            return try #require(JournalEvent(Array(text.utf8)))
        }
        func losses(_ effects: [ShippingEngine.Effect]) -> [ClosedRange<UInt64>] {
            effects.compactMap { if case .lost(let range, _) = $0 { range } else { nil } }
        }
        let omitted = driver.feed(.journal(.event(try line(9, "events.omitted", #"{"first_seq":2,"count":7}"#))))
        #expect(losses(omitted) == [])
        let late = driver.feed(.journal(.event(try line(19, "events.omitted", #"{"first_seq":15,"count":3}"#))))
        #expect(losses(late) == [10...14])
        let plain = driver.feed(.journal(.event(try line(22, "path.changed", "{}"))))
        #expect(losses(plain) == [20...21])
        #expect(plain.published == [22])
    }

    @Test("a gap in the numbers is no certain loss of a sink that ships some types")
    func holesOfTypes() throws {
        var driver = try EngineDriver { $0.types = ["target.changed"] }
        driver.begin()
        _ = driver.publish()
        let text = """
            {"specversion":"1.0","id":"s-9","source":"/s","type":"reachagent.target.changed",\
            "time":"2023-11-14T23:00:00Z","seq":9,"data":{}}
            """
        let effects = driver.feed(.journal(.event(try #require(JournalEvent(Array(text.utf8))))))
        let warning = TransportFailure(
            code: "events_expired",
            detail: "the journal does not have events 2 to 8 any more: those of 'types' are lost to the broker"
        )
        #expect(effects.first == .warn(warning) && effects.published == [9])
        #expect(!effects.contains { if case .lost = $0 { true } else { false } })
    }

    @Test("a journal restored from a snapshot after it was wiped gets its own epoch")
    func wipedAndRestored() throws {
        let time = Timestamp(microsecondsSince1970: EngineDriver.start.microsecondsSince1970 - 1_000_000)
        let epoch = try #require(StreamEpoch(stream: "s"))
        let cursor = SinkCursor(
            broker: "nats://b",
            device: "edge",
            position: StreamPosition(epoch: epoch, sequence: 1, time: time)
        )
        var driver = try EngineDriver(cursor: cursor)
        _ = driver.connect(newest: StoredPosition(id: "other-7", time: EngineDriver.start.description))
        let effects = driver.feed(.journal(.restarted(stream: "s")))
        #expect(effects.contains(.subscribe(stream: "s", after: 0)))
        driver.feed(.journal(.opened(stream: "s", newest: 1)))
        // Older than the broker's newest event, and shipped all the same: that one's time is another journal's.
        driver.journal.append(identity: 1, at: time)
        let first = try #require(driver.journal.events.first?.event)
        #expect(driver.feed(.journal(.event(first))).published == [])
        driver.now.time = time
        let published = driver.publish()
        #expect(published.contains { if case .publish(let message) = $0 { message.id == "s~1-2" } else { false } })
    }

    @Test(
        "a cursor of another broker or another device is ignored",
        arguments: [("nats://c", "edge"), ("nats://b", "x")]
    )
    func foreignCursor(_ broker: String, _ device: String) throws {
        let position = StreamPosition(
            epoch: try #require(StreamEpoch(stream: "s")),
            sequence: 9,
            time: EngineDriver.start
        )
        var driver = try EngineDriver(cursor: SinkCursor(broker: broker, device: device, position: position))
        #expect(driver.connect().contains(.subscribe(stream: nil, after: 0)))
    }

    // MARK: - Bounds

    @Test("the queue is bounded while the broker is silent, and an acknowledgement makes room again")
    func bounds() throws {
        var driver = try EngineDriver { $0.window = 8 }
        driver.begin()
        var sent: [UInt64] = []
        var taken = 0
        while driver.engine.wantsEvents, taken < 10_000 {
            sent += driver.publish().published
            taken += 1
        }
        #expect(taken == 256 && sent == Array(1...8))
        #expect(driver.feed(.transport(.acknowledged(1))).published == [9])
        #expect(driver.engine.wantsEvents)
    }

    @Test("reports and cursors are rate-limited while events are shipped, and the last ones follow at the end")
    func rates() throws {
        var driver = try EngineDriver()
        driver.begin()
        var reports = 0
        var cursors = 0
        for sequence in 1...1000 as ClosedRange<UInt64> {
            driver.pass(.milliseconds(20))
            let effects = driver.publish() + driver.feed(.transport(.acknowledged(sequence)))
            reports += effects.count { $0 == .report }
            cursors += effects.cursor == nil ? 0 : 1
        }
        #expect((1...4).contains(reports) && (1...6).contains(cursors))
        let last = driver.feed(.stop)
        #expect(last.cursor?.position.sequence == 1000)
        #expect(last.last == .report && last.contains(.disconnect))
        #expect(driver.engine.takeReport(bytes: 0).status.acknowledged == 1000)
        #expect(driver.feed(.tick).isEmpty && driver.engine.deadline == nil)
    }

    @Test("the last report has a state that the agent accepts, and every loss has one of its own")
    func lastReports() throws {
        var driver = try EngineDriver()
        driver.begin()
        for sequence in 1...4 as ClosedRange<UInt64> {
            _ = driver.publish()
            driver.feed(
                .transport(
                    sequence.isMultiple(of: 2)
                        ? .refused(sequence, TransportFailure(code: "broker_too_large", detail: "too large"))
                        : .acknowledged(sequence)
                )
            )
        }
        driver.pass(.seconds(3))
        let last = driver.feed(.stop)
        let reports = (0..<last.count { $0 == .report }).map { _ in driver.engine.takeReport(bytes: 0) }
        #expect(reports.allSatisfy { $0.status.state == .waiting && $0.status.code == nil })
        #expect(reports.allSatisfy { $0.status.since == driver.now.time && $0.status.acknowledged == 4 })
        #expect(reports.compactMap(\.lost?.firstSequence) == [2, 4])
    }

    @Test("bytes are reported once, across all connections")
    func bytes() throws {
        var driver = try EngineDriver()
        #expect(driver.engine.takeReport(bytes: 100).bytes == 100)
        #expect(driver.engine.takeReport(bytes: 150).bytes == 50)
        #expect(driver.engine.takeReport(bytes: 30).bytes == 30)
    }

    @Test("a broker that keeps the state gets it on connecting and on each change")
    func state() throws {
        var driver = try EngineDriver("mqtt://b")
        let first = MachineState(connectivity: .full, via: .wired, interface: "eth0")
        let second = MachineState(connectivity: .partial, via: .wired, interface: "eth0")
        driver.feed(.machine(first))
        #expect(driver.connect().contains(.publishState(first.payload)))
        #expect(driver.feed(.machine(second)).contains(.publishState(second.payload)))
        #expect(!driver.feed(.machine(second)).contains(.publishState(second.payload)))
    }
}
