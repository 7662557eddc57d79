import AgentTestKit
import Foundation
import Glibc

/// A directory of a test's own, with files whose modes and owners are exact.
final class ScratchDirectory: Sendable {
    struct Failure: Error {
        let call: String
        let number: Int32
    }

    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws { directory = try TemporaryDirectory() }

    /// The path of a name in it.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a directory, whose parent is there.
    @discardableResult
    func directory(_ name: String, mode: mode_t = 0o755) throws -> String {
        try Self.check("mkdir", mkdir(self(name), mode))
        // Whatever the umask is.
        try Self.check("chmod", chmod(self(name), mode))
        return self(name)
    }

    /// Makes a file.
    @discardableResult
    func file(_ name: String, _ text: String = "#!/bin/sh\n", mode: mode_t = 0o755) throws -> String {
        try writeFile(text.utf8, to: self(name), mode: mode)
        return self(name)
    }

    /// Makes a link.
    @discardableResult
    func link(_ name: String, to target: String) throws -> String {
        try Self.check("symlink", symlink(target, self(name)))
        return self(name)
    }

    /// Gives a file, directory or link to a user who is nobody in particular; takes root.
    func give(_ name: String, to user: uid_t = 12345) throws {
        try Self.check("lchown", lchown(self(name), user, user))
    }

    static func check(_ call: String, _ result: Int32) throws {
        if result < 0 { throw Failure(call: call, number: errno) }
    }
}
