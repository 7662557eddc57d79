internal import AgentEvents

/// The environment variables of a hook.
public enum HookEnvironment {
    /// The search path for programs without a slash, and the hook's own `PATH`.
    public static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// All variables with facts about the event, in the order of the documentation, and their meanings.
    public static let variables: [(name: String, meaning: String)] = [
        ("REACH_HOOK", "the hook's name"),
        ("REACH_HOOK_PATH", "the program's real path; not for webhooks"),
        ("REACH_TYPE", "the event's type without `reachagent.`"),
        ("REACH_ID", "the event's `id`"),
        ("REACH_SEQ", "the event's number"),
        ("REACH_TIME", "the event's `time` (RFC 3339, UTC)"),
        ("REACH_SUBJECT", "the event's subject: `default`, a target, an uplink, a probe, or the agent"),
        ("REACH_TARGET", "the target's name, when the event is a target's"),
        ("REACH_PROBE", "the probe's name, when the event is a probe's"),
        ("REACH_UPLINK", "the uplink's interface, when the event is an uplink's"),
        ("REACH_UPLINK_KIND", "the uplink's kind: `wifi`, `wwan`, `wired`, …"),
        ("REACH_FROM_USED", "`1` when the default path led through the uplink before, `0` when it was a standby"),
        ("REACH_TO_USED", "the same after"),
        ("REACH_FROM_VIA", "the `via` before"),
        ("REACH_TO_VIA", "the `via` after"),
        ("REACH_FROM_CONNECTIVITY", "the `connectivity` before"),
        ("REACH_TO_CONNECTIVITY", "the `connectivity` after"),
        ("REACH_FROM_INTERFACE", "the interface that the path led through before"),
        ("REACH_TO_INTERFACE", "the interface that the path leads through now"),
        ("REACH_INTERFACE", "the interface concerned: that of now, else the event's, the cause's, or that of before"),
        ("REACH_FAMILY", "`ipv4` or `ipv6`, when the event concerns one family"),
        ("REACH_FROM_VERDICT", "the probe's verdict before"),
        ("REACH_TO_VERDICT", "the probe's verdict after"),
        ("REACH_REASON", "why there is no path, or the code of why the probe or the uplink is not up"),
        ("REACH_CAUSE_KIND", "the kind of what brought the event about"),
        ("REACH_CAUSE", "the code of what brought the event about"),
        ("REACH_CAUSE_INTERFACE", "the interface of the cause"),
        ("REACH_CAUSE_DETAIL", "a few words for people about the cause"),
        ("REACH_PORTAL_URL", "where a person logs in, when the network asks for that"),
        ("REACH_SUPERSEDED", "how many events were dropped because this one replaced them; not set when none was"),
        ("REACH_AT_START", "`1` when the hook gets a state that was there before the hook was; otherwise not set"),
    ]

    /// The maximum size of a value, in bytes.
    public static let maximumValueBytes = 4096

    /// Returns the variables of an event; those that do not apply are left out.
    ///
    /// - Parameters:
    ///   - hook: The hook's name.
    ///   - path: The program's real path; nil for a webhook.
    ///   - superseded: The number of events that this one replaced.
    ///   - isAtStart: `true` if the event reports an existing state.
    package static func variables(
        hook: String,
        path: String?,
        event: HookEvent,
        superseded: Int,
        isAtStart: Bool
    ) -> [String: String] {
        let values: [String: String?] = [
            "REACH_HOOK": hook,
            "REACH_HOOK_PATH": path,
            "REACH_TYPE": event.type.shortName,
            "REACH_ID": event.id,
            "REACH_SEQ": event.sequence.map { String($0) },
            "REACH_TIME": event.time,
            "REACH_SUBJECT": event.subject,
            "REACH_TARGET": event.target,
            "REACH_PROBE": event.probe,
            "REACH_UPLINK": event.uplink,
            "REACH_UPLINK_KIND": event.uplink == nil ? nil : event.to.kind,
            "REACH_FROM_USED": event.from.isUsed.map { $0 ? "1" : "0" },
            "REACH_TO_USED": event.to.isUsed.map { $0 ? "1" : "0" },
            "REACH_FROM_VIA": event.from.via,
            "REACH_TO_VIA": event.to.via,
            "REACH_FROM_CONNECTIVITY": event.from.connectivity,
            "REACH_TO_CONNECTIVITY": event.to.connectivity,
            "REACH_FROM_INTERFACE": event.from.interface,
            "REACH_TO_INTERFACE": event.to.interface,
            "REACH_INTERFACE": event.to.interface ?? event.interface ?? event.cause?.interface ?? event.from.interface,
            "REACH_FAMILY": event.family,
            "REACH_FROM_VERDICT": event.from.verdict,
            "REACH_TO_VERDICT": event.to.verdict,
            "REACH_REASON": event.to.reason ?? event.to.code,
            "REACH_CAUSE_KIND": event.cause?.kind,
            "REACH_CAUSE": event.cause?.code,
            "REACH_CAUSE_INTERFACE": event.cause?.interface,
            "REACH_CAUSE_DETAIL": event.cause?.detail,
            "REACH_PORTAL_URL": event.to.portalURL,
            "REACH_SUPERSEDED": superseded > 0 ? String(superseded) : nil,
            "REACH_AT_START": isAtStart ? "1" : nil,
        ]
        return values.compactMapValues { $0.map(printable) }
    }

    /// Returns the whole environment of a program.
    ///
    /// - Parameters:
    ///   - variables: The result of ``variables(hook:path:event:superseded:isAtStart:)``.
    ///   - account: The account to run as, if it is not the agent's own user.
    ///   - own: The variables of the hook's definition, which cannot set `REACH_*`.
    package static func environment(
        _ variables: [String: String],
        account: HookAccount?,
        own: [String: String]
    ) -> [String: String] {
        var environment = ["PATH": path, "LANG": "C.UTF-8"]
        if let account {
            environment["USER"] = account.name
            environment["LOGNAME"] = account.name
            environment["HOME"] = account.home
            environment["SHELL"] = account.shell
        }
        environment.merge(own.filter { isName($0.key) && !$0.key.hasPrefix("REACH_") }) { $1 }
        environment.merge(variables) { $1 }
        return environment.mapValues { $0.replacing("\0", with: "?") }
    }

    /// Returns whether a name is a valid variable name.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "=") }
    }

    /// Returns a value without control characters, cut to ``maximumValueBytes`` at a character boundary.
    private static func printable(_ value: String) -> String {
        var result = String.UnicodeScalarView()
        var bytes = 0
        for scalar in value.unicodeScalars {
            let shown = scalar.properties.generalCategory == .control ? "?" : scalar
            bytes += UTF8.width(shown)
            guard bytes <= maximumValueBytes else { break }
            result.append(shown)
        }
        return String(result)
    }
}
