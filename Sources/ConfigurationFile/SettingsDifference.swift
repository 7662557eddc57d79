internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// What differs between two configurations: names and sections, never values.
public struct SettingsDifference: Sendable, Hashable {
    /// Probes, targets and hooks that only the later one has: `probe.web`, `target.office`, `hook.vpn`.
    public var added: [String]
    /// Probes, targets and hooks that only the earlier one has.
    public var removed: [String]
    /// Probes, targets and hooks that are not the same, and sections, such as `settle`.
    public var changed: [String]
    /// Sections whose change takes effect with the next start only.
    public var needsRestart: [String]

    /// Whether there is no difference at all.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && needsRestart.isEmpty }
}

extension ConfigurationFile {
    /// What is different in `later`; each list is sorted.
    ///
    /// A probe counts as changed when its check, its pace or its rule is another. The time after which a portal is looked
    /// at again is the section's, and no probe's; likewise the time that hooks have unless their tables say it.
    public static func differences(from earlier: Settings, to later: Settings) -> SettingsDifference {
        let (old, new) = (entries(earlier), entries(later))
        var fixed = earlier.agent
        fixed.logLevel = later.agent.logLevel
        let sections: [(String, Bool)] = [
            ("agent", earlier.agent.logLevel != later.agent.logLevel),
            ("settle", earlier.settle != later.settle),
            (
                "interfaces",
                earlier.kindOverrides != later.kindOverrides || earlier.internetAddresses != later.internetAddresses
            ),
            ("metered", earlier.metered != later.metered),
            ("portal", earlier.portal != later.portal),
            ("connectivity", earlier.quorum != later.quorum),
            ("limits", earlier.limits != later.limits),
            ("hooks", HookSection(earlier) != HookSection(later)),
        ]
        let kept = new.keys.filter { key in old[key].map { $0 != new[key] } ?? false }
        return SettingsDifference(
            added: new.keys.filter { old[$0] == nil }.sorted(),
            removed: old.keys.filter { new[$0] == nil }.sorted(),
            changed: (kept + sections.filter(\.1).map(\.0)).sorted(),
            needsRestart: fixed == later.agent ? [] : ["agent"]
        )
    }

    /// What the section `[hooks]` is compared by.
    private struct HookSection: Hashable {
        let runs: Bool
        let folders: [String]?
        let mostRunning: Int
        let timeout: Duration
        let stopGrace: Duration

        init(_ settings: Settings) {
            runs = settings.runsHooks
            folders = settings.hookFolders
            mostRunning = settings.hooks.mostRunning
            timeout = settings.hooks.folderTimeout
            stopGrace = settings.hooks.stopGrace
        }
    }

    /// What a probe, a target or a hook is compared by.
    private enum Entry: Hashable {
        case probe(identity: String, ProbePace, ProbeRule)
        case target(IPAddress)
        case hook(identity: String)
    }

    private static func entries(_ settings: Settings) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for probe in settings.probes {
            var pace = probe.pace
            pace.portalInterval = .zero
            entries["probe.\(probe.name)"] = .probe(identity: probe.identity, pace, probe.rule)
        }
        for target in settings.targets { entries["target.\(target.name)"] = .target(target.address) }
        for hook in settings.hooks.definitions { entries["hook.\(hook.name)"] = .hook(identity: hook.identity) }
        return entries
    }
}
