import AgentTestKit
import CheckResults
import NetlinkMonitor

@testable import Reachability

/// The random inputs of a machine over time, generated from a seed.
enum MachineStory {
    enum Input {
        case update(ScriptedNetwork, since: ScriptedNetwork?)
        case sample(ProbeSample)
        case tick
        case resume
        case configure(MachineConfiguration)
    }

    struct Timed {
        let at: Int
        let input: Input
    }

    /// Returns the story of one machine for a seed.
    static func make(_ seed: UInt64, _ configuration: MachineConfiguration, length: Int = 300) -> [Timed] {
        var random = SplitMix(state: seed)
        var network = ScriptedNetwork()
        var story = [Timed(at: 0, input: .update(network, since: nil))]
        var shadow = ReachabilityMachine(configuration)
        _ = shadow.handle(network.update(at: 0))
        var now = 0
        // Some stories are restless, some are quiet.
        let pace = [40, 400, 4000].randomElement(using: &random) ?? 400
        let failing = Int.random(in: 0...9, using: &random)
        for _ in 0..<length {
            now += Int.random(in: 0...pace, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<12:
                let old = network
                change(&network, &random)
                _ = shadow.handle(network.update(at: now))
                story.append(Timed(at: now, input: .update(network, since: old)))
            case 12..<15: story.append(Timed(at: now, input: .resume))
            case 15..<25: story.append(Timed(at: now, input: .tick))
            default:
                // Now and then a check of a point that is gone.
                let gone = ProbePoint(probe: "web", vantage: Vantage(interface: "gone0"))
                let point = shadow.points.randomElement(using: &random) ?? gone
                let good: [Character] = point.probe == "portal" ? ["O"] : ["s"]
                let bad: [Character] = point.probe == "portal" ? ["P", "c", "Q"] : ["f", "g", "t", "u", "b"]
                let isBad = Int.random(in: 0..<10, using: &random) < failing
                guard let letter = (isBad ? bad : good).randomElement(using: &random) else { continue }
                story.append(Timed(at: now, input: .sample(ScriptedCheck.sample(letter, at: now, point: point))))
            }
        }
        return story
    }

    private static func change(_ network: inout ScriptedNetwork, _ random: inout SplitMix) {
        func port(_ port: inout ScriptedNetwork.Port?) {
            guard port != nil else {
                port = ScriptedNetwork.Port()
                return
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: port = nil
            case 1: port?.router = UInt8.random(in: 1...3, using: &random)
            case 2: port?.hasIPv6.toggle()
            case 3: port?.hasIPv4.toggle()
            default: port?.isUp.toggle()
            }
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: network.preferred = network.preferred == .wlan0 ? .wwan0 : .wlan0
        case 1, 2: port(&network.wwan0)
        default: port(&network.wlan0)
        }
    }
}
