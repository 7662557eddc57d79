package import Foundation
import Glibc

/// A directory of a test's own, which is removed with this object.
///
/// It is below one directory of all tests of the process, which is the TMPDIR of the programs that they start, too. The
/// ``Warden`` removes that one when the tests have ended: nothing stays of tests that crashed or of programs that were
/// killed.
package final class TemporaryDirectory: Sendable {
    /// The path, without symbolic links, and as short as possible: below `/tmp` that of a socket has less than 108 bytes.
    package let path: String

    /// The path as a URL.
    package var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    /// Makes an empty directory, which everybody can read and only its owner can write to.
    package init() throws { path = try Self.make("XXXXXX", in: Self.ofAllTests) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and returns its path.
    @discardableResult
    package func file(_ name: String, _ bytes: some Sequence<UInt8>, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try writeFile(bytes, to: file, mode: mode_t(mode))
        return file
    }

    /// Writes a file of text, and returns its path.
    @discardableResult
    package func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try file(name, text.utf8, mode: mode)
    }

    /// The directory of all tests of this process, which the warden removes.
    static var ofAllTests: String {
        get throws {
            _ = Warden.shared
            return try parent.get()
        }
    }

    /// The same, for the warden.
    static let parent = Result { () throws(FinishedCommand.Failure) in
        let base = realpath(NSTemporaryDirectory(), nil)
        defer { free(base) }
        return try make("reachagent-XXXXXX", in: base.map { String(cString: $0) } ?? "/tmp")
    }

    private static func make(_ template: String, in parent: String) throws(FinishedCommand.Failure) -> String {
        var name = Array("\(parent)/\(template)".utf8CString)
        // Programs that give up root, and hooks of other users, have to get there.
        guard mkdtemp(&name) != nil, chmod(name, 0o755) == 0 else {
            throw FinishedCommand.Failure(description: "no temporary directory: \(String(cString: strerror(errno)))")
        }
        return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
