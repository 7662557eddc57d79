import AgentTestKit
import Probes
import Testing

@testable import Configuration

/// The cost of hostile files: twice the size costs about twice the time, and nowhere its square.
@Suite(.serialized) struct ConfigurationCostTests {
    /// A file of about so many bytes.
    struct Generator: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: @Sendable (Int) -> String
    }

    private static func lines(_ bytes: Int, _ line: (Int) -> String) -> String {
        let length = line(100_000).utf8.count + 1
        return (0..<(bytes / length)).map { line(100_000 + $0) }.joined(separator: "\n")
    }

    static let generators: [Generator] = [
        Generator(testDescription: "many keys") { lines($0) { "k\($0) = 1" } },
        Generator(testDescription: "many keys on one line") { bytes in
            "a = { " + lines(bytes - 10) { "k\($0) = 1" }.replacing("\n", with: ",") + " }"
        },
        Generator(testDescription: "many elements on one line") {
            "a = [" + String(repeating: "1,  ", count: $0 / 4) + "]"
        },
        Generator(testDescription: "many dotted keys") { lines($0) { "a.b.c.d.k\($0) = 1" } },
        Generator(testDescription: "many tables") { lines($0) { "[probe.p\($0)]" } },
        Generator(testDescription: "many tables of an array") { lines($0) { _ in "[[probe.a.b]]" } },
        Generator(testDescription: "many probes") { lines($0) { "[probe.p\($0)]\ntarget = 'icmp://192.0.2.1'" } },
        Generator(testDescription: "combining marks as a string") { bytes in
            "[agent]\nlog_level = '" + String(repeating: "\u{301}\u{323}", count: bytes / 4) + "'"
        },
        Generator(testDescription: "combining marks as a quorum") { bytes in
            "[connectivity]\nquorum = '" + String(repeating: "\u{301}\u{323}", count: bytes / 4) + "'"
        },
        Generator(testDescription: "combining marks as interfaces") { bytes in
            "[probe.a]\ntarget = 'icmp://192.0.2.1'\ninterfaces = '"
                + String(repeating: "\u{301}\u{323}", count: bytes / 4) + "'"
        },
        Generator(testDescription: "combining marks as a command") { bytes in
            "[hook.a]\ncommand = '" + String(repeating: "\u{301}\u{323}", count: bytes / 4) + "'"
        },
        Generator(testDescription: "combining marks as keys") { bytes in
            lines(bytes) { "'\($0)" + String(repeating: "\u{301}\u{323}", count: 240) + "' = 1" }
        },
        Generator(testDescription: "combining marks as header fields") { bytes in
            "[probe.a]\ntarget = 'https://a.test/'\n[probe.a.headers]\n"
                + lines(bytes) { "'\($0)" + String(repeating: "\u{301}\u{323}", count: 240) + "' = '1'" }
        },
        Generator(testDescription: "escapes") { "a = \"" + String(repeating: "\\u0301", count: $0 / 6) + "\"" },
        Generator(testDescription: "a string of many lines") { "a = '''" + String(repeating: "\n", count: $0) + "'''" },
        Generator(testDescription: "quotes in a string") {
            "a = \"\"\"" + String(repeating: "\"\"x", count: $0 / 3) + "\"\"\""
        },
        Generator(testDescription: "a long comment") { "#" + String(repeating: "é", count: $0 / 2) },
        Generator(testDescription: "a long number") { "a = " + String(repeating: "1", count: $0) },
        Generator(testDescription: "spaces") { "a = 1" + String(repeating: " ", count: $0) },
        Generator(testDescription: "nested too deeply") { String(repeating: "a.", count: $0 / 2) + "a = 1" },
        Generator(testDescription: "many patterns") { "[interfaces.kinds]\n" + lines($0) { "p\($0) = 'wifi'" } },
    ]

    /// The CPU time of this thread for a file, in seconds.
    private static func cost(of text: String) -> Double {
        let bytes = Array(text.utf8)
        return CostGrowth.seconds {
            guard let source = try? SourceText(bytes, file: "a.toml"), let root = try? TOMLParser.parse(source) else {
                return
            }
            let notes = Notes(listsEffective: true)
            _ = SettingsReader.settings(of: root, notes: notes, serializer: RequestSerializer())
            _ = (notes.allErrors, notes.allWarnings)
        }
    }

    @Test(arguments: generators)
    func `a file of twice the size costs at most two and a half times as much`(generator: Generator) {
        let texts = [1 << 17, 1 << 18].map(generator.text)
        #expect(texts[1].utf8.count <= SourceText.maxBytes)
        let growth = CostGrowth.measure(texts.count, noise: 0.01) { Self.cost(of: texts[$0]) }
        #expect(growth.isLinear, "\(growth)")
    }
}
