/// Which address is tried next: the order of RFC 8305, section 4, without clocks and sockets.
///
/// Each family keeps the order that the resolver gives (RFC 6724); the families take turns, IPv6 first.
struct HappyEyeballs {
    /// How long IPv4 addresses wait for the AAAA answer (section 3).
    static let resolutionDelay = Duration.milliseconds(50)
    /// How long one attempt has before the next is started beside it (section 5).
    static let attemptDelay = Duration.milliseconds(250)

    private var sixes: ArraySlice<HostAddress> = []
    private var fours: ArraySlice<HostAddress> = []
    private var awaited: Set<HostAddress.Family>
    private var lastFamily: HostAddress.Family?
    private var room: Int
    private var isResolutionDelayOver = false
    private(set) var running = 0
    private(set) var hasBegun = false

    /// - Parameters:
    ///   - awaited: The families whose answers are still to come.
    ///   - maximum: How many addresses may be tried.
    init(awaiting awaited: Set<HostAddress.Family>, maximum: Int) {
        self.awaited = awaited
        room = maximum
    }

    /// Takes a family's answer; an empty one when the lookup failed.
    mutating func add(_ addresses: [HostAddress], of family: HostAddress.Family) {
        awaited.remove(family)
        switch family {
        case .ipv6: sixes += addresses
        case .ipv4: fours += addresses
        }
    }

    /// Whether IPv4 addresses are there and the AAAA answer is given its head start.
    var needsResolutionDelay: Bool {
        !hasBegun && !isResolutionDelayOver && sixes.isEmpty && !fours.isEmpty && awaited.contains(.ipv6)
    }

    /// The head start is over.
    mutating func endResolutionDelay() { isResolutionDelayOver = true }

    /// The next address to try; nil while there is none or it is too early.
    mutating func next() -> HostAddress? {
        guard room > 0, !needsResolutionDelay else { return nil }
        let isSixNext = fours.isEmpty || (!sixes.isEmpty && lastFamily != .ipv6)
        guard let address = isSixNext ? sixes.popFirst() : fours.popFirst() else { return nil }
        lastFamily = address.family
        hasBegun = true
        room -= 1
        running += 1
        return address
    }

    /// An attempt came to nothing.
    mutating func attemptFailed() { running -= 1 }

    /// Whether there is nothing left to try and nothing to wait for.
    var isExhausted: Bool {
        running == 0 && (room <= 0 || (sixes.isEmpty && fours.isEmpty && awaited.isEmpty))
    }

    /// The addresses that were not tried, in the order in which they would be.
    var remaining: [HostAddress] {
        var copy = self
        copy.room = .max
        copy.endResolutionDelay()
        var addresses: [HostAddress] = []
        while let address = copy.next() { addresses.append(address) }
        return addresses
    }
}
