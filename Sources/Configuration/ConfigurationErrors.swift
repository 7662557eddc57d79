/// One error or warning in a configuration file.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public var file: String
    /// The line, from 1; `nil` if the error concerns the file as a whole.
    public var line: Int?
    /// The column in characters, from 1; `nil` without a line.
    public var column: Int?
    /// The key with its tables: `probe.web.interval`; `nil` if the error concerns no key.
    public var key: String?
    /// The message, in lower case and without a full stop.
    public var message: String

    /// Creates an error at a position.
    public init(file: String, line: Int? = nil, column: Int? = nil, key: String? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.message = message
    }

    /// The message with its position: `reachagent.toml:7:1: probe.web.interval: '10x' is not a valid duration; …`.
    public var description: String {
        let position = [line, line == nil ? nil : column].compactMap { $0.map { ":\($0)" } }.joined()
        let place = file + position
        return key.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
    }
}

/// All errors in the configuration files, in the order of files and positions.
public struct ConfigurationErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errors, at least one.
    public var errors: [ConfigurationError]

    /// Creates a value from errors in order.
    public init(_ errors: [ConfigurationError]) { self.errors = errors }

    /// The descriptions of the errors, one on each line.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Errors, warnings and values in effect, collected while the settings are read.
final class Notes {
    /// A note, with its position.
    private struct Note {
        let origin: Origin
        let error: ConfigurationError
    }

    /// The maximum number of errors that are kept; a file of a megabyte could contain hundreds of thousands.
    static let maxErrors = 1000

    private var errors: [Note] = []
    private var warnings: [Note] = []
    private var surplus = 0
    private let listsEffective: Bool
    /// True to warn of interfaces, programs, users and groups that this machine does not have; accounts may be looked
    /// up on a server.
    let checksMachine: Bool
    /// The values in effect, one line each; empty unless requested.
    private(set) var effective: [String] = []

    init(listsEffective: Bool = false, checksMachine: Bool = false) {
        self.listsEffective = listsEffective
        self.checksMachine = checksMachine
    }

    /// True if there are no errors so far.
    var isClean: Bool { errors.isEmpty }
    /// False if there are so many errors that further ones are only counted.
    var keepsErrors: Bool { errors.count < Self.maxErrors }
    /// The number of errors so far.
    var errorCount: Int { errors.count + surplus }

    func error(_ message: String, key: TOMLPath? = nil, at origin: Origin) {
        guard keepsErrors else { return surplus += 1 }
        errors.append(Self.note(message, key, origin))
    }

    func warning(_ message: String, key: TOMLPath, at origin: Origin) {
        guard warnings.count < Self.maxErrors else { return }
        warnings.append(Self.note(message, key, origin))
    }

    /// Records a value in effect; without an origin it is a default.
    func effect(_ key: TOMLPath, _ text: @autoclosure () -> String, from origin: Origin?) {
        guard listsEffective else { return }
        effective.append("\(key) = \(text())    # \(origin?.place ?? "default")")
    }

    /// All errors in the order of files and positions; `nil` if there are none.
    var allErrors: ConfigurationErrors? {
        guard !errors.isEmpty else { return nil }
        var all = Self.ordered(errors)
        if surplus > 0, let last = errors.last {
            all.append(ConfigurationError(file: last.error.file, message: "and \(surplus) more errors"))
        }
        return ConfigurationErrors(all)
    }

    /// All warnings in the order of files and positions.
    var allWarnings: [ConfigurationError] { Self.ordered(warnings) }

    private static func note(_ message: String, _ key: TOMLPath?, _ origin: Origin) -> Note {
        let error = ConfigurationError(
            file: origin.file,
            line: origin.line,
            column: origin.column,
            key: key?.description,
            message: printable(message)
        )
        return Note(origin: origin, error: error)
    }

    /// Returns a message on one line of bounded length, because messages quote the file.
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

    /// Sorts notes by position; notes at the same position keep their order.
    private static func ordered(_ notes: [Note]) -> [ConfigurationError] {
        notes.enumerated().sorted { left, right in
            if Origin.precedes(left.element.origin, right.element.origin) { return true }
            if Origin.precedes(right.element.origin, left.element.origin) { return false }
            return left.offset < right.offset
        }.map(\.element.error)
    }
}
