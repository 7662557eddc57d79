internal import AgentEvents
internal import Glibc
internal import Probes
internal import Sinks

/// Reads one table `[sink.NAME]`.
///
/// A sink's table is read completely, even after an error, like a probe's. The result does not depend on the
/// installation of `reachagent-sink`; the files that it will read are checked, so that their errors are reported now.
struct SinkReader {
    /// The maximum number of sinks.
    static let maximumSinks = 16
    /// The keys of which a NATS client uses at most one.
    private static let identities = ["user", "token_file", "credentials_file", "nkey_file"]

    private let name: String
    private let material: ProbeMaterial
    private let standardDevice: String?
    private var table: TableReader
    private let errorsBefore: Int

    /// Returns the settings in the tables below, sorted by name.
    static func settings(in table: TableReader, material: ProbeMaterial) -> [SinkSettings] {
        let tables = table.subtables(marks: ["url"])
        guard tables.count <= maximumSinks else {
            let message = "there are \(tables.count) sinks; at most \(maximumSinks) are accepted"
            table.notes.error(message, key: table.path, at: table.origin)
            return []
        }
        let device = DeviceName.ofMachine
        var sinks: [(settings: SinkSettings, origin: Origin)] = []
        for (name, table) in tables {
            if let flaw = SettingsReader.flaw(ofName: name) {
                table.notes.error(flaw, key: table.path, at: table.origin)
            }
            var reader = SinkReader(name: name, material: material, standardDevice: device, table: table)
            guard let settings = reader.settings() else { continue }
            refuse(settings, in: table, beside: sinks)
            sinks.append((settings, table.origin))
        }
        return sinks.map(\.settings).sorted { $0.name < $1.name }
    }

    private init(name: String, material: ProbeMaterial, standardDevice: String?, table: TableReader) {
        self.name = name
        self.material = material
        self.standardDevice = standardDevice
        self.table = table
        errorsBefore = table.notes.errorCount
    }

    private mutating func settings() -> SinkSettings? {
        let keys = SinkKeys.keys
        let broker = table.read(keys.url)
        if let broker { refuseMeaningless(broker.scheme) }
        let device = table.read(keys.device, default: standardDevice)
        if device == nil, !table.has("device") {
            let message = "is missing, and this machine has no id (machine-id(5)) to make one of"
            table.report("device", message)
        }
        let types = table.read(keys.types).map { EventType.prefix + $0 }
        let media = table.read(keys.when).map(\.rawValue)
        let maximumAge = table.read(keys.maxAge).map { Int($0.components.seconds) }
        if maximumAge != nil, media.isEmpty {
            table.warn("max_age", "has no effect without 'when', which limits the media")
        }
        let window = table.read(keys.window)
        let credentials = readCredentials(broker?.scheme)
        let authorities = readAuthorities()
        let pins = table.read(keys.pins) ?? []
        let isNATS = broker?.scheme.isNATS
        let subject = isNATS == false ? nil : table.read(keys.subject)
        let stream = isNATS == false ? nil : table.read(keys.stream)
        let topic = isNATS == true ? nil : table.read(keys.topic)
        let mqtt = isNATS == true ? nil : readMQTT()
        table.finish()
        guard table.notes.errorCount == errorsBefore, let broker, let device else { return nil }
        var settings = SinkSettings(name: name, broker: broker, device: device)
        settings.types = types
        if let template = subject ?? topic { settings.subject = template }
        settings.stream = stream
        settings.media = media
        settings.maximumAge = maximumAge
        settings.window = window
        settings.credentials = credentials
        settings.authorities = authorities
        settings.pins = pins.map { pin in pin.digest.hexadecimal }
        settings.mqtt = mqtt
        warnOfOpenSecrets(settings)
        return settings
    }

    /// Rejects the keys that apply only to the other protocol.
    private mutating func refuseMeaningless(_ scheme: BrokerAddress.Scheme) {
        if scheme.isNATS {
            table.refuse("topic", "has no meaning for NATS, whose key is 'subject'")
            table.refuse(
                "pins",
                "has no effect: the NATS library judges the certificate itself; name the broker's authority in 'ca_file'"
            )
            table.refuse(keysWithout: .nats, "has no meaning for NATS; it belongs to a sink with an mqtt:// address")
            return
        }
        table.refuse("subject", "has no meaning for MQTT, whose key is 'topic'")
        table.refuse(keysWithout: .mqtt, "has no meaning for MQTT; it belongs to a sink with a nats:// address")
        guard !scheme.isEncrypted else { return }
        for key in ["ca_file", "pins", "client_certificate", "client_key"] {
            table.refuse(key, "has no meaning without TLS; an address over TLS begins with mqtts://")
        }
    }

    private mutating func readMQTT() -> MQTTSettings {
        let keys = SinkKeys.keys
        var mqtt = MQTTSettings()
        mqtt.version = table.read(keys.mqttVersion)
        if mqtt.version == .three {
            table.warn(
                "mqtt_version",
                "with 3.1.1 a broker cannot reject an event: one that it does not store counts as shipped, or it closes "
                    + "the connection; 5 has reasons"
            )
        }
        mqtt.keepsState = table.read(keys.keepState)
        mqtt.discoveryPrefix = table.read(keys.homeAssistant)
        if mqtt.discoveryPrefix != nil, !mqtt.keepsState {
            table.report("home_assistant", "needs the state at the broker, which 'keep_state = false' leaves out")
        }
        return mqtt
    }

