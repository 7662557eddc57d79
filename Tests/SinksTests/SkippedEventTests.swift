import AgentEvents
import Sinks
import Testing

/// Events that the broker skipped, while it stored later ones: none of them is lost with the process or the connection.
struct SkippedEventTests {
    /// Sends three events, of which the broker rejects the first one for now.
    private static func rejected(_ address: String = "nats://b") throws -> (EngineDriver, SinkCursor?) {
        var driver = try EngineDriver(address)
        driver.begin()
        for _ in 0..<3 { _ = driver.publish() }
        let cursor = driver.feed(.transport(.refused(1, .denied))).cursor
        return (driver, cursor)
    }

    /// Kills the sink, starts another one with a cursor, and connects it to a broker with a newest event.
    private static func restarted(
        _ driver: EngineDriver,
        _ cursor: SinkCursor?,
        newest: UInt64
    ) throws -> (driver: EngineDriver, effects: [ShippingEngine.Effect]) {
        var next = try EngineDriver(cursor: cursor, seed: 2)
        next.now = driver.now
        next.journal = driver.journal
        let effects = next.connect(newest: try next.stored(newest))
        next.feed(.journal(.opened(stream: "s", newest: next.journal.newest)))
        return (next, effects)
    }

    // MARK: - The end of the process

    @Test func `an event that was rejected before a stored one is sent again after a kill`() throws {
        var (driver, _) = try Self.rejected()
        driver.feed(.transport(.acknowledged(2)))
        let ended = driver.feed(.transport(.acknowledged(3)))
        #expect(ended.contains(.disconnect) && ended.cursor?.missing == [1])
        var (next, effects) = try Self.restarted(driver, ended.cursor, newest: 3)
        #expect(next.engine.status.acknowledged == nil)
        #expect(effects.contains(.subscribe(stream: "s", after: 0)))
        #expect(next.deliver(1...2).published == [])
        let late = next.deliver(3...3)
        #expect(late.published == [1])
        #expect(late.cursor?.missing == [1] && late.cursor?.late == [1] && late.cursor?.latePosition?.sequence == 3)
        let saved = next.feed(.transport(.acknowledged(1))).cursor
        #expect(saved?.missing == [] && saved?.position.sequence == 3 && saved?.late == [1])
        #expect(next.engine.status.acknowledged == 3)
    }

    @Test func `a rejection is saved at once, with the events whose answers are due`() throws {
        let (driver, cursor) = try Self.rejected()
        #expect(cursor?.position.sequence == 0 && cursor?.missing == [1, 2, 3])
        var (next, _) = try Self.restarted(driver, cursor, newest: 3)
        #expect(next.deliver(1...3).published == [1])
        #expect(next.feed(.transport(.acknowledged(1))).published == [2])
        next.feed(.transport(.acknowledged(2)))
        #expect(next.engine.status.acknowledged == 3)
    }

    @Test func `an event without an answer is saved as missing once a later one is acknowledged`() throws {
        var driver = try EngineDriver()
        driver.begin()
        for _ in 0..<3 { _ = driver.publish() }
        driver.feed(.transport(.acknowledged(1)))
        let cursor = driver.feed(.transport(.acknowledged(3))).cursor
        #expect(cursor?.position.sequence == 1 && cursor?.missing == [2])
        var (next, effects) = try Self.restarted(driver, cursor, newest: 3)
        #expect(effects.contains(.subscribe(stream: "s", after: 1)))
        #expect(next.deliver(2...3).published == [2])
    }

    @Test func `a stop saves the events that were rejected`() throws {
        var (driver, _) = try Self.rejected()
        driver.feed(.transport(.acknowledged(2)))
        #expect(driver.feed(.stop).cursor?.missing == [1, 3])
    }

    @Test func `a late event that arrived before a kill is not sent again, nor are those before it`() throws {
        var (driver, _) = try Self.rejected()
        driver.feed(.transport(.acknowledged(2)))
        var ended = driver.feed(.transport(.acknowledged(3)))
        var (next, _) = try Self.restarted(driver, ended.cursor, newest: 3)
        ended = next.deliver(1...3)
        #expect(ended.published == [1])
        // Stored, but the answer never came.
        var (last, effects) = try Self.restarted(next, ended.cursor, newest: 1)
        #expect(effects.contains(.subscribe(stream: "s", after: 2)))
        #expect(last.deliver(3...3).published == [])
        #expect(last.engine.status.acknowledged == 3)
        #expect(last.publish().published == [4])
    }

    @Test func `a skipped event that the journal removed meanwhile is logged as lost`() throws {
        let (driver, cursor) = try Self.rejected()
        var (next, _) = try Self.restarted(driver, cursor, newest: 3)
        let lost = next.deliver(3...3).compactMap { effect -> ClosedRange<UInt64>? in
            if case .lost(let numbers, let failure) = effect, failure.code == "events_expired" { numbers } else { nil }
        }
        #expect(lost == [1...2])
        #expect(next.engine.status.acknowledged == 3)
    }

