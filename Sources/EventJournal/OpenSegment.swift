internal import EventEnvelope

/// A segment that is being read, plain or compressed.
struct OpenSegment: Sendable {
    /// How many bytes of a plain file are read at once: less than what malloc(3) asks the kernel for anew each time, which
    /// then has to clear the pages.
    private static let blockBytes = 96 << 10
    /// How many bytes of a compressed file are read at first; a frame of JSON lines is rarely longer.
    private static let frameBytes = 16 << 10

    let name: SegmentName
    let isCompressed: Bool
    /// What the next segment begins with, once there is one: then nothing is added to this one.
    var nextFirst: UInt64?
    /// The index, where there is one that fits the file.
    var index: SegmentIndex?
    /// Bytes of the plain file that were read.
    private(set) var buffer: [UInt8] = []
    /// Where the bytes of the buffer begin that are still to be looked at.
    var consumed = 0
    /// How many bytes were read from the disk.
    private(set) var bytesRead: UInt64 = 0
    private let file: JournalFile
    /// What is read next: a byte of the plain file, or a frame of the compressed one.
    private var position: UInt64 = 0
    /// Whether the end was seen after the next segment had begun.
    var isKnownComplete = false
    private var wasRewound = false
    /// The rest of a line that was too long is passed over.
    private var isSkippingLine = false

    /// Opens a segment; `nil` when it is gone.
    init?(_ name: SegmentName, in directory: String, nextFirst: UInt64?) throws(JournalError) {
        self.name = name
        self.nextFirst = nextFirst
        if let file = try JournalFile.open("\(directory)/\(name.plain)") {
            self.file = file
            isCompressed = false
        } else if let file = try JournalFile.open("\(directory)/\(name.compressed)") {
            self.file = file
            isCompressed = true
        } else {
            return nil
        }
    }

    /// The numbers that the events can have.
    var bounds: LineSieve.Bounds { LineSieve.Bounds(least: name.firstSequence, below: nextFirst) }

    /// Reads the index, where there is one that fits the file; an index that does not is as good as none.
    mutating func loadIndex(in directory: String) throws(JournalError) {
        guard let indexFile = try? JournalFile.open("\(directory)/\(name.index)") else { return }
        guard let size = try? indexFile.size(), size <= UInt64(SegmentIndex.mostBytes) else { return }
        guard let text = try? indexFile.read(at: 0, atMost: Int(size)) else { return }
        bytesRead += UInt64(text.count)
        guard let index = SegmentIndex(decoding: text), let first = index.blocks.first, let last = index.lastSequence,
            bounds.contains(first.firstSequence), bounds.contains(last),
            try file.size() == (isCompressed ? index.compressedBytes : index.plainBytes)
        else { return }
        self.index = index
    }

    /// Goes on with a block, or behind the last one.
    ///
    /// - Returns: `false` when the first event there is not the one that the index names: the segment is then read from its
    ///   beginning, without the index.
    mutating func seek(toBlock number: Int) throws(JournalError) -> Bool {
        guard let index else { return false }
        buffer = []
        consumed = 0
        guard index.blocks.indices.contains(number) else {
            position = isCompressed ? index.compressedBytes : index.plainBytes
            return true
        }
        let block = index.blocks[number]
        position = isCompressed ? block.frameOffset : block.offset
        if number > 0, try firstSequence() != block.firstSequence {
            self.index = nil
            rewind()
            return false
        }
        return true
    }

    /// The number of the next line, which is left in the buffer; `nil` when it is no event.
    private mutating func firstSequence() throws(JournalError) -> UInt64? {
        while buffer.span.firstLineEnd(from: consumed) == nil {
            guard buffer.count - consumed <= ScannedLine.mostBytes, (try? fill()) ?? false else { return nil }
        }
        guard let end = buffer.span.firstLineEnd(from: consumed) else { return nil }
        return ScannedLine(buffer.span.extracting(consumed..<end))?.sequence
    }