    // MARK: Files

    private mutating func readCredentials(_ scheme: BrokerAddress.Scheme?) -> SinkSettings.Credentials {
        let keys = SinkKeys.keys
        var credentials = SinkSettings.Credentials()
        credentials.user = table.read(keys.user)
        credentials.passwordFile = table.read(keys.passwordFile)
        if scheme?.isNATS != false {
            credentials.tokenFile = table.read(keys.tokenFile)
            credentials.credentialsFile = table.read(keys.credentialsFile)
            credentials.nkeyFile = table.read(keys.nkeyFile)
        }
        let given = Self.identities.filter(table.has)
        if given.count > 1, scheme?.isNATS != false {
            let words = given.map { "'\($0)'" }
            let list = "\(words.dropLast().joined(separator: ", ")) and \(words.last ?? "")"
            table.report(given[1], "\(list) exclude each other: a client has one identity")
        }
        if table.has("password_file"), !table.has("user") { table.report("password_file", "needs 'user'") }
        if scheme?.isNATS == true, table.has("user"), !table.has("password_file") {
            table.report("user", "needs 'password_file'")
        }
        checkLine("password_file", credentials.passwordFile)
        checkLine("token_file", credentials.tokenFile)
        if let line = checkLine("nkey_file", credentials.nkeyFile), !Self.isSeed(line) {
            table.report(
                "nkey_file",
                "\(credentials.nkeyFile ?? "") contains no seed of a user's NKey in its first line"
            )
        }
        checkCredentialsFile(credentials.credentialsFile)
        readIdentity(into: &credentials)
        return credentials
    }

    /// Returns the first line of a file that contains a secret; `nil` after an error.
    @discardableResult
    private mutating func checkLine(_ key: String, _ path: String?) -> String? {
        guard let path, Self.isReadable(path) else { return nil }
        return SecretLine(at: path, of: key, in: &table)?.text
    }

    private mutating func checkCredentialsFile(_ path: String?) {
        guard let path, Self.isReadable(path) else { return }
        do throws(RegularFile.Failure) {
            let bytes = try RegularFile.bytes(of: path, max: SecretLine.maxBytes, isSecret: true)
            let text = String(decoding: bytes, as: UTF8.self)
            guard ["BEGIN NATS USER JWT", "BEGIN USER NKEY SEED"].allSatisfy({ text.firstRange(of: $0) != nil }) else {
                throw RegularFile.Failure(description: "contains no JWT with the seed of a user's NKey")
            }
        } catch {
            table.report("credentials_file", "\(path) \(error)")
        }
    }

    private mutating func readIdentity(into credentials: inout SinkSettings.Credentials) {
        credentials.clientCertificate = table.read(SinkKeys.keys.clientCertificate)
        credentials.clientKey = table.read(SinkKeys.keys.clientKey)
        if table.has("client_certificate") != table.has("client_key") {
            let given = table.has("client_key") ? "client_key" : "client_certificate"
            table.report(given, "'client_certificate' and 'client_key' need each other")
        }
        guard let certificate = credentials.clientCertificate, let key = credentials.clientKey,
            Self.isReadable(certificate), Self.isReadable(key)
        else { return }
        _ = table.clientIdentity(certificate, key)
    }

    private mutating func readAuthorities() -> String? {
        let path = table.read(SinkKeys.keys.caFile)
        guard let path, Self.isReadable(path) else { return path }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            table.report("ca_file", "\(path) is a directory; a sink needs one file with all authorities")
            return nil
        }
        do throws(SecurityPolicyError) {
            _ = try material.certificates(at: path)
        } catch {
            table.report("ca_file", error.description)
        }
        return path
    }

    /// Warns about secrets that are sent without encryption.
    private func warnOfOpenSecrets(_ settings: SinkSettings) {
        let servers = settings.broker.servers.filter { !Self.isLoopback($0.host) }
        guard !settings.broker.scheme.isEncrypted, !servers.isEmpty else { return }
        let key = ["password_file", "token_file"].first(where: table.has)
        guard let key else { return }
        let secret = key == "token_file" ? "token" : "password"
        let safe = settings.broker.scheme.isNATS ? "tls://" : "mqtts://"
        table.warn(key, "the \(secret) is sent unencrypted; an address over TLS begins with \(safe)")
    }

    /// False for a credential of the service of the sinks, which no other program can read.
    private static func isReadable(_ path: String) -> Bool {
        !path.hasPrefix(ValueFormat<String>.sinkCredentials + "/")
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// Returns whether a line is an NKey seed of a user: `SU` and 56 more characters of Base32.
    private static func isSeed(_ line: String) -> Bool {
        line.utf8.count == 58 && line.hasPrefix("SU")
            && line.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
    }
}
