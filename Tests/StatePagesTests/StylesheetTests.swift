import Foundation
import Testing

@testable import StatePages

/// The style of the page, by the rules of WCAG 2.2.
@Suite struct StylesheetTests {
    private enum Scheme: String, CaseIterable { case light, dark }

    /// The variables of a scheme, as red, green and blue from 0 to 1.
    private static func colours(_ scheme: Scheme) throws -> [String: [Double]] {
        let blocks = StatusPage.style.split(separator: ":root{").dropFirst().map { $0.prefix { $0 != "}" } }
        let block = try #require(scheme == .light ? blocks.first : blocks.dropFirst().first)
        var colours: [String: [Double]] = [:]
        for declaration in block.split(separator: ";") {
            let parts = declaration.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[1].hasPrefix("#") else { continue }
            var digits = parts[1].dropFirst().map(String.init)
            if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
            colours[parts[0]] = try stride(from: 0, to: 6, by: 2).map { index in
                Double(try #require(Int(digits[index] + digits[index + 1], radix: 16))) / 255
            }
        }
        return colours
    }

    /// The relative luminance of WCAG.
    private static func luminance(_ colour: [Double]) -> Double {
        let linear = colour.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    private static func contrast(_ first: [Double], _ second: [Double]) -> Double {
        let levels = [luminance(first), luminance(second)].sorted()
        return (levels[1] + 0.05) / (levels[0] + 0.05)
    }

    @Test(arguments: ["light", "dark"])
    func `text has a contrast of 4.5 and shapes one of 3 on every ground`(scheme: String) throws {
        let colours = try Self.colours(try #require(Scheme(rawValue: scheme)))
        for (names, minimum) in [
            (["ink", "dim", "good", "doubtful", "bad", "unknown"], 4.5),
            (["full", "less", "none", "median", "bad", "good", "doubtful", "dim"], 3),
        ] {
            for name in names {
                for ground in ["card", "ground"] {
                    let contrast = Self.contrast(
                        try #require(colours["--\(name)"]),
                        try #require(colours["--\(ground)"])
                    )
                    #expect(contrast >= minimum, "\(name) on \(ground): \(contrast)")
                }
            }
        }
        // The median lies on its band, and the band on the card.
        let (median, range) = (try #require(colours["--median"]), try #require(colours["--range"]))
        #expect(Self.contrast(median, range) >= 3)
    }

    @Test func `the contrast is that of WCAG's examples`() {
        #expect(abs(Self.contrast([0, 0, 0], [1, 1, 1]) - 21) < 0.001)
        let grey = Double(0x76) / 255
        #expect(abs(Self.contrast([grey, grey, grey], [1, 1, 1]) - 4.54) < 0.01)
    }

    @Test func `both schemes have the same colours, and nothing moves`() throws {
        #expect(try Self.colours(.light).keys.sorted() == Self.colours(.dark).keys.sorted())
        for word in ["animation", "transition", "@keyframes", "smooth", "url(", "@import"] {
            #expect(!StatusPage.style.contains(word), "\(word)")
        }
        #expect(!StatusPage.script.contains("animate"))
    }

    /// A grade is told by the form of its sign, and its icon by the form of its stroke.
    @Test func `grades differ without colours`() {
        #expect(Set(Grade.allCases.map(\.sign)).count == Grade.allCases.count)
        let strokes = Grade.allCases.map { $0.icon.split(separator: "path d=").last?.prefix { $0 != "f" } }
        #expect(Set(strokes).count == Grade.allCases.count)
        for grade in Grade.allCases { #expect(!grade.icon.contains("\"") && !grade.icon.contains("<")) }
    }
}
