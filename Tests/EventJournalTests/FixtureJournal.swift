import AgentEvents
import AgentTestKit
import Foundation

@testable import EventJournal

/// A journal's directory that a test fills by hand; it is removed with the value's last owner.
final class FixtureJournal: Sendable {
    private let temporary: TemporaryDirectory
    var directory: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    /// A journal of files that another one had: many segments take longer to make than to write.
    convenience init(_ files: [String: Data]) throws {
        try self.init()
        for (name, bytes) in files { try bytes.write(to: URL(filePath: "\(directory)/\(name)")) }
    }

    /// Every file, by name.
    var files: [String: Data] {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: "\(directory)/\($0)"))) }
            )
        }
    }

    /// The moment of an event: a second for each number.
    static func time(_ sequence: UInt64) -> Timestamp {
        Timestamp(microsecondsSince1970: 1_795_000_000_000_000 + Int64(sequence % 100_000_000) * 1_000_000)
    }

    /// An event's line without its end.
    static func line(_ sequence: UInt64, at time: Timestamp? = nil, padding: Int = 40) -> String {
        """
        {"specversion":"1.0","id":"x-\(sequence)","source":"/reachagent/test","type":"reachagent.path.changed",\
        "subject":"default","time":"\(time ?? Self.time(sequence))","seq":\(sequence),\
        "data":{"filler":"\(String(repeating: "x", count: padding))"}}
        """
    }

    static func lines(_ numbers: some Sequence<UInt64>, padding: Int = 40) -> String {
        numbers.map { line($0, padding: padding) + "\n" }.joined()
    }

    /// Writes the segment that begins with a number.
    func write(_ first: UInt64, _ text: String) throws { try write(first, Array(text.utf8)) }

    func write(_ first: UInt64, _ bytes: [UInt8]) throws {
        try write(SegmentName(firstSequence: first).plain, bytes)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)"))
    }

    func contents(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: "\(directory)/\(name)")))
    }

    func append(_ first: UInt64, _ text: String) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path(first)))
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
    }

    func truncate(_ first: UInt64, to count: UInt64) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path(first)))
        defer { try? handle.close() }
        try handle.truncate(atOffset: count)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(directory)/\(name)") }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(directory)/\(name)") }

    func path(_ first: UInt64) -> String { "\(directory)/\(SegmentName(firstSequence: first).plain)" }

    /// Writes the index of a plain segment.
    func writeIndex(_ first: UInt64) throws -> SegmentIndex {
        let name = SegmentName(firstSequence: first)
        let file = try JournalFile.open(path(first))
        let index = try file.map { try SegmentIndex(scanning: $0, name) } ?? SegmentIndex()
        try write(name.index, index.encoded())
        return index
    }

    @discardableResult
    func compress(_ first: UInt64) throws -> Int {
        try SegmentCompressor.compress(SegmentName(firstSequence: first), in: directory)
    }

    var reader: JournalReader { get throws { try JournalReader(directory: directory) } }
}

/// Everything that a cursor returns at the moment.
struct Readings: Equatable {
    var numbers: [UInt64] = []
    var missing: [ClosedRange<UInt64>] = []
    var corruptLines = 0
    var errors: [String] = []
    /// `true` while each line matches its envelope and no chunk exceeds its maximum size.
    var isConsistent = true

    init() {}

    init(_ numbers: some Sequence<UInt64>, missing: [ClosedRange<UInt64>] = [], corruptLines: Int = 0) {
        self.numbers = Array(numbers)
        self.missing = missing
        self.corruptLines = corruptLines
    }

    init(_ cursor: inout JournalCursor, atMost bytes: Int = 1 << 20) {
        while errors.count < 100 {
            do {
                guard let chunk = try cursor.next(atMost: bytes) else { return }
                add(chunk, atMost: bytes)
            } catch {
                errors.append(error.description)
            }
        }
    }

    private mutating func add(_ chunk: JournalChunk, atMost bytes: Int) {
        missing += chunk.missing
        corruptLines += chunk.corruptLines
        if chunk.lines.count > 1, chunk.bytes.count > bytes { isConsistent = false }
        if chunk.bytes.count != chunk.lines.reduce(0, { $0 + $1.range.count + 1 }) { isConsistent = false }
        for line in chunk.lines {
            let scanned = ScannedLine(chunk.bytes.span.extracting(line.range))
            let isEnded = chunk.bytes[line.range.upperBound] == UInt8(ascii: "\n")
            let type = String(decoding: chunk.bytes[line.type], as: UTF8.self)
            let subject = String(decoding: chunk.bytes[line.subject], as: UTF8.self)
            if scanned?.sequence != line.sequence || scanned?.time != line.time || !isEnded
                || type != "reachagent.path.changed" || subject != "default"
            {
                isConsistent = false
            }
            numbers.append(line.sequence)
        }
    }
}
