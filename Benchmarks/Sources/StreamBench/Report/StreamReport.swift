internal import BenchmarkKit
internal import StreamTestbed

/// The results of one run.
struct StreamReport: BenchmarkReport, Codable, Sendable {
    /// The version of the schema, which changes when the meaning of a field does.
    var schema = 1
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    var memoryMegabytes = Host.memoryMegabytes
    /// The machine's load averages before the run, which reveal other activity.
    var loadBefore = Host.load
    var loadAfter = ""
    /// The directory of the journals, and its file system.
    let directory: String
    let fileSystem: String
    /// The versions of the peers by name, or the reasons that they are missing.
    var peers: [String: String] = [:]
    var fanOut: [FanOutResult] = []
    var edges: [EdgeResult] = []
    var recording: [RecordingResult] = []
    var replay: [ReplayResult] = []
    var history: [HistoryResult] = []
    var verdicts: [Verdict] = []

    init(directory: String) {
        self.directory = directory
        fileSystem = FileSystem.name(of: directory)
    }
}
