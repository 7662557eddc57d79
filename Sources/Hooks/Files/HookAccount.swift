internal import AgentEvents
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
    /// `true` if the agent already has that user and group and may not change them: nothing is changed then.
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
    /// A user without a group gets its own groups, and a group without a user the agent's user. The system's databases
    /// may be on the network (nsswitch.conf(5)), so this can block.
    ///
    /// - Returns: The account; nil when neither is given: the hook runs as the agent.
    /// - Throws: ``HookRefusal/Code/user`` when there is no such account, or the agent may not change to it.
    package static func resolve(user: String?, group: String?) throws(HookRefusal) -> HookAccount? {
        try resolve(user: user, group: group, agent: .current())
    }

    static func resolve(user: String?, group: String?, agent: AgentIdentity) throws(HookRefusal) -> HookAccount? {
        guard user != nil || group != nil else { return nil }
        var account = HookAccount(uid: agent.uid, gid: agent.gid, groups: agent.groups)
        if let user {
            account = try self.user(user, hasGroup: group != nil)
        } else if let entry = AccountDatabase.user(number: agent.uid) {
            account.take(entry)
        }
        if let group {
            guard let number = AccountDatabase.group(named: group) ?? number(group) else {
                throw HookRefusal(
                    .user,
                    path: group,
                    evidence: "there is no group \(ShellWord.quoted(group))",
                    remedy: "groupadd --system \(ShellWord.quoted(group))"
                )
            }
            account.gid = number
        }
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
                remedy: "run the agent as root, or leave 'user' and 'group' out of the hook"
            )
        }
        account.isAgent = true
        account.groups = agent.groups
        return account
    }

    private static func user(_ user: String, hasGroup: Bool) throws(HookRefusal) -> HookAccount {
        if let entry = AccountDatabase.user(named: user) { return HookAccount(entry) }
        guard let number = number(user) else {
            throw HookRefusal(
                .user,
                path: user,
                evidence: "there is no user \(ShellWord.quoted(user))",
                remedy: "useradd --system \(ShellWord.quoted(user))"
            )
        }
        if let entry = AccountDatabase.user(number: number) { return HookAccount(entry) }
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

    /// Parses a numeric ID; the highest one means "no change" and is rejected (setuid(2)).
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
