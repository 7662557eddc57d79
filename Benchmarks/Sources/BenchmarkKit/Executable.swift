internal import CTestbed
internal import Glibc

/// Programs on the PATH, and those that answer and end.
package enum Executable {
    /// The program's path; the administrator's directories are searched too, which a user's PATH may lack.
    package static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        return directories.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its exit status, and what it wrote to standard output and error, without white space around.
    package static func run(
        _ path: String,
        _ arguments: [String]
    ) throws(BenchmarkError) -> (status: Int32, text: String) {
        let pipe = try Pipe()
        let child = try ChildProcess(path, arguments, output: pipe.writeEnd, error: pipe.writeEnd)
        pipe.closeWriteEnd()
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = read(pipe.readEnd, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
        let status = child.waitForEnd()
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
        return (status, lines.joined(separator: "; "))
    }

    /// Runs a program that tells its version, and takes the first line.
    package static func firstLine(_ path: String, _ arguments: [String]) throws(BenchmarkError) -> String {
        let (status, text) = try run(path, arguments)
        guard status == 0 else { throw BenchmarkError("run '\(path)'", cause: text) }
        return text.split(separator: ";").first.map(String.init) ?? ""
    }
}
