import CheckResults
import Foundation
import HTTPSerialization

extension SerializedRequest {
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func bodyText() throws -> String { String(decoding: try body.readAll(), as: UTF8.self) }
}

extension RequestBody {
    /// The whole body, read in pieces of a size.
    func readAll(by count: Int = 4096) throws -> [UInt8] {
        var reader = try makeReader()
        var bytes: [UInt8] = []
        while true {
            let piece = try reader.read(upTo: count)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }
}

/// A directory that is removed when nobody refers to it any more.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/probe-request-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ bytes: some Sequence<UInt8>, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}
