internal import Glibc
internal import LinuxSupport

/// The name of a segment: the number of its first event, in twenty digits, so that names sort as numbers do.
struct SegmentName: Hashable, Comparable, Sendable {
    /// The number of the segment's first event, written or not.
    let firstSequence: UInt64

    init(firstSequence: UInt64) { self.firstSequence = firstSequence }

    /// Parses the name of one of a segment's three files; `nil` for any other name.
    init?(fileName: String) {
        let characters = Array(fileName.utf8)
        let digits = Self.prefix.utf8.count..<Self.prefix.utf8.count + Self.digits
        guard characters.count > digits.upperBound, characters.starts(with: Self.prefix.utf8) else { return nil }
        let suffix = String(decoding: characters[digits.upperBound...], as: UTF8.self)
        guard [Self.plainSuffix, Self.compressedSuffix, Self.indexSuffix].contains(suffix),
            characters[digits].allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            let number = UInt64(String(decoding: characters[digits], as: UTF8.self)),
            (1...JournalRecord.maximumSequence).contains(number)
        else { return nil }
        firstSequence = number
    }

    /// The name of the plain segment: `events-00000000000000000042.jsonl`.
    var plain: String { stem + Self.plainSuffix }

    /// The name of the compressed segment: `events-00000000000000000042.jsonl.zst`.
    var compressed: String { stem + Self.compressedSuffix }

    /// The name of the segment's index: `events-00000000000000000042.index`.
    var index: String { stem + Self.indexSuffix }

    static func < (left: SegmentName, right: SegmentName) -> Bool { left.firstSequence < right.firstSequence }

    private static let prefix = "events-"
    private static let digits = 20
    private static let plainSuffix = ".jsonl"
    private static let compressedSuffix = ".jsonl.zst"
    private static let indexSuffix = ".index"

    private var stem: String {
        let number = String(firstSequence)
        return Self.prefix + String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number
    }
}

/// The segments in a directory.
enum SegmentDirectory {
    /// Returns the segments, oldest first; files of other names are ignored.
    ///
    /// The directory is listed twice, because readdir(3) is not atomic: while a segment is compressed, its new name may
    /// appear in the part that was already read, and its old name disappear before it is reached. The second listing
    /// has the new name; a segment is compressed only once.
    static func segments(in directory: String) throws(JournalError) -> [SegmentName] {
        try listing(of: directory).union(listing(of: directory)).sorted()
    }

    private static func listing(of directory: String) throws(JournalError) -> Set<SegmentName> {
        let names: [[UInt8]]
        do throws(SystemError) {
            names = try DirectoryStream.names(in: directory)
        } catch {
            throw JournalError(operation: "open", path: directory, cause: .errno(error.errno))
        }
        return Set(
            names.compactMap { name in
                let fileName = String(decoding: name, as: UTF8.self)
                return SegmentName(fileName: fileName).flatMap { fileName == $0.index ? nil : $0 }
            }
        )
    }
}

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

    /// Opens a segment, or its copy if it was deleted; `nil` if both are gone.
    ///
    /// - Parameter nextFirst: The first number of the segment after it, once there is one.
    func open(_ name: SegmentName, nextFirst: UInt64?) throws(JournalError) -> OpenSegment? {
        if let segment = try OpenSegment(name, in: directory, nextFirst: nextFirst) { return segment }
        guard let history else { return nil }
        return try OpenSegment(name, in: history, nextFirst: nextFirst)
    }

    /// Opens a segment or its copy; `nil` also for something else of that name, such as a named pipe, which a cursor reports.
    func openFile(_ name: SegmentName, nextFirst: UInt64?) throws(JournalError) -> OpenSegment? {
        do throws(JournalError) {
            return try open(name, nextFirst: nextFirst)
        } catch {
            guard case .malformed = error.cause else { throw error }
            return nil
        }
    }
}
