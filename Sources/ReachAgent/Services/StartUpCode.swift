internal import FoundationEssentials
internal import Glibc

/// The code that only a start needs: command line, configuration, the first reading of everything.
///
/// It is more than half of what is ever touched, and the kernel maps sixteen pages around each that is.
enum StartUpCode {
    /// Gives the code that was needed so far back to the kernel, which may take it for something else first of all.
    ///
    /// The pages stay in the page cache as long as memory is not short, so that what is needed again is a minor fault. They
    /// are told to be cold, and are not mapped any more: else a process that sleeps for weeks would be asked for each.
    /// Nothing that was ever written is touched.
    static func release() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }).first == "/" else {
                continue
            }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, bounds[0] < bounds[1] else { continue }
            let start = UnsafeMutableRawPointer(bitPattern: bounds[0])
            let length = Int(bounds[1] - bounds[0])
            // A kernel that does not know the first one unmaps all the same.
            madvise(start, length, MADV_COLD)
            madvise(start, length, MADV_DONTNEED)
        }
    }
}
