internal import BenchmarkKit
internal import Glibc

/// The built `reachagent-sink` beside a built agent, when everything is shipped.
struct ProgramAtRest: Encodable {
    var residentKilobytes: UInt64
    var privateDirtyKilobytes: UInt64
    var threads: Int
    var wakeUps: UInt64
    var seconds: Int

    static func measure(
        _ programs: String,
        port: UInt16,
        seconds: Int,
        _ directory: TemporaryDirectory
    ) throws(BenchmarkError) -> ProgramAtRest {
        let configuration = try directory.write(
            "[sink.bench]\nurl = \"nats://127.0.0.1:\(port)\"\ndevice = \"real\"\n",
            to: "reachagent.toml"
        )
        let run = directory.path(of: "run")
        let agent = try ChildProcess(
            "\(programs)/reachagent",
            [
                "run", "--format", "none", "--config", configuration, "--socket-directory", run, "--journal-directory",
                directory.path(of: "journal"),
            ],
            error: STDERR_FILENO
        )
        try wait(for: "the agent's list of sinks", agent) { access("\(run)/sinks.json", R_OK) == 0 }
        let state = directory.path(of: "sinks")
        let sink = try ChildProcess(
            "\(programs)/reachagent-sink",
            ["--runtime-directory", run, "--state-directory", state],
            error: STDERR_FILENO
        )
        // The cursor is saved when events were acknowledged.
        try wait(for: "the first events", sink) { access("\(state)/bench.cursor", R_OK) == 0 }
        // The last report is made up to ten seconds later.
        sleep(15)
        let before = ProcessUsage(of: sink.identifier)
        sleep(UInt32(seconds))
        let after = ProcessUsage(of: sink.identifier)
        sink.stop()
        agent.stop()
        return ProgramAtRest(
            residentKilobytes: after.residentKilobytes,
            privateDirtyKilobytes: after.privateDirtyKilobytes,
            threads: after.threads,
            wakeUps: after.wakeUps(since: before),
            seconds: seconds
        )
    }

    private static func wait(for what: String, _ child: ChildProcess, _ holds: () -> Bool) throws(BenchmarkError) {
        for _ in 0..<3000 {
            if holds() { return }
            guard child.isRunning else { break }
            usleep(10_000)
        }
        throw BenchmarkError("wait for \(what)", cause: "it did not come")
    }
}
