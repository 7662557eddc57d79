internal import CLibNL
internal import Glibc

/// The classic BPF program that the kernel runs on each notification before it is queued.
///
/// Route messages pass only if they can change an answer: default routes and the prefixes equivalent to one
/// (``RouteLookup/longestDefaultPart(_:)``), and every prefix that covers one of the looked-up addresses. A full
/// Internet table then costs nothing. Neighbour messages pass only for the routers among which the kernel selects, and
/// only when their state has changed. All other messages pass.
///
/// The program handles one message at a time, as the kernel delivers notifications. It must never be attached to a
/// socket for dumps, where many messages share a buffer and only the first would be checked.
struct RouteFilter {
    /// The program.
    private(set) var program: [sock_filter] = []

    /// The offsets of the fixed parts of a message: `struct nlmsghdr` (16 bytes), then `struct rtmsg` or `struct ndmsg`
    /// (12 each).
    private enum Offset {
        static let messageType: UInt32 = 4
        static let family: UInt32 = 16
        static let destinationLength: UInt32 = 17
        static let interface: UInt32 = 20
        static let neighbourState: UInt32 = 24
        static let attributes: UInt32 = 28
        static let attributeHeader: UInt32 = 4
    }

    /// The scratch cells of the program.
    private enum Cell {
        static let prefixLength: UInt32 = 0
        static let destination: UInt32 = 1
        static let shift: UInt32 = 2
        static let interface: UInt32 = 3
    }

    private static let instructionsPerWord = 16
    /// The maximum length of the program; the kernel accepts 4096 instructions, translates each into one or two of 8
    /// bytes, and charges them to the socket's option memory: 20 KiB before Linux 6.9.
    private static let longestProgram = 1200

    /// Creates a filter that covers these addresses, and passes changes of these routers' states.
    ///
    /// With so many addresses that the program would be too long, only the first 32 bits of each IPv6 address are
    /// compared; with even more, as on a hub of hundreds of tunnels, none are and every route message passes: always a
    /// superset of the required messages.
    init(covering addresses: some Sequence<IPAddress>, routers: [Router: NeighbourState] = [:]) {
        let addresses = Set(addresses).sorted { $0.description < $1.description }
        let section = Self.section(for: routers)
        self.init(addresses, section, comparedWords: 4)
        if program.count > Self.longestProgram { self.init(addresses, section, comparedWords: 1) }
        if program.count > Self.longestProgram { self.init(addresses, section, comparedWords: 0) }
    }

    private init(_ addresses: [IPAddress], _ neighbours: [sock_filter], comparedWords: Int) {
        // BPF loads in network order and netlink writes in host order: the constants are swapped once, here.
        load(BPF_H, at: Offset.messageType)
        jump(BPF_JEQ, UInt32(UInt16(RTM_NEWNEIGH).bigEndian), ifTrue: 1, ifFalse: 0)
        jump(BPF_JEQ, UInt32(UInt16(RTM_DELNEIGH).bigEndian), ifTrue: 0, ifFalse: 1)
        emit(BPF_JMP | BPF_JA, 1)
        emit(BPF_JMP | BPF_JA, UInt32(neighbours.count))
        program += neighbours
        jump(BPF_JEQ, UInt32(UInt16(RTM_NEWROUTE).bigEndian), ifTrue: 2, ifFalse: 0)
        jump(BPF_JEQ, UInt32(UInt16(RTM_DELROUTE).bigEndian), ifTrue: 1, ifFalse: 0)
        accept()
        load(BPF_B, at: Offset.destinationLength)
        emit(BPF_ST, Cell.prefixLength)
        load(BPF_B, at: Offset.family)
        for family in AddressFamily.allCases {
            let wanted = Set(addresses.filter { $0.family == family }.map { Array($0.words.prefix(comparedWords)) })
            let section = Self.section(for: family, covering: wanted.sorted { $0.lexicographicallyPrecedes($1) })
            jump(BPF_JEQ, UInt32(family.kernelValue), ifTrue: 1, ifFalse: 0)
            emit(BPF_JMP | BPF_JA, UInt32(section.count))
            program += section
        }
        drop()
    }

