internal import Glibc

/// The identity of the agent, and its privilege to change it.
struct AgentIdentity: Sendable, Hashable {
    var uid: UInt32
    var gid: UInt32
    var groups: [UInt32]
    /// `true` with the capabilities CAP_SETUID and CAP_SETGID (capabilities(7)).
    var mayChange: Bool

    static func current() -> AgentIdentity {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        groups = Array(groups.prefix(max(0, Int(getgroups(Int32(clamping: groups.count), &groups)))))
        let capabilities = capabilities()
        let mayChange = capabilities.map { $0 & 0b1100_0000 == 0b1100_0000 } ?? (geteuid() == 0)
        return AgentIdentity(uid: geteuid(), gid: getegid(), groups: groups, mayChange: mayChange)
    }

    /// Returns the effective capabilities; nil when `/proc` does not list them.
    private static func capabilities() -> UInt64? {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16384)
        let count = max(0, read(descriptor, &bytes, bytes.count))
        for line in bytes.prefix(count).split(separator: UInt8(ascii: "\n")) where line.starts(with: "CapEff:".utf8) {
            let digits = line.dropFirst("CapEff:".utf8.count).filter { $0 > UInt8(ascii: " ") }
            return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
        }
        return nil
    }
}
