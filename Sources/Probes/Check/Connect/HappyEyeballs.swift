internal import CheckResults

/// Selects the next address to try, by RFC 8305, section 4, without clocks and sockets.
///
/// Each family keeps the resolver's order (RFC 6724); the families alternate, IPv6 first.
struct HappyEyeballs {
    /// The Resolution Delay (section 3): the time that IPv4 addresses wait for the AAAA answer.
    static let resolutionDelay = Duration.milliseconds(50)
    /// The Connection Attempt Delay (section 5): the time between the starts of two attempts.
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
    ///   - awaited: The families whose answers are pending.
    ///   - maximum: The maximum number of addresses to try.
    init(awaiting awaited: Set<HostAddress.Family>, maximum: Int) {
        self.awaited = awaited
        room = maximum
    }

    /// Adds the addresses of a family; none when the lookup failed.
    mutating func add(_ addresses: [HostAddress], of family: HostAddress.Family) {
        awaited.remove(family)
        switch family {
        case .ipv6: sixes += addresses
        case .ipv4: fours += addresses
        }
    }

    /// `true` while IPv4 addresses are available and the AAAA answer is pending within its head start.
    var needsResolutionDelay: Bool {
        !hasBegun && !isResolutionDelayOver && sixes.isEmpty && !fours.isEmpty && awaited.contains(.ipv6)
    }

    /// Ends the head start of IPv6.
    mutating func endResolutionDelay() { isResolutionDelayOver = true }

    /// Returns the next address to try; nil while there is none or it is too early.
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

    /// Records that an attempt failed.
    mutating func attemptFailed() { running -= 1 }

    /// `true` when there is nothing left to try or to wait for.
    var isExhausted: Bool {
        running == 0 && (room <= 0 || (sixes.isEmpty && fours.isEmpty && awaited.isEmpty))
    }

    /// The addresses not tried yet, in order.
    var remaining: [HostAddress] {
        var copy = self
        copy.room = .max
        copy.endResolutionDelay()
        var addresses: [HostAddress] = []
        while let address = copy.next() { addresses.append(address) }
        return addresses
    }
}
