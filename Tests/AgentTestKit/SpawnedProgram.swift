import Foundation
package import Glibc
import LinuxSupport
import Synchronization

/// A started program, the leader of a process group of its own, with three descriptors and nothing else of the tests'.
///
/// Foundation's `Process` is not for tests beside others: it copies the names in `/proc/self/fd` with the 256 bytes that
/// may follow them, which ends the tests when some 1,300 descriptors are open and no memory follows.
package final class SpawnedProgram: Sendable {
    /// Its id, and that of its group.
    package let processIdentifier: pid_t
    /// The status, once it has been reaped.
    private let ending = Mutex<Int32?>(nil)

    /// Starts a program with the tests' environment, or another one.
    ///
    /// - Parameters:
    ///   - program: Its path, or its name in the tests' PATH.
    ///   - environment: Lines of the form `NAME=VALUE`.
    ///   - descriptors: Its standard input, output and error; the caller's stay open.
    package init(_ program: String, _ arguments: [String], environment: [String]? = nil, descriptors: [Int32]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        // Those that are closed meanwhile are no error.
        for name in try DirectoryStream.names(in: "/proc/self/fd") {
            guard let other = Int32(String(decoding: name, as: UTF8.self)), other >= descriptors.count else { continue }
            posix_spawn_file_actions_addclose(&actions, other)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Dispatch block signals, which a program would inherit.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        )
        let variables = environment ?? ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        var identifier: pid_t = 0
        let result = Self.withCStrings([program] + arguments) { words in
            Self.withCStrings(variables) { variables in
                posix_spawnp(&identifier, program, &actions, &attributes, words, variables)
            }
        }
        guard result == 0 else {
            throw FinishedCommand.Failure(
                description: "cannot start \(program): \(String(cString: strerror(result)))"
            )
        }
        processIdentifier = identifier
    }

    /// Waits for its end, and reaps it; blocks its thread.
    ///
    /// - Returns: Its exit status, or 128 and the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        ending.withLock { ending in
            if let ending { return ending }
            var raw: Int32 = 0
            while waitpid(processIdentifier, &raw, 0) < 0 { guard errno == EINTR else { return -1 } }
            let status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + raw & 0x7F
            ending = status
            return status
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
