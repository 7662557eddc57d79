import Foundation
package import Glibc
import Synchronization

/// A started program, the leader of a process group of its own, with the descriptors that it is given and nothing else of
/// the tests'.
///
/// Foundation's `Process` is not for tests beside others: it copies the names in `/proc/self/fd` with the 256 bytes that
/// may follow them, which crashes the tests when some 1,300 descriptors are open and no memory follows.
package final class SpawnedProgram: Sendable {
    /// Its id, and that of its group.
    package let processIdentifier: pid_t
    /// The status, once it has been reaped.
    private let ending = Mutex<Int32?>(nil)

    /// Starts a program with the tests' environment, or another one.
    ///
    /// - Parameters:
    ///   - program: Its path, or its name in the tests' PATH.
    ///   - environment: Lines of the form `NAME=VALUE`; those of the tests, with a TMPDIR that goes with them, when it is
    ///     `nil`.
    ///   - descriptors: Its standard input, output and error, and any that follow; the caller's stay open.
    package init(_ program: String, _ arguments: [String], environment: [String]? = nil, descriptors: [Int32]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        guard let addCloseFrom = Self.addCloseFrom else {
            throw FinishedCommand.Failure(description: "the C library has no posix_spawn_file_actions_addclosefrom_np")
        }
        _ = addCloseFrom(&actions, Int32(descriptors.count))
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
        let variables = try environment ?? Self.ownEnvironment
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

    private static var ownEnvironment: [String] {
        get throws {
            let directory = ["TMPDIR": try TemporaryDirectory.ofAllTests]
            return ProcessInfo.processInfo.environment.merging(directory) { $1 }.map { "\($0)=\($1)" }
        }
    }

    /// Waits for its end, and reaps it; blocks its thread.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        ending.withLock { ending in
            if let ending { return ending }
            var raw: Int32 = 0
            while waitpid(processIdentifier, &raw, 0) < 0 { guard errno == EINTR else { return .min } }
            let status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
            ending = status
            return status
        }
    }

    /// Waits for its end without reaping it, so that its id stays its own; blocks its thread.
    package func awaitEnd() {
        var end = siginfo_t()
        while waitid(P_PID, id_t(processIdentifier), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// `true` once it has been reaped: then its id may be another program's.
    package var isReaped: Bool { ending.withLockIfAvailable { $0 != nil } ?? false }

    /// `posix_spawn_file_actions_addclosefrom_np`, which Swift does not import (glibc 2.34).
    ///
    /// Closing what is listed before would leave the program what other threads open meanwhile: the end of a pipe that
    /// is read to its end, for example.
    private static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast(
            $0,
            to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self
        )
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
