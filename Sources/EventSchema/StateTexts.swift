internal import EventEnvelope
internal import Reachability

/// The JSON texts of the states that were written last.
///
/// Each state is written up to four times: as what a transition led to, as what the next one left, and in the raw and in
/// the settled event. It is encoded once.
public struct StateTexts: Sendable {
    private static let capacity = 3
    private var recent: [(state: ReachabilityState, text: [UInt8])] = []

    /// No texts yet.
    public init() {}

    /// The text of a state.
    mutating func text(of state: ReachabilityState) -> [UInt8] {
        if let known = recent.last(where: { $0.state == state }) { return known.text }
        var json = JSONWriter()
        state.write(to: &json)
        if recent.count == Self.capacity { recent.removeFirst() }
        recent.append((state, json.bytes))
        return json.bytes
    }
}
