internal import Glibc

/// A parser under test, by the name of its corpus.
package struct FuzzTarget: Sendable {
    /// The directory in `Fuzz/Corpus`.
    package let name: String
    /// The bytes of the largest input, which is as large as the product takes it; `Fuzz/run` has the same for libFuzzer.
    package let maximumLength: Int
    /// One execution, which checks with ``require(_:_:file:line:)`` all that must hold for every input.
    package let run: @Sendable ([UInt8]) -> Void

    package init(_ name: String, maximumLength: Int = 64 << 10, _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.maximumLength = maximumLength
        self.run = run
    }
}

/// A property that must hold; the process aborts where it does not, and the input is kept.
package func require(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    guard !condition else { return }
    complain("\(file):\(line): property violated: \(message())")
    abort()
}

/// Writes a line to standard error, without a buffer that an abort would lose.
func complain(_ message: String) {
    let line = Array("\(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
