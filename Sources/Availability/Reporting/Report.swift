internal import ForeignText

/// An account in one of several formats for people and programs.
///
/// The output is deterministic: the same account yields the same bytes.
public struct Report: Sendable {
    /// The account.
    public var account: Account
    /// The objective; `nil` if there is none.
    public var objective: Objective?
    /// The selection of the subjects.
    public let selection: Selection
    /// The account whose outages and days come first.
    public var main: SubjectAccount
    /// The other accounts.
    public var others: [SubjectAccount]
    let ambiguousNames: Set<ForeignText>

    /// A selection of an account's subjects.
    public enum Selection: Sendable, Hashable {
        /// The default path first, and then everything else.
        case everything
        /// One uplink, and the probes bound to it.
        case uplink(String)
        /// One probe, at each of its points.
        case probe(String)

        /// Returns whether a subject is selected.
        func includes(_ subject: Subject) -> Bool {
            switch self {
            case .everything: true
            case .uplink(let name):
                subject.kind == .uplink && subject.name == name || subject.kind == .probe && subject.interface == name
            case .probe(let name): subject.kind == .probe && subject.name == name
            }
        }
    }

    /// Creates a report on the selected subjects; `nil` if the account has none of them.
    public init?(_ account: Account, _ selection: Selection = .everything, objective: Objective? = nil) {
        let subjects = account.subjects.filter { selection.includes($0.subject) }
        guard let main = subjects.first else { return nil }
        self.account = account
        self.objective = objective
        self.selection = selection
        self.main = main
        others = Array(subjects.dropFirst())
        ambiguousNames = Self.ambiguousNames(subjects)
    }

    var all: [SubjectAccount] { [main] + others }

    /// The accounts whose figures, days and outages are listed: each point of a probe, since one may be down while the
    /// others are up.
    var detailed: [SubjectAccount] { main.subject.kind == .probe ? all : [main] }

    func budget(of account: SubjectAccount) -> ErrorBudget? {
        account.tally.lacksVerdicts ? nil : objective.map { ErrorBudget($0, of: account.tally) }
    }
}

/// A service level objective for the availability.
public struct Objective: Sendable, Hashable {
    /// The objective in millionths of the time.
    public let millionths: Int64

    /// Parses per cent with at most four decimals, more than 0 and less than 100.
    public init?(percent text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, !whole.isEmpty, whole.utf8.count <= 2 else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard (1...4).contains(decimals.utf8.count),
            (whole + decimals).utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            let value = Int64(whole + decimals + String(repeating: "0", count: 4 - decimals.utf8.count)), value > 0
        else { return nil }
        millionths = value
    }

    /// `99.5`.
    public var percent: String {
        var decimals = CivilTime.digits(Int(millionths % 10_000), 4)
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(millionths / 10_000)" + (decimals.isEmpty ? "" : "." + decimals)
    }

    /// Returns the unavailable time that the objective allows in a known time, in microseconds.
    package func budget(of known: Int64) -> Int64 { Int64(Int128(known) * Int128(1_000_000 - millionths) / 1_000_000) }
}

/// The unavailable time that an objective allows, and the rest of it.
public struct ErrorBudget: Sendable, Hashable {
    /// The objective.
    public let objective: Objective
    /// The allowed time, based on the known time, in microseconds.
    public let allowed: Int64
    /// The time of outages, in microseconds.
    public let spent: Int64

    /// Creates the budget of an account.
    public init(_ objective: Objective, of tally: Tally) {
        self.objective = objective
        allowed = objective.budget(of: tally.known)
        spent = tally.unavailable
    }

    /// The remaining time; negative if more was spent than allowed.
    public var left: Int64 { allowed - spent }
}
