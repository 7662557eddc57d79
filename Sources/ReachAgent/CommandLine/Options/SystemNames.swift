internal import ArgumentParser
internal import Glibc
internal import NetlinkMonitor

/// The names that this machine knows, for completions without an agent.
enum SystemNames {
    /// The names of the interfaces, own and alternative.
    static var interfaces: [String] { InterfaceNames.read().all }

    /// The names of the groups that the system lists (getgrent(3)).
    static var groups: [String] {
        setgrent()
        defer { endgrent() }
        var names: [String] = []
        while let entry = getgrent() {
            if let name = entry.pointee.gr_name { names.append(String(cString: name)) }
        }
        return names
    }
}

extension CompletionKind {
    /// The names of this machine's interfaces.
    static var interfaceNames: CompletionKind { .custom { _, _, _ in AgentNames.plain(SystemNames.interfaces) } }

    /// The names of this machine's groups.
    static var groupNames: CompletionKind { .custom { _, _, _ in AgentNames.plain(SystemNames.groups) } }
}
