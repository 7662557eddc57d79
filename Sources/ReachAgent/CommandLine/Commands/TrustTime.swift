internal import ArgumentParser
internal import FoundationEssentials

/// Moments as text (RFC 3339).
enum TrustTime {
    /// Reads `2026-11-21T12:00:00Z`, with an offset or with fractions too; nil when it is no such moment.
    static func date(_ text: String) -> Date? {
        guard (20...40).contains(text.utf8.count) else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("." as Character))
        return try? style.parse(text)
    }

    static func argument(_ text: String) throws -> Date {
        guard let date = date(text) else {
            throw ValidationError("'\(text)' is no moment; accepted are forms like 2026-11-21T12:00:00Z")
        }
        return date
    }
}
