import AgentEvents
import AgentTestKit
import CClockStep
import Foundation
import NotificationBus
import Synchronization
import Testing

@testable import EventJournal

/// The thread between the bus and the journal.
@Suite struct JournalRecorderTests {
    let fixture: FixtureJournal
    let scripted = ScriptedSystem()

    init() throws { fixture = try FixtureJournal() }

    private static let origin = EventOrigin(streamID: "test", host: "host")

    private static func publish(_ count: Int, on bus: NotificationBus<Event>) {
        for _ in 0..<count {
            bus.publish { number in
                let draft = EventDraft(.pathChanged, .subscriberLagged(SubscriberLagged(lastSequence: number)))
                return Event(draft, from: origin, at: FixtureJournal.time(number), number: number)
            }
        }
    }

    /// Publishes the report of missing numbers.
    private static func publish(reportOf missing: ClosedRange<UInt64>, on bus: NotificationBus<Event>) {
        let change = JournalDegraded(
            isDegraded: false,
            code: JournalCondition.Code.leaseFound.rawValue,
            missingFirstSequence: missing.lowerBound,
            missingLastSequence: missing.upperBound
        )
        let draft = EventDraft(.journalDegraded, .journalDegraded(change))
        bus.publish { Event(draft, from: origin, at: FixtureJournal.time($0), number: $0) }
    }

    /// Takes everything that a subscription is given until it ends.
    private func numbers(_ subscription: Subscription<Event>) -> [UInt64] {
        var numbers: [UInt64] = []
        while case .notifications(let batch) = subscription.take() { numbers += batch.map(\.sequence) }
        return numbers
    }

