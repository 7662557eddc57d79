/// The links and addresses that have changed since the last report.
///
/// A second change of one of them would hide the first, so the first is reported before it: a link that goes down and up
/// again is two edges, however late the messages are read. Changes of different ones, such as all that the kernel
/// announces when a link goes down, are one report, with one round of lookups.
///
/// Pure: it decides, and the caller reports.
struct UnreportedEdges {
    private enum Subject: Hashable {
        case link(UInt32)
        case addresses(UInt32, AddressFamily)

        init?(_ message: NetlinkMessage) {
            switch message {
            case .link(let message): self = .link(message.link.index)
            case .linkRemoved(let index): self = .link(index)
            case .address(let address), .addressRemoved(let address):
                self = .addresses(address.interfaceIndex, address.address.family)
            default: return nil
            }
        }
    }

    /// The maximum number of reports in a turn; in a storm the rest is combined, so that the monitor keeps up.
    private static let maximumReports = 64

    private var subjects: Set<Subject> = []
    private var reports = 0
    /// The time of the last of these changes.
    private(set) var observed: ObservedTime?

    /// Returns whether the changes must be reported before a message is applied.
    func mustPrecede(_ message: NetlinkMessage) -> Bool {
        guard !subjects.isEmpty, reports < Self.maximumReports, let subject = Subject(message) else { return false }
        return subjects.contains(subject)
    }

    /// Records the change that a message has made.
    mutating func note(_ message: NetlinkMessage, at time: ObservedTime) {
        guard reports < Self.maximumReports, let subject = Subject(message) else { return }
        subjects.insert(subject)
        observed = time
    }

    /// Notes that everything is reported.
    mutating func wereReported() {
        subjects.removeAll(keepingCapacity: true)
        reports += 1
    }

    /// Begins a turn.
    mutating func beginTurn() { reports = 0 }
}
