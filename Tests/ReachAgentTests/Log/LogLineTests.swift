import AgentEvents
import Foundation
import Logging
import Testing

@testable import ServiceSupport

/// Messages as lines.
@Suite struct LogLineTests {
    private static let time = Timestamp(microsecondsSince1970: 1_795_244_400_123_456)

    private static func lines(
        _ message: String,
        _ level: Logger.Level = .warning,
        _ format: LogFormat = .plain
    ) -> [String] {
        LogLine.lines(message, of: "reachagent", level: level, format: format, time: time).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(arguments: [
        (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
    ])
    func `the journal gets the priority, and neither time nor name`(level: Logger.Level, priority: Int) {
        #expect(Self.lines("gone", level, .journal) == ["<\(priority)>gone\n"])
    }

    @Test func `a file gets the time in UTC, the name and the level`() {
        #expect(Self.lines("gone") == ["2026-11-21T07:00:00.123456Z reachagent: warning: gone\n"])
    }

    @Test func `a terminal gets the local time, and colours for important lines`() {
        let clock = Self.time.localDescription.split(separator: "T").last ?? ""
        let plain = LogFormat.terminal(hasColour: false, hasUnicode: true)
        let coloured = LogFormat.terminal(hasColour: true, hasUnicode: true)
        #expect(Self.lines("gone", .warning, plain) == ["\(clock)  warning   gone\n"])
        #expect(Self.lines("gone", .notice, coloured) == ["\(clock)  notice    gone\n"])
        #expect(Self.lines("gone", .warning, coloured) == ["\(clock)  \u{1B}[33mwarning \u{1B}[0m  gone\n"])
        #expect(Self.lines("gone", .error, coloured) == ["\(clock)  \u{1B}[31merror   \u{1B}[0m  gone\n"])
        #expect(Self.lines("gone", .critical, coloured) == ["\(clock)  \u{1B}[31mcritical\u{1B}[0m  gone\n"])
    }

    @Test func `only a terminal without UTF-8 gets arrows, dashes and ellipses in ASCII`() {
        let message = "unknown → wifi – 1…"
        let formats =
            [
                .plain, .journal, .terminal(hasColour: false, hasUnicode: true),
                .terminal(hasColour: false, hasUnicode: false),
            ] as [LogFormat]
        let lines = formats.map { Self.lines(message, .notice, $0).first ?? "" }
        #expect(lines.map { $0.hasSuffix("\(message)\n") } == [true, true, true, false], "\(lines)")
        #expect(lines.last?.hasSuffix("  notice    unknown -> wifi - 1...\n") == true)
    }

    @Test(arguments: [
        ("first\u{2028}second", "u{2028}"), ("first\u{0B}second", "u{b}"), ("first\u{85}second", "u{85}"),
    ])
    func `a separator that only foreign text has makes no line`(message: String, shown: String) {
        #expect(Self.lines(message, .error, .journal) == ["<3>first\\\(shown)second\n"])
    }

    @Test(arguments: ["first\nsecond", "first\r\nsecond\n", "\n\nfirst\n\nsecond", "first\n\r\nsecond\r\n"])
    func `every line of a message has its prefix`(message: String) {
        #expect(Self.lines(message, .error, .journal) == ["<3>first\n", "<3>second\n"])
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("a\u{7}b", "a\\u{7}b"), ("a\u{202E}b", "a\\u{202e}b"),
        ("a\u{9B}b", "a\\u{9b}b"), ("a\tb", "a\\u{9}b"), ("a\u{0}b", "a\\u{0}b"),
    ])
    func `characters that could move a cursor are made visible`(message: String, shown: String) {
        for format in [LogFormat.plain, .journal, .terminal(hasColour: true, hasUnicode: true)] {
            let lines = Self.lines(message, .notice, format)
            #expect(lines.count == 1)
            #expect(lines.first?.hasSuffix("\(shown)\n") == true)
        }
    }

    @Test func `a message cannot choose its priority`() {
        #expect(Self.lines("<0>panic\n<0>panic", .notice, .journal) == ["<5><0>panic\n", "<5><0>panic\n"])
    }

    @Test(arguments: ["x", "é", "→", "🦊", "\u{7}"])
    func `a long line is cut between characters, so that a pipe takes it in one piece`(character: String) {
        for format in [LogFormat.plain, .journal, .terminal(hasColour: true, hasUnicode: true)] {
            let line = LogLine.lines(
                String(repeating: character, count: 5000),
                of: "reachagent",
                level: .warning,
                format: format,
                time: Self.time
            )
            #expect(line.count == 1)
            #expect(line[0].count <= 4096)
            let text = String(bytes: line[0], encoding: .utf8)
            #expect(text?.hasSuffix("...\n") == true)
        }
    }

    @Test func `a message of very many lines is cut`() {
        let lines = Self.lines(String(repeating: "x\n", count: 1000), .notice, .journal)
        #expect(lines.count == 64)
        #expect(lines.last == "<5>... and 937 more lines\n")
    }

    @Test func `an empty message is a line`() { #expect(Self.lines("", .notice, .journal) == ["<5>\n"]) }
}

/// The log format by the reader of standard error.
@Suite struct LogFormatTests {
    @Test func `only the descriptor that JOURNAL_STREAM names is the journal`() throws {
        let path = "/etc/passwd"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let device = try #require(attributes[.systemNumber] as? Int)
        let inode = try #require(attributes[.systemFileNumber] as? Int)
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        let descriptor = file.fileDescriptor
        #expect(LogFormat.of(descriptor, journalStream: "\(device):\(inode)") == .journal)
        // A service that has a journal, and whose standard error was led elsewhere, has the variable too.
        let others = [
            nil, "", "1", "\(device)", "\(device):", "\(device):\(inode)0", "\(device + 1):\(inode)",
            " \(device):\(inode)", "\(inode):\(device)", "x:y", "8:12345",
        ]
        for other in others { #expect(LogFormat.of(descriptor, journalStream: other) == .plain) }
    }

    @Test func `a descriptor that is closed is a file like any other`() {
        #expect(LogFormat.of(-1, journalStream: "8:12345") == .plain)
    }
}
