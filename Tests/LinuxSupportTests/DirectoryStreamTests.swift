import AgentTestKit
import Glibc
import Testing

@testable import LinuxSupport

@Suite struct DirectoryStreamTests {
    @Test func `names of all bytes and lengths are read, without those of the directory and its parent`() throws {
        let directory = try EmptyDirectory()
        let names: [[UInt8]] = [
            Array("...".utf8), Array(".hidden".utf8), [0xFF, 0xFE], Array("e\u{301}".utf8), [0x0A],
            [UInt8](repeating: UInt8(ascii: "x"), count: Int(NAME_MAX)),
        ]
        for name in names { try directory.create(name) }
        let read = try DirectoryStream.names(in: directory.path)
        #expect(Set(read) == Set(names) && read.count == names.count)
        #expect(DirectoryStream.readableNames(in: directory.path) == read)
    }

    @Test(arguments: [("/proc/self/no-such-directory", ENOENT), ("/proc/self/stat", ENOTDIR), ("", ENOENT)])
    func `a directory that cannot be opened is an error with its number`(_ path: String, _ error: Int32) {
        #expect(throws: SystemError(errno: error)) { try DirectoryStream.names(in: path) }
    }

    @Test func `a descriptor that is no directory's is closed`() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[0]) }
        #expect(throws: SystemError(errno: ENOTDIR)) { _ = try DirectoryStream(adopting: ends[1]) }
        // The other end notices that.
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 0)
    }

    /// As for the last entry in the C library's buffer, where the buffer is the last of the mapped memory.
    @Test(arguments: ["a", "name", String(repeating: "x", count: 200)])
    func `nothing behind the end of a name is read`(_ name: String) throws {
        let page = Int(getpagesize())
        let memory = try #require(
            mmap(nil, 2 * page, PROT_READ | PROT_WRITE, Int32(MAP_PRIVATE) | Int32(MAP_ANONYMOUS), -1, 0)
        )
        defer { munmap(memory, 2 * page) }
        try #require(memory != MAP_FAILED && mprotect(memory + page, page, PROT_NONE) == 0)
        let offset = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
        // The kernel rounds the length of an entry up to its alignment.
        let length = (offset + name.utf8.count + 1 + 7) / 8 * 8
        let entry = memory + (page - length)
        (entry + offset).copyMemory(from: Array(name.utf8), byteCount: name.utf8.count)
        #expect(DirectoryStream.name(of: entry.assumingMemoryBound(to: dirent.self)) == Array(name.utf8))
    }
}

/// An empty directory, which is removed with its files.
private struct EmptyDirectory: ~Copyable {
    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory() }

    // Foundation removes no file whose name is not UTF-8.
    deinit { for name in (try? DirectoryStream.names(in: path)) ?? [] { _ = unlink(file(name)) } }

    func create(_ name: [UInt8]) throws {
        let descriptor = open(file(name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
    }

    private func file(_ name: [UInt8]) -> [CChar] {
        (Array(path.utf8) + [UInt8(ascii: "/")] + name + [0]).map { CChar(bitPattern: $0) }
    }
}
