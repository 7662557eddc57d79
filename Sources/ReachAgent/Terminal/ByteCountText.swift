/// Numbers of bytes as people compare them.
enum ByteCountText {
    /// Bytes with at most one decimal: `812 B`, `1.2 MiB`.
    static func of(_ count: UInt64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        var (unit, size): (String, UInt64) = ("KiB", 1024)
        for next in ["MiB", "GiB", "TiB"] where count / size >= 1024 {
            unit = next
            size *= 1024
        }
        let (whole, rest) = (count / size, count % size)
        return whole >= 100 ? "\(whole) \(unit)" : "\(whole).\(rest * 10 / size) \(unit)"
    }
}
