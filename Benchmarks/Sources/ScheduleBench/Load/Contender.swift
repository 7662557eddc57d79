internal import ArgumentParser

/// Who makes the probes.
enum Contender: String, Codable, Sendable, CaseIterable, ExpressibleByArgument {
    /// Our scheduler.
    case scheduler
    /// A thread for each probe, which sleeps until its next round.
    case threads

    var name: String {
        switch self {
        case .scheduler: "ProbeScheduler"
        case .threads: "a thread for each"
        }
    }
}
