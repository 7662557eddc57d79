internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import NetworkTestbed

/// A listener at work.
final class RunningListener {
    let name: String
    private let reader: EventReader
    private let child: ChildProcess?
    /// Its program's process id; `nil` for a socket of the benchmark's own.
    var identifier: Int32? { child?.identifier }

    /// Starts it in the calling thread's network namespace.
    init(_ listener: Listener) throws(BenchmarkError) {
        name = listener.name
        switch listener.source {
        case .program(let path, let arguments, let showsErrors):
            let pipe = try Pipe()
            let own = dup(pipe.readEnd)
            guard own >= 0, fcntl(own, F_SETFD, FD_CLOEXEC) == 0 else {
                throw BenchmarkError("read from \(path)", errno: errno)
            }
            child = try ChildProcess(
                path,
                arguments,
                output: pipe.writeEnd,
                error: showsErrors ? STDERR_FILENO : -1
            )
            reader = EventReader(descriptor: own, framing: .lines, recognizer: listener.recognizer)
        case .socket(let groups):
            let descriptor = testbed_open_route_socket(groups)
            guard descriptor >= 0 else { throw BenchmarkError("open a netlink socket", errno: errno) }
            child = nil
            reader = EventReader(descriptor: descriptor, framing: .datagrams, recognizer: listener.recognizer)
        }
    }

    /// Makes edges until the listener shows them: from then on it listens.
    ///
    /// Ends with the state up.
    func warmUp(_ testbed: Testbed, _ edge: Edge) throws(BenchmarkError) {
        var seenInARow = 0
        for _ in 0..<100 {
            for isUp in [false, true] {
                try testbed.set(edge, isUp: isUp)
                seenInARow = reader.waitForEdge(isUp: isUp, milliseconds: 100) == nil ? 0 : seenInARow + 1
            }
            if seenInARow >= 4 { return pause(testbed) }
            if let child, !child.isRunning { break }
        }
        throw BenchmarkError("measure '\(name)'", cause: "it does not tell of any edge")
    }

    /// Makes one edge; the nanoseconds until the listener told of it, or `nil` when it did not within two seconds.
    func time(_ testbed: Testbed, _ edge: Edge, isUp: Bool) throws(BenchmarkError) -> UInt64? {
        let started = try testbed.set(edge, isUp: isUp)
        guard let seen = reader.waitForEdge(isUp: isUp, milliseconds: 2000) else { return nil }
        return seen > started ? seen - started : nil
    }

    /// Lets everybody come to rest, never in step with a timer, and forgets what else was told.
    func pause(_ testbed: Testbed) {
        usleep(.random(in: testbed.pauseMicroseconds * 4 / 5...testbed.pauseMicroseconds * 6 / 5))
        reader.forget()
    }

    /// Ends it.
    ///
    /// A socket of the benchmark's own ends with the value.
    func stop() { child?.stop() }
}
