import Foundation
import Testing

@testable import Configuration

/// A hundred mistakes that people make, and the message about each: it names the place, the mistake and the correction.
///
/// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter TypicalMistakeTests` writes the messages anew; read the difference.
@Suite struct TypicalMistakeTests {
    /// A text and its messages.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let text: String
        let messages: [String]
        var testDescription: String { text }
    }

    private static let file = "\(Fixtures.directory)/typical-mistakes.txt"
    private static let arrow = "=> "

    /// The mistakes of the file: blocks between lines of dashes, with the messages behind arrows.
    static let mistakes: [Mistake] = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "")
        .components(separatedBy: "----\n")
        .map { block in
            let lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return Mistake(
                text: lines.filter { !$0.hasPrefix(arrow) }.joined(separator: "\n"),
                messages: lines.filter { $0.hasPrefix(arrow) }.map { String($0.dropFirst(arrow.count)) }
            )
        }

    /// Returns the messages of `config check` about a text.
    private static func messages(_ text: String) throws -> [String] {
        try Fixtures.inDirectory { directory in
            let path = "\(directory)/a.toml"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let found: [String]
            do throws(ConfigurationErrors) {
                let loaded = try ConfigurationFile.load(path, checksMachine: true)
                found = loaded.warnings.map { "warning: \($0)" }
            } catch {
                found = error.errors.map(\.description)
            }
            return found.map { $0.replacing("\(directory)/", with: "") }
        }
    }

    @Test func `there are a hundred`() throws {
        #expect(Self.mistakes.count >= 100)
        #expect(Set(Self.mistakes.map(\.text)).count == Self.mistakes.count)
        guard ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil else { return }
        let blocks = try Self.mistakes.map { mistake in
            mistake.text + (try Self.messages(mistake.text)).map { "\(Self.arrow)\($0)\n" }.joined()
        }
        try blocks.joined(separator: "----\n").write(toFile: Self.file, atomically: true, encoding: .utf8)
    }

    @Test(arguments: mistakes)
    func `a mistake is named with its place and its correction`(mistake: Mistake) throws {
        #expect(!mistake.messages.isEmpty)
        #expect(try Self.messages(mistake.text) == mistake.messages)
        #expect(mistake.messages.allSatisfy { $0.replacing("warning: ", with: "").hasPrefix("a.toml:") })
    }
}
