import Glibc
import NetlinkMonitor

/// Prints how packets would leave this machine, and every change of it, until it is interrupted.
@main
struct PathMonitor {
    static func main() async {
        do {
            var last = ""
            for await update in try NetworkMonitor.updates() {
                let paths = [AddressFamily.ipv4, .ipv6].map { "\($0): \(path($0, in: update.snapshot))" }
                let line = paths.joined(separator: "; ")
                // What the view consists of can change without another way out.
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

    /// The kernel's own answer to "how would a packet to the Internet leave?", and what kind of interface that is.
    private static func path(_ family: AddressFamily, in snapshot: NetworkSnapshot) -> String {
        guard let lookup = snapshot.internetLookup(family) else { return "not asked" }
        guard let route = lookup.route, let link = snapshot.links[route.interfaceIndex] else {
            return lookup.describe(in: snapshot)
        }
        return "\(link.kind) \(lookup.describe(in: snapshot))\(link.isUsable ? "" : ", which is down")"
    }
}
