internal import ArgumentParser

/// A contender that schedules the probes.
enum Contender: String, Codable, Sendable, CaseIterable, ExpressibleByArgument {
    /// This project's scheduler.
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
