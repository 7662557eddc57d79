import AgentTestKit
import Foundation
import Testing

/// A machine with a wired and a wireless uplink, and directories with hooks; the directories go with this object.
///
///     eth0  (wired) ─ far0    192.0.2.2/24
///     wlan0 (wifi)  ─ far1    198.51.100.2/24
final class HookLab: Sendable {
    /// The uplink of the default route, in the syntax of ip-route(8).
    enum Uplink: String {
        case wired = "via 192.0.2.1 dev eth0"
        case wifi = "via 198.51.100.1 dev wlan0"
    }

    /// The reason that all hooks are refused here; `nil` when they are not.
    static let obstacle: String? =
        NetworkNamespace.obstacle
        ?? (geteuid() == 0
            ? nil
            : "in the namespace, the files of the machine's root belong to nobody, and hooks below them are refused")

    let namespace: NetworkNamespace
    private let directory: TemporaryDirectory
    /// Only its owner can write to it, as to everything in it.
    var path: String { directory.path }

    /// The directory of hooks that comes first.
    var first: String { "\(path)/etc" }
    /// The directory of hooks whose files those of the first one hide.
    var second: String { "\(path)/lib" }
    /// The lines that hooks have added by ``note``.
    var notes: [String] { lines(of: "notes") }

    init(in namespace: NetworkNamespace) throws {
        self.namespace = namespace
        directory = try TemporaryDirectory()
        for directory in [first, second] { try makeDirectory(directory) }
    }

    // MARK: - The network

    /// Makes both links, and a default route by the wired one.
    func makeLinks() throws {
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24")
        try namespace.makeLink("wlan0", peer: "far1", address: "198.51.100.2/24")
        try use(.wired)
    }

    /// Leads the default route through an uplink, in one step.
    func use(_ uplink: Uplink) throws { try namespace.ip("route replace default \(uplink.rawValue)") }

    /// Takes the default route away.
    func disconnect() throws { try namespace.ip("route del default") }

    /// Changes the default route's gateway again and again, as fast as the kernel takes it; the last one is `192.0.2.99`.
    func storm(of count: Int) throws {
        let last = "route replace default via 192.0.2.99 dev eth0"
        let routes = (1..<count).map { "route replace default via 192.0.2.\(10 + $0 % 2) dev eth0" } + [last]
        try write(routes.joined(separator: "\n"), to: "\(path)/storm")
        try namespace.run("ip -batch \(path)/storm")
    }

    // MARK: - Files

    /// A shell command that adds a line to ``notes``: the hook's name, its process ID, and `more`.
    func note(_ more: String = "") -> String {
        "echo \"$REACH_HOOK $$\(more.isEmpty ? "" : " \(more)")\" >> \(path)/notes"
    }

    /// Writes a shell script that can be run, with the directories above it.
    ///
    /// - Parameter name: Its path below ``path``.
    /// - Returns: Its whole path.
    @discardableResult
    func put(_ name: String, _ script: String, mode: mode_t = 0o755) throws -> String {
        let file = "\(path)/\(name)"
        try makeDirectory(String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]))
        try write(script.isEmpty ? "" : "#!/bin/sh\n\(script)\n", to: file, mode: mode)
        return file
    }

    /// Makes a directory that only its owner can write to.
    func makeDirectory(_ directory: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
    }

    /// Replaces a file as a whole; without a mode it keeps its own.
    func write(_ text: String, to file: String, mode: mode_t? = nil) throws {
        try replaceFile(with: text.utf8, at: file, mode: mode)
    }

    /// The lines of a file below ``path``; none when there is no such file.
    func lines(of name: String) -> [String] { text(of: name).split(separator: "\n").map(String.init) }

    /// A file below ``path``; nothing when there is no such file.
    func text(of name: String) -> String { (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? "" }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, where no namespace can be made, or where hooks in it would be refused.
    static var withHooks: Self { .enabled(if: HookLab.obstacle == nil, "\(HookLab.obstacle ?? "")") }
}
