internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Recordings of real kernels, played message by message.
struct RecordedSequenceTests {
    private var view = KernelView()

    /// Plays a recording; gives what each message made stale, and whether the link was usable behind it.
    private mutating func play(_ text: String, link index: UInt32) throws -> [(
        effects: KernelView.Effects, isUp: Bool?
    )] {
        try MessageBuilder.recorded(text).map { line in
            let effects = view.apply(try parse(try #require(line)))
            return (effects, view.links[index]?.isUsable)
        }
    }

    /// The course of a link's usability, without repetitions.
    private func course(_ steps: [(effects: KernelView.Effects, isUp: Bool?)]) -> [Bool?] {
        steps.map(\.isUp).reduce(into: []) { course, next in
            if course.isEmpty || course.last != .some(next) { course.append(next) }
        }
    }

    @Test("a station is usable once it has its keys; RUNNING or the carrier alone is not enough")
    mutating func association() throws {
        let steps = try play(Recordings.association, link: 3)
        #expect(course(steps) == [false, true])
        #expect(steps.firstIndex { $0.isUp == true } == 10)
        #expect(view.links[3]?.parentDevice == "hwsim1")
        #expect(view.addresses.map(\.description) == ["192.168.50.2/24", "fe80::ff:fe00:100/64"])
    }

    @Test("a message that repeats known state changes nothing")
    mutating func repetition() throws {
        let steps = try play(Recordings.association, link: 3)
        #expect(steps[2].effects == KernelView.Effects())
        #expect(steps[3].effects == KernelView.Effects())
        let again = try play(Recordings.association.split(separator: "\n").suffix(2).joined(separator: "\n"), link: 3)
        #expect(again.first?.effects == KernelView.Effects())
    }

    @Test("of a station's routes, only the default route makes the default routes stale")
    mutating func routes() throws {
        let steps = try play(Recordings.association, link: 3)
        #expect(steps.dropFirst().filter { !$0.effects.staleRoutes.isEmpty }.count == 1)
        #expect(steps[15].effects == KernelView.Effects(isRelevant: true, staleRoutes: [.ipv4]))
    }

    @Test("a roam is a short loss; its wireless events change nothing but the flags")
    mutating func roam() throws {
        _ = try play(Recordings.association, link: 3)
        let steps = try play(Recordings.roam, link: 3)
        #expect(course(steps) == [true, false, true])
        #expect(steps.allSatisfy { $0.effects.staleRoutes.isEmpty })
        #expect(view.links[3]?.operationalState == .up)
        #expect(view.links[3]?.parentDevice == "hwsim1")
    }

    @Test("the flags of a wireless event apply at once, before the complete message arrives")
    mutating func accessPointEnds() throws {
        _ = try play(Recordings.association, link: 3)
        let steps = try play(Recordings.accessPointEnds, link: 3)
        #expect(steps.first?.isUp == false)
        #expect(steps.first?.effects.isEdge == true)
        #expect(course(steps) == [false])
        #expect(view.addresses.count == 2)
    }

    @Test("IPv4 routes that vanish without a message are reread")
    mutating func removal() throws {
        _ = try play(Recordings.association, link: 3)
        let steps = try play(Recordings.removal, link: 3)
        #expect(steps[0].effects.staleRoutes == [.ipv4])
        #expect(steps[2].effects.staleRoutes == [])
        #expect(steps[3].effects.staleRoutes == [.ipv4])
        #expect(steps[5].effects.staleRoutes == [.ipv4, .ipv6])
        #expect(view == KernelView())
    }

    @Test("a modem stays 'unknown' and is usable anyway; a new one with its name is a different link")
    mutating func modem() throws {
        let steps = try play(Recordings.modem, link: 2)
        #expect(course(steps) == [true, false, nil])
        #expect(steps.last?.effects.classifies == true)
        #expect(view.links.values.map(\.index) == [4])
        #expect(view.addresses.isEmpty)
    }
}
