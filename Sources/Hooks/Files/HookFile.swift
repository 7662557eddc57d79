internal import Glibc
internal import LinuxSupport

/// A file that was opened once and passed all checks.
///
/// All checks use the descriptor (open(2), `O_PATH`) and the path that leads to it, so the file executed through the
/// descriptor is the checked one. The descriptor is closed with the object.
package final class HookFile: Sendable {
    /// The `O_PATH` descriptor, close-on-exec; do not close it.
    package let descriptor: Int32
    /// The real path, without links.
    package let path: String
    /// `true` if an interpreter reads the file, which opens it again by its descriptor.
    ///
    /// A file that the agent may execute but not read counts as a script: the descriptor then stays open, which is
    /// harmless for a program.
    package let isScript: Bool
    /// The interpreter in the `#!` line.
    package let interpreter: String?

    private init(descriptor: Int32, path: String, isScript: Bool, interpreter: String?) {
        self.descriptor = descriptor
        self.path = path
        self.isScript = isScript
        self.interpreter = interpreter
    }

    deinit { close(descriptor) }

    /// Opens and checks a file; a name without a slash is searched by ``program(_:)``.
    ///
    /// Never blocks on special files (a FIFO, a device).
    ///
    /// - Parameters:
    ///   - runAs: The account that must be able to execute it; nil for the agent.
    ///   - searchPath: The `PATH` in which env(1) searches the interpreter of a script that begins with
    ///     `#!/usr/bin/env`.
    package static func open(
        _ path: String,
        runAs: HookAccount?,
        searchPath: String = HookEnvironment.path
    ) throws(HookRefusal) -> HookFile {
        try open(path, runAs: runAs, agent: geteuid(), searchPath: searchPath)
    }

    static func open(
        _ given: String,
        runAs: HookAccount?,
        agent: UInt32,
        searchPath: String = HookEnvironment.path,
        level: Int = 0
    ) throws(HookRefusal) -> HookFile {
        let path = try absolute(given)
        let descriptor = Glibc.open(path, KernelConstants.openPath | O_CLOEXEC)
        guard descriptor >= 0 else { throw .notOpened(path, errno) }
        do throws(HookRefusal) {
            let opened = OpenedFile(descriptor: descriptor, given: path, agent: agent)
            let real = try opened.locate()
            try opened.checkOwnership(real)
            let start = try opened.readStart(real)
            try opened.checkExecutable(real, by: runAs, isScript: start.interpreter != nil)
            if let interpreter = start.interpreter {
                let check = InterpreterCheck(runAs: runAs, agent: agent, searchPath: searchPath, level: level)
                try check.check(interpreter, of: real)
            }
            return HookFile(
                descriptor: descriptor,
                path: real,
                isScript: start.isScript,
                interpreter: start.interpreter?.path
            )
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Searches for a program in directories, by default those of ``HookEnvironment/path``; a name with a slash is
    /// already a path.
    ///
    /// - Returns: The first that the agent can execute, or else the first regular file of that name; nil for none.
    package static func program(_ name: String, in folders: String = HookEnvironment.path) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return name }
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        var unfit: String?
        for folder in folders.split(separator: ":") {
            let path = "\(folder)/\(name)"
            var entry = stat()
            guard stat(path, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { continue }
            if faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 { return path }
            unfit = unfit ?? path
        }
        return unfit
    }

    private static func absolute(_ given: String) throws(HookRefusal) -> String {
        guard !given.utf8.contains(0) else { throw .badPath(given, "has a zero byte in its path") }
        guard !given.isEmpty else { throw .badPath(given, "has no name") }
        guard let path = program(given) else {
            throw HookRefusal(
                .missing,
                path: given,
                evidence: "is in none of the folders \(HookEnvironment.path)",
                remedy: "install it, or write its whole path"
            )
        }
        guard path.utf8.first == UInt8(ascii: "/") else { throw .badPath(path, "is no absolute path") }
        return path
    }
}
