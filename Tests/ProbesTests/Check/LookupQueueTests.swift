import AgentTestKit
import Testing

@testable import Probes

/// Lookups that start and end when the test says.
private final class Lookups {
    private var queue: LookupQueue

    init(maximum: Int) { queue = LookupQueue(maximumRunning: maximum) }

    static func question(_ name: String, _ family: HostAddress.Family = .ipv4) -> LookupQueue.Question {
        LookupQueue.Question(name: name, family: family)
    }

    func add(
        _ name: String,
        _ family: HostAddress.Family = .ipv4
    ) throws -> (ticket: LookupQueue.Ticket, job: LookupQueue.Job?) {
        let added = queue.add(Self.question(name, family)) { _ in }
        let (ticket, job) = try #require(added)
        return (ticket, job)
    }

    /// Adds a question whose lookup starts, and whose client leaves.
    func hang(_ name: String) throws -> LookupQueue.Job {
        let (ticket, job) = try add(name)
        abandon(ticket)
        return try #require(job)
    }

    /// Ends a lookup, and returns the number of clients that get its answer.
    func end(_ job: LookupQueue.Job) -> Int { queue.remove(job).count }

    func next() -> LookupQueue.Job? { queue.takeNext() }
    func abandon(_ ticket: LookupQueue.Ticket) { queue.abandon(ticket) }
    func changeNetwork() { queue.supersedeAll() }
    func isWaiting(_ ticket: LookupQueue.Ticket) -> Bool { queue.isWaiting(ticket) }
}

@Suite
struct LookupQueueTests {
    @Test
    func `a running lookup is joined while a client waits for it`() throws {
        let lookups = Lookups(maximum: 16)
        let first = try lookups.add("a")
        let second = try lookups.add("a")
        lookups.abandon(first.ticket)
        let third = try lookups.add("a")
        #expect(second.job == nil && third.job == nil)
        #expect(lookups.end(try #require(first.job)) == 2)
    }

    @Test
    func `a running lookup whose clients have left is not joined`() throws {
        let lookups = Lookups(maximum: 16)
        let old = try lookups.hang("a")
        let fresh = try lookups.add("a")
        let job = try #require(fresh.job)
        #expect(job != old)
        #expect(lookups.end(old) == 0)
        // The end of the old lookup changes nothing for the new one, which is still joined.
        #expect(try lookups.add("a").job == nil)
        #expect(lookups.end(job) == 2)
    }

    @Test
    func `after a change of the network a lookup answers the clients that it has, and no others`() throws {
        let lookups = Lookups(maximum: 16)
        let old = try lookups.add("a")
        lookups.changeNetwork()
        let fresh = try lookups.add("a")
        #expect(lookups.end(try #require(old.job)) == 1)
        #expect(lookups.end(try #require(fresh.job)) == 1)
    }

    @Test
    func `a queued lookup is joined after a change of the network, because it has not asked yet`() throws {
        let lookups = Lookups(maximum: 1)
        let running = try lookups.add("a")
        _ = try lookups.add("b")
        lookups.changeNetwork()
        _ = try lookups.add("b")
        _ = lookups.end(try #require(running.job))
        let next = try #require(lookups.next())
        #expect(lookups.end(next) == 2)
        #expect(lookups.next() == nil)
    }

    @Test
    func `a name with two superseded lookups waits for the end of one, and other names do not`() throws {
        let lookups = Lookups(maximum: 16)
        let old = try [lookups.hang("a"), lookups.hang("a")]
        let held = try lookups.add("a")
        #expect(held.job == nil)
        // Its own name hangs, not the resolver.
        #expect(!lookups.isWaiting(held.ticket))
        #expect(try lookups.add("b").job != nil)
        #expect(lookups.next() == nil)
        // The old answer is not the new client's.
        #expect(lookups.end(old[1]) == 0)
        let next = try #require(lookups.next())
        #expect(next.question == Lookups.question("a"))
        #expect(lookups.end(next) == 1)
    }

    @Test
    func `the families of a name do not wait for each other`() throws {
        let lookups = Lookups(maximum: 16)
        _ = try (lookups.hang("a"), lookups.hang("a"))
        #expect(try lookups.add("a", .ipv6).job != nil)
    }

    @Test
    func `names that hang leave a quarter of the threads to other names`() throws {
        let lookups = Lookups(maximum: 16)
        let names = (0..<8).map { "hung\($0)" }
        for name in names { _ = try lookups.hang(name) }
        let again = try names.map { try lookups.add($0) }
        #expect(again.filter { $0.job != nil }.count == 4)
        let others = try (0..<5).map { try lookups.add("other\($0)") }
        #expect(others.map { $0.job != nil } == [true, true, true, true, false])
        #expect(lookups.isWaiting(others[4].ticket))
        #expect(!lookups.isWaiting(again[7].ticket))
        // A name without superseded lookups precedes those that waited before it.
        _ = lookups.end(try #require(again[0].job))
        #expect(lookups.next()?.question == Lookups.question("other4"))
        #expect(lookups.next() == nil)
    }

    @Test
    func `a queued lookup is never made after its client left`() throws {
        let lookups = Lookups(maximum: 1)
        let old = try lookups.hang("a")
        for name in ["a", "b"] { lookups.abandon(try lookups.add(name).ticket) }
        _ = lookups.end(old)
        #expect(lookups.next() == nil)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `each queued lookup gets its turn, in any order of starts, ends and changes`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let lookups = Lookups(maximum: 4)
        var (running, tickets): ([LookupQueue.Job], [LookupQueue.Ticket]) = ([], [])
        for _ in 0..<1000 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                let name = "n\(Int.random(in: 0..<6, using: &random))"
                let (ticket, job) = try lookups.add(name)
                tickets.append(ticket)
                if let job { running.append(job) }
            case 4: if let ticket = tickets.randomElement(using: &random) { lookups.abandon(ticket) }
            case 5: lookups.changeNetwork()
            default:
                guard !running.isEmpty else { break }
                _ = lookups.end(running.remove(at: Int.random(in: 0..<running.count, using: &random)))
                if let next = lookups.next() { running.append(next) }
                // The thread that became free was the only one.
                #expect(lookups.next() == nil)
            }
            let ofOne = Dictionary(grouping: running, by: \.question).values.map(\.count).max() ?? 0
            #expect(running.count <= 4 && ofOne <= LookupQueue.maximumSuperseded + 1)
        }
        while let job = running.popLast() {
            _ = lookups.end(job)
            if let next = lookups.next() { running.append(next) }
        }
        #expect(tickets.allSatisfy { !lookups.isWaiting($0) })
    }
}
