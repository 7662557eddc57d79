internal import NetworkTestbed

/// Who is measured: how it is started, and how an edge is recognised in what it tells.
struct Listener: Sendable {
    enum Source: Sendable {
        /// A program with these arguments, whose standard output is read, and whose standard error is ours or nobody's.
        case program(path: String, arguments: [String], showsErrors: Bool)
        /// A netlink socket in the benchmark itself, in these groups: what the kernel and the wake-up take alone.
        case socket(groups: UInt32)
    }

    let name: String
    let source: Source
    let recognizer: EventReader.Recognizer
}

extension Listener {
    static let agentName = "reachagent run"

    /// The agent, without settle times; the edge counts that the kernel reported.
    static func agent(_ path: String) -> Listener {
        Listener(
            name: agentName,
            source: .program(
                path: path,
                arguments: [
                    "run", "--format", "json", "--settle-up", "0", "--settle-down", "0", "--no-journal", "--no-sockets",
                ],
                showsErrors: true
            ),
            recognizer: Recognizers.agent
        )
    }

    /// `ip -o monitor` for these objects, such as "link route".
    static func ipMonitor(_ ip: IPCommand, _ objects: String, for edge: Edge) -> Listener {
        Listener(
            name: "ip -o monitor \(objects)",
            source: .program(
                path: ip.path,
                arguments: ["-o", "monitor"] + objects.split(separator: " ").map(String.init),
                // In a flood it tells again and again that it loses messages; the misses are counted here.
                showsErrors: false
            ),
            recognizer: edge == .carrier ? Recognizers.ipLink : Recognizers.ipDefaultRoute
        )
    }

    /// The benchmark's own socket.
    static func rawSocket(for edge: Edge) -> Listener {
        Listener(
            name: "raw socket",
            source: .socket(groups: KernelMessage.group(for: edge)),
            recognizer: { KernelMessage.isUp($0, after: edge) }
        )
    }
}
