internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// What differs between two configurations: names and sections, never values.
public struct SettingsDifference: Sendable, Hashable {
    /// Probes and targets that only the later one has: `probe.web`, `target.office`.
    public var added: [String]
    /// Probes and targets that only the earlier one has.
    public var removed: [String]
    /// Probes and targets that are not the same, and sections, such as `settle`.
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
    /// at again is the section's, and no probe's.
    public static func differences(from earlier: Settings, to later: Settings) -> SettingsDifference {
        let (old, new) = (entries(earlier), entries(later))
        let sections: [(String, Bool)] = [
            ("settle", earlier.settle != later.settle),
            (
                "interfaces",
                earlier.kindOverrides != later.kindOverrides || earlier.internetAddresses != later.internetAddresses
            ),
            ("metered", earlier.metered != later.metered),
            ("portal", earlier.portal != later.portal),
            ("connectivity", earlier.quorum != later.quorum),
            ("limits", earlier.limits != later.limits),
        ]
        let kept = new.keys.filter { key in old[key].map { $0 != new[key] } ?? false }
        return SettingsDifference(
            added: new.keys.filter { old[$0] == nil }.sorted(),
            removed: old.keys.filter { new[$0] == nil }.sorted(),
            changed: (kept + sections.filter(\.1).map(\.0)).sorted(),
            needsRestart: earlier.agent == later.agent ? [] : ["agent"]
        )
    }

    /// What a probe or a target is compared by.
    private enum Entry: Hashable {
        case probe(identity: String, ProbePace, ProbeRule)
        case target(IPAddress)
    }

    private static func entries(_ settings: Settings) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for probe in settings.probes {
            var pace = probe.pace
            pace.portalInterval = .zero
            entries["probe.\(probe.name)"] = .probe(identity: probe.identity, pace, probe.rule)
        }
        for target in settings.targets { entries["target.\(target.name)"] = .target(target.address) }
        return entries
    }
}
