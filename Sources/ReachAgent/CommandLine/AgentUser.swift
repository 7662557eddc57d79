internal import AgentEvents
internal import Configuration
internal import Glibc
internal import LinuxSupport
internal import StateClient

/// The user that the agent runs as, with whose permissions root validates the configuration.
///
/// Root can read every file, so its own check accepts a secret that the agent cannot open.
struct AgentUser {
    /// The service's user, as long as no agent runs.
    private static let service = "reachagent"
    /// The maximum size of `/proc/PID/status`, in bytes.
    private static let maximumBytes = 64 << 10

    let user: UInt32
    let group: UInt32
    let groups: [UInt32]

    /// The user's name, or number.
    var name: String { AccountDatabase.userName(number: user) ?? "\(user)" }
    /// The group's name, or number.
    var groupName: String { AccountDatabase.groupName(number: group) ?? "\(group)" }

    /// The user of the agent that uses the files, or else of the installed service; `nil` if neither is known, if it is
    /// root, or if this process is not.
    init?(of files: AgentFiles) {
        guard geteuid() == 0 else { return nil }
        if let agent = files.agent { self.init(running: agent) } else { self.init(serviceWith: files.configuration) }
        guard user != 0 else { return nil }
    }

    private init?(running agent: RunningAgent) {
        // A socket of the agent, or of its unit's, belongs to the agent's user also in another PID namespace.
        var entry = stat()
        let named = agent.socket.map { SocketLocation.control(explicit: $0).path }
        guard let socket = named ?? agent.status.sockets?.control, stat(socket, &entry) == 0 else { return nil }
        if let process = agent.status.agent?.processID.flatMap(Self.init(process:)), process.user == entry.st_uid {
            self = process
        } else {
            self.init(account: try? AccountDatabase.user(number: entry.st_uid))
        }
    }

    private init?(serviceWith configuration: String?) {
        guard AgentService.installed() != .absent, configuration?.hasPrefix("/etc/reachagent/") ?? false else {
            return nil
        }
        self.init(account: try? AccountDatabase.user(named: Self.service))
    }

    private init?(account: AccountDatabase.User?) {
        guard let account else { return nil }
        (user, group) = (account.uid, account.gid)
        groups = AccountDatabase.groups(of: account.name, with: account.gid)
    }

    /// The effective user of a process, with the groups that its service manager gave it (proc_pid_status(5)).
    private init?(process: Int32) {
        let path = "/proc/\(process)/status"
        guard let bytes = try? RegularFile.bytes(of: path, max: Self.maximumBytes) else { return nil }
        var ids: [String: [UInt32]] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let fields = line.split { $0 == "\t" || $0 == " " }
            guard let name = fields.first, ["Uid:", "Gid:", "Groups:"].contains(name) else { continue }
            ids[String(name)] = fields.dropFirst().compactMap { UInt32($0) }
        }
        guard let users = ids["Uid:"], let own = ids["Gid:"], users.count == 4, own.count == 4 else { return nil }
        (user, group, groups) = (users[1], own[1], ids["Groups:"] ?? [])
    }

    /// Runs `body` with the permissions of the user; returns `nil` if this process may not change them.
    func run<Result>(_ body: () -> Result) -> Result? {
        var former = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(former.count), &former)
        let formerGroup = getegid()
        guard count >= 0, setgroups(groups.count, groups) == 0 else { return nil }
        defer { _ = setgroups(Int(count), former) }
        guard setegid(group) == 0 else { return nil }
        defer { _ = setegid(formerGroup) }
        guard seteuid(user) == 0 else { return nil }
        defer { _ = seteuid(0) }
        return body()
    }

    /// Returns the commands after which the user can read a file or a directory.
    func remedy(for path: String) -> String {
        let word = ShellWord.quoted(path)
        var entry = stat()
        let isFound = run { stat(path, &entry) == 0 } ?? true
        guard isFound else { return "\(name) may not enter a directory above it: namei -l \(word)" }
        let mode = entry.st_mode & S_IFMT == S_IFDIR ? "750" : "640"
        return "let \(name) read it: chown root:\(groupName) \(word) && chmod \(mode) \(word)"
    }
}
