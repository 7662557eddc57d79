package import BenchmarkKit

/// iproute2's `ip`.
package struct IPCommand {
    package let path: String

    package init() throws(BenchmarkError) {
        guard let path = Executable.find("ip") else {
            throw BenchmarkError("find 'ip'", cause: "iproute2 is not installed (apt-get install iproute2)")
        }
        self.path = path
    }

    /// Runs `ip` with these words in the calling thread's network namespace.
    package func run(_ words: String) throws(BenchmarkError) {
        let (status, text) = try Executable.run(path, words.split(separator: " ").map(String.init))
        guard status == 0 else { throw BenchmarkError("run 'ip \(words)'", cause: text) }
    }
}
