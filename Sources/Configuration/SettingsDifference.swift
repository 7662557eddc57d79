internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import Sinks

/// The differences between two configurations: names and sections, never values.
public struct SettingsDifference: Sendable, Hashable {
    /// The probes, targets, hooks and sinks only in the later configuration: `probe.web`, `target.office`, `hook.vpn`.
    public var added: [String]
    /// The probes, targets, hooks and sinks only in the earlier configuration.
    public var removed: [String]
    /// The probes, targets, hooks and sinks that differ, and the changed sections, such as `settle`.
    public var changed: [String]
    /// The sections with a change that takes effect on the next start.
    public var needsRestart: [String]

    /// True if there are no differences.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && needsRestart.isEmpty }
}

extension ConfigurationFile {
    /// Returns the differences between two configurations; each list is sorted.
    ///
    /// A probe counts as changed if its check, its pace or its rule differs. The time between two checks of a portal
    /// belongs to its section, not to the probes; likewise the timeout of hooks without one of their own.
    public static func differences(from earlier: Settings, to later: Settings) -> SettingsDifference {
        let (old, new) = (entries(earlier), entries(later))
        func sections(_ reload: ReloadEffect) -> [String] {
            RootKeys.sections.filter { section in
                section.keys.declarations.contains { key in
                    guard let setting = key as? any SettingDeclaration, key.facts.reload == reload else { return false }
                    return setting.differs(earlier, later)
                }
            }.map(\.facts.name)
        }
        let kept = new.keys.filter { key in old[key].map { $0 != new[key] } ?? false }
        return SettingsDifference(
            added: new.keys.filter { old[$0] == nil }.sorted(),
            removed: old.keys.filter { new[$0] == nil }.sorted(),
            changed: Set(kept + sections(.applies) + changedFiles(earlier, later)).sorted(),
            needsRestart: sections(.needsRestart)
        )
    }

    /// Returns the sections whose files have changed, such as a renewed certificate under the same name.
    private static func changedFiles(_ earlier: Settings, _ later: Settings) -> [String] {
        earlier.http.access == later.http.access ? [] : [RootKeys.keys.http.facts.name]
    }

    /// The properties by which probes, targets, hooks and sinks are compared.
    private enum Entry: Hashable {
        case probe(identity: String, ProbePace, ProbeRule)
        case target(IPAddress)
        case hook(identity: String)
        case sink(SinkSettings)
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
        for sink in settings.sinks { entries["sink.\(sink.name)"] = .sink(sink) }
        return entries
    }
}
