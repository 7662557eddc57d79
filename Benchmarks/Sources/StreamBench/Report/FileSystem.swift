internal import BenchmarkKit

/// File systems by the mounts that this process sees.
enum FileSystem {
    /// The type of the file system that a directory is on.
    static func name(of directory: String) -> String {
        var best = (length: -1, type: "unknown")
        for line in (ProcFile.read("/proc/self/mounts") ?? "").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2 else { continue }
            let place = words[1] == "/" ? "/" : words[1] + "/"
            // A later mount hides an earlier one at the same place.
            if "\(directory)/".hasPrefix(place), place.count >= best.length { best = (place.count, String(words[2])) }
        }
        return best.type
    }
}
