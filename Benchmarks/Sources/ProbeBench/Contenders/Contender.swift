internal import BenchmarkKit

/// Who makes probes, in a process of its own.
enum Contender: String, Sendable, CaseIterable, Codable {
    /// This project's library.
    case probes
    /// This project's library, with an evaluator for each probe that has not met the server before.
    case probesAnew = "probes-anew"
    /// curl, one process for all probes of a round.
    case curl
    /// Go's net/http with as many processors as it likes.
    case go
    /// Go's net/http with GOMAXPROCS=1: one thread of Go code, as ours has one event loop.
    case goSingle = "go-1"
    /// prometheus-blackbox-exporter.
    case blackbox

    /// What the report calls it.
    var name: String {
        switch self {
        case .probes: "Probes"
        case .probesAnew: "Probes, trust anew"
        case .curl: "curl"
        case .go: "Go net/http"
        case .goSingle: "Go net/http, GOMAXPROCS=1"
        case .blackbox: "blackbox_exporter"
        }
    }
}

/// What every contender is given to do.
struct Load: Sendable {
    let url: String
    /// The certificates to trust, in PEM.
    let caFile: String
    /// Probes that are measured.
    let count: Int
    /// Probes that go before, where the contender can tell them apart.
    let warmUp: Int
    /// Probes under way at a time.
    let concurrency: Int
}

/// A contender that can be measured.
protocol LoadGenerator {
    var contender: Contender { get }
    /// The program's name and version.
    var version: String { get }

    /// Makes the probes, and says what they cost.
    func run(_ load: Load) throws(BenchmarkError) -> Measurement
}

/// What one contender did in one round.
struct Measurement: Codable, Sendable {
    let summary: LoadSummary
    /// The most memory that its process ever had resident.
    let peakResidentKilobytes: UInt64
}
