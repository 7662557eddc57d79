internal import CheckResults
internal import Glibc

/// The reason the kernel denies this process an ICMP socket.
package enum ICMPPermission {
    private static let path = "/proc/sys/net/ipv4/ping_group_range"

    /// Returns a finding for a failure of socket(2).
    static func finding(_ error: CInt, target: WireEndpoint) -> Finding {
        switch error {
        case EACCES, EPERM:
            let range = groupRange ?? "unreadable"
            return Finding(
                .icmpNotPermitted,
                subject: target.description,
                evidence: "net.ipv4.ping_group_range is '\(range)', and this process has group \(getegid())"
            )
        default: return SystemFinding.make(error, operation: "open an ICMP socket", subject: target.description)
        }
    }

    /// The first and the last group that may send echo requests, in the kernel's format: `1 0` means none.
    package static var groupRange: String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = String(decoding: bytes.prefix(count), as: UTF8.self).split { $0.isWhitespace }
        return words.joined(separator: " ")
    }
}
