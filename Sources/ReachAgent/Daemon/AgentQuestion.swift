internal import ArgumentParser
internal import Configuration
internal import EventJournal
internal import ForeignText
internal import Glibc
internal import LinuxSupport
internal import StateClient

/// A request to the agent, by a command that waits for the reply.
enum AgentQuestion {
    /// The timeout of a reply.
    static let patience: Duration = .seconds(5)

    /// Sends a request and returns the parameters of the reply; without a reply, prints the reason on standard error
    /// and exits.
    ///
    /// - Throws: `ExitCode` with 69 if there is no agent, 77 if access is denied, and 75 for any other error.
    static func ask(_ method: String, socket: String?) throws -> [UInt8] {
        try orExit { () throws(StateClientError) in try answer(to: method, socket: socket) }
    }

    /// Sends a request and returns the parameters of the reply.
    ///
    /// - Parameters:
    ///   - parameters: The request's parameters as one JSON object; empty for none.
    ///   - patience: The timeout of the reply.
    static func answer(
        to method: String,
        parameters: [UInt8] = [],
        socket: String?,
        patience: Duration = patience
    ) throws(StateClientError) -> [UInt8] {
        let client = StateClient(socket: socket)
        let answer: Result<[UInt8], StateClientError> = Blocking.run {
            do throws(StateClientError) {
                return .success(try await client.call(method, parameters: parameters, timeout: patience))
            } catch {
                return .failure(error)
            }
        }
        return try answer.get()
    }

    /// Runs `body`; if there is no reply, prints the reason on standard error and exits.
    static func orExit<Result>(_ body: () throws(StateClientError) -> Result) throws -> Result {
        do throws(StateClientError) {
            return try body()
        } catch {
            Terminal.printError("reachagent: \(ForeignText.line(error.description))")
            for line in advice(error) { Terminal.printError("  \(ForeignText.line(line))") }
            throw ExitCode(status(error))
        }
    }

    /// Returns the exit status for an error.
    static func status(_ error: StateClientError) -> Int32 {
        switch error {
        case .noAgent: ExitStatus.unavailable
        case .notPermitted: ExitStatus.notPermitted
        case .disconnected, .timedOut, .refused, .malformed, .system: ExitStatus.tryAgain
        }
    }

    /// Returns the next steps after an error.
    ///
    /// - Parameters:
    ///   - service: The service on this machine.
    ///   - recorder: The process ID of an agent that runs without a socket; `nil` for none.
    static func advice(
        _ error: StateClientError,
        service: AgentService = .installed(),
        recorder: @autoclosure () -> Int32? = recordingAgent()
    ) -> [String] {
        switch error {
        case .noAgent(let socket, _):
            otherPlaces(than: socket) + [
                "\(start(service, recorder()));",
                "'reachagent run --once' shows the state without one;",
                "for one elsewhere, set --socket or $REACHAGENT_SOCKET to its directory",
            ]
        case .notPermitted(let socket, _): permissionAdvice(socket, S_IWGRP, to: "ask")
        case .disconnected where service == .underSystemd:
            ["'systemctl status reachagent' and 'journalctl -u reachagent' show why"]
        case .timedOut:
            service == .underSystemd
                ? ["'systemctl status reachagent' and 'journalctl -u reachagent' show what it does"]
                : ["it is busy, or it was stopped: 'ps -C reachagent -o pid,stat,time' shows which"]
        default: []
        }
    }

    private static func start(_ service: AgentService, _ recorder: Int32?) -> String {
        if service != .underSystemd, let recorder {
            return
                "one runs (process \(recorder)): 'kill -HUP \(recorder)' opens sockets again whose files were removed"
        }
        return switch service {
        case .absent: "start one with 'reachagent run'"
        // Root's own agent would leave root's files in the service's journal, whatever starts the service.
        case .withoutSystemd: "start the service"
        // Not "start": after `systemctl stop reachagent.socket` the agent runs on, without a socket.
        case .underSystemd: "start one with 'systemctl restart reachagent'"
        }
    }

    /// Returns the process ID of an agent that has one of the usual journals, whatever sockets it has; `nil` if there is
    /// none.
    static func recordingAgent() -> Int32? {
        AgentFiles.own().journals.lazy.compactMap { JournalReader.writer(of: $0) }.first { process in
            // The agent of another PID namespace has written a number of that one.
            (try? RegularFile.bytes(of: "/proc/\(process)/comm", max: 64))?.elementsEqual("reachagent\n".utf8) == true
        }
    }

    /// Returns the other locations at which an agent was looked for.
    private static func otherPlaces(than socket: String) -> [String] {
        guard socket == "/run/reachagent/control.sock" else { return [] }
        var directories = variable("RUNTIME_DIRECTORY")?.split(separator: ":").map(String.init) ?? []
        if let directory = variable("XDG_RUNTIME_DIR") { directories.append("\(directory)/reachagent") }
        let others: [String] = directories.map { "\($0)/control.sock" }
        return others.filter { access($0, F_OK) != 0 && $0 != socket }.map { "and there is no \($0);" }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Returns the next steps of a user without a right, by whom the file belongs to.
    ///
    /// - Parameters:
    ///   - right: The permission that the file's group needs for it.
    ///   - action: A verb for the use of the right.
    static func permissionAdvice(_ path: String, _ right: mode_t, to action: String) -> [String] {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return ["this user may not even look into its directory"] }
        let owner = AccountDatabase.userName(number: facts.st_uid) ?? "\(facts.st_uid)"
        let group = AccountDatabase.groupName(number: facts.st_gid) ?? "\(facts.st_gid)"
        guard facts.st_mode & right != 0, facts.st_gid != 0 else {
            return ["it belongs to the user '\(owner)': \(action) as that user"]
        }
        let user = AccountDatabase.userName(number: geteuid()) ?? "\(geteuid())"
        return [
            "it belongs to the user '\(owner)' and the group '\(group)':",
            "'usermod -aG \(group) \(user)', done by root, lets '\(user)' \(action) after the next login",
        ]
    }
}

/// The service of the agent's package on this machine.
enum AgentService {
    /// There is no unit of the agent.
    case absent
    /// There is a unit, and systemd does not run: in a container, or beside another service manager.
    case withoutSystemd
    case underSystemd

    /// Looks for a unit of the agent (systemd.unit(5)), and for systemd (sd_booted(3)).
    static func installed(root: String = "") -> Self {
        let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"]
        let units = directories.map { "\(root)\($0)/systemd/system/reachagent.service" }
        guard units.contains(where: { access($0, F_OK) == 0 }) else { return .absent }
        return access("\(root)/run/systemd/system", F_OK) == 0 ? .underSystemd : .withoutSystemd
    }
}
