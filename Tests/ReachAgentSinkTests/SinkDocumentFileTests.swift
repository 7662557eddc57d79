import AgentEvents
import AgentTestKit
import Foundation
import Sinks
import Testing

@testable import ReachAgentSink

/// The list of the sinks as a file that anything may have become of.
@Suite(.onOwnThread) struct SinkDocumentFileTests {
    private let temporary: TemporaryDirectory
    private var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    private func read(_ text: String) throws -> SinkDocumentFile.Result {
        try temporary.file(SinkDocument.fileName, text)
        return SinkDocumentFile.read(in: directory)
    }

    private static func isUnusable(_ result: SinkDocumentFile.Result) -> Bool {
        if case .unusable = result { true } else { false }
    }

    private static func document(_ names: String...) throws -> SinkDocument {
        let broker = try BrokerAddress("nats://broker.example:4222")
        return SinkDocument(
            host: "edge-7",
            sinks: names.map { SinkSettings(name: $0, broker: broker, device: "edge-7") }
        )
    }

    private static func text(_ document: SinkDocument) throws -> String {
        String(decoding: try JSONEncoder().encode(document), as: UTF8.self)
    }

    @Test func `a file that the agent has written is read back`() throws {
        let document = try Self.document("cloud", "plant")
        #expect(try read(try Self.text(document)) == .sinks(document))
    }

    @Test func `a missing file means that there is no sink`() {
        #expect(SinkDocumentFile.read(in: directory) == .absent)
        #expect(SinkDocumentFile.read(in: "/nonexistent") == .absent)
    }

    @Test(
        arguments: [
            ("", "not a JSON text on one line"), ("{", "not a JSON text on one line"),
            ("\u{0}", "not a JSON text on one line"), ("[]", "expected an object, got array"), ("{}", "host: missing"),
            (#"{"host":1,"sinks":[]}"#, "host: expected a string, got number"),
            (#"{"host":"a","sinks":[{}]}"#, "sinks.name: missing"),
        ]
    )
    func `a file of another form is an error that names the member`(text: String, flaw: String) throws {
        let path = "\(directory)/\(SinkDocument.fileName)"
        #expect(try read(text) == .unusable("\(path) is not a list of sinks of this version: \(flaw)"))
    }

    @Test func `two sinks of one name are an error`() throws {
        #expect(Self.isUnusable(try read(try Self.text(try Self.document("plant", "plant")))))
    }

    @Test func `a file that is too large is not read`() throws {
        #expect(Self.isUnusable(try read(String(repeating: " ", count: SinkDocument.maximumBytes + 1))))
    }

    @Test func `neither a FIFO nor a symbolic link in its place is followed`() throws {
        let path = "\(directory)/\(SinkDocument.fileName)"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(Self.isUnusable(SinkDocumentFile.read(in: directory)))
        #expect(unlink(path) == 0)
        #expect(symlink("/etc/passwd", path) == 0)
        #expect(Self.isUnusable(SinkDocumentFile.read(in: directory)))
    }

    @Test func `the directory of the positions is created with those that it lies in`() throws {
        let directories = SinkDirectories(runtime: directory, state: "\(directory)/a/b")
        #expect(directories.createState() == nil)
        #expect(directories.createState() == nil)
        #expect(FileManager.default.fileExists(atPath: "\(directory)/a/b"))
        #expect(SinkDirectories(runtime: directory, state: "/proc/none").createState() != nil)
    }
}
