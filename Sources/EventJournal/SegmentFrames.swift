internal import CLibZstd

/// The zstd frames (RFC 8878) of a compressed segment, one for each block, so that `zstdcat` can read the whole file.
enum SegmentFrames {
    /// The maximum decompressed size of a frame, which bounds the allocation for a hostile file.
    static let maximumBytes = 32 << 20
    /// A longer block, which only damage produces, becomes several frames.
    static let longestPiece = 8 << 20

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
        // The greatest number stands for an undeclared size, the next one for an error.
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

    private static var tooMuch: Failure { Failure(reason: "a frame stands for more than \(maximumBytes) bytes") }

    private static func check(_ result: Int) throws(Failure) {
        guard ZSTD_isError(result) != 0 else { return }
        throw Failure(reason: String(cString: ZSTD_getErrorName(result)))
    }
}
