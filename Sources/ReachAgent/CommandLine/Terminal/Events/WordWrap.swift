/// Words that are laid out in lines of a width, and painted after that.
///
/// A word is only broken where a line of its own has no room for it.
struct WordWrap {
    private let columns: Int
    private let hanging: Int
    private var finished: [String] = []
    private var line = ""
    /// The columns of the present line that are in use.
    private(set) var used = 0
    /// True before the first word of a line.
    private var isAtStart = true

    /// Lines of so many columns; all but the first are indented.
    init(columns: Int, hanging: Int) {
        self.columns = columns
        self.hanging = hanging
    }

    /// The lines so far.
    var lines: [String] { finished + (isAtStart && !finished.isEmpty ? [] : [line.trimmingEnd]) }

    /// Adds the words of a text, with spaces between them.
    mutating func add(words text: String, gap: Int = 1, paint: (String) -> String = { $0 }) {
        for (index, word) in text.split(separator: " ").enumerated() {
            add(String(word), gap: index == 0 ? gap : 1, paint: paint)
        }
    }

    /// Adds a word.
    ///
    /// - Parameters:
    ///   - gap: The spaces before it, unless it begins a line.
    ///   - paint: Gives it its colour; the width is that of the plain text.
    mutating func add(_ word: String, gap: Int = 1, paint: (String) -> String = { $0 }) {
        guard !word.isEmpty else { return }
        let width = word.displayWidth
        if !isAtStart, used > columns - gap - width { breakLine() }
        if !isAtStart { append(String(repeating: " ", count: gap), width: gap) }
        if used <= columns - width { return append(paint(word), width: width) }
        var piece = ""
        for character in word {
            let width = String(character).displayWidth
            if used + piece.displayWidth + width > columns, !piece.isEmpty {
                append(paint(piece), width: piece.displayWidth)
                breakLine()
                piece = ""
            }
            piece.append(character)
        }
        append(paint(piece), width: piece.displayWidth)
    }

    private mutating func append(_ text: String, width: Int) {
        line += text
        used += width
        isAtStart = false
    }

    private mutating func breakLine() {
        finished.append(line.trimmingEnd)
        line = String(repeating: " ", count: hanging)
        used = hanging
        isAtStart = true
    }
}

extension String {
    /// The text without spaces at its end.
    fileprivate var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
