import Glibc
import Sinks
import Testing

/// Every event at the broker once, and in order, whatever happens to both ends.
struct ExactlyOnceTests {
    typealias Trouble = Simulation.Trouble

    /// The number of runs for each kind of trouble; more of them with `REACHAGENT_SINK_SEEDS`.
    static let seeds = getenv("REACHAGENT_SINK_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 100

    /// Combinations whose outcome is exact.
    ///
    /// A snapshot's numbers cannot be told from others when the stream is purged, or the clock goes back, at the same
    /// time.
    static let exact: [Trouble] = [
        [], .purge, .wipe, .restore, .cursor, .clock, .filter, .large, .power,
        [.cursor, .clock, .filter], [.restore, .cursor, .filter], [.wipe, .clock, .cursor], [.large, .restore],
        [.purge, .clock], [.power, .cursor, .clock],
    ]

    @Test("no event is missing, duplicated or out of order", arguments: exact)
    func exactlyOnce(_ trouble: Trouble) throws {
        for seed in 0..<Self.seeds {
            var simulation = try Simulation(seed: seed, trouble)
            let verdict = try simulation.run(steps: 150)
            #expect(verdict == Simulation.Verdict(), "seed \(seed), trouble \(trouble.rawValue)")
        }
    }

    @Test(
        "events that the broker drops are sent again, and none is duplicated",
        arguments: [[.leader], [.full], [.leader, .full, .clock, .filter]] as [Trouble]
    )
    func passedOver(_ trouble: Trouble) throws {
        for seed in 0..<Self.seeds {
            var simulation = try Simulation(seed: seed, trouble)
            var verdict = try simulation.run(steps: 150)
            // The skipped events come late.
            verdict.isOrdered = true
            #expect(verdict == Simulation.Verdict(), "seed \(seed), trouble \(trouble.rawValue)")
        }
    }

    @Test(arguments: [[.leader, .kill], [.full, .kill], [.leader, .full, .kill, .filter]] as [Trouble])
    func `events that the broker drops are sent again also after kills`(_ trouble: Trouble) throws {
        for seed in 0..<Self.seeds {
            var simulation = try Simulation(seed: seed, trouble)
            let verdict = try simulation.run(steps: 150)
            // An event in doubt at a kill may come again after the broker has forgotten its id.
            #expect(verdict.missing.isEmpty && verdict.silent.isEmpty, "seed \(seed), trouble \(trouble.rawValue)")
            #expect(verdict.isFinished && verdict.ambiguous.isEmpty, "seed \(seed), trouble \(trouble.rawValue)")
        }
    }

    @Test(
        "events that the journal loses before they are shipped are never lost silently",
        arguments: [.expiry, [.expiry, .clock]] as [Trouble]
    )
    func expiry(_ trouble: Trouble) throws {
        for seed in 0..<Self.seeds {
            var simulation = try Simulation(seed: seed, trouble)
            let verdict = try simulation.run(steps: 150)
            #expect(verdict == Simulation.Verdict(), "seed \(seed), trouble \(trouble.rawValue)")
        }
    }

    @Test(
        "a broker that cannot be queried gets every event, some of them twice",
        arguments: [[], .clock, .filter, .large] as [Trouble]
    )
    func atLeastOnce(_ trouble: Trouble) throws {
        for seed in 0..<Self.seeds {
            var simulation = try Simulation(seed: seed, trouble, mqtt: true)
            let verdict = try simulation.run(steps: 150)
            #expect(verdict.isFinished && verdict.missing.isEmpty && verdict.ambiguous.isEmpty, "seed \(seed)")
        }
    }

    @Test("no more events are in flight than the window allows")
    func window() throws {
        for seed in 0..<50 as Range<UInt64> {
            var simulation = try Simulation(seed: seed, [])
            _ = try simulation.run(steps: 150)
            #expect(simulation.highestInFlight <= simulation.settings.window)
        }
    }
}
