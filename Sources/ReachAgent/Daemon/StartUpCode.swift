internal import FoundationEssentials
internal import Glibc

/// The code that only a start needs: command line, configuration, the first reading of everything.
///
/// It is more than half of what is ever touched, and the kernel maps sixteen pages around each that is.
enum StartUpCode {
    /// Gives the code and the constants that were needed so far back to the kernel, which may take them for something else
    /// first of all.
    ///
    /// The pages stay in the page cache as long as memory is not short, so that what is needed again is a minor fault. They
    /// are told to be cold, and are not mapped any more: else a process that sleeps for weeks would be asked for each.
    static func release() {
        guard let text = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8) else { return }
        for mapping in MappedFile.all(inSmaps: text) where mapping.isUnwritten {
            let start = UnsafeMutableRawPointer(bitPattern: mapping.start)
            // A kernel that does not know the first one unmaps all the same.
            madvise(start, mapping.length, MADV_COLD)
            madvise(start, mapping.length, MADV_DONTNEED)
        }
    }
}
