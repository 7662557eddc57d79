internal import AgentEvents
internal import Hooks

/// The hooks, their events, and the reasons that others do not run, for people.
struct HookListText {
    private static let labelWidth = 16

    let listing: HookListing
    let style: TerminalStyle
    /// The requested event; nil for all occasions.
    let event: HookEvent?

    /// The whole text.
    var text: String {
        let parts = event.map { [head, runs(for: $0), others(for: $0)] } ?? ([head] + occasions + types + [neverRun])
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    // MARK: Sources

    private var head: [String] {
        let directories = listing.directories.map { directory in
            HookText.safe(directory) + (listing.missingDirectories.contains(directory) ? " (does not exist)" : "")
        }
        var rows = [
            ("judged as", HookText.safe(listing.user) + "; an agent of another user may decide differently"),
            ("directories", directories.isEmpty ? "none" : directories.joined(separator: ", ")),
            ("configuration", configuration),
        ]
        if let agent = listing.files.agent {
            rows.append(("used by", agent.name))
            rows.append(("containment", Self.containment(agent.status.hookSetup)))
        }
        if let event {
            let number = event.sequence.map { " #\($0)" } ?? ""
            rows.append(("event", HookText.safe("\(event.type.shortName)\(number), \(event.time)")))
        }
        var block = TextBlock(columns: style.columns)
        for (label, text) in rows { block.add(label, text, indent: 0, labelWidth: Self.labelWidth) }
        if listing.files.hasSilentAgent { block.add("! \(AgentFiles.silentAgentNote)", hanging: 2) }
        if listing.isSwitchedOff {
            block.add("! hooks are switched off: 'enabled = false' in [hooks], or the agent's '--no-hooks'", hanging: 2)
        }
        if listing.hooks.isEmpty { block.add("there are no hooks", hanging: 2) }
        return block.lines
    }

    private var configuration: String {
        if !listing.read.isEmpty { return listing.read.map(HookText.safe).joined(separator: ", ") }
        if let path = listing.files.configuration { return HookText.safe(path) }
        let searched = listing.files.searched.map(HookText.safe).joined(separator: ", ")
        return searched.isEmpty ? "none" : "none; looked for \(searched)"
    }

    /// The means by which the processes of a run are found and killed.
    private static func containment(_ setup: AgentStatus.HookSetup?) -> String {
        let detail = HookText.safe(setup?.containmentDetail ?? "")
        return switch setup?.containment {
        case "control_groups"?: "each run has a control group below \(detail), and ends with everything in it"
        case "descendants"?: "the processes of a run are found by their parents: \(detail)"
        default: "decided at the first run: control groups where they are delegated, else the parents of processes"
        }
    }

    // MARK: By occasion

    private var ready: [ListedHook] { listing.hooks.filter { $0.obstacle == nil } }

    private var occasions: [[String]] {
        HookOccasion.allCases.map { occasion in
            let hooks = ready.filter { if case .file(occasion) = $0.kind { true } else { false } }
            let directory = occasion == .every ? "" : "\(occasion.rawValue): "
            return section("\(directory)\(HookText.occasion(occasion)) (reachability.changed)", hooks.map { row($0) })
        }
    }

    private var types: [[String]] {
        HookTrigger.types.map { type in
            let hooks = ready.filter { hook in
                if case .configured = hook.kind { hook.types.contains(type) } else { false }
            }
            return section("configured for \(type.shortName)", hooks.map { row($0) })
        }
    }

    private var neverRun: [String] { section("not run", listing.hooks.compactMap(obstacleRow)) }

    // MARK: For one event

    private func runs(for event: HookEvent) -> [String] {
        let hooks = listing.started(for: event)
        return hooks.isEmpty ? ["no hook runs for it"] : section("runs, in this order", hooks.map { row($0) })
    }

    private func others(for event: HookEvent) -> [String] {
        let rows = listing.hooks.compactMap { hook -> Row? in
            if let row = obstacleRow(hook) { return row }
            return HookText.reason(hook.matches(event), of: hook).map { Row(name: hook.name, lines: [$0]) }
        }
        return section("does not run", rows)
    }

    // MARK: Lines

    private struct Row {
        var name: String
        var lines: [String]
    }

    private func row(_ hook: ListedHook) -> Row {
        var lines = [HookText.what(hook)]
        if let conditions = HookText.conditions(hook) { lines.append("if \(conditions)") }
        return Row(name: hook.name, lines: lines)
    }

    private func obstacleRow(_ hook: ListedHook) -> Row? {
        guard let obstacle = hook.obstacle else { return nil }
        let (reason, remedy) = HookText.obstacle(obstacle)
        return Row(name: hook.name, lines: [reason] + (remedy.map { ["to do: \($0)"] } ?? []))
    }

    private func section(_ title: String, _ rows: [Row]) -> [String] {
        guard !rows.isEmpty else { return [] }
        var block = TextBlock(columns: style.columns)
        for row in rows {
            let name = HookText.safe(row.name.isEmpty ? "(the directory)" : row.name)
            let label = name.displayWidth < Self.labelWidth ? name : name + " "
            for (index, line) in row.lines.enumerated() {
                block.add(index == 0 ? label : "", style.spelled(line), indent: 2, labelWidth: Self.labelWidth)
            }
        }
        return [style.paint(title.uppercased(), .bold)] + block.lines.map(StatusText.spaced)
    }
}
