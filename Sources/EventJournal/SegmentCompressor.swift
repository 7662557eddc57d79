internal import AgentEvents
internal import CLibZstd
internal import Glibc
internal import LinuxSupport

/// Compresses closed segments.
enum SegmentCompressor {
    /// Compresses a closed segment, and removes the plain file once the compressed one is safe.
    ///
    /// Writes the compressed file and its index, each under a temporary name, flushed to the disk and renamed; so after
    /// a crash at any time there is a complete segment, possibly in both forms.
    ///
    /// - Returns: The size of the compressed file.
    @discardableResult
    static func compress(_ name: SegmentName, in directory: String) throws(JournalError) -> Int {
        let path = "\(directory)/\(name.plain)"
        guard let file = try JournalFile.open(path) else {
            throw JournalError(operation: "compress", path: path, cause: .errno(ENOENT))
        }
        let size = try file.size()
        var index = try SegmentIndex(scanning: file, name)
        // Damage after the last event is part of the last block.
        if let last = index.blocks.indices.last { index.blocks[last].length = size - index.blocks[last].offset }
        let mode = try file.status().st_mode & 0o777
        var compressed = try NewFile(directory: directory, name: name.compressed, mode: mode)
        let whole = 0..<size
        let ranges = index.blocks.isEmpty ? [whole] : index.blocks.map { $0.offset..<$0.end }
        for (number, range) in ranges.enumerated() {
            let start = compressed.bytesWritten
            try write(range, of: file, to: &compressed)
            guard index.blocks.indices.contains(number) else { continue }
            index.blocks[number].frameOffset = start
            index.blocks[number].frameLength = compressed.bytesWritten - start
        }
        try compressed.finish()
        var indexFile = try NewFile(directory: directory, name: name.index, mode: mode)
        try indexFile.write(index.encoded())
        try indexFile.finish()
        guard unlink(path) == 0 || errno == ENOENT else {
            throw JournalError(operation: "remove", path: path, cause: .errno(errno))
        }
        return Int(clamping: compressed.bytesWritten)
    }

    private static func write(
        _ range: Range<UInt64>,
        of file: JournalFile,
        to target: inout NewFile
    ) throws(JournalError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(clamping: min(range.upperBound - offset, UInt64(SegmentFrames.longestPiece)))
            let bytes = try file.read(at: offset, atMost: count)
            guard bytes.count == count else {
                throw JournalError(operation: "read", path: file.path, cause: .malformed("it became shorter"))
            }
            let frame: [UInt8]
            do throws(SegmentFrames.Failure) {
                frame = try SegmentFrames.compress(bytes)
            } catch {
                throw JournalError(operation: "compress", path: file.path, cause: .malformed(error.reason))
            }
            try target.write(frame)
            offset += UInt64(count)
        }
    }
}

/// A file of the journal that gets its name when it is complete and on the disk.
struct NewFile: ~Copyable {
    private var file: FileReplacement

    var bytesWritten: UInt64 { file.bytesWritten }

    init(directory: String, name: String, mode: mode_t) throws(JournalError) {
        do throws(FileError) {
            file = try FileReplacement(
                of: "\(directory)/\(name)",
                mode: mode,
                options: [.directoryOwner, .durable]
            )
        } catch {
            throw JournalError(error)
        }
    }

    mutating func write(_ bytes: [UInt8]) throws(JournalError) {
        do throws(FileError) { try file.write(bytes) } catch { throw JournalError(error) }
    }

    /// Flushes the file to the disk, renames it, and flushes the directory too.
    mutating func finish() throws(JournalError) {
        do throws(FileError) { try file.commit() } catch { throw JournalError(error) }
    }
}

/// The zstd frames (RFC 8878) of a compressed segment, one for each block, so that `zstdcat` can read the whole file.
enum SegmentFrames {
    /// The maximum decompressed size of a frame, which bounds the allocation for a hostile file.
    static let maximumBytes = 32 << 20
    /// The maximum size of a frame's content; a longer block, which only damage produces, becomes several frames.
    fileprivate static let longestPiece = 8 << 20

    /// The reason bytes are not a valid frame.
    struct Failure: Error { let reason: String }

    /// Returns one frame with a checksum.
    static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        guard let context = ZSTD_createCCtx() else { throw Failure(reason: "not enough memory") }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        var result = 0
        let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, filled in
            result = bytes.withUnsafeBytes {
                ZSTD_compress2(context, buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
            }
            filled = ZSTD_isError(result) == 0 ? result : 0
        }
        try check(result)
        return frame
    }

    /// Returns the size of the frame at the start of `bytes`; `nil` when it is incomplete.
    static func length(of bytes: [UInt8]) throws(Failure) -> Int? {
        let result = bytes.withUnsafeBytes { ZSTD_findFrameCompressedSize($0.baseAddress, $0.count) }
        if ZSTD_isError(result) != 0, ZSTD_getErrorCode(result) == ZSTD_error_srcSize_wrong { return nil }
        try check(result)
        return result
    }

    /// Decompresses one complete frame.
    static func decompress(_ frame: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        let declared = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // The greatest value means an undeclared size, the second greatest an error.
        guard declared != .max - 1 else { throw Failure(reason: "a frame is damaged") }
        guard declared != .max else { return try decompressUndeclared(frame) }
        guard declared <= UInt64(maximumBytes) else { throw tooMuch }
        return try decompress(frame, capacity: Int(declared))
    }

    /// Decompresses with increasing buffer sizes, because a frame need not declare its size.
    private static func decompressUndeclared(_ frame: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        var capacity = 1 << 20
        while capacity < maximumBytes {
            if let bytes = try? decompress(frame, capacity: capacity) { return bytes }
            capacity *= 4
        }
        return try decompress(frame, capacity: maximumBytes)
    }

    private static func decompress(_ frame: ArraySlice<UInt8>, capacity: Int) throws(Failure) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            result = frame.withUnsafeBytes {
                ZSTD_decompress(buffer.baseAddress, capacity, $0.baseAddress, $0.count)
            }
            filled = ZSTD_isError(result) == 0 ? min(result, capacity) : 0
        }
        if ZSTD_isError(result) != 0, ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall { throw tooMuch }
        try check(result)
        return bytes
    }

    private static var tooMuch: Failure { Failure(reason: "a frame decompresses to more than \(maximumBytes) bytes") }

    private static func check(_ result: Int) throws(Failure) {
        guard ZSTD_isError(result) != 0 else { return }
        throw Failure(reason: String(cString: ZSTD_getErrorName(result)))
    }
}
