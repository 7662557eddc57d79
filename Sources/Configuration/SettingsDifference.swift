internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import Sinks

/// The differences between two configurations: names and sections, never values.
public struct SettingsDifference: Sendable, Hashable {
    /// Probes, targets, hooks and sinks that only the later one has: `probe.web`, `target.office`, `hook.vpn`.
    public var added: [String]
    /// Probes, targets, hooks and sinks that only the earlier one has.
    public var removed: [String]
    /// Probes, targets, hooks and sinks that are not the same, and sections, such as `settle`.
    public var changed: [String]
    /// Sections with a change that takes effect on the next start.
    public var needsRestart: [String]

    /// True when there is no difference at all.
    public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && needsRestart.isEmpty }
}

extension ConfigurationFile {
    /// The differences of `later`; each list is sorted.
    ///
    /// A probe counts as changed when its check, its pace or its rule differs. The time between two checks of a portal belongs
    /// to its section, not to the probes; likewise the timeout of hooks without one of their own.
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

    /// The sections whose files have other contents: a certificate is renewed in its place.
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
