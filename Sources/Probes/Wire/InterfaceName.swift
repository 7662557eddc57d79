/// An interface name in the kernel's format: at most 15 bytes, and a zero (IFNAMSIZ).
///
/// setsockopt(2) gets the value's own bytes, so it has no other members.
struct InterfaceName: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...15).contains(bytes.count), !bytes.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }
}
