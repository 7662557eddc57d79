/// The interface that carries the packets of a tunnel, through any tunnels in between.
public struct ResolvedUnderlay: Sendable, Hashable {
    /// The interface; `nil` if the tunnel's packets have no route.
    public let link: Link?
    /// The evidence for it: a guess if any part of the chain is one.
    public let evidence: Underlay.Evidence
    /// `true` if the tunnel's packets certainly cannot leave.
    public let isDown: Bool
}
