import CheckResults
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
