import AgentEvents
import Foundation
import Probes
import Testing

@testable import ReachAgent

/// Everything that `reachagent measure` shows, as people see it.
@Suite struct MeasureScreenTests {
    /// A screen: its name, and its text for a style.
    struct Screen: Sendable, CustomTestStringConvertible {
        let name: String
        let text: @Sendable (TerminalStyle) -> String
        var testDescription: String { name }
    }

    private static let displays = MeasureScenes.displays.map { scene in
        Screen(name: "live.\(scene.name)") { style in
            MeasureScreen(style: style)
                .lines(
                    scene.measurements,
                    elapsed: .seconds(scene.seconds),
                    waitingFor: scene.name == "busy" ? "another transfer of this machine (process 812)" : nil
                )
                .joined(separator: "\n")
        }
    }

    private static let summaries = MeasureScenes.summaries.map { scene in
        Screen(name: "summary.\(scene.name)") { style in
            MeasureText(style: style).text(MeasureScenes.target, scene.measurements)
        }
    }

    private static func style(_ columns: Int, hasColour: Bool = false, hasUnicode: Bool = true) -> TerminalStyle {
        TerminalStyle(hasColour: hasColour, hasUnicode: hasUnicode, columns: columns)
    }

    private static func golden(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/measure/\(name).expected")
    }

    /// `REACHAGENT_WRITE_GOLDEN=1 swift test --filter MeasureScreenTests` writes the files anew; read them as a person would.
    ///
    /// A file that is missing is written, and the test has failed.
    private static func expect(_ text: String, toBe name: String) throws {
        let file = golden(name)
        let isMissing = !FileManager.default.fileExists(atPath: file.path())
        if isMissing || ProcessInfo.processInfo.environment["REACHAGENT_WRITE_GOLDEN"] != nil {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(!isMissing, "\(name) was missing")
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test(arguments: displays + summaries, [80, 120])
    func `a screen is that of its file, with and without colours`(_ screen: Screen, _ columns: Int) throws {
        let text = screen.text(Self.style(columns)) + "\n"
        try Self.expect(text, toBe: "\(screen.name).\(columns)")
        let coloured = screen.text(Self.style(columns, hasColour: true)) + "\n"
        #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == text)
    }

    @Test(arguments: displays, [1, 10, 20, 40, 60, 79, 119, 200])
    func `no line of the live display is wider than the terminal`(_ screen: Screen, _ columns: Int) {
        for hasUnicode in [true, false] {
            for hasColour in [true, false] {
                let style = Self.style(columns, hasColour: hasColour, hasUnicode: hasUnicode)
                for line in screen.text(style).split(separator: "\n") {
                    #expect(String(line).displayWidth <= columns, "\(line)")
                }
            }
        }
    }

    @Test(arguments: displays + summaries)
    func `a terminal without Unicode gets ASCII alone`(_ screen: Screen) {
        #expect(screen.text(Self.style(80, hasUnicode: false)).utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: summaries, [60, 80, 120])
    func `the tables of a summary fit the terminal`(_ screen: Screen, _ columns: Int) {
        let long = screen.text(Self.style(columns)).split(separator: "\n").filter { String($0).displayWidth > columns }
        #expect(long.isEmpty, "\(long)")
    }

    @Test func `a bar never moves the columns beside it`() {
        let places = (0...20).map { part in
            let progress = MeasureScenes.progress(.download, part << 20, rate: 38e6, added: .milliseconds(part * 70))
            let lines = MeasureScreen(style: Self.style(100)).lines([MeasureScenes.running([progress])], elapsed: .zero)
            return lines.first?.range(of: "Mbit/s").map {
                lines[0].distance(from: lines[0].startIndex, to: $0.lowerBound)
            }
        }
        #expect(Set(places).count == 1, "\(places)")
    }

    @Test func `without a terminal each measurement is one line`() throws {
        let lines = MeasureScenes.summaries.flatMap { scene in
            scene.measurements.map { MeasureLine().text(MeasureScenes.target, $0) }
        }
        #expect(lines.allSatisfy { !$0.contains("\n") })
        try Self.expect(lines.joined(separator: "\n") + "\n", toBe: "lines")
    }

    @Test func `an object smaller than requested is noted, and not as a failure`() {
        let evidence = "the object has 15 bytes; 20971520 were requested"
        let note = Probes.Finding(.httpBody, .note, subject: MeasureScenes.target, evidence: evidence)
        let leg = MeasureScenes.leg(0.1, bytes: 15, of: 15)
        let measurement = MeasureScenes.measured(MeasureScenes.report(download: leg, findings: [note]))
        let line = MeasureLine().text(MeasureScenes.target, measurement)
        #expect(line.hasPrefix("ok ") && line.hasSuffix("; \(evidence)"), "\(line)")
        let text = MeasureText(style: Self.style(120)).text(MeasureScenes.target, [measurement])
        #expect(text.contains(evidence) && !text.contains(FindingCode.httpBody.sentence), "\(text)")
    }

    @Test func `of the notes those about certificates are left out`() {
        let notes = [
            Probes.Finding(.tlsCertificateProfile, .note, subject: "CN=host.test", evidence: "the serial number is 0"),
            Probes.Finding(.byteLimit, .note, subject: MeasureScenes.target, evidence: "the upload was skipped"),
        ]
        let measurement = MeasureScenes.measured(MeasureScenes.report(findings: notes))
        let text = MeasureText(style: Self.style(120)).text(MeasureScenes.target, [measurement])
        for text in [text, MeasureLine().text(MeasureScenes.target, measurement)] {
            #expect(text.contains("the upload was skipped") && !text.contains("serial number"), "\(text)")
        }
    }

    @Test func `JSON has the members of a check, the transfer and the interface`() throws {
        let lines = MeasureScenes.summaries.flatMap { scene in
            scene.measurements.map { measurement in
                String(decoding: JSONWriter.text(of: MeasureResult(MeasureScenes.target, measurement)), as: UTF8.self)
            }
        }
        try Self.expect(lines.joined(separator: "\n") + "\n", toBe: "json")
        let parsed = try JSONSerialization.jsonObject(with: Data(lines[0].utf8))
        let first = try #require(parsed as? [String: Any])
        #expect(first["verdict"] as? String == "ok")
        #expect(first["interface"] as? String == "eth0")
        let download = (first["transfer"] as? [String: Any])?["download"] as? [String: Any]
        #expect(download?["bytes"] as? Int == 20 << 20)
    }

    @Test func `a server's and an interface's text has no control character`() {
        let evil = "e\u{1B}[2J\u{202E}"
        var report = MeasureScenes.both
        report.hops[0].interface = evil
        report.findings = [Probes.Finding(.transferStalled, subject: evil, evidence: evil)]
        let measurement = MeasureScenes.measured(report)
        let texts = [
            MeasureText(style: .plain).text("https://host.test/\(evil)", [measurement]),
            MeasureLine().text("https://host.test/\(evil)", measurement),
        ]
        for text in texts {
            #expect(String(decoding: TerminalText.bytes(of: text), as: UTF8.self) == text)
        }
    }
}
