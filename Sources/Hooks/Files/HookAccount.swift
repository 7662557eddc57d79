internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// The account of a hook.
package struct HookAccount: Sendable, Hashable {
    /// The user.
    package var uid: UInt32
    /// The group.
    package var gid: UInt32
    /// The supplementary groups (getgrouplist(3)), including the group.
    package var groups: [UInt32]
    /// The user's name; nil if the number has none.
    package var name: String?
    /// The user's home directory.
    package var home: String?
    /// The user's shell.
    package var shell: String?
    /// `true` if the agent already has this user and group and may not change them; the IDs are left unchanged then.
    package var isAgent: Bool

    /// Creates an account.
    package init(
        uid: UInt32,
        gid: UInt32,
        groups: [UInt32],
        name: String? = nil,
        home: String? = nil,
        shell: String? = nil,
        isAgent: Bool = false
    ) {
        self.uid = uid
        self.gid = gid
        self.groups = groups
        self.name = name
        self.home = home
        self.shell = shell
        self.isAgent = isAgent
    }

    /// Looks up a user and a group, each by name or by number.
    ///
    /// A user without a group gets its own groups, and a group without a user the agent's user. The account databases
    /// may be on the network (nsswitch.conf(5)), so this can block.
    ///
    /// - Returns: The account; nil if neither is given, in which case the hook runs as the agent.
    /// - Throws: ``HookRefusal/Code/user`` if the account does not exist, or the agent may not change to it.
    package static func resolve(user: String?, group: String?) throws(HookRefusal) -> HookAccount? {
        try resolve(user: user, group: group, agent: .current())
    }

    static func resolve(user: String?, group: String?, agent: AgentIdentity) throws(HookRefusal) -> HookAccount? {
        guard user != nil || group != nil else { return nil }
        var account = HookAccount(uid: agent.uid, gid: agent.gid, groups: agent.groups)
        if let user {
            account = try self.user(user, hasGroup: group != nil)
        } else if let entry = try? AccountDatabase.user(number: agent.uid) {
            account.take(entry)
        }
        if let group { account.gid = try self.group(group) }
        if user != nil, let name = account.name {
            account.groups = AccountDatabase.groups(of: name, with: account.gid)
        } else if !account.groups.contains(account.gid) {
            account.groups.append(account.gid)
        }
        if agent.mayChange { return account }
        guard account.uid == agent.uid, account.gid == agent.gid else {
            let wanted = [user, group].compactMap(\.self).map(ShellWord.quoted).joined(separator: ":")
            throw HookRefusal(
                .user,
                path: user ?? group ?? "",
                evidence: "the agent runs as UID \(agent.uid), GID \(agent.gid) and may not become \(wanted)",
                remedy: "let the agent change its user, as the service's drop-in hooks-as-other-users.conf does, "
                    + "or leave 'user' and 'group' out of the hook"
            )
        }
        account.isAgent = true
        account.groups = agent.groups
        return account
    }

    private static func user(_ user: String, hasGroup: Bool) throws(HookRefusal) -> HookAccount {
        do throws(SystemError) {
            if let entry = try entry(of: user) { return HookAccount(entry) }
        } catch {
            // A number with a group needs no entry.
            guard hasGroup, number(user) != nil else { throw failedLookup(of: user, error) }
        }
        guard let number = number(user) else {
            throw HookRefusal(
                .user,
                path: user,
                evidence: "there is no user \(ShellWord.quoted(user))",
                command: "useradd --system \(ShellWord.quoted(user))"
            )
        }
        guard hasGroup else {
            throw HookRefusal(
                .user,
                path: user,
                evidence: "UID \(number) has no entry in the user database, so its group is not known",
                remedy: "give 'group' as well"
            )
        }
        return HookAccount(uid: number, gid: number, groups: [])
    }

    /// Returns the entry of the user with a name, or else with a number.
    private static func entry(of user: String) throws(SystemError) -> AccountDatabase.User? {
        guard let number = number(user) else { return try AccountDatabase.user(named: user) }
        if let entry = try? AccountDatabase.user(named: user) { return entry }
        return try AccountDatabase.user(number: number)
    }

    private static func group(_ group: String) throws(HookRefusal) -> UInt32 {
        do throws(SystemError) {
            if let number = try AccountDatabase.group(named: group) { return number }
        } catch {
            // A number needs no entry.
            guard number(group) != nil else { throw failedLookup(of: group, error) }
        }
        guard let number = number(group) else {
            throw HookRefusal(
                .user,
                path: group,
                evidence: "there is no group \(ShellWord.quoted(group))",
                command: "groupadd --system \(ShellWord.quoted(group))"
            )
        }
        return number
    }

    /// Returns the refusal for a failed lookup: the account may exist, and the next run may succeed.
    private static func failedLookup(of name: String, _ error: SystemError) -> HookRefusal {
        var refusal = HookRefusal(
            .user,
            path: name,
            evidence: "cannot be looked up: \(error)",
            remedy: "see what the system's log says about it"
        )
        refusal.shortage = error.errno
        return refusal
    }

    /// Parses a numeric ID; the highest one means "no change" (setuid(2)) and is rejected.
    private static func number(_ text: String) -> UInt32? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }) else { return nil }
        return UInt32(text).flatMap { $0 == .max ? nil : $0 }
    }

    private init(_ entry: AccountDatabase.User) {
        self.init(uid: entry.uid, gid: entry.gid, groups: [])
        take(entry)
    }

    private mutating func take(_ entry: AccountDatabase.User) {
        name = entry.name
        home = entry.home
        shell = entry.shell
    }
}

/// The identity of the agent, and its privilege to change it.
struct AgentIdentity: Sendable, Hashable {
    var uid: UInt32
    var gid: UInt32
    var groups: [UInt32]
    /// `true` with the capabilities CAP_SETUID and CAP_SETGID (capabilities(7)).
    var mayChange: Bool

    static func current() -> AgentIdentity {
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        groups = Array(groups.prefix(max(0, Int(getgroups(Int32(clamping: groups.count), &groups)))))
        let capabilities = capabilities()
        let mayChange = capabilities.map { $0 & 0b1100_0000 == 0b1100_0000 } ?? (geteuid() == 0)
        return AgentIdentity(uid: geteuid(), gid: getegid(), groups: groups, mayChange: mayChange)
    }

    /// Returns the effective capabilities; nil if `/proc` does not list them.
    private static func capabilities() -> UInt64? {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16384)
        let count = max(0, read(descriptor, &bytes, bytes.count))
        for line in bytes.prefix(count).split(separator: UInt8(ascii: "\n")) where line.starts(with: "CapEff:".utf8) {
            let digits = line.dropFirst("CapEff:".utf8.count).filter { $0 > UInt8(ascii: " ") }
            return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
        }
        return nil
    }
}