    @Test func `missing events of another history are not sent`() throws {
        let (driver, cursor) = try Self.rejected()
        var foreign = try #require(cursor)
        foreign.position.epoch = try #require(StreamEpoch(stream: "other"))
        var (next, effects) = try Self.restarted(driver, foreign, newest: 3)
        #expect(effects.contains(.subscribe(stream: "s", after: 2)))
        #expect(next.deliver(3...3).published == [])
    }

    // MARK: - The end of the connection

    @Test func `the newest stored event is not sent again although its acknowledgement was lost`() throws {
        var (driver, _) = try Self.rejected()
        driver.feed(.transport(.disconnected(.unreachable)))
        _ = driver.connect(newest: try driver.stored(2))
        driver.feed(.journal(.opened(stream: "s", newest: 3)))
        #expect(driver.deliver(2...3).published == [1])
        #expect(driver.feed(.transport(.acknowledged(1))).published == [3])
    }

    @Test func `no event overtakes a late one, whose answer may be lost again`() throws {
        var (driver, _) = try Self.rejected()
        driver.feed(.transport(.acknowledged(2)))
        driver.feed(.transport(.acknowledged(3)))
        _ = driver.connect(newest: try driver.stored(3))
        driver.feed(.journal(.opened(stream: "s", newest: 3)))
        #expect(driver.deliver(3...3).published == [1])
        #expect(driver.publish().published == [])
        // The broker dropped it.
        driver.feed(.transport(.disconnected(.unreachable)))
        _ = driver.connect(newest: try driver.stored(3))
        driver.feed(.journal(.opened(stream: "s", newest: 4)))
        #expect(driver.deliver(3...4).published == [1])
        #expect(driver.feed(.transport(.acknowledged(1))).published == [4])
        driver.feed(.transport(.acknowledged(4)))
        #expect(driver.engine.status.acknowledged == 4)
    }

    // MARK: - The cursor

    @Test func `between two late events the cursor keeps the confirmed ones after them`() throws {
        let (driver, cursor) = try Self.rejected()
        var (next, _) = try Self.restarted(driver, cursor, newest: 3)
        #expect(next.deliver(1...3).published == [1])
        #expect(next.publish().published == [])
        let saved = try #require(next.feed(.transport(.acknowledged(1))).cursor)
        #expect(saved.position.sequence == 1 && saved.missing == [2])
        #expect(saved.late == [1, 2] && saved.latePosition?.sequence == 3)
        // Neither the third one, which is confirmed, nor the first one comes again.
        var (last, effects) = try Self.restarted(next, saved, newest: 1)
        #expect(effects.contains(.subscribe(stream: "s", after: 1)))
        #expect(last.deliver(2...3).published == [2])
        #expect(last.deliver(4...4).published == [])
        #expect(last.feed(.transport(.acknowledged(2))).published == [4])
        #expect(last.engine.status.acknowledged == 3)
    }

    @Test func `the cursor of a broker that cannot be queried stays before a rejected event`() throws {
        var (driver, cursor) = try Self.rejected("mqtt://b")
        #expect(cursor == nil)
        driver.feed(.transport(.acknowledged(2)))
        let ended = driver.feed(.transport(.acknowledged(3)))
        #expect(ended.contains(.disconnect) && ended.cursor == nil)
        #expect(driver.connect().contains(.subscribe(stream: nil, after: 0)))
    }

    @Test func `a stream that stays full causes no write for each attempt`() throws {
        var (driver, _) = try Self.rejected()
        for sequence in [2, 3] as [UInt64] { driver.feed(.transport(.refused(sequence, .denied))) }
        for _ in 0..<5 {
            let connected = driver.connect()
            #expect(connected.contains(.subscribe(stream: nil, after: 0)))
            var effects = driver.feed(.journal(.opened(stream: "s", newest: 3))) + driver.deliver(1...3)
            for sequence in 1...3 as ClosedRange<UInt64> {
                effects += driver.feed(.transport(.refused(sequence, .denied)))
            }
            #expect(effects.contains(.disconnect) && effects.cursor == nil)
        }
    }
}

extension EngineDriver {
    /// The position of an event of the journal, as a broker has it.
    fileprivate func stored(_ sequence: UInt64) throws -> StoredPosition {
        let event = try #require(journal.events.first { $0.sequence == sequence }).event
        return StoredPosition(id: "s-\(sequence)", time: event.time.description)
    }

    /// Delivers events of the journal that were recorded before.
    fileprivate mutating func deliver(_ numbers: ClosedRange<UInt64>) -> [ShippingEngine.Effect] {
        journal.events.filter { numbers.contains($0.sequence) }.flatMap { feed(.journal(.event($0.event))) }
    }
}
