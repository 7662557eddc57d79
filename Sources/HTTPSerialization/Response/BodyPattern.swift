internal import CPCRE2
internal import ForeignText

/// A regular expression (PCRE2) that a body must match.
///
/// Options such as `(?i)` can be set at its start. In a body that is not UTF-8 only the valid parts can match. An
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

/// The result of a search for a regular expression.
enum PatternResult: Sendable, Hashable {
    case found
    case notFound
    /// The search was aborted; the reason is a clause.
    case givenUp(String)
}

/// A regular expression compiled by PCRE2.
///
/// PCRE2's limits apply to each start of a match, and so do not bound the time of a search over a long body. Therefore
/// the expression is compiled with callouts, each of which checks the clock.
///
/// `@unchecked Sendable`: `code` is not modified after `init`, and PCRE2 supports concurrent matches with one compiled
/// pattern.
private final class CompiledPattern: @unchecked Sendable {
    /// The maximum size of an expression, in bytes.
    static let maximumBytes = 4096
    /// The maximum number of steps of a match from one start.
    static let maximumSteps: UInt32 = 2_000_000
    /// The maximum nesting depth of groups during a match.
    static let maximumDepth: UInt32 = 100_000
    /// The maximum memory of a match, in KiB.
    static let maximumKibibytes: UInt32 = 32 << 10
    /// The maximum time of a search.
    static let maximumTime = Duration.seconds(1)

    private let code: OpaquePointer

    /// Compiles an expression.
    init(_ text: String) throws(ExpectationError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumBytes else {
            throw .invalidPattern(text, offset: Self.maximumBytes, reason: "longer than \(Self.maximumBytes) bytes")
        }
        var failure: CInt = 0
        var offset = 0
        // \C matches half of a character and is not allowed in UTF mode with invalid bytes; rejected at compile
        // time.
        let options = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT
        guard let code = pcre2_compile_8(bytes, bytes.count, options, &failure, &offset, nil) else {
            throw .invalidPattern(text, offset: offset, reason: Self.message(failure))
        }
        self.code = code
    }

    deinit { pcre2_code_free_8(code) }

    /// Searches for a match anywhere in the bytes.
    func search(_ bytes: [UInt8], budget: WorkBudget? = nil) -> PatternResult {
        guard let context = pcre2_match_context_create_8(nil),
            let match = pcre2_match_data_create_from_pattern_8(code, nil)
        else { return .givenUp("there is no memory for it") }
        defer {
            pcre2_match_context_free_8(context)
            pcre2_match_data_free_8(match)
        }
        _ = pcre2_set_match_limit_8(context, Self.maximumSteps)
        _ = pcre2_set_depth_limit_8(context, Self.maximumDepth)
        _ = pcre2_set_heap_limit_8(context, Self.maximumKibibytes)
        var watch = Stopwatch(end: .now + Self.maximumTime, budget: budget)
        let result = withUnsafeMutablePointer(to: &watch) { watch in
            _ = pcre2_set_callout_8(
                context,
                { place, watch in Stopwatch.tick(watch, at: place?.pointee.current_position) },
                watch
            )
            return bytes.withUnsafeBufferPointer { bytes in
                // PCRE2 requires a pointer even for no bytes.
                guard let start = bytes.baseAddress else { return pcre2_match_8(code, [0], 0, 0, 0, match, context) }
                return pcre2_match_8(code, start, bytes.count, 0, 0, match, context)
            }
        }
        switch result {
        case 0...: return .found
        case PCRE2_ERROR_NOMATCH: return .notFound
        case PCRE2_ERROR_CALLOUT: return .givenUp("it takes longer than \(Self.maximumTime)")
        case PCRE2_ERROR_MATCHLIMIT: return .givenUp("it takes more than \(Self.maximumSteps) steps")
        case PCRE2_ERROR_DEPTHLIMIT: return .givenUp("it nests more than \(Self.maximumDepth) deep")
        case PCRE2_ERROR_HEAPLIMIT: return .givenUp("it takes more than \(Self.maximumKibibytes) KiB of memory")
        default: return .givenUp(Self.message(result))
        }
    }

    private static func message(_ code: CInt) -> String {
        var text = [UInt8](repeating: 0, count: 256)
        guard pcre2_get_error_message_8(code, &text, text.count) >= 0 else { return "PCRE2 error \(code)" }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The time limit of a search, checked only occasionally because reading the clock costs more than a step.
private struct Stopwatch {
    let end: SuspendingClock.Instant
    let budget: WorkBudget?
    private var position = 0
    private var steps = 0

    init(end: SuspendingClock.Instant, budget: WorkBudget?) {
        self.end = end
        self.budget = budget
    }

    /// The callout of PCRE2 before each item of the expression; a result other than zero ends the search.
    static func tick(_ pointer: UnsafeMutableRawPointer?, at position: Int?) -> CInt {
        guard let watch = pointer?.assumingMemoryBound(to: Stopwatch.self) else { return PCRE2_ERROR_CALLOUT }
        return watch.pointee.mayGoOn(at: position ?? 0) ? 0 : PCRE2_ERROR_CALLOUT
    }

    /// Counts the item, and the bytes that the previous one has consumed: a single `.*` may have consumed all of them.
    private mutating func mayGoOn(at position: Int) -> Bool {
        steps += 8 + abs(position - self.position)
        self.position = position
        guard steps >= 512 else { return true }
        defer { steps = 0 }
        return (budget?.allows(steps) ?? true) && SuspendingClock().now < end
    }
}
