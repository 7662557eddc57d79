internal import NetworkTestbed

/// A listener that is measured: the source of its output, and the recognizer of edges in it.
struct Listener: Sendable {
    enum Source: Sendable {
        /// A program with these arguments; its standard output is read, its standard error inherited or discarded.
        case program(path: String, arguments: [String], showsErrors: Bool)
        /// A netlink socket in the benchmark itself, in these groups: the time of the kernel and the wake-up alone.
        case socket(groups: UInt32)
    }

    let name: String
    let source: Source
    let recognizer: EventReader.Recognizer
}

extension Listener {
    static let agentName = "reachagent run"

    /// Returns the agent, without settle times; an edge is recognized by the event that follows the kernel's message.
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

    /// Returns `ip -o monitor` for these objects, such as "link route".
    static func ipMonitor(_ ip: IPCommand, _ objects: String, for edge: Edge) -> Listener {
        Listener(
            name: "ip -o monitor \(objects)",
            source: .program(
                path: ip.path,
                arguments: ["-o", "monitor"] + objects.split(separator: " ").map(String.init),
                // During a flood it keeps reporting that it loses messages; the missed edges are counted here.
                showsErrors: false
            ),
            recognizer: edge == .carrier ? Recognizers.ipLink : Recognizers.ipDefaultRoute
        )
    }

    /// Returns the benchmark's own socket.
    static func rawSocket(for edge: Edge) -> Listener {
        Listener(
            name: "raw socket",
            source: .socket(groups: KernelMessage.group(for: edge)),
            recognizer: { KernelMessage.isUp($0, after: edge) }
        )
    }
}
