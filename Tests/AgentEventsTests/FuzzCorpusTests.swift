import Foundation
import Testing

/// The seeds that the fuzzer of events begins with: the golden events, statuses and reports.
///
/// With `REACHAGENT_WRITE_CORPUS=1` in the environment the files are written before they are compared. Other files in the
/// directory are inputs that once were trouble.
@Suite struct FuzzCorpusTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let golden = tests.appending(path: "EventSchemaTests/Golden")
    private static let corpus = tests.deletingLastPathComponent().appending(path: "Fuzz/Corpus/event")

    @Test func `every golden text is a seed`() throws {
        let isWriting = ProcessInfo.processInfo.environment["REACHAGENT_WRITE_CORPUS"] == "1"
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.golden.path())
        #expect(names.count >= 50)
        for name in names {
            let text = try Data(contentsOf: Self.golden.appending(path: name))
            let seed = Self.corpus.appending(path: name)
            if isWriting { try text.write(to: seed) }
            #expect(try Data(contentsOf: seed) == text, "\(name)")
        }
    }
}
