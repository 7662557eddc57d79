import AgentTestKit
import ArgumentParser
import Foundation
import Testing

@testable import ReachAgent

/// Mistakes that people make on the command line, and the answer to each: it names the mistake, its place and the correction.
///
/// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter UsageMistakeTests` writes the answers anew; read the difference.
@Suite struct UsageMistakeTests {
    /// A command line and the answer to it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let line: String
        let answer: [String]
        var testDescription: String { line }
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden/usage/typical-mistakes.txt")
    private static let arrow = "=> "

    /// The mistakes of the file: a command line, and below it the answer behind arrows.
    static let mistakes: [Mistake] = {
        var mistakes: [Mistake] = []
        for line in ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init) {
            if line.hasPrefix(arrow), let last = mistakes.popLast() {
                mistakes.append(Mistake(line: last.line, answer: last.answer + [String(line.dropFirst(arrow.count))]))
            } else {
                mistakes.append(Mistake(line: line, answer: []))
            }
        }
        return mistakes
    }()

    /// The words of a line, as a shell reads them.
    private static func words(_ line: String) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }

    /// The answer to a line, and the exit status: of the parser, or of the program where only that finds the mistake.
    private static func answer(to line: String) async throws -> (lines: [String], status: Int32) {
        let words = words(line)
        let text: String
        let status: Int32
        do {
            _ = try ReachAgentCommand.command(for: words)
            let result = try await FinishedCommand.run(words, environment: ["CONFIGURATION_DIRECTORY": "/nonexistent"])
            (text, status) = (result.error, result.status)
        } catch {
            text = UsageError(error, words).text(columns: 80)
            status = ReachAgentCommand.exitCode(for: error).rawValue
        }
        return (text.split(separator: "\n").map(String.init), status)
    }

    @Test func `there are many`() async throws {
        #expect(Self.mistakes.count >= 100)
        #expect(Set(Self.mistakes.map(\.line)).count == Self.mistakes.count)
        guard ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil else { return }
        var text = ""
        for mistake in Self.mistakes {
            let answer = try await Self.answer(to: mistake.line)
            text += mistake.line + "\n" + answer.lines.map { "\(Self.arrow)\($0)\n" }.joined()
        }
        try text.write(to: Self.file, atomically: true, encoding: .utf8)
    }

    @Test(arguments: [" is invalid for 'x", "' is invalid for '", "'. Please provide one of 'a'"])
    func `a value that reads like the message about it is only a value`(value: String) {
        let words = ["history", "--last", value]
        #expect { try ReachAgentCommand.parseAsRoot(words) } throws: { error in
            UsageError(error, words).text(columns: 80).contains("--last")
        }
    }

    @Test(arguments: mistakes)
    func `a mistake is named with its place and its correction`(mistake: Mistake) async throws {
        let answer = try await Self.answer(to: mistake.line)
        #expect(!mistake.answer.isEmpty)
        #expect(answer.lines == mistake.answer)
        #expect([64, 69, 75, 78].contains(answer.status))
        #expect(answer.lines.first?.hasPrefix("reachagent") == true)
        #expect(answer.lines.allSatisfy { $0.count <= 80 || !$0.hasPrefix("reachagent ") })
    }

    @Test func `no argument writes a control character to the terminal or starts a line`() async throws {
        let evil = "\u{1B}[2J\u{9B}31m\u{202E}\nforged: line"
        let lines = [
            [evil], ["status", evil], ["status", "--\(evil)"], ["status", "-\(evil)"], ["status", "--output", evil],
            ["status", "--output=\(evil)"], ["status", "--json=\(evil)"], ["config", evil], ["config", "--\(evil)"],
            ["watch", "--type", evil], ["watch", "--since", evil], ["probe", evil], ["probe", "https://\(evil)/"],
            ["probe", "https://h.test/", "--expect-json", evil], ["run", "--target", "\(evil)=192.0.2.1"],
            ["run", "--interface-kind", evil], ["report", "--month", evil], ["completion", evil], ["help", evil],
            ["trust", "evaluate", evil, "--leaf", evil], ["--\(evil)"], ["status", "a", "b", evil],
        ]
        for words in lines {
            let error = #expect(throws: (any Error).self) {
                var command = try ReachAgentCommand.command(for: words)
                try command.run()
            }
            guard let error, !(error is ExitCode) else { continue }
            let text = UsageError(error, words).text(columns: nil)
            let shown = String(decoding: TerminalText.bytes(of: text), as: UTF8.self)
            #expect(!shown.unicodeScalars.contains { "\u{1B}\u{9B}\u{202E}".unicodeScalars.contains($0) }, "\(words)")
            #expect(!shown.split(separator: "\n").contains { $0.hasPrefix("forged") }, "\(shown)")
        }
    }
}
