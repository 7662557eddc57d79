import Glibc
import LinuxSupport
import Synchronization
import Testing

@testable import Probes

/// A lookup that hangs until the test lets it go, as getaddrinfo(3) does with a dead name server.
private final class Blocker: Sendable {
    struct State {
        var calls: [String] = []
        var isOpen = false
    }

    let state = Monitor(State())
    private let (begun, beginning) = AsyncStream<String>.makeStream()

    func query(_ name: String, _ family: HostAddress.Family) -> Result<[HostAddress], HostLookupFailure> {
        state.withLock { $0.calls.append(name) }
        beginning.yield(name)
        if name.hasPrefix("stuck") { state.wait { $0.isOpen ? .done(()) : .sleep(nil) } }
        return .failure(HostLookupFailure(.dnsNXDomain, reason: name))
    }

    /// Returns once the lookup of `name` has begun.
    func hasBegun(_ name: String) async {
        for await begun in begun where begun == name { return }
    }

    func open() {
        state.withLock { $0.isOpen = true }
        state.wakeAll()
    }
    var calls: [String] { state.withLock { $0.calls } }
}

/// A network whose name server answers the first lookup with NXDOMAIN, and only when the test says; that of its
/// successor answers at once.
private final class OldNetwork: Sendable {
    static let successor = Result<[HostAddress], HostLookupFailure>.failure(
        HostLookupFailure(.dnsNoAddress, reason: "the new network's answer")
    )

    private let calls = Mutex(0)
    private let gate = Monitor(false)
    private let (begun, beginning) = AsyncStream<Void>.makeStream()

    func query(_ name: String, _ family: HostAddress.Family) -> Result<[HostAddress], HostLookupFailure> {
        let isFirst = calls.withLock { calls in
            calls += 1
            return calls == 1
        }
        guard isFirst else { return Self.successor }
        beginning.yield()
        gate.wait { isOpen in isOpen ? .done(()) : .sleep(nil) }
        return .failure(HostLookupFailure(.dnsNXDomain, reason: "the old network's answer"))
    }

    /// Returns once the first lookup has begun.
    func hasLookup() async { for await _ in begun { return } }

    func open() {
        gate.withLock { $0 = true }
        gate.wakeAll()
    }
}

@Suite
struct LookupPoolTests {
    private func answer(_ resolver: SystemResolver, _ name: String) async -> Result<[HostAddress], HostLookupFailure> {
        await withCheckedContinuation { continuation in
            _ = resolver.lookUp(name, family: .ipv4) { continuation.resume(returning: $0) }
        }
    }

    @Test
    func `the system's resolver knows localhost`() async throws {
        let addresses = try await answer(SystemResolver(), "localhost").get()
        #expect(addresses.map(\.description) == ["127.0.0.1"])
    }

    @Test
    func `a stuck lookup does not keep others waiting`() async {
        let blocker = Blocker()
        defer { blocker.open() }
        let resolver = SystemResolver(maximumLookups: 2, query: blocker.query)
        _ = resolver.lookUp("stuck", family: .ipv4) { _ in }
        await blocker.hasBegun("stuck")
        for name in ["a", "b", "c"] { _ = await answer(resolver, name) }
        #expect(blocker.calls == ["stuck", "a", "b", "c"])
    }

    @Test
    func `a lookup behind stuck ones says so, and is never made after it was abandoned`() async {
        let blocker = Blocker()
        let resolver = SystemResolver(maximumLookups: 1, query: blocker.query)
        let first = resolver.lookUp("stuck", family: .ipv4) { _ in }
        let second = resolver.lookUp("second", family: .ipv4) { _ in Issue.record("nobody wants this answer") }
        #expect(!first.isWaiting)
        #expect(second.isWaiting)
        second.abandon()
        #expect(!second.isWaiting)
        blocker.open()
        _ = await answer(resolver, "third")
        #expect(blocker.calls == ["stuck", "third"])
    }

    @Test
    func `equal lookups share one, and one asker may leave`() async {
        let blocker = Blocker()
        let resolver = SystemResolver(maximumLookups: 4, query: blocker.query)
        let gone = resolver.lookUp("stuck", family: .ipv4) { _ in Issue.record("the asker left") }
        await withCheckedContinuation { continuation in
            let answers = Mutex(0)
            for _ in 0..<2 {
                _ = resolver.lookUp("stuck", family: .ipv4) { _ in
                    let count = answers.withLock { count in
                        count += 1
                        return count
                    }
                    if count == 2 { continuation.resume() }
                }
            }
            gone.abandon()
            blocker.open()
        }
        #expect(blocker.calls == ["stuck"])
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `a check after a change gets no answer of a lookup that began before it`(wasAbandoned: Bool) async {
        let network = OldNetwork()
        let resolver = SystemResolver(maximumLookups: 4, query: network.query)
        let old = resolver.lookUp("host.test", family: .ipv4) { _ in }
        await network.hasLookup()
        if wasAbandoned { old.abandon() } else { resolver.renewLookups() }
        // The new lookup answers while the old one still hangs.
        let fresh = await answer(resolver, "host.test")
        network.open()
        #expect(fresh == OldNetwork.successor)
    }

    @Test
    func `a full queue fails a lookup at once`() async {
        let blocker = Blocker()
        defer { blocker.open() }
        let resolver = SystemResolver(maximumLookups: 1, query: blocker.query)
        _ = resolver.lookUp("stuck", family: .ipv4) { _ in }
        for number in 0..<LookupQueue.maximumWaiting { _ = resolver.lookUp("n\(number)", family: .ipv4) { _ in } }
        let refused = await answer(resolver, "one too many")
        #expect(refused == .failure(HostLookupFailure(.resolverBusy, reason: "1024 lookups wait already")))
    }

    @Test(arguments: [
        (EAI_NONAME, FindingCode.dnsNXDomain), (-5, .dnsNoAddress), (-9, .dnsNoAddress), (EAI_AGAIN, .dnsTimeout),
        (EAI_FAIL, .dnsFailure), (EAI_MEMORY, .resourcesExhausted), (EAI_SYSTEM, .resourcesExhausted),
    ])
    func `each status of the resolver has its code`(status: CInt, code: FindingCode) {
        #expect(SystemLookup.failure(status, systemError: EMFILE, after: .seconds(5)).code == code)
    }

    /// The C library answers the text of an address without a name server.
    @Test(arguments: [
        ("2001:db8::7", nil), ("::ffff:0:192.0.2.7", nil), ("64:ff9b::192.0.2.7", nil),
        ("::ffff:192.0.2.7", "the answer holds only IPv4-mapped addresses, such as ::ffff:192.0.2.7"),
    ])
    func `an IPv4-mapped address is no IPv6 address of a name`(address: String, reason: String?) {
        switch SystemLookup.addresses(of: address, family: .ipv6) {
        case .success(let addresses): #expect(reason == nil && addresses.count == 1)
        case .failure(let failure): #expect(failure.code == .dnsNoAddress && failure.reason == reason)
        }
    }

    @Test(arguments: ["127.0.0.1\0.host.test", "127.0.0.1\0", "\0"])
    func `a name with a zero byte is not looked up as the part before it`(name: String) {
        let failure = HostLookupFailure(.dnsNXDomain, reason: "the name holds a zero byte")
        #expect(SystemLookup.addresses(of: name, family: .ipv4) == .failure(failure))
    }

    @Test
    func `a name server that failed at once was not silent`() {
        #expect(SystemLookup.failure(EAI_AGAIN, systemError: 0, after: .milliseconds(3)).code == .dnsFailure)
    }
}
