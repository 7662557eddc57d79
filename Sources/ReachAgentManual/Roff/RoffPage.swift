/// Writes a page of the manual in the macros of man(7), which man-db's groff and mandoc both set.
struct RoffPage {
    /// The page's source so far.
    private(set) var text: String
    /// Where lines of the source are broken.
    private static let width = 78
    /// The longest line that an example can have: 80 columns without the margins.
    static let exampleWidth = 68
    /// Whether a heading has just been written: what follows it is no new paragraph then (mandoc warns of that).
    private var isBelowHeading = false

    /// A page that has its title and its name.
    ///
    /// - Parameters:
    ///   - name: What people ask `man` for.
    ///   - section: The manual's section.
    ///   - summary: What whatis(1) shows, without a full stop.
    ///   - heading: The date as `2026-11-21`, what the page belongs to, and the name of the section.
    init(name: String, section: Int, summary: String, heading: (date: String, source: String, manual: String)) {
        // Names of options and codes are neither to be hyphenated nor to be torn apart by even margins. groff's macros
        // hyphenate again after each paragraph unless the register says so, too.
        text = """
            .TH \(Self.argument(name)) \(section) \(heading.date) \(Self.argument(heading.source)) \
            \(Self.argument(heading.manual))
            .nr HY 0
            .nh
            .ad l
            .SH NAME
            \(RoffText.literal(name)) \\- \(RoffText.prose(summary))

            """
    }

    /// Begins a section.
    mutating func section(_ title: String) { head(".SH \(Self.argument(title.uppercased()))") }

    /// Begins a part of a section.
    mutating func subsection(_ title: String) { head(".SS \(Self.argument(title))") }

    private mutating func head(_ line: String) {
        text += "\(line)\n"
        isBelowHeading = true
    }

    private mutating func beginParagraph() {
        if !isBelowHeading { text += ".PP\n" }
        isBelowHeading = false
    }

    /// A heading below that.
    mutating func heading(_ title: String) {
        beginParagraph()
        text += "\\fB\(RoffText.prose(title))\\fP\n"
    }

    /// A paragraph.
    mutating func paragraph(_ spans: [Span]) {
        guard !spans.isEmpty else { return }
        beginParagraph()
        fill(spans)
    }

    /// Lines of which each begins anew.
    mutating func lines(_ lines: [[Span]]) {
        beginParagraph()
        for (place, line) in lines.enumerated() {
            if place > 0 { text += ".br\n" }
            fill(line)
        }
    }

    /// What belongs to a tag; each of the bodies begins on a line of its own.
    mutating func item(_ tag: [Span], _ bodies: [[Span]]) {
        text += ".TP\n\(RoffText.line(tag.map(\.roff).joined()))\n"
        isBelowHeading = false
        let bodies = bodies.filter { !$0.isEmpty }
        // Without any text the next macro would be taken for the tag's.
        if bodies.isEmpty { text += "\\&\n" }
        for (place, body) in bodies.enumerated() {
            if place > 0 { text += ".br\n" }
            fill(body)
        }
    }

    /// An item of a list, with a bullet or a number in front.
    mutating func listItem(_ mark: String?, _ spans: [Span]) {
        text += mark.map { ".IP \(Self.argument($0)) 4\n" } ?? ".IP \\(bu 2\n"
        isBelowHeading = false
        fill(spans)
    }

    /// Lines as they are; one that is too long is broken at a space and indented.
    mutating func example(_ lines: [String]) {
        beginParagraph()
        text += ".RS 4\n.EX\n"
        for line in lines.flatMap(Self.folded) { text += RoffText.line(RoffText.literal(line)) + "\n" }
        text += ".EE\n.RE\n"
    }

    private static func folded(_ line: String) -> [String] {
        var lines: [String] = []
        var rest = (line.count > exampleWidth ? squeezed(line) : line)[...]
        let indentation = String(line.prefix { $0 == " " }) + "    "
        while rest.count > exampleWidth {
            let head = rest.prefix(exampleWidth)
            guard let space = head.lastIndex(of: " "), head[..<space].contains(where: { $0 != " " }) else { break }
            lines.append(String(rest[..<space]))
            rest = (indentation + rest[rest.index(after: space)...])[...]
        }
        return lines + [String(rest)]
    }

    /// A line without the room in front of its comment, which lines it up with those of other lines.
    private static func squeezed(_ line: String) -> String {
        guard let comment = line.firstRange(of: "  #") else { return line }
        var head = line[..<comment.lowerBound]
        while head.last == " " { head.removeLast() }
        return "\(head)\(line[comment.lowerBound...])"
    }

    /// Words, broken into lines between them.
    private mutating func fill(_ spans: [Span]) {
        var line = ""
        for word in spans.map(\.roff).joined().split(separator: " ") {
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > Self.width {
                text += Self.finished(line)
                line = ""
            }
            line += line.isEmpty ? word : " \(word)"
        }
        if !line.isEmpty { text += Self.finished(line) }
    }

    /// A line of text; one that ends as a sentence does would be given two spaces behind it where the next is joined.
    private static func finished(_ line: String) -> String {
        var end = line[...]
        while let closing = ["\\fP", "\\(dq", "\\(aq", ")", "]"].first(where: end.hasSuffix) {
            end.removeLast(closing.count)
        }
        let isSentence = [".", "?", "!"].contains { end.hasSuffix($0) }
        return RoffText.line(line) + (isSentence ? "\\&\n" : "\n")
    }

    private static func argument(_ text: String) -> String { "\"\(RoffText.literal(text))\"" }
}
