internal import Glibc

/// The reverse path filter of an interface (`rp_filter`, RFC 3704): the kernel discards a packet whose sender it would
/// not answer over the same interface.
///
/// It discards the answers to a bound check over an interface that no preferred route uses, and they never reach a socket.
enum ReversePathFilter {
    /// Returns the mode in effect: 1 is strict, 2 is loose; nil if there is no filter, or it cannot be known.
    ///
    /// With `src_valid_mark` the filter depends on the mark that rules of the firewall give to the answer.
    ///
    /// - Parameter directory: The directory of the sysctls `net.ipv4.conf`.
    static func mode(of interface: String, in directory: String = "/proc/sys/net/ipv4/conf") -> Int? {
        guard let filter = maximum(of: "rp_filter", interface, in: directory), filter > 0,
            maximum(of: "src_valid_mark", interface, in: directory) == 0
        else { return nil }
        return filter
    }

    /// The kernel uses the maximum of the setting of the interface and that for all.
    private static func maximum(of setting: String, _ interface: String, in directory: String) -> Int? {
        guard let all = integer(in: "\(directory)/all/\(setting)"),
            let own = integer(in: "\(directory)/\(interface)/\(setting)")
        else { return nil }
        return max(all, own)
    }

    private static func integer(in path: String) -> Int? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n") else { return nil }
        return Int(String(decoding: bytes.prefix(count - 1), as: UTF8.self))
    }
}
