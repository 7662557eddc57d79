import Foundation
import Glibc

/// A process that ends the programs of tests when the tests themselves were killed, and could not.
///
/// It knows the process groups that run, and its input ends with the tests. The kernel's own means would not do:
/// PR_SET_PDEATHSIG counts the thread that has started a program, and is forgotten where the program enters a namespace.
final class Warden: Sendable {
    /// The one of this process; `nil` where it cannot be started.
    static let shared = try? Warden()

    private static let script = """
        trap '' HUP INT TERM
        groups=' '
        while read -r change group; do
            case $change in
                +) groups="$groups$group " ;;
                -) groups="${groups%% $group *} ${groups#* $group }" ;;
            esac
        done
        for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
        """

    private let descriptor: Int32
    private let process = Process()

    private init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FinishedCommand.Failure(description: "no pair of sockets: \(String(cString: strerror(errno)))")
        }
        descriptor = ends[0]
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.script]
        process.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// Ends a process group with the tests.
    func watch(_ group: Int32) { tell("+ \(group)\n") }

    /// Forgets a process group, whose number may be another one's soon.
    func release(_ group: Int32) { tell("- \(group)\n") }

    private func tell(_ line: String) {
        let bytes = Array(line.utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
