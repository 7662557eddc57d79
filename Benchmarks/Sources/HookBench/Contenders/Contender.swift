internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed

/// Somebody who runs a program when the network changes.
struct Contender {
    let name: String
    let path: String
    let arguments: [String]
    /// A program whose output is the other one's input.
    var source: (path: String, arguments: [String])?
    /// Whether it looks once a second, instead of being told.
    var isSlow = false
}

extension Contender {
    /// The agent's name in the report.
    static let agentName = "reachagent, [hook.bench]"

    /// The kernel's message alone, read by a process that waits for nothing else.
    static func message(_ edge: Edge) -> Contender {
        Contender(name: "message, no program", path: "/proc/self/exe", arguments: floor(edge))
    }

    /// The same, and posix_spawn(3) of the program: no check, no user, no environment, no standard input.
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

    /// The agent without settle times, so that nothing has to be taken off.
    static func agent(
        _ path: String,
        _ program: HookProgram,
        in folder: TemporaryFolder
    ) throws(BenchmarkError) -> Contender {
        let configuration = try folder.write(
            """
            [hooks]
            folders = []

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

    /// What people write: `ip monitor` piped into a loop of a shell.
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

    /// ifplugd without delays; nil where it is not installed, or may not write its file in /run.
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
