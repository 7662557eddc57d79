/// An account as people and programs read it, in one of several formats.
///
/// A value: the same account makes the same bytes.
public struct Report: Sendable {
    /// The account.
    public var account: Account
    /// The objective, where there is one.
    public var objective: Objective?
    /// The account whose outages and days stand first.
    public var main: SubjectAccount
    /// The other accounts.
    public var others: [SubjectAccount]

    /// A selection of an account's subjects.
    public enum Selection: Sendable, Hashable {
        /// The default path, beside everything else.
        case everything
        /// One uplink, and the probes bound to it.
        case uplink(String)
        /// One probe, at each of its points.
        case probe(String)
    }

    /// A report on the selected subjects; `nil` when the account has none of them.
    public init?(_ account: Account, _ selection: Selection = .everything, objective: Objective? = nil) {
        let subjects = account.subjects.filter { account in
            let subject = account.subject
            return switch selection {
            case .everything: true
            case .uplink(let name):
                subject.kind == .uplink && subject.name == name
                    || subject.kind == .probe && subject.interface == name
            case .probe(let name): subject.kind == .probe && subject.name == name
            }
        }
        guard let main = subjects.first else { return nil }
        self.account = account
        self.objective = objective
        self.main = main
        others = Array(subjects.dropFirst())
    }

    var all: [SubjectAccount] { [main] + others }

    func budget(of account: SubjectAccount) -> ErrorBudget? {
        objective.map { ErrorBudget($0, of: account.tally) }
    }
}
