import AgentEvents
import Configuration
import StateClient
import Testing

@testable import ReachAgent

/// The verdict on the agent: one that is missing, silent or in trouble.
@Suite struct DiagnosisAgentTests {
    @Test(arguments: [
        (StateClientError.noAgent(socket: "s", errno: 2), AgentService.absent, Diagnosis.Verdict.notChecked),
        (.noAgent(socket: "s", errno: 2), .withoutSystemd, .warning),
        (.noAgent(socket: "s", errno: 2), .underSystemd, .warning),
        (.notPermitted(socket: "s", errno: 13), .underSystemd, .warning),
        (.timedOut(socket: "s"), .underSystemd, .error),
        (.timedOut(socket: "s"), .withoutSystemd, .error), (.timedOut(socket: "s"), .absent, .error),
    ])
    func `an agent that is missing is judged by whether it has a service, whose commands are the next steps`(
        error: StateClientError,
        service: AgentService,
        verdict: Diagnosis.Verdict
    ) {
        var evidence = DiagnosisTests.evidence()
        (evidence.agent, evidence.service) = (.failure(error), service)
        let section = Diagnosis(evidence).sections.last
        #expect(section?.verdict == verdict)
        if service != .underSystemd { #expect(section?.next.contains { $0.contains("systemctl") } == false) }
        // It would leave its files in the service's journal.
        if service != .absent { #expect(section?.next.contains("reachagent run") == false) }
    }

    @Test(arguments: [
        (AgentService.absent, ["kill -HUP 812"]), (.withoutSystemd, ["kill -HUP 812"]),
        (.underSystemd, ["systemctl status reachagent", "sudo systemctl restart reachagent"]),
    ])
    func `an agent that records its events runs, although no socket leads to it`(
        service: AgentService,
        next: [String]
    ) {
        var evidence = DiagnosisTests.evidence()
        (evidence.service, evidence.recorder) = (service, 812)
        let section = Diagnosis(evidence).sections.last
        #expect(section?.verdict == .warning)
        #expect(section?.next == next)
        #expect(section?.summary.contains("no agent is running") == false)
    }

    @Test func `an agent that has rejected its configuration is a warning, and the files named are its own`() {
        var evidence = DiagnosisTests.evidence()
        let probes = [DiagnosisTests.probe("web", nil), DiagnosisTests.probe("dns", nil)]
        var status = DiagnosisTests.status(probes, connectivity: .full)
        let (path, time) = ("/etc/reachagent/reachagent.toml", Timestamp(microsecondsSince1970: 0))
        let rejection = ConfigurationRejection(errors: ["\(path):5:1: secret"], errorsOmitted: 2)
        status.configuration = .init(files: [path], loaded: time, path: path, rejected: .init(rejection, time: time))
        evidence.agent = .success(status)
        evidence.configuration = .rejected(errors: ["a", "b", "c"])
        let diagnosis = Diagnosis(evidence)
        let finding = diagnosis.finding
        #expect(finding?.layer == .agent && finding?.verdict == .warning)
        #expect(finding?.summary == "the configuration was rejected (3 errors); the earlier one stays in effect")
        #expect(finding?.next == ["reachagent config check"])
        #expect(finding?.facts.contains(.init("configuration", path)) == true)
        #expect(finding?.facts.contains(.init("on disk", "rejected, 3 errors")) == true)
        #expect(!String(decoding: diagnosis.json, as: UTF8.self).contains("secret"))
        // One that the agent has loaded is not repeated.
        status.configuration?.rejected = nil
        evidence.agent = .success(status)
        evidence.configuration = .read(files: [path], probes: 2)
        #expect(Diagnosis(evidence).finding == nil)
        #expect(Diagnosis(evidence).sections.last?.facts.contains { $0.name == "on disk" } == false)
    }

    @Test(arguments: [
        (["token cannot be opened: Permission denied"], false, true),
        (["token cannot be opened: Permission denied", "unknown key"], false, false),
        (["token cannot be opened: Permission denied"], true, false), (["unknown key"], false, false),
    ])
    func `files are unreadable if that is their only fault, and the agent has not rejected them`(
        messages: [String],
        isRejected: Bool,
        isUnreadable: Bool
    ) {
        var status = DiagnosisTests.status([], connectivity: .full)
        let time = Timestamp(microsecondsSince1970: 0)
        let rejection = ConfigurationRejection(errors: ["reachagent.toml:9:1: foo: unknown key"], errorsOmitted: 0)
        status.configuration = .init(files: [], loaded: time, path: nil, rejected: .init(rejection, time: time))
        if !isRejected { status.configuration?.rejected = nil }
        let errors = ConfigurationErrors(messages.map { ConfigurationError(file: "reachagent.toml", message: $0) })
        let configuration = DiagnosisEvidence.Configuration(errors, besides: status)
        #expect(configuration.errors == messages.map { "reachagent.toml: \($0)" })
        var found = false
        if case .unreadable = configuration { found = true }
        #expect(found == isUnreadable)
    }

    @Test(arguments: [
        ("[::1]:9718", "Address already in use", ["ip address", "ss -ltnp"]),
        ("[::]:443", "Permission denied", ["# ports below 1024 need CAP_NET_BIND_SERVICE"]),
        ("[::]:1024", "Permission denied", ["ip address", "ss -ltnp"]),
    ])
    func `an address on which the agent cannot listen is a warning, with the steps that fit its reason`(
        address: String,
        reason: String,
        steps: [String]
    ) {
        var evidence = DiagnosisTests.evidence()
        var status = DiagnosisTests.status([], connectivity: .full)
        let unavailable = AgentStatus.UnavailableAddress(address: address, detail: reason)
        status.sockets = .init(events: "e", control: "c", connections: 0, limit: 1, unavailable: [unavailable])
        evidence.agent = .success(status)
        let diagnosis = Diagnosis(evidence)
        #expect(diagnosis.finding?.summary == "the agent cannot listen on \(address): \(reason)")
        #expect(diagnosis.finding?.next == steps + ["# correct 'listen' in [http], and restart the agent"])
        #expect(diagnosis.verdict == .warning)
    }

    @Test func `a user who may not ask the agent is not told that it does not answer`() {
        var evidence = DiagnosisTests.evidence()
        evidence.agent = .failure(.notPermitted(socket: "s", errno: 13))
        let connection = Diagnosis(evidence).sections.first { $0.layer == .connection }
        #expect(connection?.summary.hasPrefix("this user may not ask the agent; ") == true)
    }
}
