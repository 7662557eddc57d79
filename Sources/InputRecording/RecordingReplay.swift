public import Reachability

/// Feeds a state machine with the inputs of a recording.
public struct RecordingReplay {
    /// What one input led to.
    public struct Step: Sendable {
        /// The input.
        public let recorded: RecordedInput
        /// The transitions, in the order in which they were published.
        public let transitions: [Transition]
    }

    /// The machine as the inputs so far have made it; `nil` before the first one.
    public private(set) var machine: ReachabilityMachine?
    /// Where the inputs come from.
    public private(set) var reader: RecordingReader
    private var isAtEnd = false

    /// A replay that has not begun.
    public init(_ reader: RecordingReader) { self.reader = reader }

    /// Lets the machine take the next input; `nil` at the end.
    ///
    /// - Throws: What is wrong with the next line; after that there is nothing more.
    public mutating func next() throws(RecordingError) -> Step? {
        guard !isAtEnd else { return nil }
        isAtEnd = true
        guard let recorded = try reader.next() else { return nil }
        guard var machine else {
            guard case .configuration(let configuration, _) = recorded.input else {
                throw reader.error("the first input is no configuration")
            }
            isAtEnd = false
            machine = ReachabilityMachine(configuration)
            return Step(recorded: recorded, transitions: [])
        }
        isAtEnd = false
        self.machine = nil
        let transitions = machine.take(recorded.input)
        // The agent asks with every input, and so forgets them.
        _ = machine.takeFreshLooks()
        self.machine = machine
        return Step(recorded: recorded, transitions: transitions)
    }
}
