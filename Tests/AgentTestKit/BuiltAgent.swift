package import Foundation

/// The agent of the build that the running tests belong to.
package enum BuiltAgent {
    /// The directory of the build's products: the test runner is given the test bundle in it, or lies in it itself.
    package static let productsDirectory: URL = {
        let tests = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: tests).resolvingSymlinksInPath().deletingLastPathComponent()
    }()

    /// The executable's path.
    package static let path = productsDirectory.appending(path: "reachagent").path()
}
