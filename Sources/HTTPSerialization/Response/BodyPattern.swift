internal import ForeignText

/// A regular expression (PCRE2) that a body must match.
///
/// `(?i)` and the like at its start set options. In a body that is not UTF-8 only the valid parts can match. An
/// expression that takes too much time or memory on a body is aborted with a finding: a server must not be able to keep
/// a check busy.
public struct BodyPattern: Sendable, Hashable, CustomStringConvertible {
    /// The source of the expression.
    public let text: String

    private let compiled: CompiledPattern

    /// Compiles an expression.
    ///
    /// - Throws: ``ExpectationError/invalidPattern(_:offset:reason:)``.
    public init(parsing text: String) throws(ExpectationError) {
        guard !text.isEmpty else { throw .empty("the regular expression") }
        self.text = text
        compiled = try CompiledPattern(text)
    }

    /// The source of the expression.
    public var description: String { text }

    /// Compares the sources.
    public static func == (left: BodyPattern, right: BodyPattern) -> Bool { left.text == right.text }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Searches for a match anywhere in the bytes.
    func search(_ bytes: [UInt8], budget: WorkBudget? = nil) -> PatternResult {
        compiled.search(bytes, budget: budget)
    }
}
