public import Reachability

/// Replays the inputs of a recording in a state machine.
public struct RecordingReplay {
    /// The result of one input.
    public struct Step: Sendable {
        /// The input.
        public let recorded: RecordedInput
        /// The transitions, in order of publication.
        public let transitions: [Transition]
    }

    /// The current machine; `nil` before the first input.
    public private(set) var machine: ReachabilityMachine?
    /// The source of the inputs.
    public private(set) var reader: RecordingReader
    private var isAtEnd = false

    /// Creates a replay without starting it.
    public init(_ reader: RecordingReader) { self.reader = reader }

    /// Handles the next input; `nil` at the end.
    ///
    /// - Throws: The error of the next line; after that the end.
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
        // The agent calls this after every input, which clears the list.
        _ = machine.takeFreshLooks()
        self.machine = machine
        return Step(recorded: recorded, transitions: transitions)
    }
}
