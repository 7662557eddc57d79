import AgentTestKit
import Testing

@testable import ReachAgentManual

/// The pages in the programs that show manuals; skipped where they are not installed.
@Suite struct RenderingTests {
    static let names = (try? Project.pages().keys.sorted()) ?? []

    private static func page(_ name: String, in directory: TemporaryDirectory) throws -> String {
        try directory.file(name, try #require(try Project.pages()[name]))
    }

    @Test(.enabled(if: Command.has("mandoc")), arguments: names)
    func `mandoc has no warnings`(name: String) async throws {
        let directory = try TemporaryDirectory()
        let arguments = ["-T", "lint", "-W", "warning", try Self.page(name, in: directory)]
        let result = try #require(try await Command.run("mandoc", arguments))
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test(.enabled(if: Command.has("man") && Command.has("groff")), arguments: names, ["C.UTF-8", "C"])
    func `groff has no warnings in either character set`(name: String, locale: String) async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.page(name, in: directory)
        let result = try #require(
            try await Command.run(
                "groff",
                ["-man", "-ww", "-z", "-K", "utf8", locale == "C" ? "-Tascii" : "-Tutf8", path],
                environment: ["LC_ALL": locale]
            )
        )
        #expect(result.output == "")
    }

    @Test(.enabled(if: Command.has("man") && Command.has("groff")), arguments: names)
    func `a page fits 80 columns, and nothing in it is torn apart`(name: String) async throws {
        let directory = try TemporaryDirectory()
        let path = try Self.page(name, in: directory)
        let result = try #require(
            try await Command.run(
                "man",
                ["--warnings", "-l", path],
                environment: ["MANWIDTH": "80", "MANPAGER": "cat"]
            )
        )
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count > (["reachagent.toml.5", "reachagent-events.7"].contains(name) ? 200 : 15))
        for line in lines {
            #expect(line.count <= 80, "\(line)")
            #expect(!line.hasSuffix("\u{2010}"), "\(line)")
        }
    }
}
