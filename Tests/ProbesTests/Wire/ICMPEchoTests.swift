import EventLoopExecutor
import Glibc
import NIOCore
import NIOPosix
import Probes
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ICMPEchoTests {
    private static let loop = MultiThreadedEventLoopGroup.singleton.next()

    private func send(_ echo: ICMPEcho, timeout: Duration = .seconds(20)) async -> ICMPEcho.Outcome {
        await withCheckedContinuation { continuation in
            _ = echo.start(on: LoopGate(Self.loop), timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Returns `true` when the kernel lets this process send echoes: it has a group in the range (icmp(7)).
    private func isPermitted(by range: String) -> Bool {
        let bounds = range.split(separator: " ").compactMap { UInt32($0) }
        guard bounds.count == 2 else { return false }
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = getgroups(Int32(groups.count), &groups)
        let own = groups.prefix(Int(max(0, count))) + [getegid()]
        return own.contains { $0 >= bounds[0] && $0 <= bounds[1] }
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `this machine replies, or the kernel does not permit the echo`(address: String) async throws {
        let target = try #require(WireEndpoint(address, port: 0))
        let range = try #require(ICMPPermission.groupRange)
        for interface in [nil, "lo"] {
            let outcome = await send(ICMPEcho(target: target, interface: interface))
            if isPermitted(by: range) {
                let reply = try #require(outcome.reply, "\(outcome.finding?.description ?? "")")
                #expect(outcome.finding == nil)
                #expect(reply.address == address)
                #expect(reply.size == 64)
                #expect(reply.roundTrip > .zero)
                #expect((1...255).contains(try #require(reply.hopLimit)))
            } else {
                #expect(outcome.reply == nil)
                #expect(outcome.finding?.code == .icmpNotPermitted)
                let expected = "net.ipv4.ping_group_range is '\(range)', and this process has group \(getegid())"
                #expect(outcome.finding?.evidence == expected)
            }
        }
    }

    @Test
    func `an unknown interface is a finding where echoes are permitted`() async throws {
        let target = try #require(WireEndpoint("127.0.0.1", port: 0))
        let range = try #require(ICMPPermission.groupRange)
        let finding = await send(ICMPEcho(target: target, interface: "no-such-link")).finding
        #expect(finding?.code == (isPermitted(by: range) ? .interfaceUnknown : .icmpNotPermitted))
    }

    @Test
    func `many echoes at once find their own replies`() async throws {
        let target = try #require(WireEndpoint("127.0.0.1", port: 0))
        let range = try #require(ICMPPermission.groupRange)
        let replies = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { await send(ICMPEcho(target: target)).reply != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(replies == (isPermitted(by: range) ? 100 : 0))
    }

    @Test
    func `an echo is cancelled before it begins, and completes once`() async throws {
        let target = try #require(WireEndpoint("127.0.0.1", port: 0))
        let (outcomes, continuation) = AsyncStream.makeStream(of: ICMPEcho.Outcome.self)
        // The loop is held until the cancellation is in its queue, behind the beginning; so the reply comes too late.
        let exchange = try await Self.loop.submit {
            let echo = ICMPEcho(target: target)
            let exchange = echo.start(on: LoopGate(Self.loop), timeout: .seconds(60)) { continuation.yield($0) }
            exchange.cancel()
            return exchange
        }.get()
        exchange.cancel()
        var iterator = outcomes.makeAsyncIterator()
        let finding = await iterator.next()?.finding
        #expect(finding?.code == .cancelled || finding?.code == .icmpNotPermitted)
        try await Self.loop.submit { continuation.finish() }.get()
        #expect(await iterator.next() == nil)
    }
}
