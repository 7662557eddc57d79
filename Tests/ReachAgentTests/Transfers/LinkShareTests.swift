import Testing

@testable import ReachAgent

/// The detection of other traffic that needs the link of a transfer.
@Suite struct LinkShareTests {
    private static let tick = Duration.milliseconds(250)

    /// The bytes of a tick, of the transfer and of others, in kilobytes.
    private struct Tick {
        let own: Int
        let others: Int
        /// The transfer's bytes that are counted before they are on the link.
        var ahead = 0
    }

    /// Returns the number of the tick that has too much of other traffic.
    private static func run(_ ticks: [Tick], tolerated: Double = 0.2) -> Int? {
        var share = LinkShare(tolerated: tolerated)
        let start = ContinuousClock.Instant.now
        var (total, own) = (UInt64(1_000_000_000), 5000)
        _ = share.add(total: total, own: own, at: start)
        for (index, bytes) in ticks.enumerated() {
            total += UInt64((bytes.own + bytes.others) * 1000)
            own += (bytes.own + bytes.ahead) * 1000
            if share.add(total: total, own: own, at: start + tick * (index + 1)) != nil { return index }
        }
        return nil
    }

    private static func many(_ count: Int, _ tick: Tick) -> [Tick] { Array(repeating: tick, count: count) }

    @Test(
        arguments: [
            (0, 0.2, nil), (100, 0.2, nil), (249, 0.2, nil), (260, 0.2, 3), (5000, 0.2, 3), (1, 0, nil), (20, 0, 3),
            (100_000, 1, nil),
        ] as [(Int, Double, Int?)]
    )
    func `more than the tolerated share in a second is too much`(others: Int, tolerated: Double, tick: Int?) {
        #expect(Self.run(Self.many(40, Tick(own: 1000, others: others)), tolerated: tolerated) == tick)
    }

    @Test func `a whole second has to pass first`() {
        #expect(Self.run(Self.many(3, Tick(own: 0, others: 1000))) == nil)
    }

    @Test func `traffic that starts later is found within a second`() throws {
        let ticks = Self.many(40, Tick(own: 1000, others: 0)) + Self.many(8, Tick(own: 500, others: 500))
        let found = try #require(Self.run(ticks))
        #expect((40...43).contains(found))
    }

    @Test func `a little of it is always tolerated`() {
        // 64 kbit/s are 2000 bytes in a tick.
        #expect(Self.run(Self.many(40, Tick(own: 0, others: 2))) == nil)
        #expect(Self.run(Self.many(40, Tick(own: 0, others: 3))) == 3)
    }

    @Test func `bytes still in the machine's own queue count as the transfer's`() {
        // 128 kB are counted at once, and pass the link over a second after the last one was counted.
        let ticks =
            [Tick(own: 32, others: 0, ahead: 128)] + Self.many(12, Tick(own: 32, others: 0))
            + Self.many(4, Tick(own: 32, others: 0, ahead: -32))
        #expect(Self.run(ticks) == nil)
        // A queue is limited: the rest hides nothing.
        #expect(Self.run([Tick(own: 0, others: 0, ahead: 100_000)] + Self.many(8, Tick(own: 32, others: 400))) != nil)
    }

    @Test func `counters that restart are not traffic`() {
        var share = LinkShare(tolerated: 0.2)
        let start = ContinuousClock.Instant.now
        for index in 0..<20 {
            let total: UInt64 = index >= 10 ? 5 : 1_000_000
            #expect(share.add(total: total, own: 10, at: start + Self.tick * index) == nil)
        }
    }
}
