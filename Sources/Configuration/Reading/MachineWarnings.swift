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
        let unknown = names.filter { !kinds.contains($0) && if_nametoindex($0) == 0 }
        guard !unknown.isEmpty else { return }
        // The C library looks up an alternative name as well, but none of more than 15 bytes.
        let interfaces = InterfaceNames.read()
        for name in unknown where interfaces.ownName(of: name) == nil {
            // Such a name is that of an adapter which is not plugged in, not a misspelt kind.
            let kinds = KeySuggestion.medium(ofInterface: name) == nil ? kinds : []
            let suggestion = KeySuggestion.nearest(to: name, among: interfaces.all.prefix(1000) + kinds)
            let end = suggestion.map { "did you mean '\($0)'?" } ?? "'reachagent interfaces' lists those that exist"
            table.warn(key, "there is no interface '\(name)' at present; \(end)")
        }
    }

    /// Warns of a program that does not exist.
    func warn(ofProgram program: String) {
        // A name with a space is a rare program, and often a whole command line.
        let advice =
            program.utf8.contains(UInt8(ascii: " "))
            ? "; each argument is an element of its own: \(ValueFormat<[String]>.array(of: program))" : ""
        guard let path = HookFile.program(program) else {
            return table.warn("command", "there is no program '\(program)' in \(HookEnvironment.path)\(advice)")
        }
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return }
        table.warn("command", "there is no program '\(path)' here\(advice)")
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