    private mutating func rewind() {
        buffer = []
        consumed = 0
        position = 0
        isSkippingLine = false
    }

    /// Goes on near the end of a plain file, with the first line that begins there.
    mutating func seek(toLast count: UInt64) throws(JournalError) {
        rewind()
        let size = try file.size()
        guard size > count else { return }
        position = size - count
        isSkippingLine = true
    }

    /// Whether everything from the beginning on is to be read.
    var isAtBeginning: Bool { position == 0 }

    // MARK: Reading

    /// Reads more into the buffer.
    ///
    /// - Returns: `false` when there is nothing more at the moment.
    /// - Throws: ``JournalError``; a damaged frame has been passed over then, or the rest of the segment.
    mutating func fill() throws(JournalError) -> Bool {
        while true {
            let rest = buffer[consumed...]
            let count = rest.count
            if isCompressed {
                guard let bytes = try nextFrame() else { return false }
                buffer = rest + bytes
            } else {
                let bytes = try file.read(at: position, atMost: Self.blockBytes, behind: rest)
                guard bytes.count > count else { return try hasShrunk() }
                buffer = bytes
                bytesRead += UInt64(bytes.count - count)
                position += UInt64(bytes.count - count)
            }
            consumed = 0
            guard isSkippingLine else { return true }
            guard let end = buffer.span.firstLineEnd(from: 0) else {
                buffer = []
                continue
            }
            consumed = end + 1
            isSkippingLine = false
            return true
        }
    }

    /// Whether the rest of the buffer is part of a line that is too long; it is passed over then.
    mutating func skipLongLine() -> Bool {
        guard buffer.count - consumed > ScannedLine.mostBytes else { return false }
        buffer = []
        consumed = 0
        isSkippingLine = true
        return true
    }

    /// Forgets the beginning of a line that is not complete: an agent that starts after a crash writes another one there.
    mutating func forgetIncompleteLine() {
        guard !isCompressed else { return }
        position -= min(position, UInt64(buffer.count - consumed))
        buffer = []
        consumed = 0
    }

    /// A file that became shorter is read from its beginning: what was seen is passed over by its numbers.
    private mutating func hasShrunk() throws(JournalError) -> Bool {
        guard try file.size() < position else { return false }
        rewind()
        wasRewound = true
        return try fill()
    }

    /// Whether reading began again at the beginning since this was last asked.
    mutating func takeWasRewound() -> Bool {
        defer { wasRewound = false }
        return wasRewound
    }

    private mutating func nextFrame() throws(JournalError) -> [UInt8]? {
        let start = position
        var count = Self.frameBytes
        while true {
            let bytes = try file.read(at: start, atMost: count)
            guard !bytes.isEmpty else { return nil }
            do throws(SegmentFrames.Failure) {
                if let length = try SegmentFrames.length(of: bytes), length > 0 {
                    let content = try SegmentFrames.decompress(bytes[..<length])
                    position = start + UInt64(length)
                    bytesRead += UInt64(length)
                    return content
                }
                guard bytes.count == count else {
                    throw SegmentFrames.Failure(reason: "the last frame is not complete")
                }
                guard count < SegmentFrames.mostBytes else {
                    throw SegmentFrames.Failure(reason: "a frame is too long")
                }
            } catch {
                try passOverFrame(at: start)
                throw JournalError(
                    operation: "decompress",
                    path: file.path,
                    cause: .malformed("\(error.reason) (at byte \(start))")
                )
            }
            count *= 2
        }
    }

    /// Goes on with the block behind a damaged frame, where the index says where that is; else with the next segment.
    private mutating func passOverFrame(at start: UInt64) throws(JournalError) {
        // The line that the damaged frame would have continued is not complete.
        buffer = []
        consumed = 0
        if let next = index?.blocks.first(where: { $0.frameOffset > start && $0.frameLength > 0 }) {
            position = next.frameOffset
        } else {
            position = try file.size()
        }
    }
}
