import AgentTestKit
import Foundation
import Testing

/// A user, network and mount namespace that a test made for itself: a whole network stack without any privilege.
///
/// It lives as long as a process that holds it, which ends with this object. Commands run in it as its root.
final class NetworkNamespace: Sendable {
    /// The reason that no namespace can be made here; `nil` when one can.
    static let obstacle: String? = {
        do {
            _ = try NetworkNamespace()
            return nil
        } catch {
            return "no user and network namespace can be made here: \(error)"
        }
    }()

    /// The reason that no namespace with the machine's own root can be made here; `nil` when one can.
    static let obstacleForRoot: String? = {
        guard geteuid() == 0 else { return "only root can become another user" }
        let map = (try? String(contentsOfFile: "/proc/self/uid_map", encoding: .utf8)) ?? ""
        guard map.split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"] else {
            return "the tests run in a user namespace, where there may be no other user"
        }
        do {
            _ = try NetworkNamespace(root: .machine)
            return nil
        } catch {
            return "no network namespace can be made here: \(error)"
        }
    }()

    /// The user that is root in the namespace.
    enum Root {
        /// The user that runs the tests: in the namespace there is no other user.
        case caller
        /// The machine's root, which requires that the tests run as root: all users exist.
        case machine
    }

    private let holder: SpawnedProgram
    /// The end of the holder's input, which ends with the tests, however they end.
    private let input: FileHandle
    private let root: Root

    init(root: Root = .caller) throws {
        self.root = root
        // sysfs shows the namespace of the process that mounts it.
        let script = "mount -t sysfs sysfs /sys && ip link set lo up && echo ready && exec cat"
        let user = root == .caller ? ["--user", "--map-root-user"] : []
        let (commands, output) = (Pipe(), Pipe())
        let ends = (input: commands.fileHandleForReading, output: output.fileHandleForWriting)
        input = commands.fileHandleForWriting
        holder = try SpawnedProgram(
            "/usr/bin/unshare",
            user + ["--net", "--mount", "sh", "-c", script],
            descriptors: [ends.input.fileDescriptor, ends.output.fileDescriptor, ends.output.fileDescriptor]
        )
        try ends.input.close()
        try ends.output.close()
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard answer.hasPrefix("ready") else {
            throw CommandFailure(command: "unshare", status: -1, output: answer)
        }
    }

    deinit {
        kill(holder.processIdentifier, SIGTERM)
        holder.wait()
    }

    /// Starts a program in the namespace with its standard input, output and error.
    ///
    /// Its id is the program's own.
    func start(_ program: String, _ arguments: [String], descriptors: [Int32]) throws -> SpawnedProgram {
        try SpawnedProgram("/usr/bin/nsenter", words(program, arguments), descriptors: descriptors)
    }

    /// Returns the arguments of nsenter(1) for a program to run in the namespace.
    private func words(_ program: String, _ arguments: [String]) -> [String] {
        let user = root == .caller ? ["--preserve-credentials", "--user"] : []
        return user + ["--net", "--mount", "--target", "\(holder.processIdentifier)", "--", program] + arguments
    }

    /// A shell command that becomes a program in the namespace.
    func command(_ program: String, _ arguments: [String]) -> String {
        let words = ["/usr/bin/nsenter"] + words(program, arguments)
        return "exec " + words.map { "'\($0.replacing("'", with: #"'\''"#))'" }.joined(separator: " ")
    }

    /// Runs a program in the namespace to its end, whatever its status, while the tests' threads do something else.
    func finished(_ program: String, _ arguments: [String], patience: UInt32 = 60) async throws -> FinishedCommand {
        try await FinishedCommand.run(words(program, arguments), of: "/usr/bin/nsenter", patience: patience)
    }

    /// Runs a shell script in the namespace and gives its output.
    @discardableResult
    func run(_ script: String) throws -> String {
        let output = Pipe()
        let (input, end) = (try Self.nothing, output.fileHandleForWriting)
        let program = try start(
            "/bin/sh",
            ["-e", "-c", script],
            descriptors: [input.fileDescriptor, end.fileDescriptor, end.fileDescriptor]
        )
        // While this process has that end too, the output does not end.
        try end.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let status = program.wait()
        guard status == 0 else { throw CommandFailure(command: script, status: status, output: text) }
        return text
    }

    /// An empty standard input.
    static var nothing: FileHandle {
        get throws { try FileHandle(forReadingFrom: URL(filePath: "/dev/null")) }
    }

    /// Runs `ip` with the words of `arguments`.
    @discardableResult
    func ip(_ arguments: String) throws -> String { try run("ip \(arguments)") }

    /// Makes a pair of links: `name`, and `peer` at the other end of the wire; waits until there is a carrier.
    ///
    /// The kernel finds that out later and by itself, and later still while it takes another namespace down. The links'
    /// own IPv6 addresses count at once: the end of their duplicate address detection, a second or two later, would be
    /// the cause of a change that an agent sees with it.
    func makeLink(_ name: String, peer: String, address: String? = nil, gateway: String? = nil, metric: Int = 100)
        throws
    {
        var script = """
            ip link add \(name) type veth peer name \(peer)
            sysctl -qw net.ipv6.conf.\(name).accept_dad=0 net.ipv6.conf.\(peer).accept_dad=0
            ip link set \(peer) up; ip link set \(name) up;
            """
        if let address { script += "ip addr add \(address) dev \(name);" }
        if let gateway { script += "ip route add default via \(gateway) dev \(name) metric \(metric);" }
        script += """
            for attempt in $(seq 1000); do
              ! ip -oneline link | grep --quiet ' \(name)@.* state UP ' || exit 0
            done
            echo 'there is no carrier'; exit 1
            """
        try run(script)
    }
}

/// A command that failed.
struct CommandFailure: Error, CustomStringConvertible {
    let command: String
    let status: Int32
    let output: String

    var description: String { "'\(command)' ended with status \(status): \(output)" }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, where no namespace can be made.
    static var inNamespace: Self {
        .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")")
    }

    /// Skips, with the reason, where the tests do not run as the machine's root.
    static var asRoot: Self {
        .enabled(if: NetworkNamespace.obstacleForRoot == nil, "\(NetworkNamespace.obstacleForRoot ?? "")")
    }
}
