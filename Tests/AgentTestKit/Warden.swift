import Foundation
import Glibc
import Synchronization

/// A process that ends the programs of tests when the tests themselves were killed, and could not, and that removes the
/// directory of their files.
///
/// It knows the process groups that run, and its input ends with the tests. The kernel's own means would not do:
/// PR_SET_PDEATHSIG counts the thread that has started a program, and is forgotten where the program enters a namespace.
/// Where it was killed itself, the next program brings another one, which learns of all that run.
final class Warden: Sendable {
    /// The one of this process; `nil` where it cannot be started.
    static let shared = try? Warden(directory: try? TemporaryDirectory.parent.get())

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
        # What was killed may have been busy with a file until now.
        [ -z "$1" ] || rm -rf --one-file-system -- "$1" 2>/dev/null || { sleep 1; rm -rf --one-file-system -- "$1"; }
        """

    private struct State {
        var shell: Shell
        var groups: Set<Int32> = []
    }

    private let directory: String?
    private let state: Mutex<State>

    /// The current shell; replaced after it was killed.
    var program: SpawnedProgram { state.withLock { $0.shell.program } }

    /// Starts the shell.
    ///
    /// - Parameter directory: The directory that is removed with the tests.
    init(directory: String? = nil) throws {
        self.directory = directory
        state = Mutex(State(shell: try Shell(directory)))
    }

    /// Ends a process group with the tests.
    func watch(_ group: Int32) {
        state.withLock { state in
            state.groups.insert(group)
            guard !state.shell.tell("+ \(group)\n"), let shell = try? Shell(directory) else { return }
            state.shell = shell
            for group in state.groups { _ = shell.tell("+ \(group)\n") }
        }
    }

    /// Forgets a process group, whose number may be another one's soon.
    func release(_ group: Int32) {
        state.withLock { state in
            state.groups.remove(group)
            _ = state.shell.tell("- \(group)\n")
        }
    }

    /// The shell that runs the script, and the socket that is its input.
    private final class Shell: Sendable {
        let program: SpawnedProgram
        private let descriptor: Int32

        init(_ directory: String?) throws {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
                throw FinishedCommand.Failure(description: "no pair of sockets: \(String(cString: strerror(errno)))")
            }
            // While this process has that end too, it would not see that the shell is gone.
            defer { close(ends[1]) }
            do {
                let output = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
                program = try SpawnedProgram(
                    "/bin/sh",
                    ["-c", script, "warden", directory ?? ""],
                    // The default one has the directory that needs this warden.
                    environment: ["PATH=/usr/bin:/bin"],
                    descriptors: [ends[1], output.fileDescriptor, STDERR_FILENO]
                )
            } catch {
                close(ends[0])
                throw error
            }
            descriptor = ends[0]
            Thread.detachNewThread { [program] in program.wait() }
        }

        deinit { close(descriptor) }

        /// Writes a line; false when the shell is gone.
        func tell(_ line: String) -> Bool {
            let bytes = Array(line.utf8)
            return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }
}
