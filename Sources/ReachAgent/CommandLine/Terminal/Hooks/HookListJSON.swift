internal import AgentEvents
internal import Hooks

/// The hooks, their events, and the reasons that others do not run, for programs.
struct HookListJSON: JSONRepresentable {
    let listing: HookListing
    let event: HookEvent?

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("judged_as", listing.user)
            json.name("directories")
            json.array(listing.directories) { $0.string($1) }
            json.member("configuration", ifPresent: listing.files.configuration)
            json.name("files")
            json.array(listing.read) { $0.string($1) }
            json.name("searched")
            json.array(listing.files.searched) { $0.string($1) }
            json.member("agent", ifPresent: listing.files.agent?.status.agent?.processID) { $0.number($1) }
            let setup = listing.files.agent?.status.hookSetup
            json.member("containment", ifPresent: setup?.containment)
            json.member("containment_detail", ifPresent: setup?.containmentDetail)
            json.member("enabled", !listing.isSwitchedOff)
            if let event {
                json.name("event")
                json.object { json in
                    json.member("type", event.type.shortName)
                    json.member("seq", ifPresent: event.sequence) { $0.number($1) }
                    json.member("time", event.time)
                }
                json.name("started")
                json.array(listing.started(for: event)) { $0.string($1.name) }
            }
            json.name("hooks")
            json.array(listing.hooks) { write($1, to: &$0) }
        }
    }

    private func write(_ hook: ListedHook, to json: inout JSONWriter) {
        json.object { json in
            json.member("hook", hook.name)
            switch hook.kind {
            case .file(let occasion):
                json.member("kind", HookKind.file.rawValue)
                json.member("subdirectory", ifPresent: occasion == .every ? nil : occasion.rawValue)
            case .configured(let definition): write(definition, to: &json)
            }
            json.member("path", ifPresent: hook.path)
            json.name("on")
            json.array(HookTrigger.types.filter(hook.types.contains)) { $0.string($1.shortName) }
            let match = event.map { hook.matches($0) }
            json.member("runs", hook.obstacle == nil && (match ?? .matches) == .matches)
            if let obstacle = hook.obstacle { write(obstacle, to: &json) } else if let match { write(match, to: &json) }
        }
    }

    private func write(_ definition: HookDefinition, to json: inout JSONWriter) {
        switch definition.action {
        case .command(let command):
            json.member("kind", HookKind.command.rawValue)
            json.name("command")
            json.array(command.arguments) { $0.string($1) }
            json.member("user", ifPresent: command.user)
            json.member("group", ifPresent: command.group)
            json.member("working_directory", command.workingDirectory)
        case .webhook(let webhook):
            json.member("kind", HookKind.webhook.rawValue)
            json.member("url", webhook.probe.target.shownOrigin)
        }
        let conditions = definition.trigger.filter.conditions
        guard !conditions.isEmpty else { return }
        json.name("when")
        json.array(conditions) { json, condition in
            json.object { json in
                json.member("condition", condition.name)
                json.name("wanted")
                json.array(condition.wanted) { $0.string($1) }
            }
        }
    }

    private func write(_ obstacle: ListedHook.Obstacle, to json: inout JSONWriter) {
        json.member("why", obstacle.code)
        switch obstacle {
        case .masked(let path): json.member("masked_by", path)
        case .skipped: break
        case .refused(let refusal):
            json.name("refusal")
            json.object { json in
                json.member("code", refusal.code.rawValue)
                json.member("path", refusal.path)
                json.member("evidence", refusal.evidence)
                json.member("remedy", refusal.remedy)
                json.member("command", ifPresent: refusal.command)
            }
        }
    }

    private func write(_ match: HookMatch, to json: inout JSONWriter) {
        switch match {
        case .matches: break
        case .type: json.member("why", "type")
        case .atStartOnly: json.member("why", "at_start")
        case .behindPortal: json.member("why", "behind_portal")
        case .filter(let name, let wanted, let found):
            json.member("why", "condition")
            json.member("condition", name)
            json.name("wanted")
            json.array(wanted) { $0.string($1) }
            json.member("found", ifPresent: found)
        }
    }
}
