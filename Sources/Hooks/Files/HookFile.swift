internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// A file that was opened once and passed all checks.
///
/// All checks use the descriptor (open(2), `O_PATH`) and the path that leads to it, so the file executed through the
/// descriptor is the checked one. The descriptor is closed with the object.
package final class HookFile: Sendable {
    /// The `O_PATH` descriptor, close-on-exec; callers must not close it.
    package let descriptor: Int32
    /// The real path, with all symbolic links resolved.
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
    ///   - searchPath: The `PATH` in which env(1) searches for the interpreter of a script that starts with
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
        guard descriptor >= 0 else { throw refusal(of: path, errno, agent) }
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
    /// - Returns: The first file that the agent can execute, or else the first regular file of that name; nil without
    ///   either.
    package static func program(_ name: String, in directories: String = HookEnvironment.path) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) { return name }
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        var unfit: String?
        for directory in directories.utf8.split(separator: UInt8(ascii: ":")) {
            let path = "\(Substring(directory))/\(name)"
            var entry = stat()
            guard stat(path, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { continue }
            if faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 { return path }
            unfit = unfit ?? path
        }
        return unfit
    }

    /// Returns why a path cannot be opened.
    ///
    /// The kernel does not follow another user's link in a sticky directory (`fs.protected_symlinks`, proc_sys_fs(5)),
    /// and answers no more than that access is denied: the walk along the path names the link and its owner.
    private static func refusal(of path: String, _ errno: Int32, _ agent: UInt32) -> HookRefusal {
        guard errno == EACCES else { return .notOpened(path, errno) }
        var walk = TrustedPath(agent: agent)
        do throws(HookRefusal) {
            _ = try walk.follow(path)
        } catch {
            if error.code == .owner { return error }
        }
        return .notOpened(path, errno)
    }

    private static func absolute(_ given: String) throws(HookRefusal) -> String {
        guard !given.utf8.contains(0) else { throw .badPath(given, "has a zero byte in its path") }
        guard !given.isEmpty else { throw .badPath(given, "has no name") }
        guard let path = program(given) else {
            throw HookRefusal(
                .missing,
                path: given,
                evidence: "is in none of the directories \(HookEnvironment.path)",
                remedy: "install it, or write its whole path"
            )
        }
        guard path.utf8.first == UInt8(ascii: "/") else { throw .badPath(path, "is not an absolute path") }
        return path
    }
}

/// The checks of a file opened with `O_PATH`.
private struct OpenedFile {
    let descriptor: Int32
    /// The path by which it was opened.
    let given: String
    /// The agent's effective user.
    let agent: UInt32

    /// The path of the descriptor, for calls that do not accept an `O_PATH` descriptor.
    private var link: String { "/proc/self/fd/\(descriptor)" }

    /// Determines the real path, and checks every directory and link on both the given and the real path.
    func locate() throws(HookRefusal) -> String {
        let entry = try status(given)
        guard entry.st_mode & S_IFMT == S_IFREG else { throw .notRegular(given, entry.st_mode) }
        guard entry.st_nlink > 0 else { throw .badPath(given, "was deleted during the check") }
        guard let bytes = SymbolicLink.target(of: link) else { throw .notFound(given, errno) }
        guard let real = String(validating: bytes, as: UTF8.self), real.utf8.first == UInt8(ascii: "/") else {
            throw .badPath(given, "has a real path that is not UTF-8 or lies outside of the agent's root directory")
        }
        var walk = TrustedPath(agent: agent)
        // Otherwise a part of the path was replaced in the meantime, and the checks of the path do not apply to this
        // file.
        for path in [given, real] {
            let end = try walk.follow(path)
            guard FileIdentity(end) == FileIdentity(entry) else {
                throw .badPath(path, "was replaced during the check")
            }
        }
        return real
    }

    /// Checks the owner and the write permissions of the file.
    func checkOwnership(_ path: String) throws(HookRefusal) {
        let entry = try status(path)
        try TrustedPath.checkAccess(to: path, entry, agent: agent)
        guard entry.st_mode & (S_ISUID | S_ISGID) == 0 else { throw .setuid(path, entry.st_mode) }
    }

    /// Reads the first bytes.
    func readStart(_ path: String) throws(HookRefusal) -> (isScript: Bool, interpreter: Interpreter?) {
        let reading = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if reading < 0, errno == EACCES { return (true, nil) }
        guard reading >= 0 else { throw .notFound(path, errno) }
        defer { close(reading) }
        var bytes = [UInt8](repeating: 0, count: Interpreter.maximumBytes)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { space in
                pread(reading, space.baseAddress?.advanced(by: count), space.count - count, off_t(count))
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw .notFound(path, errno) }
            guard more > 0 else { break }
            count += more
        }
        let interpreter: Interpreter?
        do {
            interpreter = try Interpreter.reading(Array(bytes.prefix(count)))
        } catch {
            throw .start(path, error)
        }
        return (interpreter != nil, interpreter)
    }

    /// Checks the permission to execute the file, and for a script also to read it, because its interpreter opens it
    /// again.
    func checkExecutable(_ path: String, by account: HookAccount?, isScript: Bool) throws(HookRefusal) {
        let entry = try status(path)
        let executable = S_IXUSR | S_IXGRP | S_IXOTH
        guard entry.st_mode & executable != 0 else {
            throw HookRefusal(
                .notExecutable,
                path: path,
                evidence: "has mode \(ModeText.mode(entry.st_mode)): not executable",
                command: "chmod a+rx \(ShellWord.quoted(path))"
            )
        }
        var fileSystem = statvfs()
        if fstatvfs(descriptor, &fileSystem) == 0, fileSystem.f_flag & KernelConstants.mountedNoexec != 0 {
            throw HookRefusal(
                .notExecutable,
                path: path,
                evidence: "lies on a file system that is mounted noexec",
                remedy: "put it on a file system that programs may be run from"
            )
        }
        guard may(account, execute: entry) else { throw .forbidden(path, entry.st_mode, "execute", account, agent) }
        guard !isScript || may(account, read: entry) else {
            throw .forbidden(path, entry.st_mode, "read", account, agent)
        }
    }

    private func may(_ account: HookAccount?, execute entry: stat) -> Bool {
        guard let account, !account.isAgent else { return faccessat(AT_FDCWD, link, X_OK, AT_EACCESS) == 0 }
        if account.uid == 0 { return true }
        return account.has(user: S_IXUSR, group: S_IXGRP, others: S_IXOTH, of: entry)
    }

    private func may(_ account: HookAccount?, read entry: stat) -> Bool {
        guard let account, !account.isAgent else { return faccessat(AT_FDCWD, link, R_OK, AT_EACCESS) == 0 }
        if account.uid == 0 { return true }
        return account.has(user: S_IRUSR, group: S_IRGRP, others: S_IROTH, of: entry)
    }

    private func status(_ path: String) throws(HookRefusal) -> stat {
        var entry = stat()
        guard fstat(descriptor, &entry) == 0 else { throw .notFound(path, errno) }
        return entry
    }
}

extension HookAccount {
    /// Returns whether a file's mode grants a right: only the class to which the account belongs decides
    /// (path_resolution(7)).
    fileprivate func has(user: mode_t, group: mode_t, others: mode_t, of entry: stat) -> Bool {
        if entry.st_uid == uid { return entry.st_mode & user != 0 }
        if entry.st_gid == gid || groups.contains(entry.st_gid) { return entry.st_mode & group != 0 }
        return entry.st_mode & others != 0
    }
}
