import EventLoopExecutor
import NIOCore
import NIOPosix
import ProbeTestKit
import Probes
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DNSQueryTests {
    private static let loop = MultiThreadedEventLoopGroup.singleton.next()
    private static let name = "www.host.test"

    private func ask(
        port: Int,
        type: DNSRecordType = .a,
        address: String = "127.0.0.1",
        interface: String? = nil,
        timeout: Duration = .seconds(20)
    ) async throws -> DNSQuery.Outcome {
        let server = try #require(WireEndpoint(address, port: UInt16(clamping: port)))
        let question = DNSMessage.Question(name: try DNSName(parsing: Self.name), type: type)
        let query = DNSQuery(server: server, question: question, interface: interface)
        return await withCheckedContinuation { continuation in
            _ = query.start(on: LoopGate(Self.loop), timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Asks a server with a script once.
    private func ask(
        _ steps: [ResolverStep],
        type: DNSRecordType = .a,
        timeout: Duration = .seconds(20)
    ) async throws -> (outcome: DNSQuery.Outcome, queries: [RecordedQuery]) {
        let resolver = try await ScriptedResolver.start(steps)
        let outcome = try await ask(port: resolver.port, type: type, timeout: timeout)
        await resolver.shutDown()
        return (outcome, resolver.queries)
    }

    @Test
    func `an answer by UDP has its records, flags, size and times`() async throws {
        let (outcome, queries) = try await ask([.answer([.address("192.0.2.7")], flags: 0x0420)])
        let reply = try #require(outcome.reply)
        #expect(outcome.finding == nil)
        #expect(reply.lines == ["www.host.test. 300 IN A 192.0.2.7"])
        #expect(reply.flags == ["aa", "ra", "ad"])
        #expect(reply.transport == .udp)
        #expect(reply.size == 12 + 15 + 4 + 16)
        #expect(reply.roundTrip > .zero)
        #expect(reply.localAddress?.addressText == "127.0.0.1")
        #expect(reply.text == "NOERROR aa ra ad 47 bytes by udp\nwww.host.test. 300 IN A 192.0.2.7")
        #expect(queries.map(\.name) == ["www.host.test."])
        #expect(queries.map(\.type) == [1])
        #expect(queries.map(\.isByTCP) == [false])
    }

    @Test
    func `a name server is queried over IPv6 as well`() async throws {
        let resolver = try await ScriptedResolver.start([.answer([.address("2001:db8::7")])], address: "::1")
        let outcome = try await ask(port: resolver.port, type: .aaaa, address: "::1")
        await resolver.shutDown()
        #expect(outcome.reply?.lines == ["www.host.test. 300 IN AAAA 2001:db8::7"])
    }

    @Test
    func `a truncated answer is requested again by TCP`() async throws {
        let (outcome, queries) = try await ask([.truncated, .answer([.address("192.0.2.7")])])
        #expect(outcome.finding == nil)
        #expect(outcome.reply?.transport == .tcp)
        #expect(queries.map(\.isByTCP) == [false, true])
        #expect(Set(queries.map(\.bytes)).count == 1)
    }

    @Test(arguments: ResolverStep.Forgery.allCases)
    func `a datagram that is not the answer is ignored`(forgery: ResolverStep.Forgery) async throws {
        let (outcome, queries) = try await ask([.forged(forgery, then: .answer([.address("192.0.2.7")]))])
        #expect(outcome.reply?.lines == ["www.host.test. 300 IN A 192.0.2.7"])
        #expect(queries.count == 1)
    }

    @Test
    func `forgeries alone end in a timeout that counts them`() async throws {
        let (outcome, queries) = try await ask([.forged(.id, then: .silence)], timeout: .seconds(3))
        #expect(outcome.reply == nil)
        #expect(outcome.finding?.code == .dnsTimeout)
        #expect(outcome.finding?.evidence.hasSuffix("2 queries sent, 2 other datagrams ignored") == true)
        #expect(queries.count == 2)
    }

    @Test
    func `a lost query is sent once more`() async throws {
        let (outcome, queries) = try await ask([.silence, .answer([.address("192.0.2.7")])], timeout: .seconds(3))
        #expect(outcome.finding == nil)
        #expect(queries.count == 2)
        #expect(Set(queries.map(\.bytes)).count == 1, "the same id, so that either answer counts")
    }

    @Test(
        arguments: [
            (3, .dnsNXDomain, "NXDOMAIN"), (2, .dnsRcode, "SERVFAIL"), (5, .dnsRcode, "REFUSED"),
            (15, .dnsRcode, "RCODE15"),
        ] as [(UInt8, FindingCode, String)]
    )
    func `a response code is a finding, and the reply is there`(code: UInt8, expected: FindingCode, name: String)
        async throws
    {
        let outcome = try await ask([.answer([], code: code)]).outcome
        #expect(outcome.finding?.code == expected)
        #expect(outcome.finding?.evidence.contains("answered \(name) to the query for A") == true)
        #expect(outcome.reply?.message.responseCode.rawValue == UInt16(code))
    }

    @Test(arguments: [1, 4] as [UInt8])
    func `a server without EDNS is asked again without it`(code: UInt8) async throws {
        let (outcome, queries) = try await ask([.notExtended(code: code, then: .answer([.address("192.0.2.7")]))])
        #expect(outcome.finding == nil)
        #expect(outcome.reply?.lines == ["www.host.test. 300 IN A 192.0.2.7"])
        let extended = try queries.filter { try DNSMessage.decode($0.bytes).isExtended }
        #expect(extended.count >= 1 && extended.count < queries.count)
        // A late answer to the first query is not one to the second.
        #expect(Set(queries.map { $0.bytes.prefix(2) }).count == 2)
    }

    @Test
    func `an error without a question is the answer of a server without EDNS too`() async throws {
        let refusal = ResolverStep.bytes { $0.prefix(2) + [0x80, 1] + [UInt8](repeating: 0, count: 8) }
        let (outcome, queries) = try await ask([refusal])
        #expect(outcome.finding?.evidence.contains("answered FORMERR") == true)
        // The second refusal is the answer: it is not asked for ever.
        #expect(try queries.last.map { try DNSMessage.decode($0.bytes).isExtended } == false)
    }

    @Test
    func `an error of a server with EDNS is not asked for again`() async throws {
        // The query with the response's flag and code: EDNS's record is at its end.
        let (outcome, queries) = try await ask([.bytes { $0.prefix(2) + [0x81, 0x81] + $0.dropFirst(4) }])
        #expect(outcome.finding?.evidence.contains("answered FORMERR") == true)
        #expect(try queries.allSatisfy { try DNSMessage.decode($0.bytes).isExtended })
    }

    @Test
    func `a long answer without EDNS comes by TCP`() async throws {
        let (outcome, queries) = try await ask([.notExtended(then: .truncated)])
        #expect(outcome.reply?.transport == .tcp)
        #expect(try queries.last.map { try DNSMessage.decode($0.bytes).isExtended } == false)
    }

    @Test
    func `aliases are followed, and one that leads nowhere is named`() async throws {
        let chain: [ResolverRecord] = [
            .address("192.0.2.7", name: "c.test"), .alias("b.test"), .alias("C.test", name: "B.test"),
        ]
        #expect(try await ask([.answer(chain)]).outcome.finding == nil)
        let broken = try await ask([.answer(Array(chain.dropFirst()))]).outcome.finding
        #expect(broken?.code == .dnsNoAnswer)
        let evidence = "no A record for C.test., after www.host.test. CNAME b.test., B.test. CNAME C.test."
        #expect(broken?.evidence.hasSuffix(evidence) == true)
        let loop: [ResolverRecord] = [.alias("b.test"), .alias(Self.name, name: "b.test")]
        #expect(try await ask([.answer(loop)]).outcome.finding?.code == .dnsNoAnswer)
    }

    @Test(arguments: [(32, nil), (33, FindingCode.dnsNoAnswer)])
    func `a chain of aliases has an end`(count: Int, code: FindingCode?) async throws {
        var chain: [ResolverRecord] = [.alias("1.test")]
        for number in 1..<count { chain.append(.alias("\(number + 1).test", name: "\(number).test")) }
        chain.append(.address("192.0.2.7", name: "\(count).test"))
        #expect(try await ask([.answer(chain)]).outcome.finding?.code == code)
    }

    @Test
    func `a record of another name or type is not an answer`() async throws {
        let other = try await ask([.answer([.address("192.0.2.7", name: "other.test")])]).outcome
        #expect(other.finding?.code == .dnsNoAnswer)
        let type = try await ask([.answer([.address("192.0.2.7")])], type: .aaaa).outcome
        #expect(type.finding?.code == .dnsNoAnswer)
        #expect(type.reply != nil)
    }

    @Test(arguments: [DNSRecordType.a, .any])
    func `a record of another class is not an answer`(type: DNSRecordType) async throws {
        var record = ResolverRecord.address("192.0.2.7")
        record.recordClass = 3
        let outcome = try await ask([.answer([record])], type: type).outcome
        #expect(outcome.finding?.code == .dnsNoAnswer)
        #expect(outcome.reply?.lines == ["www.host.test. 300 CLASS3 A \\# 4 c0000207"])
        #expect(try await ask([.answer([record, .address("192.0.2.8")])], type: type).outcome.finding == nil)
    }

    @Test
    func `an answer by UDP may exceed the size that was offered`() async throws {
        let text = ResolverRecord(type: DNSRecordType.txt.rawValue, data: [200] + [UInt8](repeating: 0x61, count: 200))
        let records = [ResolverRecord](repeating: text, count: 300)
        let (outcome, queries) = try await ask([.answer(records)], type: .txt)
        #expect(outcome.finding == nil)
        #expect(outcome.reply?.lines.count == 300)
        #expect(outcome.reply?.transport == .udp)
        #expect(queries.count == 1)
    }

    @Test(
        arguments: [
            ([.address("192.0.2.7")], nil), ([.alias("b.test")], nil), ([], .dnsNoAnswer),
            ([.address("192.0.2.7", name: "other.test")], .dnsNoAnswer),
        ] as [([ResolverRecord], FindingCode?)]
    )
    func `a record of whatever type answers the question for any`(records: [ResolverRecord], code: FindingCode?)
        async throws
    {
        #expect(try await ask([.answer(records)], type: .any).outcome.finding?.code == code)
    }

    @Test
    func `an answer whose records cannot be decoded is malformed`() async throws {
        let step = ResolverStep.bytes { query in
            // The query with the response's flag and one answer promised, of which nothing follows but EDNS's record.
            query.prefix(2) + [0x81, 0x80, 0, 1, 0, 9] + query.dropFirst(8)
        }
        let finding = try await ask([step]).outcome.finding
        #expect(finding?.code == .dnsMalformed)
        #expect(finding?.evidence.contains("the message ends too early") == true)
    }

    @Test
    func `by TCP a wrong answer and an early end are findings`() async throws {
        let forged = try await ask([.truncated, .forged(.id, then: .silence)]).outcome.finding
        #expect(forged?.code == .dnsMalformed)
        let closed = try await ask([.truncated, .close]).outcome.finding
        #expect(closed?.code == .connectionClosed)
        let silent = try await timingOut(
            after: .milliseconds(200),
            where: { $0?.evidence.hasSuffix("by UDP and TCP") == true }
        ) { timeout in
            try await ask([.truncated, .silence], timeout: timeout).outcome.finding
        }
        #expect(silent?.code == .dnsTimeout)
        #expect(silent?.evidence.hasSuffix("by UDP and TCP") == true)
    }

    @Test
    func `a port without a listener refuses`() async throws {
        let resolver = try await ScriptedResolver.start([.silence])
        await resolver.shutDown()
        #expect(try await ask(port: resolver.port).finding?.code == .connectRefused)
    }

    @Test
    func `an interface is bound to, and an unknown one is a finding`() async throws {
        let resolver = try await ScriptedResolver.start([.answer([.address("192.0.2.7")])])
        let bound = try await ask(port: resolver.port, interface: "lo")
        let unknown = try await ask(port: resolver.port, interface: "no-such-link")
        let tooLong = try await ask(port: resolver.port, interface: "longer-than-any-link")
        await resolver.shutDown()
        #expect(bound.finding == nil)
        #expect(unknown.finding?.code == .interfaceUnknown)
        #expect(tooLong.finding?.code == .interfaceUnknown)
        #expect(resolver.queries.count == 1)
    }

    @Test
    func `a cancelled query ends at once, and only once`() async throws {
        let resolver = try await ScriptedResolver.start([.silence])
        let server = try #require(WireEndpoint("127.0.0.1", port: UInt16(clamping: resolver.port)))
        let question = DNSMessage.Question(name: try DNSName(parsing: Self.name), type: .a)
        let (outcomes, continuation) = AsyncStream.makeStream(of: DNSQuery.Outcome.self)
        let query = DNSQuery(server: server, question: question)
        let exchange = query.start(on: LoopGate(Self.loop), timeout: .seconds(3600)) { continuation.yield($0) }
        await resolver.received(queries: 1)
        exchange.cancel()
        exchange.cancel()
        var iterator = outcomes.makeAsyncIterator()
        #expect(await iterator.next()?.finding?.code == .cancelled)
        try await Self.loop.submit { continuation.finish() }.get()
        #expect(await iterator.next() == nil)
        await resolver.shutDown()
    }
}
