import Glibc
import NIOCore
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

    @Test func `4,096 attempts of one user leave room for root, the agent's user and other users`() {
        var limits = ConnectionLimits(total: 4096, ownUser: 990)
        let refusals = (0..<4096).compactMap { _ in limits.add(.user(1000)) }
        #expect(limits.count == 256)
        #expect(refusals.count == 4096 - 256 && refusals.allSatisfy { $0 == .user(limit: 256) })
        for user in [0, 990, 1001] as [UInt32] { #expect(limits.add(.user(user)) == nil) }
        limits.remove(.user(1000))
        #expect(limits.add(.user(1000)) == nil)
        #expect(limits.add(.user(1000)) == .user(limit: 256))
    }

    @Test func `any number of users leaves the reserve, and root is refused only when all is taken`() {
        var limits = ConnectionLimits(total: 4096, ownUser: 990)
        for user in 1000..<1020 as Range<UInt32> { for _ in 0..<256 { _ = limits.add(.user(user)) } }
        #expect(limits.count == 4096 - 64)
        #expect(limits.add(.user(1100)) == .all(limit: 4032))
        for number in 0..<64 { #expect(limits.add(.user(number % 2 == 0 ? 0 : 990)) == nil) }
        #expect(limits.add(.user(0)) == .all(limit: 4096))
        for user in 1000..<1020 as Range<UInt32> { for _ in 0..<300 { limits.remove(.user(user)) } }
        #expect(limits.count == 64)
        #expect(limits.add(.user(1100)) == nil)
    }

    @Test func `other hosts have a share of their own, and one of them an eighth of it`() {
        var limits = ConnectionLimits(total: 4096, ownUser: 990)
        func host(_ last: Int) -> ClientOrigin { .host(RemoteHost(network: [192, 0, 2, UInt8(last)])) }
        for _ in 0..<64 { #expect(limits.add(host(1)) == nil) }
        #expect(limits.add(host(1)) == .user(limit: 64))
        for last in 2...8 { for _ in 0..<64 { #expect(limits.add(host(last)) == nil) } }
        #expect(limits.add(host(9)) == .all(limit: 512))
        #expect(limits.add(.user(1000)) == nil)
        limits.remove(host(1))
        #expect(limits.add(host(9)) == nil)
        #expect("\(host(9))" == "the host 192.0.2.9")
        #expect("\(RemoteHost(network: [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0]))" == "2001:db8::/64")
    }

    @Test func `an IPv6 network is one host, and the link-local one another on each link`() {
        func host(_ bytes: [UInt8], link: UInt32 = 0) -> RemoteHost? {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_scope_id = link
            withUnsafeMutableBytes(of: &address.sin6_addr) { place in
                for (index, byte) in bytes.enumerated() { place[index] = byte }
                place[15] = 1
            }
            return RemoteHost(SocketAddress(address))
        }
        let global: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 7]
        #expect(host(global) == host(global + [9]))
        #expect(host(global) == host(global, link: 2))
        #expect(host(global) != host([0x20, 1, 0xD, 0xB8, 0, 0, 0, 8]))
        #expect(host(global).map { "\($0)" } == "2001:db8:0:7::/64")
        #expect(host([0xFE, 0x80], link: 2) == host([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 9], link: 2))
        #expect(host([0xFE, 0x80], link: 2) == host([0xFE, 0xBF, 1], link: 2), "all of fe80::/10")
        #expect(host([0xFE, 0x80], link: 2) != host([0xFE, 0x80], link: 3))
        #expect(host([0xFE, 0xC0], link: 2) == host([0xFE, 0xC0], link: 3))
        #expect(host([0xFE, 0x80], link: 2).map { "\($0)" } == "fe80::%2/64")
        let hosts = [host([0xFE, 0x80], link: 2), host([0xFE, 0x80], link: 3)].compactMap { $0 }
        #expect(hosts.max() == hosts.last && hosts.min() == hosts.first)
    }

    @Test func `a user's first element waits for one of each other user`() {
        var queue = FairQueue<String>()
        for number in 0..<100 { queue.add("a\(number)", of: .user(1)) }
        queue.add("b0", of: .user(2))
        queue.add("c0", of: .user(3))
        queue.add("b1", of: .user(2))
        let order = (0..<6).compactMap { _ in queue.next() }
        #expect(order == ["a0", "b0", "c0", "a1", "b1", "a2"])
        // An element that comes again stands behind the user's others.
        queue.add("a0", of: .user(1))
        var rest: [String] = []
        while let next = queue.next() { rest.append(next) }
        #expect(rest.count == 98 && rest.last == "a0" && queue.isEmpty)
    }

    @Test func `the greediest user is chosen when memory exceeds the limit, and no user below it`() {
        var memory = RequestMemory(limit: 1000)
        memory.change(.user(1), by: 600)
        memory.change(.user(2), by: 400)
        #expect(memory.greediest == nil)
        memory.change(.user(2), by: 1)
        #expect(memory.greediest == .user(1))
        memory.change(.user(1), by: -600)
        #expect(memory.greediest == nil)
        #expect(memory.total == 401)
        memory.change(.user(3), by: 2000)
        #expect(memory.greediest == .user(3))
    }

    @Test func `unread answers beyond the limit cost the greediest client its largest, and a slow reader nothing`() {
        var answers = UnreadAnswers(limit: 1000)
        answers.set(5000, of: 1, .user(1000))
        #expect(answers.total == 5000 && answers.excess == nil, "one of any size")
        for number in 2...6 { answers.set(100 * number, of: number, .user(1001)) }
        #expect(answers.excess.map { [$0.origin == .user(1001) ? 1 : 0, $0.connection] } == [1, 6])
        answers.set(0, of: 6, .user(1001))
        #expect(answers.excess == nil, "four are exempt")
        answers.set(50, of: 7, .user(1001))
        #expect(answers.excess?.connection == 5)
        answers.set(0, of: 1, .user(1000))
        #expect(answers.total == 1450 && answers.excess?.connection == 5)
        for number in 2...7 { answers.set(0, of: number, .user(1001)) }
        #expect(answers.total == 0 && answers.excess == nil)
    }
}
