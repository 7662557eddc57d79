internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// The memory, threads and wake-ups of an idle agent without probes, with and without an HTTP port.
struct IdleBenchmark {
    /// The kinds of agents that are compared.
    enum Port: String, Codable, CaseIterable {
        case off = "[http] listen off"
        case on = "[http] listen on"
        case scraped = "on, scraped once"
    }

    let agent: String
    /// The number of agents of each kind; there are several because the memory of no two processes is the same.
    let agents: Int
    let settleSeconds: Int
    let seconds: Int
    let directory: TemporaryDirectory

    /// Measures all agents at the same time: sleeping, they do not disturb each other.
    func run(progress: (String) -> Void) throws(BenchmarkError) -> [IdleResult] {
        progress("idle: \(agents) agents of each kind, \(settleSeconds) s to settle, then \(seconds) s")
        var children: [Port: [ChildProcess]] = [:]
        for number in 0..<agents {
            for port in Port.allCases {
                children[port, default: []].append(try start(port, in: "idle-\(number)-\(port)"))
            }
        }
        sleep(UInt32(settleSeconds))
        let before = children.mapValues { $0.map { ProcessUsage(of: $0.identifier) } }
        sleep(UInt32(seconds))
        let after = children.mapValues { $0.map { ProcessUsage(of: $0.identifier) } }
        if children.values.joined().contains(where: { !$0.isRunning }) {
            throw BenchmarkError("watch the idle agents", cause: "one has ended")
        }
        return Port.allCases.map { port in
            let (earlier, later) = (before[port] ?? [], after[port] ?? [])
            return IdleResult(
                port: port,
                residentKilobytes: Spread(later.map { Double($0.residentKilobytes) }),
                proportionalKilobytes: Spread(later.map { Double($0.proportionalKilobytes) }),
                privateDirtyKilobytes: Spread(later.map { Double($0.privateDirtyKilobytes) }),
                threads: later.map(\.threads).max() ?? 0,
                wakeUps: zip(earlier, later).reduce(0) { $0 + $1.1.wakeUps(since: $1.0) }
            )
        }
    }

    private func start(_ port: Port, in name: String) throws(BenchmarkError) -> ChildProcess {
        let sockets = directory.path(of: name)
        var arguments = [
            "run", "--format", "none", "--log-level", "critical", "--journal-directory",
            directory.path(of: "\(name)-journal"), "--socket-directory", sockets,
        ]
        var number: UInt16?
        if port != .off {
            let free = try Loopback.freePort()
            let text = "[http]\nlisten = \"127.0.0.1:\(free)\"\n"
            arguments += ["--config", try directory.write(text, to: "\(name).toml")]
            number = free
        } else {
            // All kinds read a configuration file, so that they do not differ in that.
            arguments += ["--config", try directory.write("[http]\n", to: "\(name).toml")]
        }
        let child = try ChildProcess(agent, arguments, error: STDERR_FILENO)
        for _ in 0..<500 where access("\(sockets)/http.sock", F_OK) != 0 && child.isRunning { usleep(10_000) }
        guard let number, port == .scraped else { return child }
        try Loopback.waitForListener(on: number, of: child, named: agent)
        _ = try Scraper(.port(number)).page()
        return child
    }
}

/// The results of one kind of agent: medians and ranges over its processes.
struct IdleResult: Codable, Sendable {
    let port: IdleBenchmark.Port
    let residentKilobytes: Spread
    let proportionalKilobytes: Spread
    let privateDirtyKilobytes: Spread
    let threads: Int
    /// The voluntary context switches of all threads of all processes together.
    let wakeUps: UInt64
}
