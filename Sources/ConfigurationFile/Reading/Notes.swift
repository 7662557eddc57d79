/// What reading the settings brings to light: errors, warnings, and the values in effect.
final class Notes {
    /// A remark, with what it is sorted by.
    private struct Remark {
        let origin: Origin
        let error: ConfigurationError
    }

    /// The most errors that are kept; a file of a megabyte could hold hundreds of thousands.
    static let mostErrors = 1000

    private var errors: [Remark] = []
    private var warnings: [Remark] = []
    private var surplus = 0
    private let listsEffective: Bool
    /// Whether users and groups are looked up, which may ask a server.
    let looksUpAccounts: Bool
    /// The values in effect, one line each; empty unless they are wanted.
    private(set) var effective: [String] = []
    /// Every key that was asked for, in the order in which that happened; empty unless the values in effect are wanted.
    private(set) var keys: [KeyPath] = []

    init(listsEffective: Bool = false, looksUpAccounts: Bool = false) {
        self.listsEffective = listsEffective
        self.looksUpAccounts = looksUpAccounts
    }

    /// Whether nothing was wrong so far.
    var isClean: Bool { errors.isEmpty }
    /// How many errors there were so far.
    var errorCount: Int { errors.count + surplus }

    func error(_ message: String, key: KeyPath? = nil, at origin: Origin) {
        guard errors.count < Self.mostErrors else { return surplus += 1 }
        errors.append(Self.remark(message, key, origin))
    }

    func warning(_ message: String, key: KeyPath, at origin: Origin) {
        guard warnings.count < Self.mostErrors else { return }
        warnings.append(Self.remark(message, key, origin))
    }

    /// Notes that a key can be given.
    func ask(_ key: KeyPath) {
        if listsEffective { keys.append(key) }
    }

    /// Notes a value in effect; without an origin it is a default.
    func effect(_ key: KeyPath, _ text: @autoclosure () -> String, from origin: Origin?) {
        guard listsEffective else { return }
        effective.append("\(key) = \(text())    # \(origin?.place ?? "default")")
    }

    /// Everything that is wrong, in the order of files and lines; nil when nothing is.
    var allErrors: ConfigurationErrors? {
        guard !errors.isEmpty else { return nil }
        var all = Self.ordered(errors)
        if surplus > 0, let last = errors.last {
            all.append(ConfigurationError(file: last.error.file, message: "and \(surplus) more errors"))
        }
        return ConfigurationErrors(all)
    }

    /// What is no error but will surprise, in the order of files and lines.
    var allWarnings: [ConfigurationError] { Self.ordered(warnings) }

    private static func remark(_ message: String, _ key: KeyPath?, _ origin: Origin) -> Remark {
        let key = key.map(\.description)
        return Remark(
            origin: origin,
            error: ConfigurationError(file: origin.file, line: origin.line, key: key, message: printable(message))
        )
    }

    /// Messages quote what stands in the file: they must stay one line of bounded length.
    private static func printable(_ message: String) -> String {
        var text = String.UnicodeScalarView()
        var length = 0
        for scalar in message.unicodeScalars {
            guard length < 400 else { return String(text) + "…" }
            let isPlain = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
            text.append(isPlain && scalar.properties.generalCategory != .format ? scalar : "\u{FFFD}")
            length += 1
        }
        return String(text)
    }

    /// Sorting keeps the order of what stands in the same place.
    private static func ordered(_ remarks: [Remark]) -> [ConfigurationError] {
        remarks.enumerated().sorted { left, right in
            if Origin.precedes(left.element.origin, right.element.origin) { return true }
            if Origin.precedes(right.element.origin, left.element.origin) { return false }
            return left.offset < right.offset
        }.map(\.element.error)
    }
}
