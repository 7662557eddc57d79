package import BenchmarkKit
internal import Glibc

/// A running contender: a process that publishes events on order, and the process that delivers them.
package final class EventServer {
    /// The CPU of the measured processes; subscribers run on another.
    package static let cpu = 0
    package static let subscribersCPU = 1

    package let contender: FanOutContender
    private let directory: String
    private let publisher: ChildProcess
    private let orders: Pipe
    private let redis: ChildProcess?
    /// The number of the newest event that was ordered; initially, of the newest one in the journal.
    package private(set) var newest: UInt64 = 0

    /// Starts the processes; subscribers can connect when this returns.
    ///
    /// - Parameter journal: The directory of the journal that the publisher continues.
    package init(
        _ contender: FanOutContender,
        _ program: LoadProgram,
        in directory: TemporaryDirectory,
        journal: String? = nil,
        redisServer: String? = nil
    ) throws(BenchmarkError) {
        self.contender = contender
        self.directory = directory.path
        orders = try Pipe()
        let answers = try Pipe()
        for name in ["events.sock", "control.sock", "http.sock"] { unlink(directory.path(of: name)) }
        try Affinity.pin(to: Self.cpu)
        defer { try? Affinity.pin(to: Self.subscribersCPU) }
        redis = contender == .redis ? try Self.startRedis(redisServer, in: directory) : nil
        // Only the CPU time of Redis counts; its publisher runs on the CPU of the subscribers.
        if redis != nil { try Affinity.pin(to: Self.subscribersCPU) }
        let kind = contender.isOurs ? "sockets" : contender.rawValue
        publisher = try ChildProcess(
            program.path,
            ["serve", "--kind", kind, "--directory", directory.path] + (journal.map { ["--journal", $0] } ?? []),
            input: orders.readEnd,
            output: answers.writeEnd,
            error: STDERR_FILENO
        )
        answers.closeWriteEnd()
        var answer = [UInt8](repeating: 0, count: 64)
        let count = read(answers.readEnd, &answer, answer.count)
        let words = String(decoding: answer.prefix(max(0, count)), as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let newest = UInt64(words[1]) else {
            throw BenchmarkError("serve \(contender.name)", cause: "the program has ended")
        }
        self.newest = newest
    }

    deinit {
        // The publisher exits cleanly at the end of its standard input.
        orders.closeWriteEnd()
        for _ in 0..<500 where publisher.isRunning { usleep(10_000) }
        publisher.stop()
        redis?.stop()
    }

    private static func startRedis(_ path: String?, in directory: TemporaryDirectory) throws(BenchmarkError)
        -> ChildProcess
    {
        guard let path else {
            throw BenchmarkError("find 'redis-server'", cause: "it is not installed (apt-get install redis-server)")
        }
        let socket = directory.path(of: "events.sock")
        let child = try ChildProcess(
            path,
            [
                "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--maxclients", "4096",
                "--dir", directory.path, "--logfile", "/dev/null",
            ]
        )
        for _ in 0..<500 {
            if access(socket, F_OK) == 0 { return child }
            usleep(10_000)
        }
        throw BenchmarkError("start \(path)", cause: "it opens no socket")
    }

    /// The process ID of the process that delivers the events.
    package var process: Int32 { redis?.identifier ?? publisher.identifier }

    /// Connects subscribers.
    package func connect(_ count: Int, stopped: Int = 0) throws(BenchmarkError) -> Subscribers {
        try connect(count, stopped: stopped, to: contender.socket, request: contender.request)
    }

    /// Connects subscribers to one of the contender's sockets.
    package func connect(
        _ count: Int,
        stopped: Int = 0,
        to socket: String,
        request: String?
    ) throws(BenchmarkError) -> Subscribers {
        try Subscribers(of: "\(directory)/\(socket)", request: request, count: count, stopped: stopped)
    }

    /// Orders the events up to a number.
    package func publish(through last: UInt64) throws(BenchmarkError) {
        try order("through \(last)")
        newest = last
    }

    /// Orders a number of events at a rate per second.
    package func publish(_ count: Int, perSecond rate: Int) throws(BenchmarkError) {
        try order("paced \(rate) \(count)")
        newest += UInt64(count)
    }

    private func order(_ line: String) throws(BenchmarkError) {
        let bytes = Array("\(line)\n".utf8)
        guard write(orders.writeEnd, bytes, bytes.count) == bytes.count else {
            throw BenchmarkError("order '\(line)'", errno: errno)
        }
    }
}
