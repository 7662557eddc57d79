import AgentEvents
import Glibc
import Sinks
import Testing

/// A week without the broker, and the days after it.
struct LongOutageTests {
    /// The number of events that wait: 200,000 with `REACHAGENT_SINK_EVENTS=200000`.
    static let events = getenv("REACHAGENT_SINK_EVENTS").flatMap { Int(String(cString: $0)) } ?? 20_000

    @Test("events that have been queued for a week arrive in order", arguments: [nil, 6] as [Int?])
    func week(days: Int?) throws {
        var driver = try EngineDriver()
        driver.record(Self.events, over: .seconds(7 * 86_400))
        let bytes = driver.journal.events.reduce(0) { $0 + UInt64($1.event.line.count) + 36 }
        let allowance = days.map { bytes / UInt64($0) + 10_000 }
        var broker = PatientBroker(budget: allowance)
        let start = driver.now
        for _ in 0..<10_000 where broker.stored.count < Self.events {
            broker.answer(driver.tickAtDeadline(), from: &driver)
        }
        #expect(broker.stored == Array(1...UInt64(Self.events)))
        let took = driver.now.instant - start.instant
        if let days, let allowance {
            // Events in flight when a report is made may exceed it.
            #expect(broker.usedByDay.values.allSatisfy { $0 <= allowance + 32 * 300 })
            // The run begins in the evening.
            #expect(broker.usedByDay.count <= days + 1 && took > .seconds((days - 2) * 86_400))
        } else {
            #expect(took < .seconds(10))
        }
    }

    @Test("an outage starts with the end of the connection, however often the sink retries")
    func retries() throws {
        var driver = try EngineDriver()
        driver.begin()
        let connected = driver.engine.status.since
        driver.pass(.seconds(60))
        driver.feed(.transport(.disconnected(.unreachable)))
        let lost = driver.now.time
        #expect(connected != lost)
        var states: Set<SinkStatus.State> = []
        for _ in 0..<20 {
            _ = driver.tickAtDeadline()
            states.insert(driver.engine.status.state)
            #expect(driver.engine.status.since == lost)
            if driver.engine.status.state == .connecting { driver.feed(.transport(.disconnected(.unreachable))) }
        }
        #expect(states.contains(.connecting) && driver.now.time != lost)
        _ = driver.connect()
        #expect(driver.engine.status.state == .connected && driver.engine.status.since == driver.now.time)
    }
}

/// A broker that stores at once, and an agent that counts the bytes of each day.
private struct PatientBroker {
    let budget: UInt64?
    var stored: [UInt64] = []
    var usedByDay: [Int64: UInt64] = [:]
    private var next: Int?
    private var total: UInt64 = 0

    init(budget: UInt64?) { self.budget = budget }

    mutating func answer(_ effects: [ShippingEngine.Effect], from driver: inout EngineDriver) {
        var effects = effects[...]
        while true {
            while let effect = effects.popFirst() { effects += carryOut(effect, &driver) }
            guard let index = next, driver.engine.wantsEvents, index < driver.journal.events.count else { return }
            next = index + 1
            effects += driver.feed(.journal(.event(driver.journal.events[index].event)))
        }
    }

    private mutating func carryOut(
        _ effect: ShippingEngine.Effect,
        _ driver: inout EngineDriver
    ) -> [ShippingEngine.Effect] {
        switch effect {
        case .connect:
            let newest = stored.last.map { driver.journal.events[Int($0) - 1].event }
            let position = newest.map { StoredPosition(id: "s-\($0.sequence)", time: $0.time.description) }
            return driver.feed(.transport(.connected(newest: position)))
        case .subscribe(_, let sequence):
            next = Int(sequence)
            return driver.feed(.journal(.opened(stream: "s", newest: driver.journal.newest)))
        case .unsubscribe:
            next = nil
            return []
        case .publish(let message):
            stored.append(message.sequence)
            let bytes = UInt64(message.payload.count + message.subject.utf8.count + message.id.utf8.count)
            total += bytes
            usedByDay[driver.day, default: 0] += bytes
            return driver.feed(.transport(.acknowledged(message.sequence)))
        case .report:
            _ = driver.engine.takeReport(bytes: total)
            guard let budget else { return [] }
            let used = usedByDay[driver.day] ?? 0
            return driver.feed(.reported(.init(isMetered: true, budget: budget - min(budget, used))))
        case .disconnect, .publishState, .publishPresence, .save, .lost, .warn: return []
        }
    }
}

extension EngineDriver {
    fileprivate var day: Int64 { now.time.microsecondsSince1970 / 86_400_000_000 }

    /// Lets events be recorded, evenly over a time, while the engine knows of none.
    fileprivate mutating func record(_ count: Int, over time: Duration) {
        for number in 1...count {
            pass(time / count)
            journal.append(identity: number, at: now.time)
        }
    }
}
