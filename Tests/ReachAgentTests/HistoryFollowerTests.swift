import AgentEvents
import AgentTestKit
import Availability
import EventJournal
import Glibc
import StatePages
import Synchronization
import Testing

@testable import ReachAgent

/// The recent history of an agent without a journal, and after a wrong clock.
@Suite struct HistoryFollowerTests {
    private static let day: Int64 = 86_400_000_000
    private static let start: Int64 = 1_790_000_000_000_000

    private static func moment(_ day: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: start + day * Self.day)
    }

    private static func event(
        _ content: AgentEvent.Content,
        _ type: EventType,
        on day: Int64,
        _ number: UInt64
    ) -> Event {
        let draft = EventDraft(type, subject: "default", content)
        return Event(draft, from: EventOrigin(streamID: "abc", host: "edge-7"), at: moment(day), number: number)
    }

    private static func becomesFull(on day: Int64, _ number: UInt64) -> Event {
        func state(_ connectivity: Connectivity) -> ReachabilityState {
            ReachabilityState(via: .wifi, afStatus: 2, connectivity: connectivity, path: .init(Path(via: .wifi)))
        }
        let cause = ChangeCause(kind: "link", code: "link_up")
        let change = StateChange(from: state(.unknown), to: state(.full), cause: cause, observed: moment(day))
        return event(.reachabilityChanged(change), .reachabilityChanged, on: day, number)
    }

    private static func resumes(on day: Int64, _ number: UInt64) -> Event {
        let resumption = SuspendResumed(suspendedMilliseconds: 1, observed: moment(day))
        return event(.suspendResumed(resumption), .suspendResumed, on: day, number)
    }

    /// Waits until a follower has handled so many events; a reading that has ended counts as one.
    ///
    /// By asking, because a follower announces no reading: its readers get what is known at the time.
    private static func wait(for count: UInt64, by follower: HistoryFollower) {
        for _ in 0..<4000 where follower.taken < count { usleep(5000) }
    }

    /// Lets a follower take events, each after the reading that the one before has begun.
    private static func known(on day: Int64, after events: [Event], readings: Int) async -> Int64? {
        await onThread {
            let follower = HistoryFollower(journal: nil, in: .utc)
            for (index, event) in events.enumerated() {
                follower.take(event)
                Self.wait(for: UInt64(index + 1 + min(index + 1, readings)), by: follower)
            }
            return follower.entries(at: moment(day)).first { $0.uplink == nil }?.today.knownMicroseconds
        }
    }

    @Test func `without a journal the state lasts beyond the 30 days after which days are counted anew`() async {
        let events = [Self.becomesFull(on: 0, 1), Self.resumes(on: 40, 2)]
        let known = await Self.known(on: 40, after: events, readings: 2)
        #expect(known ?? 0 > 0)
    }

    @Test func `without a journal the state lasts whatever other events have followed it`() async {
        let known = await onThread {
            let follower = HistoryFollower(journal: nil, in: .utc)
            // The first and the last one begin a reading each.
            let events = [(Self.becomesFull(on: 0, 1), 2), (Self.resumes(on: 1, 2), 3), (Self.resumes(on: 40, 3), 5)]
            for (event, count) in events {
                follower.take(event)
                Self.wait(for: UInt64(count), by: follower)
            }
            return follower.entries(at: Self.moment(40)).first { $0.uplink == nil }?.today.knownMicroseconds
        }
        #expect(known ?? 0 > 0)
    }

    @Test func `the days begin at midnight of the time zone that the system has now`() async {
        let offset = Mutex<Int64>(0)
        let counts = await onThread {
            let follower = HistoryFollower(journal: nil, in: CivilTime { _ in offset.withLock { $0 } })
            follower.take(Self.becomesFull(on: 0, 1))
            Self.wait(for: 2, by: follower)
            let now = Timestamp(microsecondsSince1970: Self.start + Self.day)
            _ = follower.entries(at: now)
            let unchanged = follower.taken
            offset.withLock { $0 = 5 * 3600 }
            _ = follower.entries(at: now)
            Self.wait(for: 3, by: follower)
            _ = follower.entries(at: now)
            return [unchanged, follower.taken]
        }
        #expect(counts == [2, 3])
    }

    @Test func `a summary that is in the journal and was published during its reading counts once`() async throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/journal"
        let point = ProbePoint(probe: "speed")
        let events = (1...3 as ClosedRange<UInt64>).map { number in
            var summary = ProbeSummary(point: point, from: Self.moment(0), to: Self.moment(0), succeeded: 1)
            var sketches = TransferSketches()
            sketches.download.add(microseconds: 1_000_000)
            summary.transfer = sketches
            let origin = EventOrigin(streamID: "abc", host: "edge-7")
            return Event(EventDraft(summary), from: origin, at: Self.moment(0), number: number)
        }
        let journal = try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
        journal.append(events.prefix(2).compactMap { JournalRecord($0) })
        #expect(journal.close(within: .seconds(30)))
        let count = await onThread {
            let follower = HistoryFollower(journal: path, in: .utc)
            // The second begins the reading; the third follows it, or waits for its end.
            follower.take(events[1])
            follower.take(events[2])
            Self.wait(for: 3, by: follower)
            return follower.transfers(of: [point], [], at: Self.moment(0))[point]?.download.count
        }
        #expect(count == 3)
    }

    @Test func `after a boot in 1970, the step to the present time keeps the state of the run`() async throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/journal"
        let boot = -Self.start / Self.day
        let stop = Self.event(.agentStopping(AgentStopping(reason: "SIGTERM")), .agentStopping, on: 0, 2)
        let events = [Self.becomesFull(on: 0, 1), stop, Self.becomesFull(on: boot, 3), Self.resumes(on: 1, 4)]
        let journal = try EventJournal(opening: JournalConfiguration(directory: path, sync: .never), now: { .now })
        journal.append(events.compactMap { JournalRecord($0) })
        #expect(journal.close(within: .seconds(30)))
        let known = await onThread {
            let follower = HistoryFollower(journal: path, in: .utc)
            follower.take(events[2])
            Self.wait(for: 2, by: follower)
            // The clock is set.
            follower.take(events[3])
            Self.wait(for: 4, by: follower)
            return follower.entries(at: Self.moment(2)).first { $0.uplink == nil }?.thirtyDays.knownMicroseconds
        }
        #expect(known == Self.day)
    }

    @Test func `a clock that was set back makes the days of the page stale`() async {
        let status = DiagnosisTests.status([], connectivity: .full)
        let dates = await onThread { () -> [CivilTime.Day?] in
            let follower = HistoryFollower(journal: nil, in: .utc)
            follower.take(Self.becomesFull(on: 0, 1))
            Self.wait(for: 2, by: follower)
            return [3, 1].map { day in
                follower.page(of: status, [], at: Self.moment(day)).calendars.first?.days.last?.date
            }
        }
        #expect(dates == [3, 1].map { CivilTime.utc.day(of: Self.moment($0)) })
    }

    @Test func `after a clock that was years ahead, days count again`() async {
        let events = [Self.becomesFull(on: 4000, 1), Self.becomesFull(on: 0, 2)]
        let known = await Self.known(on: 1, after: events, readings: 2)
        #expect(known ?? 0 > 0)
    }
}
