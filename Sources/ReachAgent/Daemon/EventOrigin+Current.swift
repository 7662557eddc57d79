internal import AgentEvents
internal import Glibc

extension EventOrigin {
    /// This host as the origin of a stream.
    ///
    /// - Parameter streamID: The name of the stream whose numbers go on; without one (no journal) numbers begin at 1 with
    ///   each process, so a random name keeps `id` from repeating.
    static func current(streamID: String? = nil) -> EventOrigin {
        func half() -> String {
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return EventOrigin(streamID: streamID ?? half() + half(), host: hostName, bootID: currentBootID)
    }

    /// The kernel's name for this boot; `nil` when `/proc` does not tell it.
    static var currentBootID: String? {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count].prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
