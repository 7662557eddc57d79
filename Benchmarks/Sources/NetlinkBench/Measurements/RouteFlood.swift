internal import ArgumentParser
internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// A process that adds or deletes many routes; this program itself, with the hidden subcommand `flood`.
final class RouteFlood {
    enum Operation: String, Sendable, ExpressibleByArgument {
        case add, delete
    }

    private let child: ChildProcess

    /// Starts the flood in the calling thread's network namespace, and waits until it is about to send its first route.
    init(_ operation: Operation, routes: Int) throws(BenchmarkError) {
        let pipe = try Pipe()
        child = try ChildProcess(
            "/proc/self/exe",
            ["flood", operation.rawValue, "--routes", "\(routes)"],
            output: pipe.writeEnd,
            error: STDERR_FILENO
        )
        pipe.closeWriteEnd()
        var byte: UInt8 = 0
        guard read(pipe.readEnd, &byte, 1) == 1 else {
            throw BenchmarkError("flood the kernel with routes", cause: "the flood did not start")
        }
    }

    var isRunning: Bool { child.isRunning }

    func waitForEnd() throws(BenchmarkError) {
        let status = child.waitForEnd()
        guard status == 0 else {
            throw BenchmarkError("flood the kernel with routes", cause: "the flood ended with status \(status)")
        }
    }
}

/// The flood's own process: `netlink-bench flood add --routes 200000`.
struct FloodCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flood",
        abstract: "Add or delete /32 routes in the current network namespace.",
        shouldDisplay: false
    )

    private static let routesPerBatch = 500
    /// 10.0.0.1; the routes count upwards from here.
    private static let firstAddress: UInt32 = 0x0A00_0001

    @Argument var operation: RouteFlood.Operation
    @Option var routes: Int

    func run() throws {
        let socket = try RequestSocket()
        var first = Self.firstAddress
        let end = first + UInt32(routes)
        // One byte tells the parent that it begins.
        guard write(STDOUT_FILENO, "\n", 1) == 1 else { throw ExitCode.failure }
        while first < end {
            let batch = first..<min(end, first + UInt32(Self.routesPerBatch))
            try socket.perform(
                .hostRoutes(add: operation == .add, addresses: batch, interface: Testbed.interfaceIndex),
                "\(operation.rawValue) routes"
            )
            first = batch.upperBound
        }
    }
}
