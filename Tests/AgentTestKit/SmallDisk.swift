import Foundation

/// A disk that is soon full: a tmpfs in a mount namespace of its own, which programs of the test enter.
package final class SmallDisk: Sendable {
    /// The directory of the disk, where the namespace has it.
    package let directory: TemporaryDirectory
    /// The words before a shell command's program that let it enter the namespace.
    package let launcher: String
    private let holder: CommandLines

    /// Makes a disk.
    ///
    /// - Parameter size: The number of bytes, as mount(8) takes it, such as `4m`.
    package init(size: String) async throws {
        directory = try TemporaryDirectory()
        holder = try CommandLines(
            """
            exec unshare --user --map-root-user --mount sh -c \
            'mount -t tmpfs -o size=\(size) tmpfs "\(directory.path)" && echo ready && exec sleep infinity'
            """
        )
        try await holder.next(containing: "ready")
        launcher =
            "nsenter --preserve-credentials --user --mount --target \(holder.processIdentifier) --"
    }

    deinit { holder.end() }

    /// Uses up what is free.
    package func fill() async throws { try await run("cat /dev/zero >filler 2>/dev/null || true") }

    /// Gives it back.
    package func free() async throws { try await run("rm filler") }

    private func run(_ script: String) async throws {
        let words = launcher.split(separator: " ").map(String.init).dropFirst()
        let command = ["sh", "-c", "cd '\(directory.path)' && \(script)"]
        let finished = try await FinishedCommand.run(words + command, of: "/usr/bin/nsenter")
        guard finished.status == 0 else { throw FinishedCommand.Failure(description: finished.error) }
    }
}
