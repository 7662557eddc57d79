package import BenchmarkKit
internal import Glibc

/// Our load program, `stream-load`.
package struct LoadProgram {
    package let path: String

    /// - Parameter path: The one beside this program unless given.
    package init(_ path: String?) throws(BenchmarkError) {
        self.path = path ?? Self.besideThisProgram
        guard access(self.path, X_OK) == 0 else {
            throw BenchmarkError("find \(self.path)", cause: "it is not built (swift build -c release)")
        }
    }

    private static var besideThisProgram: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/stream-load"
    }

    /// Runs it to its end, and takes its output.
    package func run(_ arguments: [String]) throws(BenchmarkError) -> String {
        let (status, text) = try Executable.run(path, arguments)
        guard status == 0 else { throw BenchmarkError("run \(path) \(arguments.joined(separator: " "))", cause: text) }
        return text
    }
}
