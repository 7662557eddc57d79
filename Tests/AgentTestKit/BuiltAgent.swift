package import Foundation
import Glibc

/// The agent of the build that the running tests belong to.
package enum BuiltAgent {
    /// The directory of the build's products: the test runner is given the test bundle in it, or lies in it itself.
    package static let productsDirectory: URL = {
        let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: tests).resolvingSymlinksInPath().deletingLastPathComponent()
    }()

    /// The executable's path.
    package static let path = productsDirectory.appending(path: "reachagent").path()

    /// `true` when the tests may become another user who can run the executable: all users may search every directory
    /// above it.
    package static let isForOtherUsers: Bool = {
        var directory = productsDirectory
        while directory.path() != "/" {
            let facts = try? FileManager.default.attributesOfItem(atPath: directory.path())
            guard let mode = facts?[.posixPermissions] as? Int, mode & 0o001 != 0 else { return false }
            directory.deleteLastPathComponent()
        }
        return geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0
    }()
}
