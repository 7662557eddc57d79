/// An interface's name as the kernel takes it: 15 bytes at most, and a zero (IFNAMSIZ).
///
/// The value's own bytes are what setsockopt(2) gets, so there is nothing else in it.
struct InterfaceName: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...15).contains(bytes.count), !bytes.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }
}
