/// Where in the configuration a value stands.
struct Origin: Sendable, Hashable {
    /// The file, as messages name it.
    var file: String
    /// The file's place among those that were read; later ones win.
    var order = 0
    /// The line, from 1; nil where there is no text, or it cannot be told.
    var line: Int?
    /// The value's place among all keys of its file, in the order of the text.
    var ordinal = 0

    /// The folder of the file, which relative paths begin at.
    var folder: String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return String(file[...slash])
    }

    /// `reachagent.toml:7`.
    var place: String { line.map { "\(file):\($0)" } ?? file }

    /// Orders by file, then by line; what has no line comes first.
    static func precedes(_ left: Origin, _ right: Origin) -> Bool {
        (left.order, left.line ?? 0, left.ordinal) < (right.order, right.line ?? 0, right.ordinal)
    }
}
