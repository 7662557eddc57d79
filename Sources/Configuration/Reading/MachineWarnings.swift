internal import ForeignText
internal import Glibc
internal import Hooks
internal import NetlinkMonitor

/// Warnings about names that are well-formed but refer to nothing: at this moment, on this machine, or anywhere.
extension RequestTableReader {
    /// Warns of a method that is not in a registry: RFC 9110 allows private methods, and a typo looks the same.
    func warn(ofMethod method: String) {
        guard table.has("method"), !HTTPMethods.registered.contains(method) else { return }
        let word = KeySuggestion.nearest(to: method, among: HTTPMethods.registered.map { $0.lowercased() })
        let suggestion = word.map { "; did you mean '\($0.uppercased())'?" } ?? ""
        table.warn("method", "'\(method)' is not a known HTTP method\(suggestion)")
    }

    /// Warns of names that are neither interfaces of this machine nor kinds.
    func warn(ofInterfaces names: [String], _ key: String) {
        guard table.notes.checksMachine else { return }
        let kinds = key == "interfaces" ? InterfaceKind.allCases.map(\.rawValue) : []
        for name in names where !kinds.contains(name) && if_nametoindex(name) == 0 {
            let suggestion = KeySuggestion.nearest(to: name, among: NetworkInterfaces.names + kinds)
            let end = suggestion.map { "did you mean '\($0)'?" } ?? "'reachagent interfaces' lists those that exist"
            table.warn(key, "there is no interface '\(name)' at present; \(end)")
        }
    }

    /// Warns of a program that does not exist.
    func warn(ofProgram program: String) {
        guard let path = HookFile.program(program) else {
            return table.warn("command", "there is no program '\(program)' in \(HookEnvironment.path)")
        }
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return }
        table.warn("command", "there is no program '\(path)' here")
    }
}

/// The methods of IANA's registry, and those of caches.
private enum HTTPMethods {
    static let registered = [
        "ACL", "BAN", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE", "GET", "HEAD",
        "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE",
        "OPTIONS", "ORDERPATCH", "PATCH", "POST", "PROPFIND", "PROPPATCH", "PURGE", "PUT", "QUERY", "REBIND", "REPORT",
        "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF",
        "VERSION-CONTROL",
    ]
}

/// The interfaces of this network namespace.
private enum NetworkInterfaces {
    /// The names of the interfaces, at most a thousand.
    static var names: [String] {
        guard let list = if_nameindex() else { return [] }
        defer { if_freenameindex(list) }
        var names: [String] = []
        for entry in UnsafeBufferPointer(start: list, count: 1000) {
            guard entry.if_index != 0, let name = entry.if_name else { break }
            names.append(String(cString: name))
        }
        return names
    }
}
