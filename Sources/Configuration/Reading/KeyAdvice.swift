internal import ForeignText

/// The probable correction of an unknown key or a misplaced table.
enum KeyAdvice {
    /// Returns the end of the message about an unknown key; empty if no correction is known.
    static func correction(of key: String, in table: TableReader) -> String {
        guard key.utf8.count <= 64 else { return "" }
        let word = key.lowercased().replacing("-", with: "_")
        switch synonyms[kind(of: table.path)]?[word] {
        case .key(let key)?: return "; did you mean '\(key)'?"
        case .sentence(let sentence)?: return "; \(sentence)"
        case nil: break
        }
        if let word = KeySuggestion.nearest(to: key, among: table.keys.names) { return "; did you mean '\(word)'?" }
        if let tables = homes[word], tables.count <= 2 { return "; it belongs to \(tables.joined(separator: " or "))" }
        let names = table.keys.names.map { "'\($0)'" }
        guard let last = names.last, names.count <= 6 else { return "" }
        return "; accepted are \(names.dropLast().joined(separator: ", "))\(names.count > 1 ? " and " : "")\(last)"
    }

    /// Returns the message about a value in place of a table.
    static func wrongTable(_ key: Subtable, of node: Node, in table: TableReader) -> String {
        let (name, isNamed) = (key.facts.name, table.path.keys.isEmpty && examples[key.facts.name] != nil)
        if isNamed, case .array(let elements) = node.value, elements.contains(where: { $0.members != nil }) {
            let header = TOMLPath([name, elements.lazy.compactMap(Self.name).first ?? examples[name] ?? ""])
            return "expected a table with a name, got an array of tables; write [\(header)] instead of [[\(name)]]"
        }
        let wrong = ValueError.wrongKind(of: node, wanted: "a table").message
        if let example = key.facts.example { return "\(wrong); an example is \(name) = \(example)" }
        guard table.path.keys.isEmpty else { return wrong }
        let header = TOMLPath(isNamed ? [name, examples[name] ?? ""] : [name])
        return "\(wrong); a table begins with a line [\(header)]"
    }

    /// Returns the message about a value in place of the table of a probe, a target, a hook or a sink.
    ///
    /// - Parameter mark: The key that such a table needs first.
    static func wrongEntry(_ name: String, of node: Node, in table: TableReader, mark: String?) -> String {
        let wrong = ValueError.wrongKind(of: node, wanted: "a table").message
        guard let kind = table.path.keys.first, let mark else { return wrong }
        if table.keys.contains(TOMLKey(name)) {
            return "the table of a \(kind) has its name; write [\(TOMLPath([kind, examples[kind] ?? ""]))] "
                + "instead of [\(kind)]"
        }
        let header = TOMLPath(table.path.keys + [name])
        if case .array(let elements) = node.value, elements.contains(where: { $0.members != nil }) {
            return "\(wrong); write [\(header)] instead of [[\(header)]]"
        }
        return "\(wrong); write the line [\(header)], and below it '\(mark)'"
    }

    // MARK: Tables

    /// Example names for named tables.
    private static let examples = ["probe": "web", "target": "office", "hook": "log", "sink": "fleet"]

    /// Returns the first key of the path of a table, if the table is a section, a probe, a target, a hook or a sink.
    private static func kind(of path: TOMLPath) -> String {
        guard let first = path.keys.first else { return "" }
        return path.keys.count == (examples[first] == nil ? 1 : 2) ? first : path.description
    }

    /// Returns the value of `name` in an element of an array of tables, if it is a valid name.
    private static func name(of node: Node) -> String? {
        guard let name = node.members?["name"]?.string, SettingsReader.flaw(ofName: name) == nil else { return nil }
        return name
    }

    /// The tables that can contain a key, by key.
    private static let homes: [String: [String]] = {
        var homes: [String: [String]] = [:]
        for section in RootKeys.sections {
            for key in section.keys.names { homes[key, default: []].append("[\(section.facts.name)]") }
        }
        let named = [
            ("probe", ProbeKeys.everything), ("target", TargetKeys.all), ("hook", HookKeys.everything),
            ("sink", SinkKeys.all),
        ]
        for (kind, keys) in named {
            for key in Set(keys.names) { homes[key, default: []].append("[\(kind).NAME]") }
        }
        return homes
    }()

    // MARK: Other words

    private enum Synonym {
        case key(String)
        case sentence(String)
    }

    private static let kindOfCheck =
        "the kind of check is the beginning of 'target': https, http, tcp, icmp or dns"