    private init(empty: Void) {}

    /// Returns the section for neighbours; every branch ends in a verdict.
    private static func section(for routers: [Router: NeighbourState]) -> [sock_filter] {
        var filter = RouteFilter(empty: ())
        filter.load(BPF_W, at: Offset.interface)
        filter.emit(BPF_ST, Cell.interface)
        filter.emit(BPF_LDX | BPF_IMM, UInt32(NDA_DST))
        filter.emit(BPF_LD | BPF_IMM, Offset.attributes)
        filter.emit(BPF_LD | BPF_W | BPF_ABS, CLIBNL_BPF_ATTRIBUTE_OFFSET)
        filter.emit(BPF_ST, Cell.destination)
        filter.jump(BPF_JEQ, 0, ifTrue: 0, ifFalse: 1)
        filter.drop()
        for (router, state) in routers.sorted(by: { $0.key < $1.key }).prefix(Router.maximumWatched) {
            let verdict = Self.verdict(on: router.address.family, after: state)
            var comparison = RouteFilter(empty: ())
            comparison.compare(with: router, orSkip: verdict.count)
            filter.program += comparison.program + verdict
        }
        filter.drop()
        return filter.program
    }

    /// Accepts unless the message repeats the known state; a removed entry may keep the bits of its last state.
    private static func verdict(on family: AddressFamily, after state: NeighbourState) -> [sock_filter] {
        var filter = RouteFilter(empty: ())
        filter.load(BPF_H, at: Offset.neighbourState)
        let repeating = UInt32(state.repeatingBits(family).bigEndian)
        filter.jump(BPF_JSET, repeating, ifTrue: 1, ifFalse: 0)
        filter.accept()
        filter.load(BPF_H, at: Offset.messageType)
        filter.jump(BPF_JEQ, UInt32(UInt16(RTM_DELNEIGH).bigEndian), ifTrue: 0, ifFalse: 1)
        filter.accept()
        filter.drop()
        return filter.program
    }

    /// Continues if the message is about a router, else skips the following instructions.
    private mutating func compare(with router: Router, orSkip count: Int) {
        var expected: [(load: [sock_filter], value: UInt32)] = []
        func loading(_ body: (inout RouteFilter) -> Void) -> [sock_filter] {
            var filter = RouteFilter(empty: ())
            body(&filter)
            return filter.program
        }
        let family = UInt32(router.address.family.kernelValue)
        expected.append((loading { $0.load(BPF_B, at: Offset.family) }, family))
        let interface = loading { $0.emit(BPF_LD | BPF_MEM, Cell.interface) }
        expected.append((interface, router.interfaceIndex.bigEndian))
        for (index, word) in router.address.words.enumerated() {
            let load = loading {
                $0.emit(BPF_LDX | BPF_MEM, Cell.destination)
                $0.emit(BPF_LD | BPF_W | BPF_IND, Offset.attributeHeader + UInt32(index * 4))
            }
            expected.append((load, word))
        }
        var rest = expected.reduce(count) { $0 + $1.load.count + 1 }
        for (load, value) in expected {
            program += load
            rest -= load.count + 1
            jump(BPF_JEQ, value, ifTrue: 0, ifFalse: UInt8(rest))
        }
    }

