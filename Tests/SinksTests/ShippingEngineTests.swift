import AgentEvents
import Sinks
import Testing

/// Single steps of the engine: how it numbers and publishes events, and what it reports.
struct ShippingEngineTests {
    // MARK: - Numbers

    @Test("answers to numbers that were never sent change nothing", arguments: [0, 1, 99, UInt64.max])
    func strangeAnswers(_ sequence: UInt64) throws {
        var driver = try EngineDriver()
        driver.begin()
        driver.feed(.transport(.acknowledged(sequence)))
        driver.feed(.transport(.refused(sequence, .denied)))
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

    @Test(arguments: [[], ["path.changed"]])
    func `a gap is reported once the broker has the event behind it, and to the agent also one before the first event`(
        _ types: [String]
    ) throws {
        var driver = try EngineDriver { $0.types = types }
        driver.begin()
        driver.journal.append(identity: 1, at: driver.now.time)
        _ = driver.publish()
        let skipped = driver.publish()
        #expect(skipped.published == [3] && !skipped.contains(.report))
        driver.journal.append(identity: 4, at: driver.now.time)
        _ = driver.publish()
        var lost: [ClosedRange<UInt64>] = []
        for sequence in [2, 3, 5] as [UInt64] {
            for effect in driver.feed(.transport(.acknowledged(sequence))) where effect == .report {
                let report = driver.engine.takeReport(bytes: 0)
                guard let loss = report.lost else { continue }
                #expect(loss.code == SinkLoss.expired && report.stream == "s")
                #expect(report.status.acknowledged == sequence && loss.lastSequence < sequence)
                lost.append(loss.firstSequence...loss.lastSequence)
            }
        }
        #expect(lost == [1...1, 4...4])
    }

    @Test func `a gap is not reported if the connection ends before the broker has the event behind it`() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(1)))
        driver.journal.append(identity: 2, at: driver.now.time)
        _ = driver.publish()
        driver.feed(.transport(.disconnected(.unreachable)))
        #expect(driver.engine.takeReport(bytes: 0).lost == nil)
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

    @Test(
        "events behind the cursor of a sink that ships some types are not reported as lost",
        arguments: [(500, nil), (299, nil), (200, "201 to 299"), (1, "2 to 299"), (9_999, "2 to 299")]
    )
    func expiredOtherTypes(_ cursor: UInt64, _ expired: String?) throws {
        let time = EngineDriver.start
        let epoch = try #require(StreamEpoch(stream: "s"))
        var driver = try EngineDriver(
            cursor: SinkCursor(
                broker: "nats://b",
                device: "edge",
                position: StreamPosition(epoch: epoch, sequence: cursor, time: time)
            )
        ) { $0.types = ["agent.started"] }
        // The broker has the only event of this type, which the journal has removed with those after it.
        _ = driver.connect(newest: StoredPosition(id: "s-1", time: time.description))
        driver.feed(.journal(.opened(stream: "s", newest: 600)))
        var warnings: [TransportFailure] = []
        for sequence in 300...600 {
            let line = """
                {"specversion":"1.0","id":"s-\(sequence)","source":"/s","type":"reachagent.path.changed",\
                "time":"2023-11-14T23:00:00Z","seq":\(sequence),"data":{}}
                """
            for effect in driver.feed(.journal(.event(try #require(JournalEvent(Array(line.utf8)))))) {
                if case .warn(let failure) = effect { warnings.append(failure) }
            }
            // Of a cursor beyond the journal's newest event nothing is known.
            let least = cursor == 9_999 ? 1 : cursor
            #expect(driver.engine.status.acknowledged == max(UInt64(sequence), least))
        }
        let detail = expired.map {
            "the journal does not have events \($0) any more: those of 'types' are lost to the broker"
        }
        #expect(warnings.map(\.detail) == [detail].compactMap(\.self))
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
