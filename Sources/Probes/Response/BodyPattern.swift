/// A regular expression (PCRE2) that a body must match.
///
/// `(?i)` and the like at its beginning set options. A body that is not UTF-8 matches in its valid parts. An expression
/// that takes too long or too much memory on a body is given up, and that is a finding: a server must not be able to
/// keep a check busy.
public struct BodyPattern: Sendable, Hashable, CustomStringConvertible {
    /// The expression as it was written.
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

    /// The expression as it was written.
    public var description: String { text }

    /// Whether both are written alike.
    public static func == (left: BodyPattern, right: BodyPattern) -> Bool { left.text == right.text }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Looks for a match anywhere in the bytes.
    func search(_ bytes: [UInt8], budget: WorkBudget? = nil) -> PatternResult {
        compiled.search(bytes, budget: budget)
    }
}
