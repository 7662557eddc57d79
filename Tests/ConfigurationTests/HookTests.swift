import AgentEvents
import Configuration
import Foundation
import Hooks
import Probes
import Testing

/// The hooks that are read from a configuration.
@Suite struct HookTests {
    private let settings: Settings

    init() throws {
        settings = try ConfigurationFile.load("\(Fixtures.directory)/valid-everything.toml").settings
    }

    private func hook(_ name: String) throws -> HookDefinition {
        try #require(settings.hooks.definitions.first { $0.name == name })
    }

    private func command(_ hook: HookDefinition) throws -> HookCommand {
        guard case .command(let command) = hook.action else {
            throw ConfigurationError(file: "", message: "\(hook.name) is no program")
        }
        return command
    }

    private func webhook(_ hook: HookDefinition) throws -> Webhook {
        guard case .webhook(let webhook) = hook.action else {
            throw ConfigurationError(file: "", message: "\(hook.name) is no webhook")
        }
        return webhook
    }

    /// The only hook of a text.
    private func hook(of text: String) throws -> HookDefinition {
        try #require(try Fixtures.load(text).settings.hooks.definitions.first)
    }

    @Test func `the section is read`() {
        #expect(settings.hookDirectories == ["/etc/hooks", "/usr/lib/hooks"])
        #expect(settings.runsHooks)
        #expect(settings.hooks.maximumRunning == 8)
        #expect(settings.hooks.limits == HookLimits(tasks: 100, memory: 64 << 20))
        #expect(settings.hooks.directoryTimeout == .seconds(20))
        #expect(settings.hooks.stopGrace == .seconds(5))
        #expect(settings.hooks.definitions.map(\.name) == ["chat", "failover", "office", "vpn", "web.verdict"])
    }

