import CheckResults
import NetlinkMonitor
import Testing

@testable import Reachability

/// The verdicts that follow from the checks of one probe.
struct ProbeTrackTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The checks, a letter each (``ScriptedCheck``); `X` is another path, `Z` a suspended machine.
        let checks: String
        /// The verdict after each: `?` none yet, `n` none by this machine's fault, `U`p, `D`own, `P`ortal.
        let verdicts: String
        /// The cadence after each: `s`teady, `d`oubtful, `p`ortal, or the attempt while down.
        var cadence: String?
        /// The number of verdicts that are published.
        var published: Int?
        var rule = ProbeRule(name: "web")
        var testDescription: String { name }
    }

    static let portal = ProbeRule(name: "web", isPortalCheck: true, usesTLS: false)
    static let latency = ProbeRule(name: "web", latency: DeadBand(good: 100, bad: 400))
    static let loss = ProbeRule(name: "web", fall: 2, loss: DeadBand(good: 10, bad: 40), lossWindow: 10)

    static let latencyAndLoss = ProbeRule(
        name: "web",
        latency: DeadBand(good: 100, bad: 400),
        loss: DeadBand(good: 10, bad: 60),
        lossWindow: 10
    )

    static let cases = [
        Case(name: "one success makes it up", checks: "ss", verdicts: "UU", cadence: "ss", published: 1),
        Case(name: "three failures make it down", checks: "fff", verdicts: "??D", cadence: "dd0", published: 1),
        Case(
            name: "up falls after three in a row, and asks faster meanwhile",
            checks: "sffsfff",
            verdicts: "UUUUUUD",
            cadence: "sddsdd0",
            published: 2
        ),
        Case(
            name: "down backs off, and rises after two in a row",
            checks: "fffffsfss",
            verdicts: "??DDDDDDU",
            cadence: "dd012d3ds",
            published: 2
        ),
        Case(
            name: "one failure and one success are enough where the rule says so",
            checks: "sfs",
            verdicts: "UDU",
            cadence: "s0s",
            rule: ProbeRule(name: "web", fall: 1, rise: 1)
        ),
        Case(
            name: "this machine's fault is no vote",
            checks: "sffuf",
            verdicts: "UUUUD",
            cadence: "sddd0",
            published: 2
        ),
        Case(
            name: "three of this machine's faults in a row leave nothing known",
            checks: "suuuuus",
            verdicts: "UUUnnnU",
            cadence: "sdd012s",
            published: 3
        ),
        Case(
            name: "a down target whose name cannot be asked for is unknown after three",
            checks: "fffuuu",
            verdicts: "??DDDn",
            cadence: "dd0120",
            published: 2
        ),
        Case(
            name: "an answer after unknown decides anew",
            checks: "uuufff",
            verdicts: "??nnnD",
            cadence: "dd0dd0",
            published: 2
        ),
        Case(
            name: "another code counts when it comes back three times",
            checks: "fffgfgfgggg",
            verdicts: "??DDDDDDDDD",
            published: 2
        ),
        Case(
            name: "another path takes the verdict, and the same one again is no news",
            checks: "sXs",
            verdicts: "U?U",
            published: 1
        ),
        Case(
            name: "another path voids the streak",
            checks: "sffXffsff",
            verdicts: "UUU???UUU",
            published: 1
        ),
        Case(
            name: "a suspended machine voids the streak and keeps the verdict",
            checks: "sffZfff",
            verdicts: "UUUUUUD",
            published: 2
        ),
        Case(
            name: "a portal is there at once where nothing was known",
            checks: "PPO",
            verdicts: "PPU",
            cadence: "pps",
            published: 2,
            rule: portal
        ),
        Case(
            name: "a portal takes two looks where something was known",
            checks: "OPOPPO",
            verdicts: "UUUUPU",
            cadence: "sdsdps",
            published: 3,
            rule: portal
        ),
        Case(
            name: "a portal ends with failures",
            checks: "Pccc",
            verdicts: "PPPD",
            cadence: "ppp0",
            published: 2,
            rule: portal
        ),
        Case(
            name: "a portal's address that is another one each time is no news",
            checks: "QQQQ",
            verdicts: "PPPP",
            published: 1,
            rule: portal
        ),
        Case(
            name: "a portal's new address that stays is news once",
            checks: "QPPPP",
            verdicts: "PPPPP",
            published: 2,
            rule: portal
        ),
        Case(
            name: "evidence of a portal counts only for a check that looks for one",
            checks: "PPP",
            verdicts: "??D"
        ),
        Case(
            name: "a latency in the band is no vote",
            checks: "mmsmmlmlml",
            verdicts: "??UUUUUUUD",
            cadence: "ddsssdddd0",
            rule: latency
        ),
        Case(
            name: "a latency that stays in the band is not hurried",
            checks: "slmmm",
            verdicts: "UUUUU",
            cadence: "sddds",
            rule: latency
        ),
        Case(
            name: "a latency in the band over another path confirms up",
            checks: "sXmmXlmlml",
            verdicts: "U?UU??UUUD",
            published: 2,
            rule: latency
        ),
        Case(
            name: "a latency in the band over another path confirms no failure, and ends it",
            checks: "lllXmmls",
            verdicts: "??D????U",
            published: 3,
            rule: latency
        ),
        Case(
            name: "a latency in the band over another path ends the portal of the former one",
            checks: "PXmms",
            verdicts: "P???U",
            published: 3,
            rule: ProbeRule(name: "web", isPortalCheck: true, usesTLS: false, latency: DeadBand(good: 100, bad: 400))
        ),
        Case(
            name: "a target that does not answer is down in spite of the band",
            checks: "ssssssssssff",
            verdicts: "UUUUUUUUUUUD",
            rule: loss
        ),
        Case(
            name: "so much loss is down though checks succeed",
            checks: "sfsfsfsfs",
            verdicts: "UUUUUUUUD",
            published: 2,
            rule: loss
        ),
        Case(
            name: "loss between good and bad changes nothing",
            checks: "ssssssssfsfssssssssff",
            verdicts: String(repeating: "U", count: 20) + "D",
            rule: loss
        ),
        Case(
            name: "loss between good and bad excuses no latency",
            checks: "ssssfssssflllll",
            verdicts: String(repeating: "U", count: 12) + "DDD",
            rule: latencyAndLoss
        ),
        Case(
            name: "failures and slow checks add up while the loss is between good and bad",
            checks: "ssssfssssflfll",
            verdicts: String(repeating: "U", count: 13) + "D",
            rule: latencyAndLoss
        ),
    ]

    @Test("verdicts and cadence follow the table", arguments: cases)
    func follows(_ trackCase: Case) {
        let egresses = Vantages.Egresses(ipv4: Vantages.Egress(via: .wifi, interface: 3, gateway: nil))
        var track = ProbeTrack(ScriptedCheck.point, rule: trackCase.rule, egresses: egresses)
        var verdicts = ""
        var cadence = ""
        var published = 0
        var last = ProbeState.unknown
        for (index, check) in trackCase.checks.enumerated() {
            switch check {
            case "X": track.lose(egresses, observed: ScriptedCheck.time(index))
            case "Z": track.suspend()
            default:
                let outcome = track.take(ScriptedCheck.sample(check, at: index))
                if let step = outcome.verdict {
                    published += 1
                    #expect(step.from == last)
                    last = step.to
                }
                if let step = outcome.flapping {
                    #expect(step.from == last)
                    last = step.to
                }
            }
            #expect(track.record.isStale == "XZ".contains(check))
            #expect(check != "m" || track.published == track.state)
            verdicts.append(letter(track.state))
            cadence.append(letter(track.cadence))
        }
        #expect(verdicts == trackCase.verdicts)
        if let expected = trackCase.cadence { #expect(cadence == expected) }
        if let expected = trackCase.published { #expect(published == expected) }
    }

    private func letter(_ state: ProbeState) -> Character {
        switch state.verdict {
        case .unknown: state.code == nil ? "?" : "n"
        case .up: "U"
        case .down: "D"
        case .portal: "P"
        }
    }

    private func letter(_ cadence: Cadence) -> Character {
        switch cadence {
        case .steady: "s"
        case .doubtful: "d"
        case .portal: "p"
        case .down(let attempt): Character("\(attempt)")
        }
    }

    @Test(
        "a verdict has the code of the finding that decided it",
        arguments: [
            ("ffg", FindingCode.httpStatus), ("uuu", .dnsTimeout), ("lll", .latencyHigh), ("fffgggg", .httpStatus),
        ]
    )
    func codes(_ checks: String, _ code: FindingCode) {
        var track = ProbeTrack(ScriptedCheck.point, rule: Self.latency, egresses: Vantages.Egresses())
        for check in checks { _ = track.take(ScriptedCheck.sample(check)) }
        #expect(track.state.code == code)
    }

    @Test("the evidence beyond the code follows the checks, and is no event")
    func evidence() {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web"), egresses: Vantages.Egresses())
        var steps: [ProbeTrack.Step] = []
        func check(_ count: Int, leadsToThisMachine: Bool?) -> FailureEvidence {
            for _ in 0..<count {
                var sample = ScriptedCheck.sample("f")
                (sample.code, sample.leadsToThisMachine) = (.connectRefused, leadsToThisMachine)
                if let step = track.take(sample).verdict { steps.append(step) }
            }
            return track.state.evidence
        }
        #expect(check(3, leadsToThisMachine: true) == .silent)
        #expect(check(2, leadsToThisMachine: nil) == .silent)
        #expect(check(1, leadsToThisMachine: nil) == .refused)
        #expect(check(3, leadsToThisMachine: true) == .silent)
        #expect(steps.count == 1)
    }

    @Test(
        "what fails after an answer of the target is no evidence about the path to it",
        arguments: [
            .icmpUnreachable, .timeout, .connectRefused, .tlsSelfSigned, .tlsUntrustedRoot, .dnsNXDomain,
        ] as [FindingCode]
    )
    func answered(_ code: FindingCode) {
        for (wasAnswered, isEvidence) in [(nil, true), (true, false)] as [(Bool?, Bool)] {
            var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web"), egresses: Vantages.Egresses())
            var sample = ScriptedCheck.sample("f")
            (sample.code, sample.wasAnswered) = (code, wasAnswered)
            for _ in 0..<3 { _ = track.take(sample) }
            #expect((track.state.evidence == code.evidence) == isEvidence)
            #expect((track.state.evidence == .answered) == !isEvidence)
        }
    }

    @Test("an answer of the target stays with the verdict that the name of its redirect cannot be resolved")
    func redirected() {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web"), egresses: Vantages.Egresses())
        var sample = ScriptedCheck.sample("u")
        sample.wasAnswered = true
        for _ in 0..<3 { _ = track.take(sample) }
        #expect(track.state.verdict == .unknown)
        #expect(track.state.wasAnswered)
        // The target is silent in its turn.
        sample.wasAnswered = nil
        for _ in 0..<3 { _ = track.take(sample) }
        #expect(!track.state.wasAnswered)
    }

    @Test("a success at this machine itself is noticed while the probe is up, and is no event")
    func leadsHere() {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web"), egresses: Vantages.Egresses())
        var steps: [ProbeTrack.Step] = []
        func check(leadsToThisMachine: Bool?) -> Bool {
            var sample = ScriptedCheck.sample("s")
            sample.leadsToThisMachine = leadsToThisMachine
            if let step = track.take(sample).verdict { steps.append(step) }
            return track.state.leadsToThisMachine
        }
        let checks: [Bool?] = [nil, true, nil, true, true, nil, nil]
        let seen = checks.map { check(leadsToThisMachine: $0) }
        #expect(seen == [false, false, false, false, true, true, false])
        #expect(steps.map(\.to.verdict) == [.up])
    }

    @Test("codes that alternate with a measurement's are not kept back by the evidence of its checks")
    func measured() {
        let rule = ProbeRule(name: "web", fall: 3, loss: DeadBand(good: 5, bad: 10), lossWindow: 10)
        var track = ProbeTrack(ScriptedCheck.point, rule: rule, egresses: Vantages.Egresses())
        for check in "fffsfsfsfs" {
            var sample = ScriptedCheck.sample(check)
            sample.endedOverTLS = check == "s" ? true : nil
            _ = track.take(sample)
        }
        #expect(track.state.code == .lossHigh)
    }

    @Test("the record holds the start of the verdict, the last check and its streak")
    func record() {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web"), egresses: Vantages.Egresses())
        #expect(track.record == ProbeRecord(point: ScriptedCheck.point, state: .unknown))
        for (index, check) in "ssfff".enumerated() { _ = track.take(ScriptedCheck.sample(check, at: index)) }
        #expect(track.record.since == ScriptedCheck.time(4))
        #expect(track.record.last == ScriptedCheck.sample("f", at: 4))
        #expect(track.record.streak == 3)
        #expect(track.record.state == ProbeState(.down, code: .connectTimeout))
    }

    @Test("a probe that fails every other time flaps, and every verdict is still published")
    func flaps() {
        var track = ProbeTrack(ScriptedCheck.point, rule: ProbeRule(name: "web", fall: 1, rise: 1), egresses: .init())
        var words: [String] = []
        for check in "sfsfsfsf" + String(repeating: "s", count: 20) {
            let outcome = track.take(ScriptedCheck.sample(check))
            if let step = outcome.verdict { words.append("\(step.to.verdict)") }
            if let step = outcome.flapping { words.append(step.to.isFlapping ? "flaps" : "calm") }
        }
        #expect(words == ["up", "down", "up", "down", "up", "down", "up", "flaps", "down", "up", "calm"])
        #expect(!track.state.isFlapping)
    }
}