    /// Returns the section for the routes of one family; every branch ends in a verdict.
    private static func section(for family: AddressFamily, covering addresses: [[UInt32]]) -> [sock_filter] {
        var filter = RouteFilter(empty: ())
        filter.emit(BPF_LD | BPF_MEM, Cell.prefixLength)
        filter.jump(BPF_JGT, UInt32(RouteLookup.longestDefaultPart(family)), ifTrue: 1, ifFalse: 0)
        filter.accept()
        // The kernel finds the attribute: A = the offset of the attributes, X = the type.
        filter.emit(BPF_LDX | BPF_IMM, UInt32(RTA_DST.rawValue))
        filter.emit(BPF_LD | BPF_IMM, Offset.attributes)
        filter.emit(BPF_LD | BPF_W | BPF_ABS, CLIBNL_BPF_ATTRIBUTE_OFFSET)
        filter.emit(BPF_ST, Cell.destination)
        filter.jump(BPF_JEQ, 0, ifTrue: 0, ifFalse: 1)
        filter.accept()
        for words in addresses { filter.accept(ifCovering: words) }
        filter.drop()
        return filter.program
    }

    /// Accepts if the message's prefix covers an address, given as 32-bit words; else continues.
    private mutating func accept(ifCovering words: [UInt32]) {
        for (index, word) in words.enumerated() {
            let start = UInt32(index * 32)
            let wordsLeft = words.count - 1 - index
            // The prefix ended before this word, and all of it was equal.
            emit(BPF_LD | BPF_MEM, Cell.prefixLength)
            jump(BPF_JGT, start, ifTrue: 1, ifFalse: 0)
            accept()
            // The number of low bits of this word outside the prefix: none, or the rest of the word.
            jump(BPF_JGE, start + 32, ifTrue: 0, ifFalse: 2)
            emit(BPF_LD | BPF_IMM, 0)
            emit(BPF_JMP | BPF_JA, 3)
            emit(BPF_LD | BPF_IMM, start + 32)
            emit(BPF_LDX | BPF_MEM, Cell.prefixLength)
            emit(BPF_ALU | BPF_SUB | BPF_X, 0)
            emit(BPF_ST, Cell.shift)
            emit(BPF_LDX | BPF_MEM, Cell.destination)
            emit(BPF_LD | BPF_W | BPF_IND, Offset.attributeHeader + UInt32(index * 4))
            emit(BPF_ALU | BPF_XOR | BPF_K, word)
            emit(BPF_LDX | BPF_MEM, Cell.shift)
            emit(BPF_ALU | BPF_RSH | BPF_X, 0)
            jump(BPF_JEQ, 0, ifTrue: 0, ifFalse: UInt8(wordsLeft * Self.instructionsPerWord + 1))
        }
        accept()
    }

    private mutating func accept() { emit(BPF_RET | BPF_K, .max) }
    private mutating func drop() { emit(BPF_RET | BPF_K, 0) }
    private mutating func load(_ size: Int32, at offset: UInt32) { emit(BPF_LD | size | BPF_ABS, offset) }

    private mutating func jump(_ condition: Int32, _ value: UInt32, ifTrue: UInt8, ifFalse: UInt8) {
        program.append(sock_filter(code: UInt16(BPF_JMP | condition | BPF_K), jt: ifTrue, jf: ifFalse, k: value))
    }

    private mutating func emit(_ code: Int32, _ value: UInt32) {
        program.append(sock_filter(code: UInt16(code), jt: 0, jf: 0, k: value))
    }

    /// Attaches the program to a socket, replacing the previous one.
    func attach(to descriptor: Int32) throws(NetlinkError) {
        var result = clibnl_attach_filter(descriptor, program, UInt16(program.count))
        if result == ENOMEM {
            // The kernel keeps the old program until it has the new one, and older kernels have no room for two.
            // Between the two calls everything passes, which costs a little time and loses nothing.
            var unused: Int32 = 0
            setsockopt(descriptor, SOL_SOCKET, SO_DETACH_FILTER, &unused, socklen_t(MemoryLayout<Int32>.size))
            result = clibnl_attach_filter(descriptor, program, UInt16(program.count))
        }
        guard result == 0 else { throw NetlinkError(operation: "attach the route filter", cause: .errno(result)) }
    }
}
