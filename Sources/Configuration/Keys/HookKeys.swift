internal import AgentEvents
internal import Hooks
internal import Probes
internal import Reachability

/// The keys of `[hooks]`.
struct HooksKeys: KeyTable {
    /// The maximum grace period: all parts of the agent must have stopped within eight seconds.
    private static let longestGrace: Duration = .seconds(5)

    let directories = Setting(
        "directories",
        unset: \.hookDirectories,
        ValueFormat<String>.absolutePath.list(0...16),
        says: "for the system's service `/etc/reachagent/hooks.d` and `/usr/lib/reachagent/hooks.d`",
        example: "[\"/etc/reachagent/hooks.d\", \"/usr/lib/reachagent/hooks.d\"]",
        """
        Up to 16 absolute paths of directories whose files are run; a file of an earlier one hides one of the same name in a \
        later one. `[]`: none
        """
    )
    let enabled = Setting(
        "enabled",
        \.runsHooks,
        .boolean,
        """
        `false`: no hook runs, neither those of the directories nor those below; directories that the command line names \
        (`--hooks`) are run all the same
        """
    )
    let maxRunning = Setting(
        "max_running",
        \.hooks.maximumRunning,
        .integer(1...256),
        "The maximum number of programs that run at the same time, of all hooks together: 1 to 256"
    )
    let maxTasks = Setting(
        "max_tasks",
        \.hooks.limits.tasks,
        .integer(2...1_000_000),
        """
        The maximum number of processes and threads of all hooks together, and half of it for one run, where control \
        groups are delegated ([hooks.md](hooks.md#control-groups))
        """
    )
    let maxMemory = Setting(
        "max_memory",
        \.hooks.limits.memory,
        .size((1 << 20)...(1 << 40)),
        "The maximum memory of all hooks together, and half of it for one run, likewise: at least 1 MiB"
    )
    let timeout = Setting(
        "timeout",
        \.hooks.directoryTimeout,
        .duration(HookKeys.timeouts),
        "The timeout of a run, for hooks without a `timeout` of their own: 100 ms to 1 h"
    )
    let stopGrace = Setting(
        "stop_grace",
        \.hooks.stopGrace,
        .duration(.zero...Self.longestGrace),
        "The time for programs that run when the agent stops: at most 5 s"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[hook.NAME]`.
struct HookKeys: KeyTable {
    static let timeouts: ClosedRange<Duration> = .milliseconds(100) ... .seconds(3600)

    let command = Key(
        "command",
        optional: .command,
        says: "",
        example: "[\"/usr/bin/logger\", \"hi\"]",
        for: .program,
        """
        The program and its arguments, an array of at most 64 strings. No shell reads it. The program is an absolute path, \
        or a name that is looked up in the usual directories
        """
    )
    let url = Key(
        "url",
        optional: .webAddress,
        says: "",
        example: "\"https://chat.example/hooks/1\"",
        for: .webhook,
        "`https://…` or `http://…`: where the event is sent"
    ).hiding { TOMLText.quoted($0.shownOrigin) }
    let urlFile = Key(
        "url_file",
        optional: .path,
        says: "",
        example: "\"chat.url\"",
        for: .webhook,
        "Instead of `url`, a file whose first line is the address, and which others can neither read nor write"
    )
    let on = Key(
        "on",
        .eventTypes,
        default: [.reachabilityChanged],
        """
        The types of event that it runs for, without `reachagent.`: \
        \(HookTrigger.types.map { "`\($0.shortName)`" }.joined(separator: ", ")) ([events.md](events.md))
        """
    )
    let when = Subtable(
        "when",
        WhenKeys.all,
        example: "{ to_via = [\"wifi\", \"wired\"], changed = \"interface\" }",
        "The conditions that must hold as well: see below"
    )
    let timeout = Key(
        "timeout",
        .duration(timeouts),
        default: HookSettings().directoryTimeout,
        says: "that of `[hooks]`",
        "The timeout of a run; for a request, of each attempt"
    )
    let concurrency = Key(
        "concurrency",
        .integer(1...16),
        default: HookPace().concurrency,
        "Runs of this hook at the same time: 1 to 16"
    )
    let queue = Key(
        "queue",
        .choice,
        default: HookPace().queue,
        """
        The events that arrive meanwhile. `"latest"`: the newest waits, and replaces one that does; `"all"`: up to 128 wait
        """
    )
    let debounce = Key(
        "debounce",
        .duration(.zero ... .seconds(3600)),
        default: HookPace().debounce,
        "It runs when no event came for this long, or three times that after the first event: at most 1 h"
    )
    let atStart = Key(
        "at_start",
        .boolean,
        default: HookPace().runsAtStart,
        """
        It also runs for the state that the agent finds when it starts, or the last one when a reload adds the hook; for \
        \(EventFacts.listed(EventFacts.statefulTypes, quotedBy: "`"))
        """
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
    /// All keys of a hook.
    static let everything = all + ProgramKeys.all + WebhookKeys.all + TrustKeys.all + TLSKeys.all
}

/// `when` of a hook.
struct WhenKeys: KeyTable {
    private static let vias = ValueFormat<Reachability.Via>.choice.oneOrMore(1...16)
    private static let connectivities = ValueFormat<Reachability.Connectivity>.choice.oneOrMore(1...16)
    private static let ofPaths = "(`reachability.changed`, `path.changed`, `target.changed`)"
    private static let ofConnectivity = "(`reachability.changed`, `path.changed` of the default path, `uplink.changed`)"
    private static let ofInterfaces = "(the types of `from_via`, `uplink.changed`, `probe.changed`)"

