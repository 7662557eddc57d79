internal import Glibc

/// The segments of a journal, and the copies of those that were deleted.
struct SegmentSource: Sendable {
    /// The journal's directory.
    let directory: String
    /// The directory with copies of deleted segments; `nil` to read none.
    var history: String?

    /// Lists the segments, oldest first.
    func segments() throws(JournalError) -> [SegmentName] {
        let names = try SegmentDirectory.segments(in: directory)
        guard let history else { return names }
        do throws(JournalError) {
            return Set(try SegmentDirectory.segments(in: history)).union(names).sorted()
        } catch {
            guard case .errno(ENOENT) = error.cause else { throw error }
            return names
        }
    }

    /// Opens a segment, or its copy where it was deleted; `nil` when both are gone.
    ///
    /// - Parameter nextFirst: The first number of the segment after it, once there is one.
    func open(_ name: SegmentName, nextFirst: UInt64?) throws(JournalError) -> OpenSegment? {
        if let segment = try OpenSegment(name, in: directory, nextFirst: nextFirst) { return segment }
        guard let history else { return nil }
        return try OpenSegment(name, in: history, nextFirst: nextFirst)
    }
}
