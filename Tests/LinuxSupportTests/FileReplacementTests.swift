import AgentTestKit
import Foundation
import Testing

@testable import LinuxSupport

@Suite struct FileReplacementTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/file" }

    init() throws { directory = try TemporaryDirectory() }

    private var content: String? { try? String(contentsOfFile: path, encoding: .utf8) }

    private var names: Set<String> {
        Set(((try? DirectoryStream.names(in: directory.path)) ?? []).map { String(decoding: $0, as: UTF8.self) })
    }

    private func status(of path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status
    }

    @Test func `the former content stays until the new one is complete`() throws {
        try directory.file("file", "former")
        var replacement = try FileReplacement(of: path, mode: 0o640)
        try replacement.write(Array("new ".utf8))
        try replacement.write([])
        try replacement.write(Array("content".utf8))
        #expect(replacement.bytesWritten == 11)
        #expect(content == "former")
        try replacement.commit()
        #expect(content == "new content")
        #expect(names == ["file"])
        #expect(try replacement.identity == FileIdentity(status(of: path)))
    }

    @Test func `without a commit nothing remains`() throws {
        do {
            var replacement = try FileReplacement(of: path, mode: 0o640)
            try replacement.write([1])
            #expect(names == ["file.tmp"])
        }
        #expect(names == [])
    }

    /// A system call that fails, and the error that it leads to.
    private static let failures: [(change: @Sendable (inout FileCalls) -> Void, operation: String, errno: Int32)] = [
        ({ $0.open = { _, _, _ in -EROFS } }, "create", EROFS),
        ({ $0.write = { _, _ in -Int(EIO) } }, "write", EIO),
        ({ $0.write = { _, _ in 0 } }, "write", ENOSPC),
        ({ $0.sync = { _ in EIO } }, "sync", EIO),
    ]

    @Test(arguments: failures.indices)
    func `after a failed call the former file stays, and the error names the call and the file`(_ index: Int) throws {
        let failure = Self.failures[index]
        var calls = FileCalls.real
        failure.change(&calls)
        try directory.file("file", "former")
        let error = #expect(throws: FileError.self) {
            try FileReplacement.write([1], to: path, mode: 0o640, options: .durable, calls: calls)
        }
        #expect(error == FileError(operation: failure.operation, path: path + ".tmp", errno: failure.errno))
        #expect(content == "former")
        #expect(names == ["file"])
    }

    @Test func `a directory in the place of the file, and a missing one above it, are errors`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let error = #expect(throws: FileError.self) { try FileReplacement.write([1], to: path, mode: 0o640) }
        #expect(error?.description == "cannot rename \(path).tmp: Is a directory")
        #expect(names == ["file"])
        let missing = "\(directory.path)/missing/file"
        #expect(throws: FileError(operation: "create", path: missing + ".tmp", errno: ENOENT)) {
            try FileReplacement.write([1], to: missing, mode: 0o640)
        }
    }

    @Test func `parts that the kernel takes are continued, also after a signal`() throws {
        let signals = Signals()
        var calls = FileCalls.real
        calls.write = { descriptor, bytes in
            if signals.next() { return -Int(EINTR) }
            return FileCalls.real.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(3)))
        }
        try FileReplacement.write(Array("0123456789".utf8), to: path, mode: 0o640, options: .durable, calls: calls)
        #expect(content == "0123456789")
    }

    @Test func `a link, a FIFO or a file of a crash in the temporary place is replaced`() throws {
        let victim = try directory.file("victim", "kept")
        let obstacles: [(String) -> Int32] = [
            { symlink(victim, $0) }, { link(victim, $0) }, { mkfifo($0, 0o600) },
        ]
        for (number, obstacle) in obstacles.enumerated() {
            try #require(obstacle(path + ".tmp") == 0)
            try FileReplacement.write(Array("\(number)".utf8), to: path, mode: 0o640)
            #expect(content == "\(number)")
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
            #expect(names == ["file", "victim"])
        }
    }

    @Test func `a link in the place of the file is replaced, not followed`() throws {
        let victim = try directory.file("victim", "kept")
        try #require(symlink(victim, path) == 0)
        try FileReplacement.write([1], to: path, mode: 0o640)
        #expect(try status(of: path).st_mode & S_IFMT == S_IFREG)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
    }

    @Test func `an exact mode has bits that a umask takes, and is set when the file is complete`() throws {
        var replacement = try FileReplacement(of: path, mode: 0o666, options: .exactMode)
        #expect(try status(of: path + ".tmp").st_mode & 0o777 & ~0o600 == 0)
        try replacement.commit()
        #expect(try status(of: path).st_mode & 0o777 == 0o666)
    }

    @Test func `a mode without it is that of open`() throws {
        try FileReplacement.write([], to: path, mode: 0o400)
        #expect(try status(of: path).st_mode & 0o777 == 0o400)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `root gives the file to the owner of the directory`() throws {
        try #require(chown(directory.path, 1, 2) == 0)
        try FileReplacement.write([1], to: path, mode: 0o640, options: .directoryOwner)
        let given = try status(of: path)
        #expect(given.st_uid == 1 && given.st_gid == 2)
        try FileReplacement.write([1], to: path, mode: 0o640)
        #expect(try status(of: path).st_uid == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file with another name is not given away`() throws {
        try #require(chown(directory.path, 1, 2) == 0)
        let file = try directory.file("file", "root's")
        try #require(link(file, file + ".other") == 0)
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        ParentDirectory.giveOwnership(of: descriptor, in: directory.path)
        #expect(try status(of: file).st_uid == 0)
    }

    @Test(arguments: ["new", "new/", "new//", "a/new"])
    func `a public directory has its mode whatever the umask is`(_ name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let directory = try TemporaryDirectory()
            umask(0o077)
            try #require(mkdir(directory.path + "/a", 0o700) == 0)
            let path = "\(directory.path)/\(name)"
            #expect(ParentDirectory.makePublicDirectory(path))
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode == S_IFDIR | 0o755)
            #expect(!ParentDirectory.makePublicDirectory(path) && errno == EEXIST)
        }
    }

    @Test func `a public directory is not made in the place of a link, nor in a directory that is missing`() throws {
        let target = try directory.file("target", "", mode: 0o600)
        try #require(symlink(target, path) == 0)
        #expect(!ParentDirectory.makePublicDirectory(path) && errno == EEXIST)
        #expect(try status(of: target).st_mode & 0o777 == 0o600)
        #expect(!ParentDirectory.makePublicDirectory(path + ".missing/new") && errno == ENOENT)
        #expect(!ParentDirectory.makePublicDirectory("") && !ParentDirectory.makePublicDirectory("/"))
    }

    @Test(arguments: [
        ("/a/b", "/a"), ("a/b", "a"), ("b", "."), ("/b", "/"), ("/a/\u{301}b", "/a"),
        ("/run/reachagent/control.sock", "/run/reachagent"), ("control.sock", "."),
    ])
    func `the directory of a file is before its last slash`(_ path: String, _ directory: String) {
        #expect(ParentDirectory.of(path) == directory)
    }

    @Test func `a file is the same under all of its names, and another after its replacement`() throws {
        let file = try directory.file("file", "former")
        let identity = try #require(FileIdentity(at: file))
        try #require(link(file, file + ".other") == 0 && symlink(file, file + ".link") == 0)
        #expect(FileIdentity(at: file + ".other") == identity)
        #expect(FileIdentity(at: file + ".link") != identity)
        #expect(FileIdentity(at: file + ".link", followsLink: true) == identity)
        // The former file still exists under its other name, so the new one cannot have its inode.
        try FileReplacement.write([1], to: file, mode: 0o640)
        #expect(FileIdentity(at: file) != identity)
        #expect(FileIdentity(at: file + ".missing") == nil)
        #expect(FileIdentity(of: -1) == nil)
    }
}

/// Signals that interrupt every other call.
private final class Signals: Sendable {
    private let count = Monitor(0)

    func next() -> Bool {
        count.withLock { count in
            count += 1
            return count % 2 == 1
        }
    }
}