    /// The terms of other programs for the keys of the agent, by table.
    private static let synonyms: [String: [String: Synonym]] = [
        "": [
            "log": .sentence("the log's level is 'log_level' in [agent]"),
            "include": .sentence(
                "files beside this one, in its directory with '.d' at the end, are read by themselves"
            ),
        ],
        "agent": [
            "level": .key("log_level"), "loglevel": .key("log_level"), "verbosity": .key("log_level"),
            "group": .key("socket_group"), "mode": .key("socket_mode"), "max_clients": .key("max_connections"),
            "state_directory": .key("journal_directory"), "retention": .key("journal_age"),
        ],
        "target": ["ip": .key("address"), "host": .key("address"), "target": .key("address"), "url": .key("address")],
        "probe": [
            "url": .key("target"), "uri": .key("target"), "address": .key("target"), "host": .key("target"),
            "endpoint": .key("target"), "every": .key("interval"), "period": .key("interval"),
            "frequency": .key("interval"), "failures": .key("fall"), "failure_threshold": .key("fall"),
            "max_failures": .key("fall"), "down_after": .key("fall"), "successes": .key("rise"),
            "success_threshold": .key("rise"), "up_after": .key("rise"), "via": .key("interfaces"),
            "device": .key("interfaces"), "devices": .key("interfaces"), "uplinks": .key("interfaces"),
            "ip_version": .key("families"), "family": .key("families"), "status": .key("expect_status"),
            "status_code": .key("expect_status"), "status_codes": .key("expect_status"),
            "valid_status_codes": .key("expect_status"),
            "contains": .key("expect_body_contains"), "expect_body": .key("expect_body_contains"),
            "regex": .key("expect_body_matches"), "expect_regex": .key("expect_body_matches"),
            "content_type": .key("expect_content_type"), "json": .key("json_body"), "data": .key("form"),
            "body": .sentence("a body is 'json_body', 'form' or 'body_file'"),
            "follow_redirects": .key("max_redirects"), "redirects": .key("max_redirects"),
            "insecure": .key("allow_invalid_certificates"), "insecure_skip_verify": .key("allow_invalid_certificates"),
            "ca": .key("ca_file"), "cacert": .key("ca_file"), "ca_cert": .key("ca_file"),
            "cert": .key("client_certificate"), "cert_file": .key("client_certificate"), "key": .key("client_key"),
            "key_file": .key("client_key"), "min_version": .key("tls_minimum"), "tls_min_version": .key("tls_minimum"),
            "resolve": .key("connect_to"), "optional": .sentence("write required = false for a probe that is optional"),
            "disabled": .sentence("write enabled = false for a probe that is not made"),
            "disable": .sentence("write enabled = false for a probe that is not made"),
            "type": .sentence(kindOfCheck), "kind": .sentence(kindOfCheck),
            "port": .sentence("the port is part of 'target', as in tcp://host.example:22"),
            // Of mwan3's interfaces and of blackbox_exporter's modules.
            "track_ip": .key("target"), "up": .key("rise"), "down": .key("fall"),
            "failure_interval": .key("fast_interval"), "recovery_interval": .key("fast_interval"),
            "reliability": .sentence("the number of required probes that must be up is 'quorum' in [connectivity]"),
            "track_method": .sentence(kindOfCheck), "prober": .sentence(kindOfCheck), "module": .sentence(kindOfCheck),
            "preferred_ip_protocol": .key("families"), "no_follow_redirects": .key("max_redirects"),
            "fail_if_body_not_matches_regexp": .key("expect_body_matches"), "bearer_token_file": .key("header_files"),
            "bandwidth": .key("throughput"), "speed": .key("throughput"), "bufferbloat": .key("added_latency"),
            "responsiveness": .key("added_latency"), "download": .sentence("write transfer = { download = \"5M\" }"),
            "upload": .sentence("write transfer = { upload = \"1M\" }"),
            "name": .sentence("the name of a probe is that of its table, as in [probe.web]"),
            "user": .key("basic_auth_file"), "username": .key("basic_auth_file"), "password": .key("basic_auth_file"),
            "token": .key("header_files"), "bearer_token": .key("header_files"),
        ],
        "hook": [
            "cmd": .key("command"), "exec": .key("command"), "program": .key("command"), "run": .key("command"),
            "script": .key("command"), "webhook": .key("url"), "target": .key("url"), "address": .key("url"),
            "event": .key("on"), "events": .key("on"), "type": .key("on"), "types": .key("on"), "trigger": .key("on"),
            "if": .key("when"), "filter": .key("when"), "condition": .key("when"), "env": .key("environment"),
            "cwd": .key("working_directory"), "dir": .key("working_directory"), "workdir": .key("working_directory"),
            "delay": .key("debounce"), "parallel": .key("concurrency"), "max_running": .key("concurrency"),
            "secret": .key("secret_file"), "token": .key("header_files"), "data": .key("body"),
            "name": .sentence("the name of a hook is that of its table, as in [hook.log]"),
        ],
        "sink": [
            "target": .key("url"), "server": .key("url"), "servers": .key("url"), "broker": .key("url"),
            "address": .key("url"), "host": .key("url"), "endpoint": .key("url"), "uri": .key("url"),
            "device_id": .key("device"), "id": .key("device"), "client_id": .key("device"), "event": .key("types"),
            "events": .key("types"), "on": .key("types"), "type": .key("types"), "via": .key("when"),
            "media": .key("when"), "interfaces": .key("when"), "in_flight": .key("window"), "prefix": .key("topic"),
            "username": .key("user"), "password": .key("password_file"), "pass": .key("password_file"),
            "token": .key("token_file"), "creds": .key("credentials_file"), "jwt": .key("credentials_file"),
            "credentials": .key("credentials_file"), "nkey": .key("nkey_file"), "seed": .key("nkey_file"),
            "cert": .key("client_certificate"), "cert_file": .key("client_certificate"), "key": .key("client_key"),
            "key_file": .key("client_key"), "ca": .key("ca_file"), "cacert": .key("ca_file"),
            "ca_cert": .key("ca_file"),
            "pin_spki": .key("pins"), "version": .key("mqtt_version"), "retain": .key("keep_state"),
            "discovery": .key("home_assistant"), "discovery_prefix": .key("home_assistant"),
            "qos": .sentence("events are sent with QoS 1"),
            "tls": .sentence("an address over TLS begins with tls:// or mqtts://"),
            "port": .sentence("the port is part of 'url', as in tls://nats.example.org:4222"),
            "name": .sentence("the name of a sink is that of its table, as in [sink.fleet]"),
        ],
        "hooks": ["directory": .key("directories"), "folder": .key("directories"), "folders": .key("directories")],
        "metered": [
            "budget": .key("bytes_per_day"), "limit": .key("bytes_per_day"), "max_bytes": .key("bytes_per_day"),
            "factor": .key("interval_factor"),
        ],
    ]
}
