internal import BenchmarkKit
internal import Glibc
internal import StreamTestbed

/// The replay of the whole journal to new clients while more events are published.
struct ReplayBenchmark {
    static let clientCounts = [1, 10]
    /// The number of events that are published meanwhile, per second.
    static let liveRate = 100

    let program: LoadProgram
    let directory: TemporaryDirectory
    let journal: SampleJournal
    let rounds: Int

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [ReplayResult] {
        try Affinity.pin(to: EventServer.subscribersCPU)
        defer { try? Affinity.release() }
        let socat = Executable.find("socat")
        var results: [ReplayResult] = []
        for clients in Self.clientCounts {
            var ours: [ReplayMeasurement] = []
            var peers: [ReplayMeasurement] = []
            for round in 0..<(clients == 1 ? rounds : 1) {
                progress("replay, \(journal.form.rawValue), clients: \(clients), round \(round + 1)")
                ours.append(try replay(to: clients))
                if clients == 1, let socat { peers.append(try copy(with: socat)) }
            }
            results.append(ReplayResult("subscribe since_seq", journal.form, clients: clients, ours))
            guard !peers.isEmpty else { continue }
            let name = journal.form == .plain ? "cat | socat" : "zstd -dc | socat"
            results.append(ReplayResult(name, journal.form, clients: clients, peers))
        }
        return results
    }

    private func replay(to clients: Int) throws(BenchmarkError) -> ReplayMeasurement {
        let server = try EventServer(.control, program, in: directory, journal: journal.directory)
        let newest = server.newest
        // This subscriber is connected before the replay, which must not affect it.
        let live = Followers(try server.connect(1, to: "events.sock", request: nil), first: newest + 1)
        try live.awaitFirstLines()
        try server.publish(1_000_000, perSecond: Self.liveRate)
        let before = ProcessUsage(of: server.process)
        let start = MonotonicClock.nanoseconds
        let replaying = try server.connect(
            clients,
            to: "control.sock",
            request: #"{"method":"subscribe","parameters":{"since_seq":0},"more":true}"# + "\n"
        )
        let followers = Followers(replaying, first: 1)
        followers.setGoal(newest)
        while !followers.hasReachedGoal {
            guard try followers.read(milliseconds: 10_000) else {
                throw BenchmarkError("replay the journal", cause: "nothing comes any more")
            }
            try live.read(milliseconds: 0)
        }
        let nanoseconds = MonotonicClock.nanoseconds - start
        let after = ProcessUsage(of: server.process)
        // From the journal to live events: the same ones for all subscribers.
        let later = newest + nanoseconds / (1_000_000_000 / UInt64(Self.liveRate)) + 20
        followers.setGoal(later)
        live.setGoal(later)
        while !followers.hasReachedGoal || !live.hasReachedGoal {
            let hasRead = try followers.read(milliseconds: 1000)
            guard try live.read(milliseconds: 0) || hasRead else {
                throw BenchmarkError("go on after the replay", cause: "nothing comes any more")
            }
        }
        return ReplayMeasurement(
            megabytesPerSecond: journal.bytesPerLine * Double(newest) * Double(clients) * 1000 / Double(nanoseconds),
            cpuSeconds: Double(after.cpuNanoseconds(since: before)) / 1e9,
            privateMegabytes: Double(after.privateDirtyKilobytes) / 1024,
            faults: followers.faults + live.faults,
            liveP99Milliseconds: live.latencies.microseconds(atPercentile: 99) / 1000
        )
    }

    /// Copies the files through a pipe into a socket; the subscriber checks them in the same way.
    private func copy(with socat: String) throws(BenchmarkError) -> ReplayMeasurement {
        let path = directory.path(of: "copy.sock")
        unlink(path)
        try Affinity.pin(to: EventServer.cpu)
        let shell = try ChildProcess(
            "/bin/sh",
            ["-c", "{ \(journal.catCommand); } | \(socat) -b 262144 -u - UNIX-LISTEN:\(path)"],
            error: STDERR_FILENO
        )
        try Affinity.pin(to: EventServer.subscribersCPU)
        for _ in 0..<500 where access(path, F_OK) != 0 { usleep(10_000) }
        let start = MonotonicClock.nanoseconds
        let followers = Followers(try Subscribers(of: path, request: nil, count: 1), first: 1)
        try followers.follow(through: journal.count)
        let nanoseconds = MonotonicClock.nanoseconds - start
        shell.stop()
        return ReplayMeasurement(
            megabytesPerSecond: journal.bytesPerLine * Double(journal.count) * 1000 / Double(nanoseconds),
            cpuSeconds: .nan,
            privateMegabytes: .nan,
            faults: followers.faults,
            liveP99Milliseconds: .nan
        )
    }
}

/// The result of one replay.
struct ReplayMeasurement: Codable, Sendable {
    /// The throughput of journal bytes to all clients together.
    let megabytesPerSecond: Double
    let cpuSeconds: Double
    let privateMegabytes: Double
    /// The number of unexpected sequence numbers, at the clients and at the live subscriber.
    let faults: Int
    /// The latency from publishing an event to the live subscriber.
    let liveP99Milliseconds: Double
}

/// The results of all rounds of one kind.
struct ReplayResult: Codable, Sendable {
    let name: String
    let form: SampleJournal.Storage
    let clients: Int
    let megabytesPerSecond: Spread
    let cpuSeconds: Double
    let privateMegabytes: Double
    let faults: Int
    let liveP99Milliseconds: Double

    init(_ name: String, _ form: SampleJournal.Storage, clients: Int, _ rounds: [ReplayMeasurement]) {
        self.name = name
        self.form = form
        self.clients = clients
        megabytesPerSecond = Spread(rounds.map(\.megabytesPerSecond))
        cpuSeconds = Spread(rounds.map(\.cpuSeconds)).median
        privateMegabytes = rounds.map(\.privateMegabytes).max() ?? .nan
        faults = rounds.reduce(0) { $0 + $1.faults }
        liveP99Milliseconds = Spread(rounds.map(\.liveP99Milliseconds)).median
    }
}
