internal import BenchmarkKit
internal import StreamTestbed

/// Everything that one run has measured.
struct StreamReport: BenchmarkReport, Codable, Sendable {
    /// Changes when the meaning of a field does.
    var schema = 1
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    var memoryMegabytes = Host.memoryMegabytes
    /// What else the machine had to do.
    var loadBefore = Host.load
    var loadAfter = ""
    /// Where the journals are, and on which file system.
    let directory: String
    let fileSystem: String
    /// The peers' versions, by name, or why they are missing.
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
