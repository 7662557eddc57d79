import AgentTestKit
import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import Configuration

/// Files that are hostile, damaged or too large.
@Suite struct HostileFileTests {
    @Test func `opening a file that is not a regular file does not block`() throws {
        try Fixtures.inDirectory { directory in
            mkfifo("\(directory)/a.toml", 0o600)
            #expect(Fixtures.errors(at: "\(directory)/a.toml", in: directory) == ["a.toml: is not a regular file"])
            #expect(Fixtures.errors(at: "/dev/zero", in: "/no") == ["/dev/zero: is not a regular file"])
            #expect(Fixtures.errors(at: directory, in: "").count == 1)
            #expect(
                Fixtures.errors(at: "\(directory)/no.toml", in: directory)
                    == ["no.toml: cannot be opened: No such file or directory"]
            )
        }
    }

    @Test func `opening certificates does not block either`() throws {
        try Fixtures.inDirectory { directory in
            mkfifo("\(directory)/ca.pem", 0o600)
            try "[probe.a]\ntarget = 'https://example.org/'\nca_file = 'ca.pem'\n"
                .write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
            #expect(Fixtures.errors(at: "\(directory)/a.toml", in: directory).count == 1)
        }
    }

    @Test func `a file has at most a megabyte`() throws {
        let line = "# 34567890123456789012345678901\n"
        #expect(try Fixtures.errors(String(repeating: line, count: 1 << 15)).isEmpty)
        #expect(try Fixtures.errors(String(repeating: line, count: 1 << 15) + "\n").count == 1)
    }

    @Test func `a byte order mark is skipped`() throws {
        #expect(try Fixtures.load("\u{FEFF}[settle]\nup = '1s'\n").settings.settle.up == .seconds(1))
    }

    @Test func `deep nesting does no harm`() throws {
        for text in [
            String(repeating: "a.", count: 500_000) + "a = 1", "a = " + String(repeating: "[", count: 500_000),
            "a = " + String(repeating: "{a=", count: 300_000), "[" + String(repeating: "a.", count: 500_000) + "a]",
        ] {
            let errors = try Fixtures.errors(text)
            #expect(errors.count == 1)
            #expect(errors.first?.hasPrefix("a.toml:1:") == true)
            #expect(errors.first?.hasSuffix(": keys are nested more than 16 levels deep") == true)
        }
    }

    @Test func `very many errors are reported up to a limit`() throws {
        let text = (0..<5000).map { "k\($0) = 1\n" }.joined()
        let errors = try Fixtures.errors(text)
        #expect(errors.count == Notes.maxErrors + 1)
        #expect(errors.last == "a.toml: and 4000 more errors")
    }

    @Test func `at most 10,000 probes are accepted`() throws {
        let text = (0...SettingsReader.maxProbes).map { "[probe.p\($0)]\n" }.joined()
        #expect(try Fixtures.errors(text) == ["a.toml:1:1: probe: there are 10001 probes; at most 10000 are accepted"])
    }

    @Test func `at most 64 targets are accepted`() throws {
        let text = (0...64).map { "[target.t\($0)]\naddress = '192.0.2.1'\n" }.joined()
        #expect(try Fixtures.errors(text) == ["a.toml:1:1: target: there are 65 targets; at most 64 are accepted"])
    }

    @Test func `no bytes trap`() throws {
        let seeds = try Fixtures.names("").map {
            Array(try Data(contentsOf: URL(filePath: "\(Fixtures.directory)/\($0).toml")))
        }
        var generator = SplitMix(state: 5)
        for round in 0..<2000 {
            guard var bytes = seeds.randomElement(using: &generator) else { continue }
            for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch round % 3 {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(#"[]{}"'.=,#"#.utf8.randomElement(using: &generator) ?? 0, at: index)
                }
            }
            guard let source = try? SourceText(bytes, file: "a"),
                let root = try? TOMLParser.parse(source)
            else { continue }
            _ = SettingsReader.settings(of: root, notes: Notes(), serializer: RequestSerializer())
            #expect(Self.hasLines(root), "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    /// Returns `true` when every value has a position.
    private static func hasLines(_ node: Node) -> Bool {
        guard node.origin.line != nil else { return false }
        return switch node.value {
        case .array(let nodes): nodes.allSatisfy(hasLines)
        case .table(let members): members.values.allSatisfy(hasLines)
        default: true
        }
    }
}
