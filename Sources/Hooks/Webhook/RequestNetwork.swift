/// The chances of a request, by the state of the default path.
enum RequestNetwork: Sendable, Hashable {
    /// None: there is no path, nothing answers beyond the next hop, or a portal does.
    case offline
    /// Something answers, or one family works: a request that is not answered proves nothing about its receiver.
    case partial
    /// Connectivity is full, or it is unknown and there is a path.
    case online
}