    @Test func `all keys of a program are read`() throws {
        let vpn = try hook("vpn")
        let command = try command(vpn)
        #expect(
            command
                == HookCommand(
                    arguments: ["/usr/bin/systemctl", "restart", "vpn"],
                    user: "nobody",
                    group: "65534",
                    environment: [
                        "LANG": "de_DE.UTF-8", "PATH": "/opt/bin", "API_TOKEN_FILE": "/run/token",
                        "url": "https://a.test/",
                    ],
                    workingDirectory: "/tmp"
                )
        )
        var filter = HookFilter()
        filter.interfaces = ["wwan*", "ppp?"]
        filter.causes = ["link_down"]
        filter.changes = [.interface, .verdict]
        #expect(vpn.trigger == HookTrigger(types: [.pathChanged, .probeChanged], filter: filter))
        #expect(vpn.pace == HookPace(concurrency: 2, queue: .all, debounce: .seconds(2), runsAtStart: true))
        #expect(vpn.timeout == .seconds(5))
    }

    @Test func `a filter takes one value or several`() throws {
        let filter = try hook("failover").trigger.filter
        #expect(filter.fromVia == ["wired", "wifi"])
        #expect(filter.toVia == ["wwan"])
        #expect(filter.fromConnectivity == ["full"])
        #expect(filter.toConnectivity == ["full", "partial"])
        #expect(try hook("office").trigger.filter.targets == ["office", "branch.two"])
        #expect(try hook("web.verdict").trigger.filter.probes == ["web"])
    }

    @Test func `all keys of a webhook are read`() throws {
        let chat = try hook("chat")
        let webhook = try webhook(chat)
        #expect(chat.trigger.types == [.reachabilityChanged, .agentStarted])
        #expect(chat.timeout == .seconds(10))
        #expect(webhook.retries == 3)
        #expect(webhook.body?.text == #"{"text": "$$ now ${REACH_TO_VIA}"}"#)
        #expect(webhook.secretFile == nil)
        let probe = webhook.probe
        #expect(probe.target.description == "https://chat.example/hooks/1")
        #expect(probe.timeout == .seconds(10))
        #expect(probe.request.method == "PUT")
        #expect(probe.request.headers.value(of: "x-test") == "1")
        #expect(!probe.request.allowsCellularAccess)
        #expect(probe.expectations.acceptableStatusCodes.description == "204")
        #expect(probe.interface == "eth0")
        #expect(probe.families == .ipv4)
        #expect(probe.tls.minimumVersion == .tls13)
        #expect(probe.tls.applicationProtocols == ["http/1.1"])
        #expect(probe.trust.policy.pinningMode == .publicKey)
        #expect(probe.maximumRedirects == 0)
    }

    @Test func `an omitted key has its default`() throws {
        let program = try hook(of: "[hook.a]\ncommand = ['true']\n")
        #expect(try command(program) == HookCommand(arguments: ["true"]))
        #expect(program.trigger == HookTrigger())
        #expect(program.pace == HookPace())
        #expect(program.timeout == .seconds(30))
        let request = try webhook(try hook(of: "[hook.a]\nurl = 'https://a.test/'\n"))
        #expect(request.retries == 5)
        #expect(request.body == nil)
        #expect(request.probe.request.method == "POST")
        #expect(request.probe.timeout == .seconds(30))
        #expect(request.probe.families == .any)
        let settings = try Fixtures.load("").settings
        #expect(settings.hookDirectories == nil)
        #expect(settings.hooks.maximumRunning == 64)
        #expect(settings.hooks.limits == HookLimits(tasks: 512, memory: 256 << 20))
        #expect(settings.hooks.stopGrace == .seconds(3))
    }

    @Test(arguments: [("192.0.2.10", AddressFamilies.ipv4), ("[2001:db8::1]", .ipv6), ("a.test", .any)])
    func `a webhook to an address is sent in its family`(host: String, families: AddressFamilies) throws {
        let hook = try self.hook(of: "[hook.a]\nurl = 'https://\(host)/'\n")
        #expect(try webhook(hook).probe.families == families)
    }

    @Test func `the section's timeout applies to hooks without their own`() throws {
        let text = "[hooks]\ntimeout = '7s'\n[hook.a]\ncommand = ['true']\n[hook.b]\nurl = 'https://b.test/'\n"
        let settings = try Fixtures.load(text).settings
        #expect(settings.hooks.definitions.map(\.timeout) == [.seconds(7), .seconds(7)])
        #expect(try webhook(settings.hooks.definitions[1]).probe.timeout == .seconds(7))
    }

    @Test func `without configured directories the agent chooses them`() throws {
        #expect(settings.activeHooks(standardDirectories: ["/a"]).directories == ["/etc/hooks", "/usr/lib/hooks"])
        #expect(try Fixtures.load("").settings.activeHooks(standardDirectories: ["/a"]).directories == ["/a"])
        let none = try Fixtures.load("[hooks]\ndirectories = []\n").settings
        #expect(none.activeHooks(standardDirectories: ["/a"]).directories.isEmpty)
    }

    @Test func `hooks that are switched off are read, and do not run`() throws {
        let settings = try ConfigurationFile.load("\(Fixtures.directory)/valid-hooks-off.toml").settings
        #expect(!settings.runsHooks)
        #expect(settings.hooks.definitions.map(\.name) == ["a"])
        let active = settings.activeHooks(standardDirectories: HookSettings.systemDirectories)
        #expect(active.definitions.isEmpty && active.directories.isEmpty)
    }

    @Test func `the secret of a signature is named, not read into the settings`() throws {
        try Fixtures.inDirectory { directory in
            let secret = "\(directory)/secret"
            try "whsec_aGVsbG8=\n".write(toFile: secret, atomically: false, encoding: .utf8)
            try "[hook.a]\nurl = 'https://a.test/'\nsecret_file = 'secret'\n"
                .write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
            chmod(secret, 0o644)
            #expect(
                Fixtures.errors(at: "\(directory)/a.toml", in: directory) == [
                    "a.toml:3:1: hook.a.secret_file: secret can be read or written by others: use chmod o-rw"
                ]
            )
            chmod(secret, 0o600)
            let loaded = try ConfigurationFile.load("\(directory)/a.toml", listsEffective: true)
            let hook = try #require(loaded.settings.hooks.definitions.first)
            #expect(try webhook(hook).secretFile == secret)
            #expect(!hook.identity.contains("whsec_"))
            #expect(!loaded.effective.joined().contains("whsec_"))
        }
    }

    @Test func `a secret in the header makes another hook, and is not shown`() throws {
        try Fixtures.inDirectory { directory in
            func load(_ secret: String) throws -> ConfigurationFile.Loaded {
                try secret.write(toFile: "\(directory)/token", atomically: false, encoding: .utf8)
                chmod("\(directory)/token", 0o600)
                try "[hook.a]\nurl = 'https://a.test/'\nheader_files = { Authorization = 'token' }\nbody = 'hunter2'\n"
                    .write(toFile: "\(directory)/a.toml", atomically: false, encoding: .utf8)
                return try ConfigurationFile.load("\(directory)/a.toml", listsEffective: true)
            }
            let (first, other) = (try load("Bearer first"), try load("Bearer other"))
            let identities = [first, other].compactMap(\.settings.hooks.definitions.first?.identity)
            #expect(Set(identities).count == 2)
            #expect(!identities.joined().contains("Bearer") && !identities.joined().contains("hunter2"))
            #expect(!first.effective.joined().contains("Bearer"))
            #expect(ConfigurationFile.differences(from: first.settings, to: other.settings).changed == ["hook.a"])
        }
    }

    @Test func `hooks are compared by name`() throws {
        func text(_ hooks: [String: String], _ section: String = "") -> String {
            "[hooks]\n\(section)\n"
                + hooks.map { "[hook.\($0.key)]\ncommand = ['true']\n\($0.value)\n" }.sorted().joined()
        }
        let earlier = try Fixtures.load(text(["same": "", "when": "", "pace": "", "user": "", "gone": ""])).settings
        let later = try Fixtures.load(
            text([
                "same": "timeout = '30s'\non = 'reachability.changed'", "when": "when.to_via = 'wifi'",
                "pace": "debounce = '1s'", "user": "user = 'nobody'", "new": "",
            ])
        ).settings
        let difference = ConfigurationFile.differences(from: earlier, to: later)
        #expect(difference.added == ["hook.new"])
        #expect(difference.removed == ["hook.gone"])
        #expect(difference.changed == ["hook.pace", "hook.user", "hook.when"])
        #expect(difference.needsRestart.isEmpty)
    }

    @Test(arguments: [
        "enabled = false", "directories = []", "max_running = 3", "max_tasks = 3", "max_memory = '1M'",
        "timeout = '3s'",
        "stop_grace = '1s'",
    ])
    func `a change of the section is the section's alone`(key: String) throws {
        let hook = "[hook.a]\ncommand = ['true']\n"
        let earlier = try Fixtures.load(hook).settings
        let later = try Fixtures.load("\(hook)[hooks]\n\(key)\n").settings
        let difference = ConfigurationFile.differences(from: earlier, to: later)
        #expect(difference.changed == ["hooks"])
        #expect(difference.added.isEmpty && difference.removed.isEmpty && difference.needsRestart.isEmpty)
    }

    @Test func `more hooks than the maximum are an error`() throws {
        let text = (0...256).map { "[hook.h\($0)]\ncommand = ['true']\n" }.joined()
        #expect(try Fixtures.errors(text) == ["a.toml:1:1: hook: there are 257 hooks; at most 256 are accepted"])
    }

    @Test func `more or longer arguments than the maximum are an error`() throws {
        let many = Array(repeating: "'a'", count: 65).joined(separator: ",")
        #expect(
            try Fixtures.errors("[hook.a]\ncommand = [\(many)]\n") == [
                "a.toml:2:1: hook.a.command: has 65 elements; at most 64 are accepted"
            ]
        )
        let long = String(repeating: "a", count: 4097)
        #expect(
            try Fixtures.errors("[hook.a]\ncommand = ['true', '\(long)']\n") == [
                "a.toml:2:20: hook.a.command: has 4097 bytes; at most 4096 are accepted"
            ]
        )
    }

    @Test(arguments: [
        ("user = 'no-such-user'", ["there is no user 'no-such-user' here"]),
        ("group = 'no-such-group'", ["there is no group 'no-such-group' here"]),
        ("user = 'root'\ngroup = '12345678'", []),
    ])
    func `unknown accounts are a warning where requested`(keys: String, messages: [String]) throws {
        try Fixtures.inDirectory { directory in
            let path = "\(directory)/a.toml"
            try "[hook.a]\ncommand = ['true']\n\(keys)\n".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try ConfigurationFile.load(path, checksMachine: true).warnings.map(\.message) == messages)
            #expect(try ConfigurationFile.load(path).warnings.isEmpty)
        }
    }

    @Test func `a type that the filter never passes is a warning`() throws {
        let types = "on = ['reachability.changed', 'config.reloaded']"
        #expect(
            try Fixtures.load("[hook.a]\ncommand = ['true']\n\(types)\nwhen.to_via = 'wifi'\n").warnings.map(\.message)
                == [
                    "the hook never runs for config.reloaded, which 'when' rules out"
                ]
        )
    }
}
