internal import FoundationEssentials
internal import FuzzKit
internal import Glibc

@testable import AgentEvents
@testable import EventJournal

/// Lines, indices and whole segments of the journal.
///
/// The first byte chooses what the rest is: a plain segment, a compressed one, an index beside a segment of some events,
/// or, with two bytes for the length of the first, an index and the segment.
@main
enum FuzzJournalFiles {
    static func main() { FuzzProgram.run([FuzzTarget("event", FuzzEvents.run), FuzzTarget("journal", run)]) }

    private static let directory: String = {
        // In memory where that is possible: a disk would be waited for with each compressed segment.
        let memory = "/dev/shm"
        let isThere = FileManager.default.fileExists(atPath: memory)
        let parent = isThere ? memory : FileManager.default.temporaryDirectory.path()
        let path = "\(parent)/fuzz-journal-\(UInt64.random(in: 0 ... .max))"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()
    private static let name = SegmentName(firstSequence: 1)
    /// A directory whose segment has two blocks of an index.
    private static let someEvents: String = {
        let path = directory + "/some"
        mkdir(path, 0o700)
        write("\(path)/\(name.plain)", Array((UInt64(1)...200).map(line).joined().utf8))
        return path
    }()

    static func run(_ input: [UInt8]) {
        scan(input)
        guard let kind = input.first else { return }
        let rest = Array(input.dropFirst())
        if kind & 3 == 2 {
            write("\(someEvents)/\(name.index)", rest)
            return read(someEvents, after: UInt64(input.count % 200))
        }
        for file in [name.plain, name.compressed, name.index] {
            unlink("\(directory)/\(file)")
        }
        switch kind & 3 {
        case 0: write("\(directory)/\(name.plain)", rest)
        case 1: write("\(directory)/\(name.compressed)", rest)
        default:
            let cut = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            write("\(directory)/\(name.index)", Array(rest.dropFirst(2).prefix(cut)))
            write("\(directory)/\(name.plain)", Array(rest.dropFirst(2).dropFirst(cut)))
        }
        read(directory, after: 0)
        read(directory, after: UInt64(input.count % 200))
        _ = try? JournalReader(directory: directory).newestSequence
        if kind & 3 == 0 { checkIndex(rest) }
    }

    private static func line(_ number: UInt64) -> String {
        "{\"type\":\"t\",\"time\":\"2026-11-21T07:00:00Z\",\"seq\":\(number),\"x\":\"\(String(repeating: "y", count: 300))\"}\n"
    }

    /// Writes a file in place: a new one for each input would take most of the time.
    private static func write(_ path: String, _ bytes: [UInt8]) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        require(file >= 0 && bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == bytes.count, path)
        close(file)
    }

    private static func scan(_ bytes: [UInt8]) {
        if let summary = ScannedSummary(bytes.span), case .probeSummary(let decoded)? = AgentEvent(line: bytes)?.content
        {
            require(summary == ScannedSummary(decoded), "a summary is read in two ways")
        }
        if let line = ScannedLine(bytes.span) {
            require(bytes.indices.contains(line.type.lowerBound) && line.type.upperBound < bytes.count, "type outside")
            require(line.subject.upperBound < bytes.count, "subject outside")
            require(line.sequence != 0, "the number 0")
        }
        if let index = SegmentIndex(decoding: bytes) {
            require(SegmentIndex(decoding: index.encoded()) == index, "an index that is encoded differently")
        }
        _ = try? SegmentFrames.decompress(bytes[...])
    }

    /// Checks the properties of all that a cursor gives.
    private static func read(_ directory: String, after sequence: UInt64) {
        guard let reader = try? JournalReader(directory: directory) else { return }
        var cursor = reader.events(after: sequence)
        var last = sequence
        var errors = 0
        while true {
            do {
                guard let chunk = try cursor.next(atMost: 2000) else { break }
                for line in chunk.lines {
                    require(line.sequence > last, "numbers that do not increase")
                    last = line.sequence
                    let scanned = ScannedLine(chunk.bytes.span.extracting(line.range))
                    require(scanned?.sequence == line.sequence && scanned?.time == line.time, "a line that is none")
                    require(chunk.bytes[line.range.upperBound] == 0x0A, "a line without end")
                }
            } catch {
                errors += 1
                require(errors < 10_000, "errors without end")
            }
        }
    }

    /// An index that is made of a segment describes it, and compressing loses nothing.
    private static func checkIndex(_ bytes: [UInt8]) {
        guard (try? SegmentCompressor.compress(name, in: directory)) != nil else {
            return require(false, "a segment that cannot be compressed")
        }
        var (content, offset) = ([UInt8](), 0)
        guard let compressed = try? Array(Data(contentsOf: URL(filePath: "\(directory)/\(name.compressed)"))) else {
            return
        }
        while offset < compressed.count {
            let rest = Array(compressed[offset...])
            guard let length = try? SegmentFrames.length(of: rest), length > 0,
                let frame = try? SegmentFrames.decompress(rest[..<length])
            else { return require(false, "a frame that is none") }
            content += frame
            offset += length
        }
        require(content == bytes, "a compressed segment that differs")
        read(directory, after: 0)
    }
}
