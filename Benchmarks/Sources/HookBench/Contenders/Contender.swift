internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// A contender that runs a program when the network changes.
struct Contender {
    let name: String
    let path: String
    let arguments: [String]
    /// The program whose standard output is the contender's standard input, if there is one.
    var source: (path: String, arguments: [String])?
    /// A Boolean value that indicates whether the contender polls once a second instead of receiving notifications.
    var isSlow = false
}

extension Contender {
    /// The agent's name in the report.
    static let agentName = "reachagent, [hook.bench]"

    /// Returns a process that waits only for the kernel's message, and runs no program.
    static func message(_ edge: Edge) -> Contender {
        Contender(name: "message, no program", path: "/proc/self/exe", arguments: floor(edge))
    }

    /// Returns the same with posix_spawn(3) of the program: no check, user, environment or standard input of its own.
    static func spawn(_ program: HookProgram, _ edge: Edge) -> Contender {
        Contender(
            name: "message, posix_spawn",
            path: "/proc/self/exe",
            arguments: floor(edge) + ["--program", program.path]
        )
    }

    private static func floor(_ edge: Edge) -> [String] {
        let fifo = getenv(HookProgram.variable).map { String(cString: $0) } ?? ""
        return ["floor", "--edge", edge.rawValue, "--fifo", fifo]
    }

    /// Returns the agent without settle times, so that nothing has to be subtracted.
    static func agent(
        _ path: String,
        _ program: HookProgram,
        in directory: TemporaryDirectory
    ) throws(BenchmarkError) -> Contender {
        let configuration = try directory.write(
            """
            [hooks]
            directories = []

            [hook.bench]
            command = ["\(program.path)"]
            on = ["reachability.changed"]
            environment = { \(HookProgram.variable) = "\(program.fifo)" }

            """,
            to: "reachagent.toml"
        )
        return Contender(
            name: agentName,
            path: path,
            arguments: [
                "run", "--config", configuration, "--format", "json", "--settle-up", "0", "--settle-down", "0",
                "--no-journal", "--no-sockets",
            ]
        )
    }

    /// Returns the usual script: `ip monitor` piped into a shell loop.
    static func shell(_ ip: IPCommand, _ program: HookProgram, _ edge: Edge) -> Contender {
        let (objects, up, down) =
            switch edge {
            case .carrier: ("link", "*dut0*LOWER_UP*", "*dut0*")
            case .defaultRoute: ("route", "default*", "'Deleted default'*")
            }
        let script = """
            while read -r line; do
                case $line in
                    \(up)) '\(program.path)' up ;;
                    \(down)) '\(program.path)' down ;;
                esac
            done
            """
        return Contender(
            name: "ip -o monitor \(objects) | sh",
            path: "/bin/sh",
            arguments: ["-c", script],
            source: (ip.path, ["-o", "monitor", objects])
        )
    }

    /// Returns ifplugd without delays; `nil` if it is not installed, or without root, which its file in /run requires.
    static func ifplugd(_ program: HookProgram) -> Contender? {
        guard let path = Executable.find("ifplugd"), Host.isRoot else { return nil }
        return Contender(
            name: "ifplugd -u0 -d0",
            path: path,
            arguments: [
                "--no-daemon", "--no-beep", "--no-auto", "--no-startup", "--no-shutdown", "--delay-up=0",
                "--delay-down=0",
                "--iface=dut0", "--run=\(program.path)",
            ],
            isSlow: true
        )
    }
}
