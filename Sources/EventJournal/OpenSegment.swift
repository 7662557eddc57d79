internal import AgentEvents

/// An open segment, plain or compressed.
struct OpenSegment: Sendable {
    /// The number of bytes of a plain file that are read at once: below malloc(3)'s mmap threshold, above which the
    /// kernel clears pages for each buffer.
    private static let blockBytes = 96 << 10

    let name: SegmentName
    private let directory: String
    let isCompressed: Bool
    /// The first number of the next segment, once it exists: then this one is complete.
    var nextFirst: UInt64?
    /// The index, if there is one that fits the file.
    var index: SegmentIndex?
    /// The bytes read from the plain file.
    var buffer: [UInt8] = []
    /// The offset of the first unprocessed byte in the buffer.
    var consumed = 0
    /// The number of bytes read from the disk.
    var bytesRead: UInt64 = 0
    let file: JournalFile
    /// The next position to read: a byte of the plain file, or a frame of the compressed one.
    var position: UInt64 = 0
    /// `true` if the end was reached after the next segment had been started.
    var isKnownComplete = false
    private var wasRewound = false
    /// `true` while the rest of an overlong line is skipped.
    private var isSkippingLine = false

    /// Opens a segment; `nil` when it is gone.
    init?(_ name: SegmentName, in directory: String, nextFirst: UInt64?) throws(JournalError) {
        self.name = name
        self.directory = directory
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

    /// The valid numbers of its events.
    var bounds: LineFilter.Bounds { LineFilter.Bounds(least: name.firstSequence, below: nextFirst) }

    /// Reads the index if it fits the file, else ignores it.
    mutating func loadIndex() throws(JournalError) {
        guard let indexFile = try? JournalFile.open("\(directory)/\(name.index)") else { return }
        guard let size = try? indexFile.size(), size <= UInt64(SegmentIndex.maximumBytes) else { return }
        guard let text = try? indexFile.read(at: 0, atMost: Int(size)) else { return }
        bytesRead += UInt64(text.count)
        guard let index = SegmentIndex(decoding: text), let first = index.blocks.first, let last = index.lastSequence,
            bounds.contains(first.firstSequence), bounds.contains(last),
            try file.size() == (isCompressed ? index.compressedBytes : index.plainBytes)
        else { return }
        self.index = index
    }

    /// Continues with a block, or after the last one.
    ///
    /// - Returns: `false` if the first event there is not the one in the index: the segment is then read from its
    ///   start, without the index.
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

    /// Returns the number of the next line, which stays in the buffer; `nil` when it is not an event.
    private mutating func firstSequence() throws(JournalError) -> UInt64? {
        while buffer.span.firstLineEnd(from: consumed) == nil {
            guard buffer.count - consumed <= ScannedLine.maximumBytes, (try? fill()) ?? false else { return nil }
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

    /// Continues near the end of a plain file, with the first line that begins there.
    mutating func seek(toLast count: UInt64) throws(JournalError) {
        rewind()
        let size = try file.size()
        guard size > count else { return }
        position = size - count
        isSkippingLine = true
    }

    /// `true` if everything from the start will be read.
    var isAtBeginning: Bool { position == 0 }

    /// Returns the lines of a block by the index alone, without changing the read position.
    func bytes(of block: SegmentIndex.Block) throws(JournalError) -> [UInt8] {
        guard block.length <= UInt64(SegmentFrames.maximumBytes) else {
            throw JournalError(operation: "read", path: file.path, cause: .malformed("a block is too long"))
        }
        guard isCompressed else { return try file.read(at: block.offset, atMost: Int(block.length)) }
        var reading = self
        reading.position = block.frameOffset
        var bytes: [UInt8] = []
        while reading.position < block.frameOffset + block.frameLength, bytes.count < Int(block.length),
            let frame = try reading.nextFrame()
        {
            bytes += frame
        }
        return bytes
    }

    // MARK: Reading

    /// Reads more bytes into the buffer.
    ///
    /// - Returns: `false` when there are none at the moment.
    /// - Throws: ``JournalError``; the damaged frame, or the rest of the segment, is skipped.
    mutating func fill() throws(JournalError) -> Bool {
        while true {
            let rest = buffer[consumed...]
            let count = rest.count
            if isCompressed {
                guard let bytes = try nextFrames() else { return false }
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

    /// Skips the rest of the buffer if it is part of an overlong line.
    mutating func skipLongLine() -> Bool {
        guard buffer.count - consumed > ScannedLine.maximumBytes else { return false }
        buffer = []
        consumed = 0
        isSkippingLine = true
        return true
    }

    /// Drops the start of an incomplete line: an agent that starts after a crash writes another one there.
    mutating func forgetIncompleteLine() {
        guard !isCompressed else { return }
        position -= min(position, UInt64(buffer.count - consumed))
        buffer = []
        consumed = 0
    }

    /// Restarts at the beginning of a file that was truncated: events already seen are skipped by number.
    private mutating func hasShrunk() throws(JournalError) -> Bool {
        guard try file.size() < position else { return false }
        rewind()
        wasRewound = true
        return try fill()
    }

    /// Returns whether reading was restarted since the last call.
    mutating func takeWasRewound() -> Bool {
        defer { wasRewound = false }
        return wasRewound
    }
}
