import Glibc
import NetlinkMonitor

/// Prints the path of packets to the Internet in each family, and every change of it, until it is interrupted.
@main
struct PathMonitor {
    static func main() async {
        do {
            var last = ""
            for await update in try NetworkMonitor.updates() {
                let paths = AddressFamily.allCases.map { family in
                    "\(family): \(update.snapshot.internetPath(family)?.description ?? "not looked up")"
                }
                let line = paths.joined(separator: "; ")
                // The snapshot can change without another path.
                guard line != last else { continue }
                last = line
                let reasons = update.changes.map(\.code.rawValue).joined(separator: ", ")
                print(reasons.isEmpty ? line : "\(line) (\(reasons))")
                fflush(nil)
            }
        } catch {
            print("path-monitor: \(error)")
            exit(EX_UNAVAILABLE)
        }
    }
}
