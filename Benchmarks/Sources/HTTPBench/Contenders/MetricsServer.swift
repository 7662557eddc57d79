internal import BenchmarkKit
internal import StreamTestbed

/// A program that serves `/metrics`, and its name in the report.
///
/// The program is terminated when this object is deallocated.
final class MetricsServer {
    let name: String
    let isOurs: Bool
    let address: MetricsAddress
    private let child: ChildProcess

    init(_ name: String, isOurs: Bool = false, at address: MetricsAddress, of child: ChildProcess) {
        self.name = name
        self.isOurs = isOurs
        self.address = address
        self.child = child
    }

    /// The resource usage of the program.
    var usage: ProcessUsage { ProcessUsage(of: child.identifier) }

    /// Starts a program on the CPU of the measured processes.
    ///
    /// - Parameter error: The descriptor for its standard error; -1 for /dev/null.
    static func start(
        _ path: String,
        _ arguments: [String],
        error: Int32 = -1
    ) throws(BenchmarkError) -> ChildProcess {
        try Affinity.pin(to: EventServer.cpu)
        defer { try? Affinity.pin(to: EventServer.subscribersCPU) }
        return try ChildProcess(path, arguments, error: error)
    }
}
