internal import BenchmarkKit

/// A contender that makes probes, in a process of its own.
enum Contender: String, Sendable, CaseIterable, Codable {
    /// This project's library.
    case probes
    /// This project's library, with a new trust evaluator for each probe, which has nothing cached of the server.
    case probesAnew = "probes-anew"
    /// curl, one process for all probes of a round.
    case curl
    /// Go's net/http with the default GOMAXPROCS.
    case go
    /// Go's net/http with GOMAXPROCS=1: one thread of Go code, as ours has one event loop.
    case goSingle = "go-1"
    /// prometheus-blackbox-exporter.
    case blackbox

    /// The name in the report.
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

/// The load that every contender generates.
struct Load: Sendable {
    let url: String
    /// The file of the certificates to trust, in PEM.
    let caFile: String
    /// The number of measured probes.
    let count: Int
    /// The number of probes before them, where the contender can separate the two.
    let warmUp: Int
    /// The number of concurrent probes.
    let concurrency: Int
}

/// A contender that can be measured.
protocol LoadGenerator {
    var contender: Contender { get }
    /// The program's name and version.
    var version: String { get }

    /// Makes the probes, and returns their cost.
    func run(_ load: Load) throws(BenchmarkError) -> Measurement
}

/// The result of one contender in one round.
struct Measurement: Codable, Sendable {
    let summary: LoadSummary
    /// The peak resident set size of its process.
    let peakResidentKilobytes: UInt64
}
