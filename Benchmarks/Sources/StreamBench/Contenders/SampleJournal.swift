internal import BenchmarkKit
internal import StreamTestbed

/// A journal of sample events, written by our journal's writer.
struct SampleJournal {
    enum Storage: String, Codable, Sendable, CaseIterable { case plain, compressed }

    let form: Storage
    let directory: String
    /// The number of events written.
    let count: UInt64
    let bytesPerLine: Double

    /// Writes it.
    init(_ form: Storage, count: UInt64, _ program: LoadProgram, in directory: TemporaryDirectory)
        throws(BenchmarkError)
    {
        self.form = form
        self.count = count
        self.directory = directory.path(of: "journal-\(form.rawValue)")
        let arguments = ["fill", "--journal", self.directory, "--count", "\(count)"]
        let bytes = try program.run(arguments + (form == .compressed ? ["--compress"] : []))
        bytesPerLine = (Double(bytes) ?? .nan) / Double(count)
    }

    /// A shell command that writes its lines in order; the segment that is written to is never compressed.
    var catCommand: String {
        switch form {
        case .plain: "cat \(directory)/events-*.jsonl"
        case .compressed: "zstd -dcq \(directory)/events-*.zst && cat \(directory)/events-*.jsonl"
        }
    }
}