    @Test func `nothing is delivered before it is in the file`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        try recorder.start()
        let fixture = fixture
        let early = Mutex<[UInt64]>([])
        let path = fixture.path(1)
        let box = Mutex<Subscription<Event>?>(nil)
        let seen = Mutex(0)
        let subscription = bus.subscribe(capacity: 10_000) {
            // On the recorder's thread, as soon as it has released something.
            guard case .notifications(let batch)? = box.withLock({ $0 })?.take() else { return }
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n").count
            early.withLock { $0 += batch.map(\.sequence).filter { $0 > lines } }
            seen.withLock { $0 += batch.count }
        }
        box.withLock { $0 = subscription }
        for _ in 0..<200 { Self.publish(3, on: bus) }
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(early.withLock { $0 } == [])
        #expect(seen.withLock { $0 } == 600)
        #expect(fixture.numbers == Array(1...600))
        #expect(journal.status().missing.isEmpty)
    }

    @Test func `the end flushes, closes, and lets the next agent in`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        try recorder.start()
        Self.publish(5, on: bus)
        bus.finish()
        let before = scripted.with { $0.syncs }
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(scripted.with { $0.syncs } > before)
        #expect(try scripted.open(fixture).nextSequence == 6)
    }

    @Test(arguments: [0, 1, 2])
    func `numbers of before are leased until all are reported, though only after the agent's first event`(
        reports: Int
    ) async throws {
        try fixture.write(1, FixtureJournal.lines([1, 2, 3, 4, 8]))
        try fixture.write("lease", JournalLease.text(5...14))
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let missing = Mutex<[ClosedRange<UInt64>]>([])
        let taken = DispatchSemaphore(value: 0)
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            missing.withLock { $0 += [condition.missing].compactMap(\.self) }
            taken.signal()
        }
        try recorder.start()
        for _ in 0..<2 { await onThread { taken.wait() } }
        let ranges = missing.withLock { $0 }
        #expect(ranges == [5...7, 9...14])
        Self.publish(1, on: bus)
        for range in ranges.prefix(reports) { Self.publish(reportOf: range, on: bus) }
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3, 4, 8] + Array(15...UInt64(15 + reports)))
        #expect(fixture.lease == (reports == 2 ? 0 : 14))
        let next = try scripted.open(fixture)
        #expect(next.takeConditions().compactMap(\.missing) == (reports == 2 ? [] : ranges))
    }

    /// Makes each write, or the first one only, hang until the test signals `goOn`; each flush too with `andSyncs`.
    private func hangWrites(
        once: Bool = false,
        andSyncs: Bool = false
    ) -> (stuck: DispatchSemaphore, goOn: DispatchSemaphore) {
        let (stuck, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        scripted.with { state in
            if andSyncs {
                state.whenSynced = {
                    stuck.signal()
                    goOn.wait()
                }
            }
            state.whenWriting = { [scripted] in
                if once { scripted.with { $0.whenWriting = nil } }
                stuck.signal()
                goOn.wait()
            }
        }
        return (stuck, goOn)
    }

    @Test func `a disk that hangs blocks no bypassing subscriber, nor the shutdown`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let conditions = Mutex<[JournalCondition.Code]>([])
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            conditions.withLock { $0.append(condition.code) }
        }
        let (stuck, goOn) = hangWrites()
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100)
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        #expect(numbers(subscription) == [])
        bus.bypassRecorder()
        #expect(numbers(subscription) == [1, 2, 3])
        // The status answers although the write hangs.
        #expect(journal.status().newestSequence == nil)
        bus.finish()
        #expect(await onThread { recorder.finish(within: .milliseconds(50)) } == false)
        scripted.with { $0.whenWriting = nil }
        goOn.signal()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3])
    }

    @Test func `numbers that were delivered unrecorded are not used again after a kill`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = hangWrites(once: true)
        let delivered = DispatchSemaphore(value: 0)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100) { delivered.signal() }
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        recorder.bypass()
        await onThread { delivered.wait() }
        #expect(numbers(subscription) == [1, 2, 3])
        // An agent that is killed now leaves these files.
        let next = try ScriptedSystem().open(FixtureJournal(fixture.files.filter { $0.key != "lock" }))
        #expect(next.nextSequence == 3 + StallLease.step + 1)
        #expect(next.takeConditions().map(\.missing) == [1...3 + StallLease.step])
        goOn.signal()
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3])
        // One that ended in order has used no more.
        #expect(try scripted.open(fixture).nextSequence == 4)
    }

    @Test func `a disk that does not take the lease either is waited for until the next call`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = hangWrites(andSyncs: true)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100)
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        recorder.bypass()
        await onThread { stuck.wait() }
        #expect(numbers(subscription) == [])
        recorder.bypass()
        #expect(numbers(subscription) == [1, 2, 3])
        scripted.with { ($0.whenWriting, $0.whenSynced) = (nil, nil) }
        goOn.signal()
        goOn.signal()
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3])
    }

    /// Takes what a subscription is given up to a number, or until it is given nothing for ten seconds.
    private func numbers(
        _ subscription: Subscription<Event>,
        through last: UInt64,
        _ delivered: DispatchSemaphore
    ) async -> [UInt64] {
        var numbers: [UInt64] = []
        while numbers.last != last, await onThread({ delivered.wait(timeout: .now() + 10) == .success }) {
            numbers += self.numbers(subscription)
        }
        return numbers
    }

    /// Makes each flush hang until `goOn` is signalled for each of the two threads that flush.
    private func hangFlushes() -> (stuck: DispatchSemaphore, goOn: @Sendable () -> Void) {
        let (stuck, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        scripted.with { state in
            state.whenSynced = {
                stuck.signal()
                goOn.wait()
            }
        }
        return (
            stuck,
            { [scripted] in
                scripted.with { $0.whenSynced = nil }
                for _ in 0..<2 { goOn.signal() }
            }
        )
    }

    @Test func `a disk that takes events, but not the lease, delays none of them`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        #expect(await journal.settle())
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let conditions = Mutex<[JournalCondition.Code]>([])
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            conditions.withLock { $0.append(condition.code) }
        }
        let (stuck, goOn) = hangWrites(once: true)
        let delivered = DispatchSemaphore(value: 0)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100) { delivered.signal() }
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        let flushes = hangFlushes()
        recorder.bypass()
        await onThread { flushes.stuck.wait() }
        goOn.signal()
        #expect(await numbers(subscription, through: 3, delivered) == [1, 2, 3])
        Self.publish(1, on: bus)
        #expect(await numbers(subscription, through: 4, delivered) == [4])
        flushes.goOn()
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3, 4])
        #expect(conditions.withLock { $0.isEmpty })
    }

    @Test func `the flush after a stall delays no event`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        #expect(await journal.settle())
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = hangWrites(once: true)
        let delivered = DispatchSemaphore(value: 0)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100) { delivered.signal() }
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        recorder.bypass()
        #expect(await numbers(subscription, through: 3, delivered) == [1, 2, 3])
        let flushes = hangFlushes()
        goOn.signal()
        await onThread { flushes.stuck.wait() }
        Self.publish(1, on: bus)
        #expect(await numbers(subscription, through: 4, delivered) == [4])
        flushes.goOn()
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3, 4])
        // The lease is cleared nevertheless.
        #expect(try scripted.open(fixture).nextSequence == 5)
    }

    @Test func `an agent that stops without the disk leases what it has delivered`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = hangWrites()
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100)
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        bus.finish()
        #expect(await onThread { recorder.finish(within: .milliseconds(50)) } == false)
        #expect(numbers(subscription) == [1, 2, 3])
        let next = try ScriptedSystem().open(FixtureJournal(fixture.files.filter { $0.key != "lock" }))
        #expect(next.nextSequence == 4)
        #expect(next.takeConditions().map(\.missing) == [1...3])
        scripted.with { $0.whenWriting = nil }
        goOn.signal()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
    }

    @Test(arguments: [true, false])
    func `a disk that hangs at the end keeps no event from subscribers that end before it is abandoned`(
        takesLease: Bool
    ) async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        #expect(await journal.settle())
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = hangWrites(andSyncs: !takesLease)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100)
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        bus.finish()
        #expect(numbers(subscription) == [])
        await onThread { recorder.deliver(within: .milliseconds(50)) }
        #expect(numbers(subscription) == [1, 2, 3])
        scripted.with { ($0.whenWriting, $0.whenSynced) = (nil, nil) }
        for _ in 0..<2 { goOn.signal() }
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3])
    }

    @Test func `a disk that takes the last events delivers them recorded`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = hangWrites(once: true)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100)
        Self.publish(3, on: bus)
        await onThread { stuck.wait() }
        bus.finish()
        async let delivered: Void = onThread { recorder.deliver(within: .seconds(30)) }
        goOn.signal()
        await delivered
        #expect(numbers(subscription) == [1, 2, 3])
        #expect(!bus.isRecorderBypassed)
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3])
    }

    @Test func `a last flush that hangs leases no number, as every event is in the file`() async throws {
        let journal = try scripted.open(fixture) { $0.sync = .interval(.seconds(3600)) }
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let recorder = JournalRecorder(recording: bus, in: journal) { _ in }
        let (stuck, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        #expect(await journal.settle())
        scripted.with { state in
            state.whenSynced = {
                stuck.signal()
                goOn.wait()
            }
        }
        try recorder.start()
        Self.publish(3, on: bus)
        bus.finish()
        // The recorder has begun to close the journal.
        await onThread { stuck.wait() }
        #expect(await onThread { recorder.finish(within: .milliseconds(50)) } == false)
        let next = try ScriptedSystem().open(FixtureJournal(fixture.files.filter { $0.key != "lock" }))
        #expect(next.nextSequence == 4)
        #expect(next.takeConditions().isEmpty)
        scripted.with { $0.whenSynced = nil }
        goOn.signal()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
    }

    @Test func `a recorder that was bypassed reports it, and is waited for again`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let conditions = Mutex<[JournalCondition.Code]>([])
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            conditions.withLock { $0.append(condition.code) }
            // As the agent does: the condition is an event.
            if condition.code == .stalled { Self.publish(1, on: bus) }
        }
        let (stuck, goOn) = hangWrites(once: true)
        try recorder.start()
        Self.publish(1, on: bus)
        await onThread { stuck.wait() }
        bus.bypassRecorder()
        Self.publish(1, on: bus)
        goOn.signal()
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(conditions.withLock { $0 } == [.stalled, .resumed])
        #expect(!bus.isRecorderBypassed)
        #expect(fixture.numbers == Array(1...bus.lastSequence))
    }

    @Test func `a stall that ends with a full disk is over when the disk has room`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let told = Mutex<[JournalCondition]>([])
        let (failed, resumed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            told.withLock { $0.append(condition) }
            if condition.code == .writeFailed { failed.signal() }
            if condition.code == .resumed { resumed.signal() }
        }
        let (stuck, goOn) = hangWrites(once: true)
        try recorder.start()
        Self.publish(1, on: bus)
        await onThread { stuck.wait() }
        bus.bypassRecorder()
        scripted.with { $0.room = 0 }
        goOn.signal()
        await onThread { failed.wait() }
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(1))
        Self.publish(1, on: bus)
        await onThread { resumed.wait() }
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(told.withLock { $0.map(\.code) } == [.stalled, .writeFailed, .resumed])
        #expect(told.withLock { $0.map(\.isDegraded) } == [true, true, false])
        #expect(fixture.numbers == [1, 2])
    }

    @Test(arguments: [true, false])
    func `a stall that ends with a full disk leaves no lease when the disk has room`(hasNextEvent: Bool) async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let (failed, resumed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            if condition.code == .writeFailed { failed.signal() }
            if condition.code == .resumed { resumed.signal() }
        }
        let (stuck, goOn) = hangWrites(once: true)
        let delivered = DispatchSemaphore(value: 0)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100) { delivered.signal() }
        Self.publish(1, on: bus)
        await onThread { stuck.wait() }
        recorder.bypass()
        await onThread { delivered.wait() }
        #expect(numbers(subscription) == [1])
        scripted.with { $0.room = 0 }
        goOn.signal()
        await onThread { failed.wait() }
        scripted.with { $0.room = nil }
        if hasNextEvent {
            scripted.advance(.seconds(1))
            Self.publish(1, on: bus)
            await onThread { resumed.wait() }
        }
        // Without another event, the end is what writes again.
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == Array(1...bus.lastSequence))
        let next = try scripted.open(fixture)
        #expect(next.nextSequence == bus.lastSequence + 1)
        #expect(next.takeConditions().isEmpty)
    }

    @Test func `a recorder that is cut off starts again, and the journal names the gap`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let told = Mutex<[JournalCondition]>([])
        let resumed = DispatchSemaphore(value: 0)
        let recorder = JournalRecorder(recording: bus, in: journal, capacity: 4) { condition in
            told.withLock { $0.append(condition) }
            if condition.code == .stalled { Self.publish(1, on: bus) }
            if condition.missing != nil { resumed.signal() }
        }
        let (stuck, goOn) = hangWrites(once: true)
        try recorder.start()
        let subscription = bus.subscribe(capacity: 100)
        Self.publish(1, on: bus)
        await onThread { stuck.wait() }
        Self.publish(8, on: bus)
        #expect(numbers(subscription) == Array(1...9))
        goOn.signal()
        await onThread { resumed.wait() }
        #expect(journal.status().missing.count == 1)
        let missing = try #require(told.withLock { $0.compactMap(\.missing).first })
        #expect(missing.lowerBound == 2)
        #expect(missing.upperBound >= 9)
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1] + Array(missing.upperBound + 1...bus.lastSequence))
    }

    @Test func `a disk that has room again is written to without another event`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let (degraded, resumed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            (condition.isDegraded ? degraded : resumed).signal()
        }
        scripted.with {
            $0.room = 0
            $0.isClockRunning = true
        }
        try recorder.start()
        Self.publish(1, on: bus)
        await onThread { degraded.wait() }
        scripted.with { $0.room = nil }
        #expect(await onThread { resumed.wait(timeout: .now() + 30) } == .success)
        #expect(fixture.numbers == [1])
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
    }

    @Test(.enabled(if: reachagent_can_set_clock_back(), "ThreadSanitizer has a sem_timedwait(3) of its own"))
    func `a wall clock that is set back does not delay writing to a disk that has room again`() async {
        await #expect(processExitsWith: .success) {
            let (fixture, scripted) = (try FixtureJournal(), ScriptedSystem())
            let journal = try scripted.open(fixture)
            let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
            let degraded = DispatchSemaphore(value: 0)
            // The timeout of a group is none of the wall clock.
            let resumed = DispatchGroup()
            resumed.enter()
            let recorder = JournalRecorder(recording: bus, in: journal) { condition in
                if condition.isDegraded { degraded.signal() } else { resumed.leave() }
            }
            scripted.with {
                $0.room = 0
                $0.isClockRunning = true
            }
            reachagent_set_clock_back(3600)
            try recorder.start()
            Self.publish(1, on: bus)
            await onThread { degraded.wait() }
            scripted.with { $0.room = nil }
            #expect(await onThread { resumed.wait(timeout: .now() + 30) == .success })
            #expect(fixture.numbers == [1])
            bus.finish()
            #expect(await onThread { recorder.finish(within: .seconds(30)) })
        }
    }

    @Test func `a full disk and its recovery are reported on the recorder's thread`() async throws {
        let journal = try scripted.open(fixture)
        let bus = NotificationBus<Event>(firstSequence: journal.nextSequence)
        let codes = Mutex<[JournalCondition.Code]>([])
        let changed = DispatchSemaphore(value: 0)
        let recorder = JournalRecorder(recording: bus, in: journal) { condition in
            codes.withLock { $0.append(condition.code) }
            changed.signal()
        }
        scripted.with { $0.room = 0 }
        try recorder.start()
        let ready = DispatchSemaphore(value: 0)
        let subscription = bus.subscribe(capacity: 100) { ready.signal() }
        Self.publish(2, on: bus)
        await onThread { changed.wait() }
        // Delivered although it is not recorded; at once or one after the other, as the recorder took them.
        var delivered = numbers(subscription)
        while delivered.count < 2 {
            await onThread { ready.wait() }
            delivered += numbers(subscription)
        }
        #expect(delivered == [1, 2])
        scripted.with { $0.room = nil }
        scripted.advance(.seconds(1))
        Self.publish(1, on: bus)
        await onThread { changed.wait() }
        #expect(codes.withLock { $0 } == [.writeFailed, .resumed])
        bus.finish()
        #expect(await onThread { recorder.finish(within: .seconds(30)) })
        #expect(fixture.numbers == [1, 2, 3])
    }
}
