import Testing

@testable import StateSocket

/// Shares of connections, turns and memory, without a socket.
struct ConnectionLimitsTests {
    @Test(
        arguments: [
            (1, 0, 1), (4, 1, 3), (16, 4, 8), (100, 25, 8), (4096, 64, 256), (100_000, 64, 6250),
        ]
    )
    func `each user has a sixteenth, and some connections are kept for root and the agent's user`(
        total: Int,
        reserve: Int,
        perUser: Int
    ) {
        let limits = ConnectionLimits(total: total, ownUser: 990)
        #expect((limits.reserve, limits.perUser) == (reserve, perUser))
    }

    @Test func `4,096 attempts of one user leave room for root, the agent's user and everybody else`() {
        var limits = ConnectionLimits(total: 4096, ownUser: 990)
        let refusals = (0..<4096).compactMap { _ in limits.add(1000) }
        #expect(limits.count == 256)
        #expect(refusals.count == 4096 - 256 && refusals.allSatisfy { $0 == .user(limit: 256) })
        for user in [0, 990, 1001] as [UInt32] { #expect(limits.add(user) == nil) }
        limits.remove(1000)
        #expect(limits.add(1000) == nil)
        #expect(limits.add(1000) == .user(limit: 256))
    }

    @Test func `any number of users leaves the reserve, and root is refused only when all is taken`() {
        var limits = ConnectionLimits(total: 4096, ownUser: 990)
        for user in 1000..<1020 as Range<UInt32> { for _ in 0..<256 { _ = limits.add(user) } }
        #expect(limits.count == 4096 - 64)
        #expect(limits.add(1100) == .all(limit: 4032))
        for number in 0..<64 { #expect(limits.add(number % 2 == 0 ? 0 : 990) == nil) }
        #expect(limits.add(0) == .all(limit: 4096))
        for user in 1000..<1020 as Range<UInt32> { for _ in 0..<300 { limits.remove(user) } }
        #expect(limits.count == 64)
        #expect(limits.add(1100) == nil)
    }

    @Test func `a user's first element waits for one of each other user`() {
        var queue = FairQueue<String>()
        for number in 0..<100 { queue.add("a\(number)", of: 1) }
        queue.add("b0", of: 2)
        queue.add("c0", of: 3)
        queue.add("b1", of: 2)
        let order = (0..<6).compactMap { _ in queue.next() }
        #expect(order == ["a0", "b0", "c0", "a1", "b1", "a2"])
        // What comes again stands behind the user's others.
        queue.add("a0", of: 1)
        var rest: [String] = []
        while let next = queue.next() { rest.append(next) }
        #expect(rest.count == 98 && rest.last == "a0" && queue.isEmpty)
    }

    @Test func `too much memory is the greediest user's, and nobody's when it is enough`() {
        var memory = RequestMemory(limit: 1000)
        memory.change(1, by: 600)
        memory.change(2, by: 400)
        #expect(memory.greediest == nil)
        memory.change(2, by: 1)
        #expect(memory.greediest == 1)
        memory.change(1, by: -600)
        #expect(memory.greediest == nil)
        #expect(memory.total == 401)
        memory.change(3, by: 2000)
        #expect(memory.greediest == 3)
    }
}
