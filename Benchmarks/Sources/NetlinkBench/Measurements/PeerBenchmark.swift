internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import NetworkTestbed

/// The carrier's edges as a consumer of systemd-networkd's hears of them: over D-Bus, printed by `gdbus monitor`.
///
/// The daemon has a bus and a /run of its own, and no configuration: it manages nothing and only tells.
struct PeerBenchmark {
    let testbed: Testbed
    let edges: Int

    private static let daemonPaths = ["/usr/lib/systemd/systemd-networkd", "/lib/systemd/systemd-networkd"]
    private static let busSocket = "/run/dbus/system_bus_socket"

    func run(progress: (String) -> Void) throws(BenchmarkError) -> [LatencyResult] {
        guard let daemonPath = Self.daemonPaths.first(where: { access($0, X_OK) == 0 }),
            let bus = Executable.find("dbus-daemon"), let monitor = Executable.find("gdbus")
        else {
            progress("peers: left out, as systemd-networkd, dbus-daemon or gdbus is not installed")
            return []
        }
        guard geteuid() == 0, ProcFile.read("/proc/self/uid_map")?.contains("4294967295") == true else {
            progress("peers: left out, as only root can start systemd-networkd")
            return []
        }
        progress("peers: systemd-networkd")
        try BenchmarkError.check(testbed_hide_host(), "hide the host's /run")
        mkdir("/run/dbus", 0o755)
        let busDaemon = try ChildProcess(bus, ["--system", "--nofork", "--nopidfile"])
        defer { busDaemon.stop() }
        for _ in 0..<300 where access(Self.busSocket, F_OK) != 0 { usleep(10_000) }
        let daemon = try ChildProcess(daemonPath, [])
        defer { daemon.stop() }
        sleep(2)
        return [try measure(monitor)]
    }

    private func measure(_ monitor: String) throws(BenchmarkError) -> LatencyResult {
        let listener = Listener(
            name: "systemd-networkd, D-Bus",
            source: .program(
                path: monitor,
                arguments: ["monitor", "--system", "--dest", "org.freedesktop.network1"],
                showsErrors: false
            ),
            recognizer: Recognizers.networkd
        )
        let running = try RunningListener(listener)
        defer { running.stop() }
        try running.warmUp(testbed, .carrier)
        var collector = LatencyStatistics.Collector()
        var isUp = true
        for _ in 0..<edges {
            isUp.toggle()
            collector.record(try running.time(testbed, .carrier, isUp: isUp))
            running.pause(testbed)
        }
        if !isUp { try testbed.set(.carrier, isUp: true) }
        return LatencyResult(edge: .carrier, listener: listener.name, latency: collector.statistics)
    }
}