    let fromVia = Key(
        "from_via",
        optional: Self.vias,
        example: "[\"wifi\", \"wired\"]",
        "The medium before: \(ValueFormat<Reachability.Via>.words) \(Self.ofPaths)"
    )
    let toVia = Key(
        "to_via",
        optional: Self.vias,
        example: "[\"wwan\", \"wifi\", \"wired\"]",
        "The medium after \(Self.ofPaths)"
    )
    let fromConnectivity = Key(
        "from_connectivity",
        optional: Self.connectivities,
        example: "\"portal\"",
        "The connectivity before: \(ValueFormat<Reachability.Connectivity>.words) \(Self.ofConnectivity)"
    )
    let toConnectivity = Key(
        "to_connectivity",
        optional: Self.connectivities,
        example: "\"full\"",
        "The connectivity after \(Self.ofConnectivity)"
    )
    let target = Key(
        "target",
        optional: ValueFormat<String>.string(1...256).oneOrMore(1...256),
        example: "\"office\"",
        "Names of targets, which must be in the configuration (`target.changed`, `path.changed` of targets)"
    )
    let probe = Key(
        "probe",
        optional: ValueFormat<String>.string(1...256).oneOrMore(1...256),
        example: "\"web\"",
        "Names of probes, likewise (`probe.changed`, `certificate.expiring`)"
    )
    let interface = Key(
        "interface",
        optional: ValueFormat<String>.interfacePattern.oneOrMore(1...64),
        example: "[\"wwan*\", \"ppp?\"]",
        """
        Patterns: the interface before, after or of the cause, by its own name or an alternative one; of `uplink.changed` \
        the uplink alone \(Self.ofInterfaces)
        """
    )
    let cause = Key(
        "cause",
        optional: ValueFormat<String>.causeCode.oneOrMore(1...64),
        example: "\"link_down\"",
        "Codes of causes ([events.md](events.md), [findings.md](findings.md)) \(Self.ofInterfaces)"
    )
    let changed = Key(
        "changed",
        optional: ValueFormat<HookFilter.Aspect>.choice.oneOrMore(1...16),
        example: "[\"via\", \"interface\"]",
        "The properties of which one must have changed: \(ValueFormat<HookFilter.Aspect>.words) (the types that have them)"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of a hook that runs a program.
struct ProgramKeys: KeyTable {
    let user = Key(
        "user",
        optional: .account("user"),
        says: "the agent's",
        example: "\"nobody\"",
        for: .program,
        "The user that it runs as, by name or number. Another one needs an agent that runs as root, or "
            + "the service's drop-in for it"
    )
    let group = Key(
        "group",
        optional: .account("group"),
        says: "the user's groups",
        example: "\"netdev\"",
        for: .program,
        "The group, by name or number"
    )
    let environment = Key(
        "environment",
        .variables,
        default: [:],
        for: .program,
        """
        Variables, up to 128, besides those that every hook has. `PATH` may be set; names that begin with `REACH_` may not
        """
    )
    let workingDirectory = Key(
        "working_directory",
        .absolutePath,
        default: HookCommand(arguments: []).workingDirectory,
        for: .program,
        "An absolute path"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of a hook that sends a request.
struct WebhookKeys: KeyTable {
    let method = Key("method", .string(1...32), default: "POST", for: .webhook, "The method")
    let headers = HeaderKeys.keys.headers
    let headerFiles = HeaderKeys.keys.headerFiles
    let basicAuthFile = HeaderKeys.keys.basicAuthFile
    let body = Key(
        "body",
        optional: .webhookBody(maxBytes: 64 << 10),
        says: "the event",
        example: "'{\"text\": \"now over ${REACH_TO_VIA}\"}'",
        for: .webhook,
        """
        A string with variables in it, `${REACH_TO_VIA}`; `$$` is a dollar. Their values are escaped for a JSON string
        """
    ).hiding(isDigested: true) { SecretText.shown(json: $0.text) }
    let secretFile = Key(
        "secret_file",
        optional: .path,
        example: "\"/etc/reachagent/chat.secret\"",
        for: .webhook,
        """
        A file with a secret that requests are signed with ([Standard Webhooks](https://www.standardwebhooks.com/)). It is \
        read again for each request
        """
    )
    let retries = Key(
        "retries",
        .integer(0...20),
        default: 5,
        for: .webhook,
        "The maximum number of retries of a failed request: up to 20"
    )
    let expectStatus = Key(
        "expect_status",
        .statusCodes,
        default: .success,
        for: .webhook,
        "The status codes that count as delivered"
    )
    let interface = Key(
        "interface",
        optional: .interfaceName(longest: 15),
        says: "the route's",
        example: "\"eth0\"",
        for: .webhook,
        "The interface that everything is sent through, by a name of at most 15 characters, own or alternative"
    )
    let families = Key(
        "families",
        .choice,
        default: AddressFamilies.any,
        for: .webhook,
        "`\"ipv4\"`, `\"ipv6\"`: in this one only"
    )
    let allowCellular = Key("allow_cellular", .boolean, default: true, for: .webhook, "Send over cellular links too")

    static let keys = Self()
    static let all = KeyList(of: keys)
}
