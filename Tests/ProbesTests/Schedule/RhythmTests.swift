import Testing

@testable import Probes

@Suite struct RhythmTests {
    private let epoch = ContinuousClock.Instant.now
    private let pace = ProbePace(interval: .seconds(60))

    private func next(
        after base: Duration,
        _ cadence: Cadence = .steady,
        cost: LinkCost = .free,
        hash: UInt64 = 30_000_000_000,
        seed: UInt64 = 1,
        now: Duration? = nil
    ) -> Rhythm.Occurrence {
        Rhythm(epoch: epoch, seed: seed).next(
            after: epoch + base,
            pace: pace,
            cost: cost,
            cadence: cadence,
            hash: hash,
            now: epoch + (now ?? base)
        )
    }

    @Test(arguments: [
        // On the grid (30 s into each minute), it stays there.
        (30, 90), (90, 150),
        // Off the grid, the first place that is more than a fast interval away.
        (89, 150), (87, 90), (31, 90), (100, 150), (0, 30),
    ])
    func `a steady round is on the grid of its phase`(base: Int, expected: Int) {
        let round = next(after: .seconds(base))
        #expect(round.base == epoch + .seconds(expected))
        #expect(round.missed == 0)
    }

    @Test(arguments: [
        (Cadence.doubtful, 2), (.down(attempt: 0), 2), (.down(attempt: 1), 4), (.down(attempt: 4), 32),
        (.down(attempt: 5), 60), (.down(attempt: .max), 60), (.down(attempt: .min), 2), (.portal, 10),
    ])
    func `another round is one interval after the one before`(cadence: Cadence, seconds: Int) {
        #expect(next(after: .seconds(7), cadence).base == epoch + .seconds(7 + seconds))
    }

    @Test(arguments: [(0, 0, 90), (59, 0, 90), (60, 1, 150), (119, 1, 150), (120, 2, 210), (3600, 60, 3690)])
    func `rounds whose time has passed are counted and left out`(after: Int, missed: Int, expected: Int) {
        let round = next(after: .seconds(30), now: .seconds(30 + after))
        #expect(round.missed == missed)
        #expect(round.base == epoch + .seconds(expected))
    }

    @Test func `jitter is within three per cent, spread, and the same for the same seed`() {
        var offsets: [Duration] = []
        for index in 0..<2000 {
            let base = Duration.seconds(30 + 60 * index)
            let round = next(after: base)
            #expect(round == next(after: base))
            offsets.append(round.due - round.base)
        }
        #expect(offsets.allSatisfy { abs($0.clampedNanoseconds) <= 1_800_000_000 })
        #expect((offsets.min() ?? .zero) < .milliseconds(-1700) && (offsets.max() ?? .zero) > .milliseconds(1700))
        #expect(Set(offsets).count > 1990)
        #expect(next(after: .zero).due != next(after: .zero, seed: 2).due)
    }

    @Test func `jitter makes no round earlier than now or than a fast interval`() {
        // The place is 100 ms away, and half of all seeds would have it earlier than that.
        for seed in 0..<200 {
            let late = next(after: .seconds(30), seed: UInt64(seed), now: .milliseconds(89_900))
            #expect(late.due >= epoch + .milliseconds(89_900))
            let joining = next(after: .milliseconds(87_900), seed: UInt64(seed))
            #expect(joining.base == epoch + .seconds(90))
            #expect(joining.due >= epoch + .milliseconds(89_900))
        }
    }

    @Test func `a costly link stretches the steady interval only`() {
        let cost = LinkCost(intervalFactor: 10)
        #expect(next(after: .seconds(30), cost: cost).base == epoch + .seconds(630))
        #expect(next(after: .seconds(30), .doubtful, cost: cost).base == epoch + .seconds(32))
        #expect(next(after: .seconds(30), .portal, cost: cost).base == epoch + .seconds(40))
        #expect(next(after: .seconds(30), .down(attempt: 9), cost: cost).base == epoch + .seconds(90))
    }

    @Test func `the largest settings do not overflow`() {
        let pace = ProbePace(interval: .seconds(Int64.max), maximumBackoff: .seconds(Int64.max))
        let rhythm = Rhythm(epoch: epoch, seed: 1)
        for cadence in [Cadence.steady, .doubtful, .down(attempt: 20), .portal] {
            for base in [epoch, epoch + .seconds(Int64.max / 4), epoch - .seconds(Int64.max / 4)] {
                let round = rhythm.next(
                    after: base,
                    pace: pace,
                    cost: LinkCost(intervalFactor: .max),
                    cadence: cadence,
                    hash: .max,
                    now: base
                )
                #expect(round.missed >= 0)
            }
        }
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .seconds(-1), .seconds(Int64.min)])
    func `a pace that is too short counts as 100 ms, set at any time`(time: Duration) {
        var pace = ProbePace(interval: time, fastInterval: time, maximumBackoff: time, portalInterval: time)
        let shortest = ProbePace(interval: .milliseconds(100))
        #expect(pace == shortest)
        pace = ProbePace()
        pace.interval = time
        pace.fastInterval = time
        pace.maximumBackoff = time
        pace.portalInterval = time
        #expect(pace == shortest)
        pace.maximumBackoff = .seconds(Int64.max)
        #expect(pace.interval(.down(attempt: 20)) == .milliseconds(100) * (1 << 20))
    }

    @Test func `phases are spread over the interval and depend on identity and vantage alone`() {
        let hashes = (0..<10_000).map { Rhythm.hash(CheckKey(.sample("p\($0)"))) }
        var counts = [Int](repeating: 0, count: 60)
        for hash in hashes { counts[Int(hash % 60_000_000_000 / 1_000_000_000)] += 1 }
        // 167 on the average; a fair spread stays within five standard deviations.
        #expect(counts.allSatisfy { (102...232).contains($0) })
        let key = CheckKey(.sample("a", identity: "same"))
        #expect(Rhythm.hash(key) == Rhythm.hash(CheckKey(.sample("b", identity: "same"))))
        #expect(
            Rhythm.hash(key) != Rhythm.hash(CheckKey(.sample("a", identity: "same", vantage: Vantage(interface: "w"))))
        )
        // Written down once: a new version must not move anybody's phase.
        #expect(Rhythm.hash(CheckKey(.sample("web"))) == 4_019_599_921_278_624_073)
    }
}
