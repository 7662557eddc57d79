/// A medium of a usable path that a setting or an option can require: the codes of ``Via`` as a closed list.
package enum Medium: String, Sendable, CaseIterable {
    case wifi, wwan, wired, other

    /// The code in the state of a path.
    package var via: Via { Via(rawValue) }
}
