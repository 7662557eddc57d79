/// A roll call of the parts that a service cannot do without: pure, with time as a parameter.
///
/// A sign of life is owed at every interval. Then everybody is asked, and it is given when all have answered; from the
/// middle of the interval on it is as soon as there is a turn, so that a service which is awake need not be woken for
/// it. Who is silent is asked a few times more, because an answer may be lost with a thread that was replaced.
struct RollCall: Sendable {
    /// The work that is due now.
    struct Turn: Sendable, Hashable {
        /// The round that answers belong to.
        var round: Int
        /// The parts to ask, by their place in the list of names.
        var asked: [Int] = []
        /// `true` if all have answered: give the sign of life.
        var isComplete = false
        /// The parts that were silent for a whole interval; named once a round.
        var silent: [String] = []
    }

    /// Into how many parts an interval is divided while somebody is silent.
    private static let attempts = 8

    private let names: [String]
    private let interval: Duration
    private var round = 0
    /// The number of questions in this round; 0 between two rounds.
    private var asked = 0
    private var absent: Set<Int> = []
    private var started: ContinuousClock.Instant

    /// The moment of the next work; `nil` when only an answer can change anything.
    private(set) var deadline: ContinuousClock.Instant?

    /// - Parameters:
    ///   - names: Who must answer.
    ///   - interval: The time between two signs of life.
    ///   - start: From when on it counts: the first sign is owed an interval later.
    init(_ names: [String], every interval: Duration, from start: ContinuousClock.Instant) {
        self.names = names
        self.interval = interval
        started = start
        deadline = start + interval
    }

    /// Returns true when a turn at a moment would begin a round.
    func isWelcome(at now: ContinuousClock.Instant) -> Bool { asked == 0 && now >= started + interval / 2 }

    /// Takes the answer of one of those that were asked.
    ///
    /// - Returns: Whether it was the last that was missing.
    mutating func answer(_ member: Int, round: Int) -> Bool {
        guard round == self.round, absent.remove(member) != nil else { return false }
        return absent.isEmpty
    }

    /// Says what is to be done at a moment.
    mutating func turn(at now: ContinuousClock.Instant) -> Turn {
        var turn = Turn(round: round)
        if asked > 0, absent.isEmpty {
            turn.isComplete = true
            asked = 0
            deadline = started + interval
        }
        guard isWelcome(at: now) || deadline.map({ now >= $0 }) == true else { return turn }
        if asked == 0 {
            round += 1
            started = now
            absent = Set(names.indices)
            turn.round = round
        }
        asked += 1
        turn.asked = absent.sorted()
        if asked > Self.attempts {
            turn.silent = turn.asked.map { names[$0] }
            self.deadline = nil
        } else {
            self.deadline = now + interval / Self.attempts
        }
        return turn
    }
}
