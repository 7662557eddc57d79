import Glibc
import Testing

@testable import Hooks

@Suite
struct HookAccountTests {
    private let root = AgentIdentity(uid: 0, gid: 0, groups: [0, 4], mayChange: true)
    private let mortal = AgentIdentity(uid: 65534, gid: 65534, groups: [65534, 7], mayChange: false)

    @Test
    func `without user and group the hook runs as the agent`() throws {
        #expect(try HookAccount.resolve(user: nil, group: nil) == nil)
    }

    @Test(arguments: ["daemon", "1"])
    func `a user is found by name and by number, with its own groups`(user: String) throws {
        let account = try #require(try HookAccount.resolve(user: user, group: nil, agent: root))
        #expect(account.uid == 1 && account.gid == 1)
        #expect(account.name == "daemon")
        #expect(account.home == "/usr/sbin")
        #expect(account.shell?.hasPrefix("/") == true)
        #expect(account.groups.contains(1) && !account.groups.contains(4))
        #expect(!account.isAgent)
    }

    @Test(arguments: ["adm", "4"])
    func `a group takes the place of the user's own`(group: String) throws {
        let account = try #require(try HookAccount.resolve(user: "daemon", group: group, agent: root))
        #expect(account.uid == 1 && account.gid == 4)
        #expect(account.groups.contains(4))
        let alone = try #require(try HookAccount.resolve(user: nil, group: group, agent: root))
        #expect(alone.uid == 0 && alone.gid == 4 && alone.groups == [0, 4])
        #expect(alone.name == "root")
    }

    @Test
    func `a number without an entry takes a group`() throws {
        let account = try #require(try HookAccount.resolve(user: "3987654321", group: "1", agent: root))
        #expect(account == HookAccount(uid: 3_987_654_321, gid: 1, groups: [1]))
        let refusal = #expect(throws: HookRefusal.self) {
            try HookAccount.resolve(user: "3987654321", group: nil, agent: root)
        }
        #expect(refusal?.evidence == "UID 3987654321 has no entry in the user database, so its group is not known")
    }

    @Test(arguments: ["", "no-such-user", "root\0", "4294967295", "4294967296", "-1", "+0", "0x0", " 0", "٣"])
    func `an unknown user or group is an error`(name: String) {
        for (user, group) in [(name, nil), (nil, name), ("root", name)] as [(String?, String?)] {
            let refusal = #expect(throws: HookRefusal.self) {
                try HookAccount.resolve(user: user, group: group, agent: root)
            }
            #expect(refusal?.code == .user)
            #expect(refusal?.path == name)
        }
    }

    @Test
    func `an unprivileged agent can become no other user, but may name its own`() throws {
        let refusal = #expect(throws: HookRefusal.self) {
            try HookAccount.resolve(user: "daemon", group: nil, agent: mortal)
        }
        #expect(refusal?.code == .user)
        #expect(refusal?.evidence == "the agent runs as UID 65534, GID 65534 and may not become daemon")
        #expect(refusal?.remedy.contains("hooks-as-other-users.conf") == true)
        #expect(throws: HookRefusal.self) { try HookAccount.resolve(user: nil, group: "adm", agent: mortal) }
        let own = try #require(try HookAccount.resolve(user: "nobody", group: nil, agent: mortal))
        #expect(own.isAgent && own.uid == 65534 && own.groups == [65534, 7])
        #expect(own.name == "nobody")
    }

    @Test
    func `the agent's own rights are read`() {
        let agent = AgentIdentity.current()
        #expect(agent.uid == geteuid() && agent.gid == getegid())
        #expect(Set(agent.groups).count <= agent.groups.count)
    }
}
