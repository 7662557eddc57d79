internal import EventEnvelope
internal import EventSchema
internal import Glibc

extension EventOrigin {
    /// A new stream of this host's.
    ///
    /// Numbers begin at 1 with each process, so the stream's name is random: `id` then never repeats.
    static func current() -> EventOrigin {
        func half() -> String {
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return EventOrigin(streamID: half() + half(), host: hostName)
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
